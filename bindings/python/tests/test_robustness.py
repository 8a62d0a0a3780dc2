"""Ctrl-C and other ways to end, forks, threads, event loops, and dropped objects."""

import asyncio
import gc
import itertools
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

import pytest
from conftest import run, start
from saltus.exceptions import ExternalShutdownException, ForkedError
from saltus.msgs.std_msgs.msg import String, UInt8MultiArray, UInt64

LONG = 20
# The command that is installed with this interpreter.
SALTUS = os.path.join(os.path.dirname(sys.executable), "saltus")

WAITS = """
import saltus, sys, threading
from saltus.msgs.std_msgs.msg import String
from saltus.exceptions import ExternalShutdownException
saltus.init(args=[])
node = saltus.Node("waits")
node.create_subscription(String, "chatter", print, 10)
way = sys.argv[1]
executor = {"multi": saltus.MultiThreadedExecutor}.get(way, saltus.SingleThreadedExecutor)(wait_strategy="spin" if way == "busy" else "adaptive")
executor.add_node(node)
if way == "call":
    import threading
    from saltus.msgs.std_srvs.srv import Empty
    server, held, serving = saltus.Node("silent"), [], saltus.SingleThreadedExecutor()
    # The server keeps the request. The output shows that the call waits.
    server.create_deferred_service(Empty, "silent", lambda request, responder: (held.append(responder), print("ready")))
    serving.add_node(server)
    def serve():
        try:
            serving.spin()
        except ExternalShutdownException:
            pass
    threading.Thread(target=serve).start()
try:
    if way != "call":
        print("ready")
    if way == "timer":
        node.create_timer(0.001, lambda: None)
    if way == "future":
        saltus.spin_until_future_complete(node, saltus.Future())
    elif way == "service":
        from saltus.msgs.std_srvs.srv import Empty
        node.create_client(Empty, "nobody").wait_for_service()
    elif way == "call":
        node.create_client(Empty, "silent").call(Empty.Request())
    else:
        executor.spin()
        print("returned")
except KeyboardInterrupt:
    print("interrupted", saltus.ok())
except ExternalShutdownException:
    print("shut down", saltus.ok())
finally:
    node.destroy_node()
    saltus.try_shutdown()
print("over")
"""


def ends(way, number, **options):
    process = start(WAITS, way, **options)
    try:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(number)
        out, err = process.communicate(timeout=LONG)
    finally:
        process.kill()
    return process.returncode, out.split("\n")[:-1], err


@pytest.mark.parametrize("way", ["spin", "timer", "busy", "multi", "future", "service", "call"])
def test_ctrl_c_ends_every_wait(way, domain):
    code, out, err = ends(way, signal.SIGINT)
    assert (code, out[-1], err) == (0, "over", ""), (out, err)
    # If the signal comes before the wait begins, another thread may still be shutting down the context.
    assert out[0] in ("interrupted False", "interrupted True")
    assert not [name for name in os.listdir(domain) if not name.startswith("saltus.")]


def test_sigterm_shuts_down_and_the_program_continues():
    code, out, _ = ends("spin", signal.SIGTERM)
    # If the signal comes between two waits, or before the first one, the spin returns because the context is shut down.
    assert (code, out) in ((0, [how, "over"]) for how in ("shut down False", "returned"))


def test_after_an_interrupted_wait_the_context_is_shut_down():
    code, out, err = run(
        "import saltus, os, signal, threading\n"
        "saltus.init(args=[])\n"
        "node = saltus.Node('node')\n"
        # Nothing wakes the wait but the signal. A signal between two waits is left to the native thread.
        "threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
        "try:\n"
        "    saltus.spin(node)\n"
        "except KeyboardInterrupt:\n"
        "    print(saltus.ok())\n"
        "    saltus.shutdown()\n"
    )
    assert (code, out, err) == (0, "False\n", "")


def test_a_second_ctrl_c_is_handled_by_python():
    code, out, err = run(
        "import saltus, os, signal\n"
        "saltus.init(args=[])\n"
        "for _ in range(2):\n"
        "    try:\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "        while True: pass\n"
        "    except KeyboardInterrupt:\n"
        "        print('interrupted')\n"
        "saltus.try_shutdown()\n"
        "saltus.init(args=[])\n"
        "print(saltus.ok())\n"
    )
    assert (code, out.split(), err) == (0, ["interrupted", "interrupted", "True"], "")


def test_handlers_of_other_signals_run_while_a_spin_waits():
    code, out, err = run(
        "import saltus, signal\n"
        "saltus.init(args=[])\n"
        "node = saltus.Node('node')\n"
        "def alarm(*_):\n"
        "    print('alarm')\n"
        "    saltus.shutdown()\n"
        "signal.signal(signal.SIGALRM, alarm)\n"
        "signal.setitimer(signal.ITIMER_REAL, 0.1)\n"
        "try:\n"
        "    saltus.spin(node)\n"
        "finally:\n"
        "    print('over')\n"
    )
    assert (code, out.split(), err) == (0, ["alarm", "over"], "")


def test_shutdown_restores_the_signal_handlers():
    code, _, _ = run(
        "import saltus, os, signal\nsaltus.init(args=[]); saltus.shutdown()\nos.kill(os.getpid(), signal.SIGTERM)\n"
    )
    assert code == -signal.SIGTERM


def test_a_program_may_end_without_cleaning_up(domain):
    code, out, err = run(
        "import saltus\n"
        "from saltus.msgs.std_msgs.msg import String\n"
        "saltus.init(args=[])\n"
        "node = saltus.Node('node')\n"
        "kept = []\n"
        "node.create_subscription(String, 'a', kept.append, 10)\n"
        "node.create_publisher(String, 'a', 10).publish(String(data='x'))\n"
        "saltus.spin_once(node)\n"
        "node.create_timer(1.0, lambda: None)\n"
        "print(kept[0].data)\n"
    )
    assert (code, out, err) == (0, "x\n", "")


@pytest.mark.parametrize("what", ["timer", "set", "call", "clock"])
def test_a_program_may_end_while_one_of_its_threads_is_in_a_callback(what):
    code, out, err = run(
        "import saltus, sys, threading\n"
        "from saltus.clock import JumpThreshold\n"
        "from saltus.msgs.rcl_interfaces.srv import SetParameters\n"
        "saltus.init(args=[])\n"
        "node, other = saltus.Node('node'), saltus.Node('other')\n"
        "began = threading.Event()\n"
        "def compute(*_):\n"
        "    began.set()\n"
        "    while True:\n"
        "        sum(range(100))\n"
        "what = sys.argv[1]\n"
        "node.declare_parameter('speed', 1)\n"
        "change = saltus.Parameter(*('use_sim_time', saltus.Parameter.Type.BOOL, True) if what == 'clock'\n"
        "                          else ('speed', saltus.Parameter.Type.INTEGER, 2))\n"
        "if what == 'timer':\n"
        "    node.create_timer(0.001, compute)\n"
        "elif what == 'clock':\n"
        "    threshold = JumpThreshold(min_forward=None, min_backward=None, on_clock_change=True)\n"
        "    jumps = node.get_clock().create_jump_callback(threshold, post_callback=compute)\n"
        "else:\n"
        "    node.add_on_set_parameters_callback(compute)\n"
        "work = (lambda: node.set_parameters([change])) if what == 'set' else (lambda: saltus.spin(node))\n"
        "client = other.create_client(SetParameters, '/node/set_parameters')\n"
        "assert client.wait_for_service(20)\n"
        "threading.Thread(target=work, daemon=True).start()\n"
        "if what in ('call', 'clock'):\n"
        "    client.call_async(SetParameters.Request(parameters=[change.to_parameter_msg()]))\n"
        "began.wait()\n"
        "print('over')\n",
        what,
    )
    assert (code, out, err) == (0, "over\n", "")


def test_a_dropped_publisher_leaves_the_graph(saltus, node):
    other = saltus.Node("other")
    publisher = other.create_publisher(String, "chatter", 10)
    subscription = node.create_subscription(String, "chatter", print, 10)
    assert subscription.get_publisher_count() == 1
    del publisher, other
    gc.collect()
    assert subscription.get_publisher_count() == 0 and node.get_node_names() == ["node"]


def test_a_subscription_is_kept_by_its_node(saltus, node):
    received = []
    node.create_subscription(String, "chatter", received.append, 10)
    gc.collect()
    node.create_publisher(String, "chatter", 10).publish(String())
    saltus.spin_once(node, timeout_sec=LONG)
    assert len(received) == 1


def test_a_forked_child_gets_an_error_and_may_initialize_again(saltus, node):
    publisher = node.create_publisher(UInt64, "number", 10)
    received = []
    node.create_subscription(UInt64, "number", received.append, 10)
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            for use in (lambda: publisher.publish(UInt64()), lambda: saltus.Node("late", context=node.context)):
                try:
                    use()
                except ForkedError:
                    code = 0
            assert not saltus.ok()
            saltus.init(args=[])
            own = saltus.Node("child")
            own.create_publisher(UInt64, "number", 10).publish(UInt64(data=5))
            saltus.shutdown()
        except BaseException:
            code = 2
        os._exit(code)
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    publisher.publish(UInt64(data=6))
    end = time.monotonic() + LONG
    while 6 not in [message.data for message in received] and time.monotonic() < end:
        saltus.spin_once(node, timeout_sec=0.1)
    assert 6 in [message.data for message in received]


def _square(number):
    import saltus

    if not saltus.ok():
        saltus.init(args=[])
    node = saltus.Node(f"worker_{os.getpid()}")
    publisher = node.create_publisher(UInt64, "squares", 10)
    publisher.wait_for_subscriptions(1, timeout_sec=LONG)
    publisher.publish(UInt64(data=number * number))
    node.destroy_node()
    return number * number


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_workers_of_multiprocessing_can_publish(method, saltus, node):
    received = set()
    node.create_subscription(UInt64, "squares", lambda message: received.add(message.data), 100)
    with multiprocessing.get_context(method).Pool(2) as pool:
        pending = pool.map_async(_square, range(6))
        end = time.monotonic() + 3 * LONG
        while len(received) < 6 and time.monotonic() < end:
            saltus.spin_once(node, timeout_sec=0.1)
        assert pending.get(LONG) == [0, 1, 4, 9, 16, 25]
    assert received == {0, 1, 4, 9, 16, 25}


def _wait_for_ever(started):
    import saltus

    saltus.init(args=[])
    started.set()
    # This wait is not a wait of Saltus. Only the signal ends it.
    threading.Event().wait()


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_worker_can_be_terminated(method, saltus, node):
    context = multiprocessing.get_context(method)
    started = context.Event()
    worker = context.Process(target=_wait_for_ever, args=(started,))
    worker.start()
    assert started.wait(LONG)
    worker.terminate()
    worker.join(LONG)
    assert worker.exitcode == -signal.SIGTERM


def test_an_executor_runs_inside_an_asyncio_loop(saltus, node):
    received = []

    async def main():
        executor = saltus.SingleThreadedExecutor()
        executor.add_node(node)
        node.create_subscription(UInt64, "number", lambda message: received.append(message.data), 10)
        publisher = node.create_publisher(UInt64, "number", 10)
        numbers = itertools.count()
        node.create_timer(0.002, lambda: publisher.publish(UInt64(data=next(numbers))))
        spinning = asyncio.create_task(executor.spin_async())
        ticks = 0
        while len(received) < 20:
            await asyncio.sleep(0.001)
            ticks += 1
        assert ticks > 5, "the loop was blocked"
        asyncio.get_running_loop().call_later(0.01, saltus.shutdown)
        await asyncio.wait_for(spinning, LONG)

    asyncio.run(asyncio.wait_for(main(), LONG))
    assert received == list(range(len(received)))


def test_an_asyncio_coroutine_may_await_a_call(saltus, node):
    from saltus.msgs.example_interfaces.srv import AddTwoInts

    node.create_service(AddTwoInts, "add", lambda q, r: AddTwoInts.Response(sum=q.a + q.b))
    client = node.create_client(AddTwoInts, "add")

    async def main():
        executor = saltus.SingleThreadedExecutor()
        executor.add_node(node)
        spinning = asyncio.create_task(executor.spin_async())
        response = await client.call_async(AddTwoInts.Request(a=1, b=2))
        spinning.cancel()
        return response.sum

    assert asyncio.run(asyncio.wait_for(main(), LONG)) == 3


def test_threads_add_and_remove_nodes_while_another_thread_spins(saltus, node):
    executor = saltus.SingleThreadedExecutor()
    executor.add_node(node)
    failed, done = [], []

    def spin():
        try:
            executor.spin()
        except ExternalShutdownException:
            pass
        except RuntimeError as error:
            failed.append(error)

    def add_and_remove(other):
        # Each change ends a wait. The next change comes while the next wait begins.
        for _ in range(2000):
            executor.add_node(other)
            executor.remove_node(other)
            executor.wake()
        done.append(other)

    spinning = threading.Thread(target=spin)
    others = [threading.Thread(target=add_and_remove, args=(saltus.Node(f"other_{n}"),)) for n in range(3)]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in (spinning, *others):
            thread.start()
        for thread in others:
            thread.join(3 * LONG)
    finally:
        sys.setswitchinterval(before)
    executor.shutdown()
    spinning.join(LONG)
    assert not spinning.is_alive() and not failed and len(done) == 3


def test_threads_publish_call_services_and_create_entities_at_the_same_time(saltus, node):
    from saltus.msgs.std_srvs.srv import Empty

    received, errors = [], []
    node.create_subscription(UInt64, "number", lambda message: received.append(message.data), 10_000)
    server = saltus.Node("server")
    server.create_service(Empty, "nothing", lambda request, response: response)
    executor = saltus.MultiThreadedExecutor(2)
    executor.add_node(node)
    executor.add_node(server)

    def spin():
        try:
            executor.spin()
        except ExternalShutdownException:
            pass

    def work(number):
        try:
            publisher = node.create_publisher(UInt64, "number", 1000)
            client = node.create_client(Empty, "nothing")
            for count in range(100):
                publisher.publish(UInt64(data=number * 1000 + count))
                client.call(Empty.Request(), timeout_sec=LONG)
                timer = node.create_timer(10.0, lambda: None)
                own = saltus.Node(f"own_{number}_{count}")
                executor.add_node(own)
                own.destroy_node()
                timer.destroy()
        except BaseException as error:
            errors.append(error)

    spinning = threading.Thread(target=spin)
    workers = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in (spinning, *workers):
        thread.start()
    for thread in workers:
        thread.join(3 * LONG)
    end = time.monotonic() + LONG
    while len(received) < 400 and time.monotonic() < end:
        threading.Event().wait(0.01)
    executor.shutdown()
    spinning.join(LONG)
    assert not errors and sorted(received) == sorted(n * 1000 + c for n in range(4) for c in range(100))


def test_an_executor_can_be_spun_by_one_thread_only(saltus, node):
    executor = saltus.SingleThreadedExecutor()
    executor.add_node(node)
    inside = threading.Event()
    refused = []

    def spin():
        inside.set()
        # The second spin raises an exception.
        try:
            executor.spin_once(LONG)
        except RuntimeError as error:
            refused.append(str(error))

    thread = threading.Thread(target=spin)
    thread.start()
    inside.wait()
    try:
        while thread.is_alive():
            executor.spin_once(0)
    except RuntimeError as error:
        refused.append(str(error))
    assert len(refused) == 1 and "already spinning" in refused[0]
    executor.wake()
    executor.shutdown()
    thread.join()


def proportional_memory():
    """Returns the memory of this process in bytes, in which a page counts in part if it is shared.

    Pages of files do not count: their part grows when another program ends that uses the same libraries.
    """
    with open("/proc/self/smaps_rollup") as file:
        return sum(int(line.split()[1]) * 1024 for line in file if line.startswith(("Pss_Anon:", "Pss_Shmem:")))


def test_a_million_messages_do_not_increase_memory(saltus, node):
    received = [0]

    def on_message(message):
        received[0] += message.data == received[0]

    executor = saltus.SingleThreadedExecutor()
    executor.add_node(node)
    node.create_subscription(UInt64, "number", on_message, 10)
    publisher = node.create_publisher(UInt64, "number", 10)

    def exchange(count):
        for number in range(received[0], received[0] + count):
            publisher.publish(UInt64(data=number))
            executor.spin_once(1.0)

    exchange(50_000)
    gc.collect()
    before, descriptors = proportional_memory(), len(os.listdir("/proc/self/fd"))
    exchange(950_000)
    gc.collect()
    assert received[0] == 1_000_000
    assert proportional_memory() - before < 1 << 20
    assert len(os.listdir("/proc/self/fd")) == descriptors


@pytest.mark.parametrize("limit", [None, 0, 40])
def test_kept_messages_stay_unchanged_even_beyond_the_borrow_limit(saltus, node, limit):
    kept = []
    node.create_subscription(UInt8MultiArray, "kept", kept.append, 10, borrow_limit=limit)
    publisher = node.create_publisher(UInt8MultiArray, "kept", 10)
    assert publisher.wait_for_subscriptions(1, LONG)
    for number in range(100):
        publisher.publish(UInt8MultiArray(data=[number] * 5000))
        while len(kept) <= number:
            saltus.spin_once(node, timeout_sec=LONG)
    assert all((message.data == number).all() for number, message in enumerate(kept))
    info = subprocess.run(
        [SALTUS, "topic", "info", "-v", "/kept", "--json"], capture_output=True, text=True, check=True
    )
    expected = 100 - (16 if limit is None else limit)
    assert json.loads(info.stdout)["subscriptions"][0]["copied"] == expected


def test_a_dead_process_leaves_the_graph_while_its_multiprocessing_child_lives(saltus, node):
    parent = start(PARENT)
    child = int(parent.stdout.readline())
    wait_until(lambda: "parent" in node.get_node_names())
    parent.kill()
    begun = time.monotonic()
    wait_until(lambda: "parent" not in node.get_node_names())
    after = time.monotonic() - begun
    os.kill(child, signal.SIGKILL)
    assert after < 1, f"{after} s, while the child lived"


PARENT = """
import multiprocessing, saltus, time
saltus.init(args=[])
node = saltus.Node("parent")
child = multiprocessing.get_context("fork").Process(target=time.sleep, args=(100,))
child.start()
print(child.pid)
time.sleep(100)
"""


def test_closing_every_descriptor_is_reported_and_does_not_hang(saltus, node):
    code, out, err = run(CLOSES)
    assert (code, out) == (0, "expelled\n"), err
    wait_until(lambda: "closes" not in node.get_node_names())


CLOSES = """
import os, saltus, time
from saltus.exceptions import ExpelledError
from saltus.msgs.std_msgs.msg import String
saltus.init(args=[])
node = saltus.Node("closes")
publisher = node.create_publisher(String, "chatter", 10)
# Old programs do this when they become daemons.
os.closerange(3, 1000)
try:
    while True:
        publisher.publish(String(data="still here"))
except ExpelledError:
    print("expelled")
    os._exit(0)
"""


def wait_until(holds):
    deadline = time.monotonic() + LONG
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.005)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_program_ends_on_a_signal_that_its_parent_ignored(number):
    code, out, err = ends("spin", number, preexec_fn=lambda: signal.signal(number, signal.SIG_IGN))
    assert (code, out[-1]) == (0, "over"), (out, err)


@pytest.mark.parametrize("timers", [0, 3])
def test_a_node_that_was_spun_and_dropped_leaves_the_graph(saltus, node, timers):
    dropped = saltus.Node("dropped")
    # Of several timers that are due, one is called. The others are still ready when the spin ends.
    for _ in range(timers):
        dropped.create_timer(1e-6, lambda: None)
    saltus.spin_once(dropped, timeout_sec=LONG if timers else 0)
    del dropped
    gc.collect()
    assert node.get_node_names() == ["node"]


CHILD = """
import multiprocessing, sys
import rclpy

def child():
    import rclpy.node
    sys.exit(7)

if __name__ == "__main__":
    process = multiprocessing.get_context(sys.argv[1]).Process(target=child)
    process.start()
    process.join()
    sys.exit(process.exitcode)
"""


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
@pytest.mark.parametrize("way", ["file", "module"])
def test_a_process_of_multiprocessing_finds_rclpy(method, way, tmp_path):
    (tmp_path / "program.py").write_text(CHILD)
    words = [str(tmp_path / "program.py")] if way == "file" else ["-m", "program"]
    done = subprocess.run([sys.executable, "-m", "saltus.ros", *words, method], cwd=tmp_path, timeout=60, check=False)
    assert done.returncode == 7
