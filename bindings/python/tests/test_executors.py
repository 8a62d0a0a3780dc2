"""Executors and callbacks: the behavior that only rclpy specifies."""

import gc
import os
import sys
import threading
import time
import weakref
from contextlib import suppress

import pytest
from saltus import callback_groups, executors
from saltus.action import ActionClient, ActionServer
from saltus.msgs.example_interfaces.action import Fibonacci
from saltus.msgs.std_msgs.msg import String
from saltus.msgs.std_srvs.srv import Empty
from saltus.wait_for_message import wait_for_message

LONG = 10.0


def spin_until(executor, holds):
    for _ in range(1000):
        if holds():
            return
        executor.spin_once(LONG)
    raise AssertionError("the condition did not become true")


def test_an_optional_second_argument_of_a_callback_is_not_passed(saltus, node):
    received = []
    for topic in ("a", "b"):
        node.create_subscription(String, topic, lambda message, topic=topic: received.append((topic, message.data)), 10)
    number = "publication_sequence_number"
    node.create_subscription(String, "a", lambda message, info: received.append(info[number]), 10)
    with pytest.raises(RuntimeError, match="must take"):
        node.create_subscription(String, "a", lambda: None, 10)
    for topic in ("a", "b"):
        node.create_publisher(String, topic, 10).publish(String(data=topic.upper()))
    executor = saltus.SingleThreadedExecutor()
    executor.add_node(node)
    spin_until(executor, lambda: len(received) == 3)
    assert sorted(map(str, received)) == ["('a', 'A')", "('b', 'B')", "1"]


def poll_until(executor, holds):
    """Same as ``spin_until``, for a condition that another thread changes without waking the spin."""
    for _ in range(10_000):
        executor.spin_once(0.001)
        if holds():
            return
    raise AssertionError("the condition did not become true")


@pytest.mark.parametrize("where", ["before", "after a spin", "in a callback", "while it is spun"])
def test_wait_for_message(saltus, node, where):
    publisher = node.create_publisher(
        String, "news", saltus.QoSProfile(depth=1, durability=saltus.DurabilityPolicy.TRANSIENT_LOCAL)
    )
    publisher.publish(String(data="good"))
    latched = publisher.qos_profile
    found = []

    def wait():
        found.append(wait_for_message(String, node, "news", qos_profile=latched, time_to_wait=LONG))

    if where == "after a spin":
        saltus.spin_once(node, timeout_sec=0)
    if where == "in a callback":
        node.create_timer(0.001, wait)
        saltus.spin_once(node, timeout_sec=LONG)
    elif where == "while it is spun":
        executor = saltus.MultiThreadedExecutor(2)
        executor.add_node(node)
        waiting = threading.Thread(target=wait)
        waiting.start()
        poll_until(executor, lambda: not waiting.is_alive())
        waiting.join()
        executor.shutdown()
    else:
        wait()
    ((is_there, message),) = found
    assert is_there and message.data == "good"
    assert wait_for_message(String, node, "silence", time_to_wait=0.01) == (False, None)


def test_done_callbacks_run_on_the_current_executor_of_the_node(saltus, node):
    node.create_service(Empty, "nothing", lambda request, response: response)
    client = node.create_client(Empty, "nothing")

    def execute(handle):
        handle.publish_feedback(Fibonacci.Feedback(sequence=[1]))
        handle.succeed()
        # Feedback of a goal that has ended is not published.
        handle.publish_feedback(Fibonacci.Feedback(sequence=[2]))
        return Fibonacci.Result(sequence=[3])

    ActionServer(node, Fibonacci, "count", execute)
    actions = ActionClient(node, Fibonacci, "count")
    # After this, the node has an executor that is not spun again.
    saltus.spin_once(node, timeout_sec=0)
    done, events = [], []
    client.call_async(Empty.Request()).add_done_callback(done.append)
    actions.send_goal_async(Fibonacci.Goal(), events.append).add_done_callback(
        lambda sent: sent.result().get_result_async().add_done_callback(done.append)
    )
    executor = saltus.SingleThreadedExecutor()
    executor.add_node(node)
    spin_until(executor, lambda: len(done) == 2 and events)
    assert [list(one.feedback.sequence) for one in events] == [[1]]
    assert list(done[1].result().result.sequence) == [3]


def test_a_spin_with_timeout_0_runs_what_is_ready(saltus, node):
    publisher = node.create_publisher(String, "news", 10)
    received = []
    node.create_subscription(String, "news", received.append, 10)
    publisher.publish(String())
    future = saltus.Future()
    for _ in range(3):
        saltus.spin_until_future_complete(node, future, timeout_sec=0)
    assert len(received) == 1


def test_a_destroyed_node_leaves_the_graph_even_if_its_publisher_is_kept(saltus, node):
    gone = saltus.Node("gone")
    kept = [
        gone.create_publisher(String, "a", 1),
        gone.create_subscription(String, "a", print, 1),
        gone.create_client(Empty, "b"),
    ]
    assert "gone" in node.get_node_names()
    gone.destroy_node()
    assert node.context.handle.wait_for(lambda: "gone" not in node.get_node_names(), LONG) and kept


def test_a_multi_threaded_executor_shuts_down_in_a_flood_of_messages(saltus, node):
    publisher = node.create_publisher(String, "flood", 10)
    for _ in range(3):
        node.create_subscription(String, "flood", lambda message: publisher.publish(message), 10)
    for _ in range(20):
        executor = saltus.MultiThreadedExecutor(2)
        executor.add_node(node)
        failed = []

        def spin():
            try:
                executor.spin()
            except BaseException as error:
                failed.append(error)

        spinning = threading.Thread(target=spin)
        publisher.publish(String())
        spinning.start()
        executor.shutdown()
        spinning.join(LONG)
        assert not failed and not spinning.is_alive()


def test_a_forked_child_spins_a_node_of_its_own(saltus, node):
    saltus.spin_once(node, timeout_sec=0)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            saltus.init(args=[])
            saltus.spin_once(saltus.Node("child"), timeout_sec=0)
            code = 0
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


class Interrupted(BaseException):
    """An exception that a signal handler may raise anywhere."""


def run_interrupted(after, work):
    """Runs the work, but raises `Interrupted` after a number of instructions of the executor's code.

    Returns whether it was raised, which is not the case if the work has fewer instructions.
    """
    files = {module.__file__ for module in (executors, callback_groups)}
    left = after

    def trace(frame, event, _):
        nonlocal left
        if frame.f_code.co_filename not in files:
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            left -= 1
            if left < 0:
                raise Interrupted
        return trace

    sys.settrace(trace)
    try:
        work()
    except Interrupted:
        pass
    finally:
        sys.settrace(None)
    return left < 0


def interrupt_each_instruction(prepare, work, check):
    """Repeats the work until it ends without an interruption. Each time, it is interrupted one instruction later."""
    for after in range(100_000):
        prepare()
        is_interrupted = run_interrupted(after, work)
        check(after)
        if not is_interrupted:
            break
    assert not is_interrupted and after > 50, "the work ended without an interruption"


EXECUTORS = ["SingleThreadedExecutor", "MultiThreadedExecutor"]


@pytest.mark.parametrize("way", ["once", "until a future is done"])
@pytest.mark.parametrize("kind", EXECUTORS)
def test_after_an_exception_between_any_two_instructions_of_a_spin_callbacks_still_run(kind, way, saltus, node):
    received = []
    node.create_subscription(String, "news", lambda message: received.append(message.data), 10)
    publisher = node.create_publisher(String, "news", 10)
    executor = getattr(saltus, kind)()
    executor.add_node(node)
    spin = {
        "once": lambda: executor.spin_once(LONG),
        "until a future is done": lambda: executor.spin_until_future_complete(saltus.Future(), 0.001),
    }[way]

    def prepare():
        publisher.publish(String(data="may be lost"))

    def check(after):
        publisher.publish(String(data=str(after)))
        poll_until(executor, lambda: str(after) in received)
        # All threads of the pool are free again.
        if kind == "MultiThreadedExecutor":
            poll_until(executor, lambda: not executor._busy)

    interrupt_each_instruction(prepare, spin, check)
    executor.shutdown()


def test_an_exception_of_a_nested_spin_does_not_end_the_callback_that_spins(saltus, node):
    executor = saltus.SingleThreadedExecutor()
    executor.add_node(node)
    calls = []

    def fail():
        raise Interrupted

    def first():
        calls.append("first")
        executor.create_task(fail)
        with pytest.raises(Interrupted):
            executor.spin_once(LONG)
        second.trigger()
        executor.spin_once(0.01)
        calls.append("first ended")

    first = node.create_guard_condition(first)
    second = node.create_guard_condition(lambda: calls.append("second"))
    first.trigger()
    poll_until(executor, lambda: "second" in calls)
    assert calls == ["first", "first ended", "second"], "both callbacks belong to one mutually exclusive group"


def test_a_spin_of_another_thread_does_not_change_what_this_thread_runs(saltus, node):
    executor = saltus.SingleThreadedExecutor()
    executor.add_node(node)
    in_task, may_end, future, calls = threading.Event(), threading.Event(), saltus.Future(), []

    def fail():
        raise Interrupted

    def spin_elsewhere():
        executor.create_task(lambda: in_task.set() or may_end.wait(LONG))
        executor.spin_once(LONG)

    elsewhere = threading.Thread(target=spin_elsewhere)

    def first():
        elsewhere.start()
        assert in_task.wait(LONG)
        return rest()

    async def rest():
        # The other spin began during the callback, and ends after it.
        may_end.set()
        elsewhere.join()
        executor.create_task(fail)
        second.trigger()
        await future

    first = node.create_guard_condition(first)
    second = node.create_guard_condition(lambda: calls.append("second"))
    first.trigger()
    with pytest.raises(Interrupted):
        executor.spin_until_future_complete(saltus.Future(), LONG)
    for _ in range(10):
        executor.spin_once(0.001)
    assert not calls, "the first callback still occupies the group"
    future.set_result(None)
    poll_until(executor, lambda: calls)


# CPython closes the coroutines of a reference cycle in any order, and prints a warning if the inner one is not first.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("kind", EXECUTORS)
def test_a_coroutine_that_is_garbage_collected_releases_its_group(kind, saltus, node):
    received = []

    async def receive(message):
        received.append(message.data)
        await saltus.Future()

    node.create_subscription(String, "news", receive, 10)
    publisher = node.create_publisher(String, "news", 10)
    executor = getattr(saltus, kind)()
    executor.add_node(node)
    for news in ("a", "b"):
        publisher.publish(String(data=news))
        poll_until(executor, lambda news=news: gc.collect() or news in received)
    executor.shutdown()


def test_a_custom_executor_that_raises_runs_no_handler_again(saltus, node):
    class Executor(saltus.Executor):
        def _spin_once_impl(self, timeout_sec=None, wait_condition=lambda: False):
            handler, _, _ = self.wait_for_ready_callbacks(timeout_sec, None, wait_condition)
            handlers.append(handler)
            handler()
            if len(handlers) == 1:
                raise Interrupted

    handlers, ran = [], []

    async def wait():
        ran.append("began")
        await future
        ran.append("ended")

    future = saltus.Future()
    executor = Executor()
    executor.add_node(node)
    waits = executor.create_task(wait)
    with pytest.raises(Interrupted):
        executor.spin_once(LONG)
    guard = node.create_guard_condition(lambda: ran.append("guard"))
    guard.trigger()
    executor.spin_once(LONG)
    with pytest.raises(saltus.exceptions.TimeoutException):
        executor.spin_once(0)
    assert not executor._tasks
    future.set_result(None)
    executor.spin_once(LONG)
    assert waits.done() and ran == ["began", "guard", "ended"]


@pytest.mark.parametrize("kind", EXECUTORS)
def test_a_sys_exit_in_a_coroutine_is_raised_once(kind, saltus, node):
    async def end():
        sys.exit(5)

    executor = getattr(saltus, kind)()
    executor.add_node(node)
    guard = node.create_guard_condition(end)
    guard.trigger()
    with pytest.raises(SystemExit):
        poll_until(executor, lambda: False)
    for _ in range(10):
        executor.spin_once(0.001)
    executor.shutdown()


def test_a_coroutine_may_be_cancelled_several_times(saltus, node):
    executor = saltus.SingleThreadedExecutor()
    executor.add_node(node)
    future = saltus.Future()

    async def wait():
        await future

    waits = executor.create_task(wait)
    executor.spin_once(0)
    for _ in range(2):
        waits.cancel()
        executor.spin_once(0)
    future.set_result(None)
    executor.spin_once(0)
    assert waits.cancelled() and not waits.done()


@pytest.mark.parametrize("kind", EXECUTORS)
def test_a_task_that_calls_sys_exit_is_done(kind, saltus, node):
    executor = getattr(saltus, kind)()
    executor.add_node(node)
    exits = executor.create_task(lambda: sys.exit(4))
    with pytest.raises(SystemExit):
        poll_until(executor, lambda: False)
    assert exits.done() and exits.exception().code == 4
    executor.spin_once(0.01)
    executor.shutdown()


def test_a_sys_exit_on_a_thread_of_the_pool_ends_the_spin(saltus, node):
    executor = saltus.MultiThreadedExecutor(2)
    executor.add_node(node)
    node.create_timer(0.001, lambda: sys.exit(5))
    with pytest.raises(SystemExit) as error:
        executor.spin()
    assert error.value.code == 5
    executor.shutdown()


def test_messages_stay_in_their_queue_while_all_threads_are_busy(saltus, node):
    executor = saltus.MultiThreadedExecutor(2)
    executor.add_node(node)
    received, may_go_on = [], threading.Event()

    def receive(message):
        may_go_on.wait(LONG)
        received.append(message.data)

    node.create_subscription(String, "news", receive, 1, callback_group=saltus.ReentrantCallbackGroup())
    publisher = node.create_publisher(String, "news", 10)
    for number in range(50):
        publisher.publish(String(data=str(number)))
        executor.spin_once(0.001)
    may_go_on.set()
    publisher.publish(String(data="last"))
    poll_until(executor, lambda: "last" in received)
    # The callbacks of two messages ran, and at most one more was taken. One stayed in the queue. The fifth is the last.
    assert len(received) <= 5
    executor.shutdown()


def test_the_callback_of_a_destroyed_guard_condition_is_not_called(saltus, node):
    called = []
    guard = node.create_guard_condition(lambda: called.append(1))
    executor = saltus.SingleThreadedExecutor()
    executor.add_node(node)
    guard.trigger()
    node.destroy_guard_condition(guard)
    executor.spin_until_future_complete(saltus.Future(), 0.01)
    assert not called
    with pytest.raises(saltus.exceptions.InvalidHandle):
        guard.trigger()


def test_a_second_shutdown_also_waits_for_callbacks(saltus, node):
    executor = saltus.MultiThreadedExecutor(2)
    executor.add_node(node)
    began, may_end, ended = threading.Event(), threading.Event(), []

    def work():
        began.set()
        may_end.wait(LONG)
        ended.append(1)

    executor.create_task(work)
    executor.spin_once(LONG)
    assert began.wait(LONG)
    assert not executor.shutdown(0.01)
    may_end.set()
    assert executor.shutdown() and ended


def test_adding_a_node_of_another_context_fails_each_time(saltus, node):
    other = saltus.Context()
    saltus.init(args=[], context=other)
    executor = saltus.SingleThreadedExecutor(context=other)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="belongs to another context"):
            executor.add_node(node)
    assert executor.get_nodes() == []
    other.shutdown()


def test_other_threads_run_while_a_publish_waits_for_room_in_a_queue(saltus, node):
    other = saltus.Node("other")
    received = []
    everything = saltus.QoSProfile(history=saltus.HistoryPolicy.KEEP_ALL)
    node.create_subscription(String, "news", lambda message: received.append(message.data), everything)
    publisher = other.create_publisher(String, "news", 10)
    executor = saltus.SingleThreadedExecutor()
    executor.add_node(node)
    thread = threading.Thread(target=executor.spin)
    thread.start()
    # If the other thread could not run, it would take no message, and some messages would be rejected.
    for _ in range(20_000):
        publisher.publish(String(data="x"))
    while len(received) < 20_000:
        os.sched_yield()
    executor.shutdown()
    thread.join()


class Proxy:
    """A proxy of a node. Some programs add such an object to an executor instead of the node."""

    def __init__(self, node):
        object.__setattr__(self, "_of", node)

    def __getattr__(self, name):
        return getattr(self._of, name)

    def __setattr__(self, name, value):
        setattr(self._of, name, value)


@pytest.mark.parametrize("proxy", [Proxy, weakref.proxy])
def test_a_proxy_of_a_node_is_treated_as_the_node(saltus, proxy):
    node = saltus.Node("node")
    calls = []
    node.create_timer(0.001, lambda: calls.append(1))
    executor = saltus.SingleThreadedExecutor()
    assert executor.add_node(proxy(node))
    assert not executor.add_node(node)
    executor.spin_once(LONG)
    assert calls == [1]
    executor.remove_node(proxy(node))
    assert executor.get_nodes() == []
    executor.spin_once(0.01)
    assert calls == [1]


@pytest.mark.parametrize("kind", ["SingleThreadedExecutor", "MultiThreadedExecutor"])
def test_a_future_that_is_done_ends_a_spin_that_waits_for_it(saltus, kind):
    executor = getattr(saltus, kind)()
    future = saltus.Future()
    threading.Timer(0.05, future.set_result, ["done"]).start()
    began = time.monotonic()
    executor.spin_once_until_future_complete(future, LONG)
    assert future.result() == "done" and time.monotonic() - began < LONG / 2
    executor.shutdown()


@pytest.mark.parametrize("kind", ["SingleThreadedExecutor", "MultiThreadedExecutor"])
def test_callbacks_and_other_threads_add_and_remove_nodes_while_the_executor_spins(saltus, kind):
    """Each node removes itself in its first callback. After that, its callback is not called."""
    each = 100
    executor = getattr(saltus, kind)()
    calls, left = {}, threading.Semaphore(0)

    def add_node_that_leaves(number):
        node = saltus.create_node(f"visitor_{number}", start_parameter_services=False)
        calls[number] = 0

        def leave():
            executor.remove_node(node)
            calls[number] += 1
            left.release()

        node.create_timer(1e-6, leave)
        executor.add_node(node)
        return node

    host = saltus.create_node("host")
    kept, numbers = [], iter(range(each))

    def add_next_node():
        number = next(numbers, None)
        if number is not None:
            kept.append(add_node_that_leaves(number))

    host.create_timer(1e-6, add_next_node)
    executor.add_node(host)

    def add_nodes_from_thread(first):
        for number in range(first, first + each):
            kept.append(add_node_that_leaves(number))

    def spin():
        with suppress(executors.ExternalShutdownException):
            executor.spin()

    threads = [threading.Thread(target=add_nodes_from_thread, args=(first,)) for first in (each, 2 * each)]
    threads.append(threading.Thread(target=spin))
    for thread in threads:
        thread.start()
    for _ in range(3 * each):
        assert left.acquire(timeout=LONG)
    assert executor.get_nodes() == [host]
    executor.shutdown()
    for thread in threads:
        thread.join()
    assert set(calls.values()) == {1} and len(calls) == 3 * each


def test_a_callback_of_a_reentrant_group_may_run_twice_at_the_same_time(saltus, node):
    barrier, arrived = threading.Barrier(2, timeout=LONG), threading.Semaphore(0)

    def rendezvous(_=None):
        barrier.wait()
        arrived.release()

    group = saltus.ReentrantCallbackGroup()
    node.create_subscription(String, "news", rendezvous, 10, callback_group=group)
    publisher = node.create_publisher(String, "news", 10)
    executor = saltus.MultiThreadedExecutor(4)
    executor.add_node(node)
    thread = threading.Thread(target=executor.spin)
    thread.start()
    for _ in range(10):
        publisher.publish(String(data="one"))
        publisher.publish(String(data="other"))
        assert arrived.acquire(timeout=LONG) and arrived.acquire(timeout=LONG)
    timer = node.create_timer(0.001, rendezvous, callback_group=group)
    assert arrived.acquire(timeout=LONG) and arrived.acquire(timeout=LONG)
    timer.cancel()
    executor.shutdown()
    barrier.abort()
    thread.join()


@pytest.mark.parametrize("kind", ["SingleThreadedExecutor", "MultiThreadedExecutor"])
def test_a_callback_may_use_what_it_has_destroyed_with_its_node(saltus, kind):
    node = saltus.Node("ends")
    other = saltus.Node("goes_on")
    publisher = node.create_publisher(String, "topic", 10)
    called = saltus.Future()
    executor = getattr(saltus.executors, kind)()
    executor.add_node(node)
    executor.add_node(other)

    def destroy_and_publish():
        node.destroy_node()
        other.create_timer(0.01, lambda: called.set_result(True))
        publisher.publish(String())

    node.create_timer(0.01, destroy_and_publish)
    executor.spin_until_future_complete(called, 10)
    assert called.result() is True
    executor.shutdown()
    other.destroy_node()


@pytest.mark.parametrize("timeout", [None, LONG])
def test_a_callback_may_shut_its_executor_down(saltus, node, timeout):
    executor = saltus.MultiThreadedExecutor(2)
    executor.add_node(node)
    ended = []
    node.create_timer(0.001, lambda: ended.append(executor.shutdown(timeout)))
    executor.spin()
    assert executor.shutdown(), "another thread waits for the callback"
    assert ended == [False] and executor.get_nodes() == []


@pytest.mark.parametrize("inner", ["the same executor", "the global executor"])
@pytest.mark.parametrize("way", ["once", "until a future is done"])
def test_a_spin_in_a_callback_leaves_the_node_in_its_executor(saltus, node, way, inner):
    executor = saltus.SingleThreadedExecutor()
    executor.add_node(node)
    calls, nested = [], executor if inner == "the same executor" else None

    def call():
        calls.append(1)
        done = saltus.Future()
        done.set_result(1)
        if way == "once":
            saltus.spin_once(node, executor=nested, timeout_sec=0)
        else:
            saltus.spin_until_future_complete(node, done, nested)

    node.create_timer(0.001, call)
    spin_until(executor, lambda: len(calls) >= 3)
    assert executor.get_nodes() == [node] and node.executor is executor
    executor.shutdown()
