"""Actions: the behavior of the Python package that the conformance suite does not check."""

import gc
import queue
import threading
import time
from contextlib import suppress

import pytest
from saltus.action import (
    ActionClient,
    ActionServer,
    CancelResponse,
    GoalResponse,
    GoalStatus,
    get_action_names_and_types,
)
from saltus.callback_groups import ReentrantCallbackGroup
from saltus.exceptions import (
    ExternalShutdownException,
    GoalStateError,
    NoServerError,
    NotAnsweredError,
    ServerGoneError,
)
from saltus.msgs.action_msgs.srv import CancelGoal
from saltus.msgs.example_interfaces.action import Fibonacci

LONG = 10.0


def fibonacci(order):
    sequence = [0, 1]
    while len(sequence) <= order:
        sequence.append(sequence[-1] + sequence[-2])
    return sequence


@pytest.fixture
def spun(saltus, node):
    """The node. Two other threads spin it."""
    executor = saltus.MultiThreadedExecutor(2)
    executor.add_node(node)

    def spin():
        try:
            executor.spin()
        except ExternalShutdownException:
            pass

    thread = threading.Thread(target=spin)
    thread.start()
    yield node
    executor.shutdown()
    thread.join()


def wait(future):
    done = threading.Event()
    future.add_done_callback(lambda _: done.set())
    assert done.wait(LONG)
    return future.result()


def test_a_goal_is_executed_with_feedback_and_a_result(saltus, node):
    feedback = []

    def execute(handle):
        assert handle.is_active and not handle.is_cancel_requested
        handle.publish_feedback(Fibonacci.Feedback(sequence=[0, 1]))
        handle.succeed()
        with pytest.raises(GoalStateError):
            handle.abort()
        return Fibonacci.Result(sequence=fibonacci(handle.request.order))

    server = ActionServer(node, Fibonacci, "fibonacci", execute)
    client = ActionClient(node, Fibonacci, "fibonacci")
    assert client.wait_for_server(timeout_sec=LONG) and client.server_is_ready()
    sent = client.send_goal_async(Fibonacci.Goal(order=5), feedback.append)
    saltus.spin_until_future_complete(node, sent, timeout_sec=LONG)
    handle = sent.result()
    assert handle.accepted and handle.stamp.sec > 0
    result = handle.get_result_async()
    saltus.spin_until_future_complete(node, result, timeout_sec=LONG)
    assert (result.result().status, handle.status) == (GoalStatus.STATUS_SUCCEEDED, 4)
    assert result.result().result.sequence.tolist() == [0, 1, 1, 2, 3, 5]
    while not feedback:
        saltus.spin_once(node, timeout_sec=LONG)
    assert feedback[0].goal_id == handle.goal_id and feedback[0].feedback.sequence.tolist() == [0, 1]
    assert get_action_names_and_types(node) == [("/fibonacci", ["example_interfaces/action/Fibonacci"])]
    with pytest.raises(TypeError, match="Expected"):
        client.send_goal_async(Fibonacci.Result())
    server.destroy()
    assert not client.server_is_ready() and not client.wait_for_server(timeout_sec=0.01)
    gone = client.send_goal_async(Fibonacci.Goal())
    assert isinstance(gone.exception(), (NoServerError, ServerGoneError))
    client.destroy()
    assert get_action_names_and_types(node) == []


def test_feedback_is_delivered_before_the_result(saltus, spun):
    proceed = threading.Semaphore(0)

    def execute(handle):
        proceed.acquire()
        for i in range(5):
            handle.publish_feedback(Fibonacci.Feedback(sequence=[i]))
        handle.succeed()
        return Fibonacci.Result()

    ActionServer(spun, Fibonacci, "work", execute)
    with saltus.create_node("client") as alone:
        client = ActionClient(alone, Fibonacci, "work")
        assert client.wait_for_server(timeout_sec=LONG)
        executor = saltus.SingleThreadedExecutor()
        executor.add_node(alone)
        for _ in range(20):
            events = []
            sent = client.send_goal_async(Fibonacci.Goal(), lambda message: events.append(message.feedback.sequence[0]))
            executor.spin_until_future_complete(sent, timeout_sec=LONG)
            result = sent.result().get_result_async()
            proceed.release()
            executor.spin_until_future_complete(result, timeout_sec=LONG)
            assert events == [0, 1, 2, 3, 4]
        executor.shutdown()


def test_feedback_callbacks_run_after_the_goal_is_accepted_even_if_feedback_arrives_first(saltus, spun):
    events, published = [], threading.Event()

    def execute(handle):
        for i in range(3):
            handle.publish_feedback(Fibonacci.Feedback(sequence=[i]))
        published.set()
        handle.succeed()
        return Fibonacci.Result()

    async def on_feedback(message):
        events.append(message.feedback.sequence[0])

    ActionServer(spun, Fibonacci, "work", execute)
    with saltus.create_node("client") as alone:
        client = ActionClient(alone, Fibonacci, "work")
        assert client.wait_for_server(timeout_sec=LONG)
        executor = saltus.SingleThreadedExecutor()
        executor.add_node(alone)
        sent = client.send_goal_async(Fibonacci.Goal(), on_feedback)
        sent.add_done_callback(lambda _: events.append("accepted"))
        # The client's executor has not spun yet, so the response and all feedback are still in the queues.
        assert published.wait(LONG)
        while len(events) < 4:
            executor.spin_once(timeout_sec=LONG)
        executor.shutdown()
    assert events == ["accepted", 0, 1, 2]


def test_a_goal_may_end_after_its_server_was_closed(spun):
    begun, closed, states = threading.Event(), threading.Event(), queue.SimpleQueue()

    def execute(handle):
        begun.set()
        assert closed.wait(LONG)
        handle.succeed()
        states.put(handle.status)
        return Fibonacci.Result()

    server = ActionServer(spun, Fibonacci, "work", execute)
    client = ActionClient(spun, Fibonacci, "work")
    client.send_goal_async(Fibonacci.Goal())
    assert begun.wait(LONG)
    server.destroy()
    closed.set()
    assert states.get(timeout=LONG) == GoalStatus.STATUS_SUCCEEDED


def test_callbacks_accept_or_reject_goals_and_cancellations(spun):
    async def execute(handle):
        while not handle.is_cancel_requested:
            time.sleep(0.001)
        handle.canceled()
        return Fibonacci.Result(sequence=[1])

    async def decide(goal):
        return GoalResponse.REJECT if goal.order < 0 else GoalResponse.ACCEPT

    group = ReentrantCallbackGroup()
    ActionServer(
        spun, Fibonacci, "work", execute, callback_group=group, goal_callback=decide,
        cancel_callback=lambda handle: CancelResponse.ACCEPT,
    )  # fmt: skip
    client = ActionClient(spun, Fibonacci, "work")
    assert not wait(client.send_goal_async(Fibonacci.Goal(order=-1))).accepted
    assert client.send_goal(Fibonacci.Goal(order=-1)) is None
    handle = wait(client.send_goal_async(Fibonacci.Goal(order=1)))
    response = wait(handle.cancel_goal_async())
    assert response.return_code == CancelGoal.Response.ERROR_NONE
    assert [info.goal_id for info in response.goals_canceling] == [handle.goal_id]
    assert wait(handle.get_result_async()).status == GoalStatus.STATUS_CANCELED


def test_a_goal_is_aborted_if_its_callback_does_not_end_it(spun, capfd):
    def execute(handle):
        if handle.request.order == 0:
            raise ValueError("on purpose")
        return Fibonacci.Result(sequence=[7])

    ActionServer(spun, Fibonacci, "work", execute)
    client = ActionClient(spun, Fibonacci, "work")
    forgotten = client.send_goal(Fibonacci.Goal(order=1))
    assert (forgotten.status, forgotten.result.sequence.tolist()) == (GoalStatus.STATUS_ABORTED, [7])
    failed = client.send_goal(Fibonacci.Goal(order=0))
    assert (failed.status, failed.result.sequence.tolist()) == (GoalStatus.STATUS_ABORTED, [])
    err = capfd.readouterr().err
    assert "Goal state not set, assuming aborted" in err and "ValueError: on purpose" in err


def test_a_default_server_rejects_cancellations_and_runs_one_goal_after_another(spun):
    order = []

    def execute(handle):
        order.append(handle.request.order)
        handle.succeed()
        return Fibonacci.Result()

    server = ActionServer(spun, Fibonacci, "work", execute)
    client = ActionClient(spun, Fibonacci, "work")
    sent = [client.send_goal_async(Fibonacci.Goal(order=number)) for number in range(20)]
    for handle in map(wait, sent):
        wait(handle.get_result_async())
    assert sorted(order) == list(range(20))
    held = []
    server.register_handle_accepted_callback(held.append)
    handle = wait(client.send_goal_async(Fibonacci.Goal()))
    assert wait(handle.cancel_goal_async()).return_code == CancelGoal.Response.ERROR_REJECTED
    result = handle.get_result_async()
    held[0].execute()
    assert wait(result).status == GoalStatus.STATUS_SUCCEEDED
    with pytest.raises(TypeError):
        server.register_goal_callback(5)


STAGES = {
    "goal": {"goal_callback": lambda request: 1 / 0},
    "accepted": {"handle_accepted_callback": lambda handle: 1 / 0},
    "cancel": {"cancel_callback": lambda handle: 1 / 0},
}


def spin_through_errors(executor):
    """Spins an executor until it is shut down, whatever callbacks raise."""
    while not executor._is_shutdown:
        with suppress(ZeroDivisionError, ExternalShutdownException):
            executor.spin_once(0.05)


@pytest.mark.parametrize("kind", ["SingleThreadedExecutor", "MultiThreadedExecutor"])
@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("is_coroutine", [False, True])
def test_a_client_is_told_at_once_if_a_callback_of_the_server_fails(saltus, node, kind, stage, is_coroutine):
    server, executor = saltus.Node("server"), getattr(saltus, kind)()
    executor.add_node(server)
    name, fails = next(iter(STAGES[stage].items()))

    async def fails_later(argument):
        fails(argument)

    kept = []  # A goal whose handle is dropped ends.
    callbacks = {"handle_accepted_callback": kept.append, name: fails_later if is_coroutine else fails}
    action = ActionServer(server, Fibonacci, "fibonacci", lambda handle: Fibonacci.Result(), **callbacks)
    thread = threading.Thread(target=spin_through_errors, args=(executor,))
    thread.start()
    gc.disable()
    try:
        client = ActionClient(node, Fibonacci, "fibonacci")
        assert client.wait_for_server(timeout_sec=LONG)
        sent = client.send_goal_async(Fibonacci.Goal(order=1))
        saltus.spin_until_future_complete(node, sent, timeout_sec=LONG)
        if stage == "goal":
            assert isinstance(sent.exception(), NotAnsweredError)
            return
        assert sent.result().accepted
        called = sent.result().cancel_goal_async() if stage == "cancel" else sent.result().get_result_async()
        saltus.spin_until_future_complete(node, called, timeout_sec=LONG)
        if stage == "cancel":
            assert isinstance(called.exception(), NotAnsweredError)
        else:
            assert called.result().status == GoalStatus.STATUS_ABORTED
    finally:
        gc.enable()
        executor.shutdown()
        thread.join()
        action.destroy()
        server.destroy_node()


@pytest.mark.parametrize("is_coroutine", [False, True])
def test_a_result_of_a_wrong_class_aborts_the_goal(saltus, spun, is_coroutine):
    def execute(handle):
        handle.succeed()
        return Fibonacci.Feedback()

    async def execute_later(handle):
        return execute(handle)

    ActionServer(spun, Fibonacci, "fibonacci", execute_later if is_coroutine else execute)
    client = ActionClient(spun, Fibonacci, "fibonacci")
    assert client.wait_for_server(timeout_sec=LONG)
    handle = wait(client.send_goal_async(Fibonacci.Goal(order=1)))
    result = wait(handle.get_result_async())
    assert result.result == Fibonacci.Result()
