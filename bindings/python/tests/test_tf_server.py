"""Buffer clients and servers, which look up transforms in another process."""

import threading

import pytest
from saltus.action import ActionClient, ActionServer, GoalStatus
from saltus.duration import Duration
from saltus.exceptions import NoServerError, NotAnsweredError, ServerGoneError
from saltus.executors import MultiThreadedExecutor
from saltus.msgs.geometry_msgs.msg import PointStamped, TransformStamped
from saltus.msgs.tf2_msgs.action import LookupTransform
from saltus.task import Future
from saltus.tf import (
    Buffer,
    BufferClient,
    BufferServer,
    ConnectivityException,
    ExtrapolationException,
    InvalidArgumentException,
    LookupException,
    TimeoutException,
    TransformException,
    buffer_server,
    geometry,  # noqa: F401
)  # fmt: skip
from saltus.time import Time

LONG = Duration(seconds=20)


def moved(parent, child, seconds, x):
    stamped = TransformStamped(child_frame_id=child)
    stamped.header.frame_id, stamped.header.stamp.sec = parent, seconds
    stamped.transform.translation.x, stamped.transform.rotation.w = x, 1.0
    return stamped


class Waited(Buffer):
    """A buffer that tells when a lookup waits."""

    def __init__(self):
        super().__init__()
        self.waits = threading.Event()

    def wait_for_transform_async(self, *ends):
        future = super().wait_for_transform_async(*ends)
        self.waits.set()
        return future


@pytest.fixture
def scene(saltus):
    """A buffer, a client of its server, and the node of the client. Other threads spin the nodes."""
    sides = [saltus.create_node(name) for name in ("server", "client")]
    buffer = Waited()
    for second in (1, 2, 3):
        buffer.set_transform(moved("map", "base", second, 10.0 * second), "test")
    server, client = BufferServer(buffer, sides[0], "lookup"), BufferClient(sides[1], "lookup")
    buffer.server = server
    executor = MultiThreadedExecutor(2)
    for side in sides:
        executor.add_node(side)
    thread = threading.Thread(target=executor.spin)
    thread.start()
    assert client.action_client.wait_for_server(20.0)
    yield buffer, client, sides[1]
    executor.shutdown()
    thread.join()
    client.destroy()
    server.destroy()
    for side in sides:
        side.destroy_node()


def test_a_client_looks_up_transforms_of_the_server(scene):
    buffer, client, _ = scene
    found = client.lookup_transform("map", "base", Time(seconds=1.5))
    assert (found.header.frame_id, found.child_frame_id, found.transform.translation.x) == ("map", "base", 15.0)
    assert client.lookup_transform("map", "base", Time()).header.stamp.sec == 3
    across = client.lookup_transform_full("base", Time(seconds=3), "base", Time(seconds=1), "map")
    assert across.transform.translation.x == -20.0
    assert client.can_transform("map", "base", Time(seconds=2))
    assert not client.can_transform_full("base", Time(seconds=9), "base", Time(seconds=1), "map")
    point = PointStamped()
    point.header.frame_id, point.header.stamp.sec = "base", 2
    assert client.transform(point, "map").point.x == 20.0


def test_a_lookup_waits_for_its_transform(scene):
    buffer, client, _ = scene
    found = []
    thread = threading.Thread(target=lambda: found.append(client.lookup_transform("map", "arm", Time(), timeout=LONG)))
    thread.start()
    assert buffer.waits.wait(20.0)
    # The transform is missing, so there is no answer.
    assert not client.can_transform("map", "arm", Time())
    assert not found and thread.is_alive()
    buffer.set_transform(moved("base", "arm", 2, 1.0), "test")
    thread.join(20.0)
    assert found[0].transform.translation.x == 21.0


def test_a_server_has_room_for_some_lookups_and_ends_them_with_itself(scene, monkeypatch):
    buffer, client, _ = scene
    monkeypatch.setattr(buffer_server, "MOST_WAITING", 1)
    failed = []

    def look():
        with pytest.raises(TransformException) as error:
            client.lookup_transform("map", "arm", Time(), timeout=LONG)
        failed.append(str(error.value))

    thread = threading.Thread(target=look)
    thread.start()
    assert buffer.waits.wait(20.0)
    with pytest.raises(TimeoutException, match="did not accept"):
        client.lookup_transform("map", "arm", Time(), timeout=LONG)
    buffer.server.destroy()
    thread.join(20.0)
    assert len(failed) == 1


@pytest.mark.parametrize("cause", [NoServerError, NotAnsweredError, ServerGoneError])
@pytest.mark.parametrize("is_accepted", [False, True])
def test_a_server_that_has_gone_is_an_error_of_the_lookup(scene, cause, is_accepted):
    _, client, _ = scene
    failed, accepted = Future(), Future()
    failed.set_exception(cause("gone"))

    class Handle:
        accepted = True

        def get_result_async(self):
            return failed

    accepted.set_result(Handle())
    client.action_client.send_goal_async = lambda goal: accepted if is_accepted else failed
    with pytest.raises(TransformException, match="did not answer the LookupTransform goal: gone"):
        client.lookup_transform("map", "base", Time())
    assert not client.can_transform("map", "base", Time())


def test_a_goal_that_is_accepted_too_late_is_cancelled(scene):
    _, client, _ = scene
    cancelled = threading.Event()

    class Handle:
        accepted = True

        def cancel_goal_async(self):
            cancelled.set()

    sent = Future()
    client.action_client.send_goal_async = lambda goal: sent
    client.timeout_padding = Duration(seconds=0.01)
    with pytest.raises(TimeoutException):
        client.lookup_transform("map", "base", Time())
    assert not cancelled.is_set()
    sent.set_result(Handle())
    assert cancelled.wait(20.0)


@pytest.mark.parametrize(
    ("names", "seconds", "error", "text"),
    [
        (("map", "base"), 4, ExtrapolationException, "Lookup would require extrapolation into the future."),
        (
            ("map", "none"),
            1,
            LookupException,
            '"none" passed to lookupTransform argument source_frame does not exist. ',
        ),
        (("map", "other"), 1, ConnectivityException, "Could not find a connection between 'map' and 'other' because"),
        (("/map", "base"), 1, InvalidArgumentException, "in tf2 frame_ids cannot start with a '/'"),
    ],
)
@pytest.mark.parametrize("timeout", [0.0, 0.01])
def test_the_errors_of_the_server_are_raised_by_the_client(scene, names, seconds, error, text, timeout):
    buffer, client, _ = scene
    buffer.set_transform(moved("world", "other", 1, 0.0), "test")
    with pytest.raises(error) as raised:
        client.lookup_transform(*names, Time(seconds=seconds), timeout=Duration(seconds=timeout))
    assert text in str(raised.value)


def test_a_lookup_that_waits_is_cancelled(scene):
    buffer, _, node = scene
    with ActionClient(node, LookupTransform, "lookup") as client:
        assert client.wait_for_server(20.0)
        goal = LookupTransform.Goal(target_frame="map", source_frame="arm", timeout=LONG.to_msg())
        response = []

        def cancel(future):
            handle = future.result()
            assert buffer.waits.wait(20.0)
            handle.cancel_goal()
            response.append(handle.get_result())

        thread = threading.Thread(target=lambda: cancel(sent))
        sent = client.send_goal_async(goal)
        done = threading.Event()
        sent.add_done_callback(lambda _: done.set())
        assert done.wait(20.0)
        thread.start()
        thread.join(20.0)
    assert response[0].status == GoalStatus.STATUS_CANCELED
    assert not buffer._waiting


def test_without_a_server_there_is_no_wait(node):
    client = BufferClient(node, "nobody")
    with pytest.raises(TimeoutException, match="The BufferServer is not ready."):
        client.lookup_transform("map", "base", Time(), timeout=LONG)
    client.destroy()


def test_a_server_that_does_not_answer_is_a_timeout(saltus, node):
    silent = saltus.create_node("silent")
    server = BufferServer(Buffer(), silent, "lookup")
    client = BufferClient(node, "lookup", timeout_padding=Duration(seconds=0.05))
    assert client.action_client.wait_for_server(20.0)
    with pytest.raises(TimeoutException, match="did not answer the LookupTransform goal within the timeout"):
        client.lookup_transform("map", "base", Time())
    client.destroy()
    server.destroy()
    silent.destroy_node()


def test_a_goal_that_ends_without_a_transform_is_a_timeout(scene):
    _, _, node = scene

    def abort(goal_handle):
        goal_handle.abort()
        return LookupTransform.Result()

    server, client = ActionServer(node, LookupTransform, "other", abort), BufferClient(node, "other")
    assert client.action_client.wait_for_server(20.0)
    with pytest.raises(TimeoutException, match="ended the LookupTransform goal without a transform"):
        client.lookup_transform("map", "base", Time())
    client.destroy()
    server.destroy()
