"""Services: calls, their errors, and introspection."""

import gc
import threading
from contextlib import suppress

import pytest
from saltus.callback_groups import ReentrantCallbackGroup
from saltus.exceptions import (
    CallError,
    CallTimeoutError,
    ExternalShutdownException,
    NoServerError,
    NotAnsweredError,
)
from saltus.msgs.example_interfaces.srv import AddTwoInts
from saltus.msgs.std_msgs.msg import String
from saltus.qos import QoSProfile
from saltus.service_introspection import ServiceIntrospectionState
from spinning import LONG, spin_quietly, spin_until


def test_a_service_answers_and_an_error_is_reported(saltus, node, capfd):
    def add(request, response):
        if request.a < 0:
            raise ValueError("on purpose")
        if request.a == 0:
            return None
        response.sum = request.a + request.b
        return response

    node.create_service(AddTwoInts, "add", add)
    client = node.create_client(AddTwoInts, "add")
    assert client.service_is_ready() and client.wait_for_service(timeout_sec=LONG)
    future = client.call_async(AddTwoInts.Request(a=2, b=40))
    saltus.spin_until_future_complete(node, future, timeout_sec=LONG)
    assert future.result().sum == 42
    unanswered = client.call_async(AddTwoInts.Request(a=0))
    saltus.spin_until_future_complete(node, unanswered, timeout_sec=LONG)
    assert isinstance(unanswered.exception(), NotAnsweredError)
    assert "returned no response" in capfd.readouterr().err
    failed = client.call_async(AddTwoInts.Request(a=-1))
    with pytest.raises(ValueError, match="on purpose"):
        saltus.spin_until_future_complete(node, failed, timeout_sec=LONG)
    saltus.spin_until_future_complete(node, failed, timeout_sec=LONG)
    with pytest.raises(CallError):
        failed.result()
    with pytest.raises(TypeError, match="Expected"):
        client.call_async(AddTwoInts.Response())
    client = node.create_client(AddTwoInts, "nobody")
    assert not client.wait_for_service(timeout_sec=0.01)
    assert isinstance(client.call_async(AddTwoInts.Request()).exception(), NoServerError)


def test_a_blocking_call_in_a_callback_returns_the_response(saltus, node):
    server = saltus.Node("server")
    server.create_service(AddTwoInts, "add", lambda q, r: AddTwoInts.Response(sum=q.a + q.b))
    executor = saltus.SingleThreadedExecutor()
    executor.add_node(server)
    thread = threading.Thread(target=spin_quietly, args=(executor,))
    thread.start()
    client = node.create_client(AddTwoInts, "add")
    answers = []

    def in_callback():
        answers.append(client.call(AddTwoInts.Request(a=1, b=2), timeout_sec=LONG).sum)

    node.create_timer(0.001, in_callback)
    saltus.spin_once(node, timeout_sec=LONG)
    assert answers == [3]
    silent = saltus.Node("silent")
    kept = []
    silent.create_deferred_service(AddTwoInts, "never", lambda request, responder: kept.append(responder))
    executor.add_node(silent)
    with pytest.raises(CallTimeoutError):
        node.create_client(AddTwoInts, "never").call(AddTwoInts.Request(), timeout_sec=0.05)
    executor.shutdown()
    thread.join()


def test_a_coroutine_that_awaits_a_call_does_not_block_other_callbacks(saltus, node):
    group = ReentrantCallbackGroup()
    client = node.create_client(AddTwoInts, "add", callback_group=group)

    async def twice(request, response):
        first = await client.call_async(request)
        second = await client.call_async(AddTwoInts.Request(a=first.sum, b=first.sum))
        response.sum = second.sum
        return response

    node.create_service(AddTwoInts, "add", lambda q, r: AddTwoInts.Response(sum=q.a + q.b), callback_group=group)
    node.create_service(AddTwoInts, "twice", twice, callback_group=group)
    future = node.create_client(AddTwoInts, "twice", callback_group=group).call_async(AddTwoInts.Request(a=1, b=2))
    saltus.spin_until_future_complete(node, future, timeout_sec=LONG)
    assert future.result().sum == 6

    async def fail():
        await client.call_async(AddTwoInts.Request())
        raise KeyError("on purpose")

    executor = saltus.SingleThreadedExecutor()
    executor.add_node(node)
    task = executor.create_task(fail)
    with pytest.raises(KeyError):
        executor.spin_until_future_complete(task, timeout_sec=LONG)


def test_introspection_publishes_calls(saltus, node):
    events = []
    service = node.create_service(AddTwoInts, "add", lambda q, r: AddTwoInts.Response(sum=q.a + q.b))
    client = node.create_client(AddTwoInts, "add")
    node.create_subscription(AddTwoInts.Event, "add/_service_event", events.append, 10)
    profile = QoSProfile(depth=10)
    service.configure_introspection(node.get_clock(), profile, ServiceIntrospectionState.CONTENTS)
    client.configure_introspection(node.get_clock(), profile, ServiceIntrospectionState.METADATA)
    client.call_async(AddTwoInts.Request(a=2, b=3))
    spin_until(saltus, [node], lambda: len(events) == 4)
    # The events 0 and 3 are from the client, 1 and 2 from the service.
    contents = {event.info.event_type: (list(event.request), list(event.response)) for event in events}
    assert contents[1] == ([AddTwoInts.Request(a=2, b=3)], [])
    assert contents[2] == ([], [AddTwoInts.Response(sum=5)])
    assert contents[0] == ([], []) == contents[3]


def spin_through_errors(executor):
    while not executor._is_shutdown:
        with suppress(ZeroDivisionError, TypeError, ExternalShutdownException):
            executor.spin_once(0.05)


FAILURES = {"raises": lambda: 1 / 0, "returns a wrong class": lambda: String()}


@pytest.mark.parametrize("kind", ["SingleThreadedExecutor", "MultiThreadedExecutor"])
@pytest.mark.parametrize("fails", FAILURES.values(), ids=FAILURES)
@pytest.mark.parametrize("is_coroutine", [False, True])
@pytest.mark.parametrize("is_deferred", [False, True])
def test_a_call_fails_at_once_if_the_callback_of_the_server_fails(saltus, node, kind, fails, is_coroutine, is_deferred):
    server, executor = saltus.Node("server"), getattr(saltus, kind)()
    executor.add_node(server)

    def serve(request, given):
        return given.send(fails()) if is_deferred else fails()

    async def serve_later(request, given):
        return serve(request, given)

    create = server.create_deferred_service if is_deferred else server.create_service
    create(AddTwoInts, "add", serve_later if is_coroutine else serve)
    thread = threading.Thread(target=spin_through_errors, args=(executor,))
    thread.start()
    gc.disable()
    try:
        with pytest.raises(NotAnsweredError):
            node.create_client(AddTwoInts, "add").call(AddTwoInts.Request(), timeout_sec=LONG)
    finally:
        gc.enable()
        executor.shutdown()
        thread.join()
        server.destroy_node()
