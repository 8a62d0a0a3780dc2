"""Executors and what they run: the rules that are specific to rclpy."""

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


def until(executor, is_so):
    for _ in range(1000):
        if is_so():
            return
        executor.spin_once(LONG)
    raise AssertionError("never so")


def test_an_optional_second_argument_of_a_callback_is_not_given(saltus, node):
    heard = []
    for topic in ("a", "b"):
        node.create_subscription(String, topic, lambda message, topic=topic: heard.append((topic, message.data)), 10)
    node.create_subscription(String, "a", lambda message, info: heard.append(info["publication_sequence_number"]), 10)
    with pytest.raises(RuntimeError, match="must take"):
        node.create_subscription(String, "a", lambda: None, 10)
    for topic in ("a", "b"):
        node.create_publisher(String, topic, 10).publish(String(data=topic.upper()))
    executor = saltus.SingleThreadedExecutor()
    executor.add_node(node)
    until(executor, lambda: len(heard) == 3)
    assert sorted(map(str, heard)) == ["('a', 'A')", "('b', 'B')", "1"]


def shortly(executor, is_so):
    """As ``until``, for a condition that changes on another thread and does not wake the spin."""
    for _ in range(10_000):
        executor.spin_once(0.001)
        if is_so():
            return
    raise AssertionError("never so")


@pytest.mark.parametrize("where", ["before", "after a spin", "in a callback", "while it is spun"])
def test_wait_for_message(saltus, node, where):
    publisher = node.create_publisher(String, "news", saltus.QoSProfile(depth=1, durability=saltus.DurabilityPolicy.TRANSIENT_LOCAL))
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
        shortly(executor, lambda: not waiting.is_alive())
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
    done, told = [], []
    client.call_async(Empty.Request()).add_done_callback(done.append)
    actions.send_goal_async(Fibonacci.Goal(), told.append).add_done_callback(
        lambda sent: sent.result().get_result_async().add_done_callback(done.append)
    )
    executor = saltus.SingleThreadedExecutor()
    executor.add_node(node)
    until(executor, lambda: len(done) == 2 and told)
    assert [list(one.feedback.sequence) for one in told] == [[1]]
    assert list(done[1].result().result.sequence) == [3]


def test_a_spin_with_timeout_0_runs_what_is_ready(saltus, node):
    publisher = node.create_publisher(String, "news", 10)
    heard = []
    node.create_subscription(String, "news", heard.append, 10)
    publisher.publish(String())
    future = saltus.Future()
    for _ in range(3):
        saltus.spin_until_future_complete(node, future, timeout_sec=0)
    assert len(heard) == 1


def test_a_destroyed_node_leaves_the_graph_even_if_its_publisher_is_kept(saltus, node):
    gone = saltus.Node("gone")
    kept = [gone.create_publisher(String, "a", 1), gone.create_subscription(String, "a", print, 1), gone.create_client(Empty, "b")]
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


def interrupted(after, work):
    """Does the work, and raises before one instruction of the executor's code. Returns whether it did raise."""
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


def interrupting_each_instruction(prepare, work, is_well):
    """Repeats the work, interrupted one instruction later each time, until it ends without an interruption."""
    for after in range(100_000):
        prepare()
        is_interrupted = interrupted(after, work)
        is_well(after)
        if not is_interrupted:
            break
    assert not is_interrupted and after > 50, "it was interrupted at every instruction"


EXECUTORS = ["SingleThreadedExecutor", "MultiThreadedExecutor"]


@pytest.mark.parametrize("way", ["once", "until a future is done"])
@pytest.mark.parametrize("kind", EXECUTORS)
def test_after_an_exception_between_any_two_instructions_of_a_spin_callbacks_still_run(kind, way, saltus, node):
    heard = []
    node.create_subscription(String, "news", lambda message: heard.append(message.data), 10)
    publisher = node.create_publisher(String, "news", 10)
    executor = getattr(saltus, kind)()
    executor.add_node(node)
    spin = {
        "once": lambda: executor.spin_once(LONG),
        "until a future is done": lambda: executor.spin_until_future_complete(saltus.Future(), 0.001),
    }[way]

    def prepare():
        publisher.publish(String(data="may be lost"))

    def is_well(after):
        publisher.publish(String(data=str(after)))
        shortly(executor, lambda: str(after) in heard)
        # All of its threads are free again.
        if kind == "MultiThreadedExecutor":
            shortly(executor, lambda: not executor._busy)

    interrupting_each_instruction(prepare, spin, is_well)
    executor.shutdown()


def test_an_exception_of_a_nested_spin_does_not_end_the_callback_around_it(saltus, node):
    executor = saltus.SingleThreadedExecutor()
    executor.add_node(node)
    did = []

    def fail():
        raise Interrupted

    def first():
        did.append("first")
        executor.create_task(fail)
        with pytest.raises(Interrupted):
            executor.spin_once(LONG)
        second.trigger()
        executor.spin_once(0.01)
        did.append("first ended")

    first = node.create_guard_condition(first)
    second = node.create_guard_condition(lambda: did.append("second"))
    first.trigger()
    shortly(executor, lambda: "second" in did)
    assert did == ["first", "first ended", "second"], "both are of one exclusive group"


def test_a_spin_of_another_thread_does_not_change_what_this_one_runs(saltus, node):
    executor = saltus.SingleThreadedExecutor()
    executor.add_node(node)
    in_task, may_end, future, did = threading.Event(), threading.Event(), saltus.Future(), []

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
        # The other spin ends after the callback during which it began.
        may_end.set()
        elsewhere.join()
        executor.create_task(fail)
        second.trigger()
        await future

    first = node.create_guard_condition(first)
    second = node.create_guard_condition(lambda: did.append("second"))
    first.trigger()
    with pytest.raises(Interrupted):
        executor.spin_until_future_complete(saltus.Future(), LONG)
    for _ in range(10):
        executor.spin_once(0.001)
    assert not did, "the first callback still occupies the group"
    future.set_result(None)
    shortly(executor, lambda: did)


# CPython closes the coroutines of a cycle in any order, and reports it if the inner one is not the first.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("kind", EXECUTORS)
def test_an_unreferenced_coroutine_frees_its_group(kind, saltus, node):
    heard = []

    async def hear(message):
        heard.append(message.data)
        await saltus.Future()

    node.create_subscription(String, "news", hear, 10)
    publisher = node.create_publisher(String, "news", 10)
    executor = getattr(saltus, kind)()
    executor.add_node(node)
    for news in ("a", "b"):
        publisher.publish(String(data=news))
        shortly(executor, lambda news=news: gc.collect() or news in heard)
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
        shortly(executor, lambda: False)
    for _ in range(10):
        executor.spin_once(0.001)
    executor.shutdown()


def test_several_cancellations_of_a_coroutine_have_the_effect_of_one(saltus, node):
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
        shortly(executor, lambda: False)
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


def test_messages_that_wait_for_a_thread_stay_in_their_queue(saltus, node):
    executor = saltus.MultiThreadedExecutor(2)
    executor.add_node(node)
    heard, may_go_on = [], threading.Event()

    def hear(message):
        may_go_on.wait(LONG)
        heard.append(message.data)

    node.create_subscription(String, "news", hear, 1, callback_group=saltus.ReentrantCallbackGroup())
    publisher = node.create_publisher(String, "news", 10)
    for number in range(50):
        publisher.publish(String(data=str(number)))
        executor.spin_once(0.001)
    may_go_on.set()
    publisher.publish(String(data="last"))
    shortly(executor, lambda: "last" in heard)
    # Two whose callbacks ran, at most one that was taken, one in the queue, and the last one.
    assert len(heard) <= 5
    executor.shutdown()


def test_a_destroyed_guard_condition_does_not_call_back(saltus, node):
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


def test_a_second_shutdown_waits_for_callbacks_too(saltus, node):
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


def test_a_node_of_another_context_is_refused_each_time(saltus, node):
    other = saltus.Context()
    saltus.init(args=[], context=other)
    executor = saltus.SingleThreadedExecutor(context=other)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="belongs to another context"):
            executor.add_node(node)
    assert executor.get_nodes() == []
    other.shutdown()


def test_a_publish_that_waits_for_room_lets_other_threads_run(saltus, node):
    other = saltus.Node("other")
    heard = []
    everything = saltus.QoSProfile(history=saltus.HistoryPolicy.KEEP_ALL)
    node.create_subscription(String, "news", lambda message: heard.append(message.data), everything)
    publisher = other.create_publisher(String, "news", 10)
    executor = saltus.SingleThreadedExecutor()
    executor.add_node(node)
    thread = threading.Thread(target=executor.spin)
    thread.start()
    # If the other thread could not run, it would not make room, and some messages would be refused.
    for _ in range(20_000):
        publisher.publish(String(data="x"))
    while len(heard) < 20_000:
        os.sched_yield()
    executor.shutdown()
    thread.join()


class Proxy:
    """Some programs add this to an executor instead of a node. It has the node's attributes, but is another object."""

    def __init__(self, node):
        object.__setattr__(self, "_of", node)

    def __getattr__(self, name):
        return getattr(self._of, name)

    def __setattr__(self, name, value):
        setattr(self._of, name, value)


@pytest.mark.parametrize("proxy", [Proxy, weakref.proxy])
def test_a_proxy_of_a_node_is_that_node(saltus, proxy):
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
def test_nodes_come_and_go_from_callbacks_and_other_threads_while_it_spins(saltus, kind):
    """Each node removes itself in its first callback, and is not called again."""
    each = 100
    executor = getattr(saltus, kind)()
    calls, left = {}, threading.Semaphore(0)

    def arrive(number):
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

    def invite():
        number = next(numbers, None)
        if number is not None:
            kept.append(arrive(number))

    host.create_timer(1e-6, invite)
    executor.add_node(host)

    def from_here(first):
        for number in range(first, first + each):
            kept.append(arrive(number))

    def spin():
        with suppress(executors.ExternalShutdownException):
            executor.spin()

    threads = [threading.Thread(target=from_here, args=(first,)) for first in (each, 2 * each)]
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


def test_a_callback_of_a_reentrant_group_overlaps_itself(saltus, node):
    barrier, met = threading.Barrier(2, timeout=LONG), threading.Semaphore(0)

    def meet(_=None):
        barrier.wait()
        met.release()

    group = saltus.ReentrantCallbackGroup()
    node.create_subscription(String, "news", meet, 10, callback_group=group)
    publisher = node.create_publisher(String, "news", 10)
    executor = saltus.MultiThreadedExecutor(4)
    executor.add_node(node)
    thread = threading.Thread(target=executor.spin)
    thread.start()
    for _ in range(10):
        publisher.publish(String(data="one"))
        publisher.publish(String(data="other"))
        assert met.acquire(timeout=LONG) and met.acquire(timeout=LONG)
    timer = node.create_timer(0.001, meet, callback_group=group)
    assert met.acquire(timeout=LONG) and met.acquire(timeout=LONG)
    timer.cancel()
    executor.shutdown()
    barrier.abort()
    thread.join()
