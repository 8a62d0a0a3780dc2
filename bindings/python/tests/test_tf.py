"""Transforms, with the calls of programs for ROS 2's ``tf2_ros``."""

import math
import threading

import pytest
from conftest import run
from saltus.duration import Duration
from saltus.msgs.builtin_interfaces.msg import Time as TimeMessage
from saltus.msgs.geometry_msgs.msg import (
    Point,
    Point32,
    PointStamped,
    Polygon,
    PolygonStamped,
    Pose,
    PoseStamped,
    PoseWithCovarianceStamped,
    Quaternion,
    TransformStamped,
    Vector3,
    Vector3Stamped,
)  # fmt: skip
from saltus.msgs.std_msgs.msg import Header
from saltus.msgs.tf2_msgs.srv import FrameGraph
from saltus.tf import (
    Buffer,
    BufferInterface,
    ConnectivityException,
    ConvertRegistration,
    ExtrapolationException,
    InvalidArgumentException,
    LookupException,
    NotImplementedException,
    Stamped,
    StaticTransformBroadcaster,
    TransformBroadcaster,
    TransformException,
    TransformListener,
    TypeException,
    convert,
    geometry,
)  # fmt: skip
from saltus.time import Time

LONG = Duration(seconds=20)


def moved(parent, child, seconds, x=0.0, yaw=0.0):
    """A transform along x that turns to the left."""
    stamped = TransformStamped(
        header=Header(stamp=TimeMessage(sec=int(seconds), nanosec=round(seconds % 1 * 1e9)), frame_id=parent),
        child_frame_id=child,
    )
    stamped.transform.translation.x = x
    stamped.transform.rotation = Quaternion(z=math.sin(yaw / 2), w=math.cos(yaw / 2))
    return stamped


@pytest.fixture
def buffer():
    """A buffer with a base that moves, and a laser 1 m before it that looks to the left."""
    buffer = Buffer()
    for second in (1, 2, 3):
        buffer.set_transform(moved("map", "base", second, x=10.0 * second), "test")
    buffer.set_transform_static(moved("base", "laser", 0, x=1.0, yaw=math.pi / 2), "test")
    return buffer


def test_transforms_are_looked_up(buffer):
    found = buffer.lookup_transform("map", "laser", Time(seconds=1.5))
    assert (found.header.frame_id, found.child_frame_id) == ("map", "laser")
    assert (found.header.stamp.sec, found.header.stamp.nanosec) == (1, 500_000_000)
    assert found.transform.translation.x == 16.0 and math.isclose(found.transform.rotation.z, math.sqrt(0.5))
    # A time may be a message, and the time 0 is the latest one.
    assert buffer.lookup_transform("map", "base", TimeMessage(sec=2)).transform.translation.x == 20.0
    assert buffer.lookup_transform("map", "base", Time()).header.stamp.sec == 3
    assert buffer.get_latest_common_time("map", "laser") == Time(seconds=3)
    across = buffer.lookup_transform_full("base", Time(seconds=3), "base", Time(seconds=1), "map")
    assert across.transform.translation.x == -20.0
    assert buffer.can_transform("map", "laser", Time(seconds=2)) is True
    assert buffer.can_transform_full("base", Time(seconds=3), "base", Time(seconds=9), "map") is False
    assert buffer.all_frames_as_string() == "Frame base exists with parent map.\nFrame laser exists with parent base.\n"
    assert "laser: \n  parent: 'base'\n  broadcaster: 'test'\n" in buffer.all_frames_as_yaml()
    assert sorted(buffer._getFrameStrings()) == ["base", "laser", "map"] and buffer._frameExists("map")
    buffer.clear()
    # The laser is static.
    assert buffer.all_frames_as_string() == "Frame laser exists with parent base.\n"


@pytest.mark.parametrize(
    ("names", "seconds", "error", "text"),
    [
        (
            ("map", "base"),
            4,
            ExtrapolationException,
            "Lookup would require extrapolation into the future.  Requested time",
        ),
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
def test_errors_have_the_classes_and_texts_of_tf2(buffer, names, seconds, error, text):
    buffer.set_transform(moved("world", "other", 1), "test")
    with pytest.raises(error, match=text.replace("(", r"\(")) as raised:
        buffer.lookup_transform(*names, Time(seconds=seconds))
    assert isinstance(raised.value, TransformException)
    is_there, reason = buffer.can_transform(*names, Time(seconds=seconds), return_debug_tuple=True)
    assert not is_there and reason


def test_messages_are_transformed(buffer):
    header = Header(stamp=TimeMessage(sec=2), frame_id="laser")
    point = buffer.transform(PointStamped(header=header, point=Point(x=2.0)), "map")
    assert math.isclose(point.point.x, 21.0) and math.isclose(point.point.y, 2.0) and point.header.frame_id == "map"
    vector = buffer.transform(Vector3Stamped(header=header, vector=Vector3(x=2.0)), "map").vector
    assert math.isclose(vector.x, 0.0, abs_tol=1e-12) and math.isclose(vector.y, 2.0)
    pose = Pose(position=Point(x=1.0), orientation=Quaternion(w=1.0))
    turned = buffer.transform(PoseStamped(header=header, pose=pose), "map").pose
    assert math.isclose(turned.position.y, 1.0) and math.isclose(turned.orientation.z, math.sqrt(0.5))
    wide = PoseWithCovarianceStamped(header=header)
    wide.pose.pose = pose
    wide.pose.covariance[0], wide.pose.covariance[35] = 4.0, 0.5
    covariance = buffer.transform(wide, "map").pose.covariance
    assert math.isclose(covariance[7], 4.0) and math.isclose(covariance[35], 0.5)
    assert math.isclose(covariance[0], 0.0, abs_tol=1e-12)
    polygon = PolygonStamped(header=header, polygon=Polygon(points=[Point32(x=2.0)]))
    assert math.isclose(buffer.transform(polygon, "map").polygon.points[0].y, 2.0)
    later = buffer.transform_full(PointStamped(header=header, point=Point(x=2.0)), "base", Time(seconds=3), "map")
    assert math.isclose(later.point.x, -9.0) and later.header.stamp.sec == 3
    assert geometry.do_transform_pose(pose, moved("a", "b", 0, x=5.0)).position.x == 6.0
    with pytest.raises(TypeException, match="is not loaded or supported"):
        buffer.transform(Stamped(type("Own", (), {})(), TimeMessage(sec=2), "laser"), "map")


def test_as_in_ros_2_a_quaternion_of_zeros_turns_nothing():
    point = PointStamped(point=Point(x=1.0, y=2.0, z=3.0))
    moved = TransformStamped()
    moved.transform.translation.x, moved.transform.rotation.w = 10.0, 0.0
    found = geometry.do_transform_point(point, moved).point
    assert (found.x, found.y, found.z) == (11.0, 2.0, 3.0)


def test_objects_are_converted_over_messages():
    class Own:
        def __init__(self, x):
            self.x = x

    ConvertRegistration().add_from_msg(Own, lambda message: Own(message.point.x))
    ConvertRegistration().add_convert((Own, float), lambda own: own.x)
    own = convert(PointStamped(point=Point(x=3.0)), Own)
    assert own.x == 3.0 and convert(own, Own) is own and convert(own, float) == 3.0
    with pytest.raises(TypeException):
        convert(own, int)
    with pytest.raises(NotImplementedException):
        BufferInterface().lookup_transform("a", "b", Time())


def test_a_thread_waits_until_a_transform_is_there():
    buffer = Buffer()
    found = []
    waiting = threading.Thread(
        target=lambda: found.append(buffer.lookup_transform("map", "base", Time(seconds=1.5), timeout=LONG))
    )
    waiting.start()
    for second in (1, 2):
        buffer.set_transform(moved("map", "base", second, x=float(second)), "test")
    waiting.join()
    assert found[0].transform.translation.x == 1.5
    assert not buffer.can_transform("map", "base", Time(seconds=9), timeout=Duration(nanoseconds=1000))


def test_futures_are_done_when_their_transforms_are_there(buffer):
    there = buffer.wait_for_transform_async("map", "base", Time(seconds=1))
    assert there.done() and there.result().transform.translation.x == 10.0
    later = buffer.wait_for_transform_async("map", "base", Time(seconds=3.5))
    across = buffer.wait_for_transform_full_async("base", Time(seconds=4), "base", Time(seconds=1), "map")
    cancelled = buffer.wait_for_transform_async("map", "base", Time(seconds=4))
    cancelled.cancel()
    assert not later.done()
    buffer.set_transform(moved("map", "base", 4, x=40.0), "test")
    assert later.result().transform.translation.x == 35.0 and across.result().transform.translation.x == -30.0
    assert not buffer._waiting


def test_listeners_receive_what_broadcasters_send(saltus):
    sender, receiver = saltus.create_node("sender"), saltus.create_node("receiver")
    buffer = Buffer(node=receiver)
    statics = StaticTransformBroadcaster(sender)
    # Both were sent before the listener came, in two messages.
    fixed = moved("base", "laser", 0, x=1.0)
    statics.sendTransform(fixed)
    fixed.child_frame_id, fixed.transform.translation.x = "camera", 2.0
    statics.sendTransform([fixed])
    listener = TransformListener(buffer, receiver, spin_thread=True)
    broadcaster = TransformBroadcaster(sender)
    assert buffer.can_transform("laser", "camera", Time(), timeout=LONG)
    broadcaster.sendTransform([moved("map", "base", 1, x=1.0), moved("map", "base", 2, x=2.0)])
    assert buffer.lookup_transform("map", "camera", Time(seconds=1.5), timeout=LONG).transform.translation.x == 3.5
    client = sender.create_client(FrameGraph, "tf2_frames")
    assert client.wait_for_service(20.0)
    future = client.call_async(FrameGraph.Request())
    saltus.spin_until_future_complete(sender, future, timeout_sec=20.0)
    assert "camera: \n  parent: 'base'\n" in future.result().frame_yaml
    listener.unregister()
    broadcaster.sendTransform(moved("map", "base", 3))
    assert not buffer.can_transform("map", "base", Time(seconds=3))
    for node in (sender, receiver):
        node.destroy_node()


def test_the_callback_of_a_future_may_wait_for_another_transform():
    buffer, second = Buffer(), []
    first = buffer.wait_for_transform_async("map", "arm", Time())
    first.add_done_callback(lambda _: second.append(buffer.wait_for_transform_async("map", "hand", Time())))
    buffer.set_transform(moved("map", "arm", 1), "me")
    assert first.done() and not second[0].done()
    buffer.set_transform(moved("arm", "hand", 1), "me")
    assert second[0].done()


def test_refused_transforms_are_warnings(capfd):
    buffer = Buffer()
    for _ in range(2):
        buffer.set_transform(moved("map", "map", 1), "me")
        buffer.set_transform(moved("map", "base", 1, x=math.nan), "me")
    buffer.set_transform(moved("map", "base", 1), "me")
    buffer.set_transform(moved("base", "map", 1), "me")
    text = capfd.readouterr().err
    assert text.count("TF_SELF_TRANSFORM") == 1 and text.count("is not finite") == 1 and "TF_LOOP" in text
    assert buffer.all_frames_as_string() == "Frame base exists with parent map.\n"


def test_programs_for_tf2_ros_run():
    code = """
import saltus.ros
import rclpy
import tf2_geometry_msgs
import tf2_ros
from geometry_msgs.msg import TransformStamped
from tf2_ros import TransformException
from tf2_ros.buffer import Buffer
from tf2_ros.static_transform_broadcaster import StaticTransformBroadcaster
from tf2_ros.transform_broadcaster import TransformBroadcaster
from tf2_ros.transform_listener import TransformListener
import tf2_py

rclpy.init()
node = rclpy.create_node("turtle")
buffer = Buffer()
listener = TransformListener(buffer, node)
transform = TransformStamped()
transform.header.stamp = node.get_clock().now().to_msg()
transform.header.frame_id, transform.child_frame_id = "world", "turtle1"
transform.transform.translation.x = 4.0
TransformBroadcaster(node).sendTransform(transform)
future = buffer.wait_for_transform_async("turtle1", "world", rclpy.time.Time())
rclpy.spin_until_future_complete(node, future)
print(buffer.lookup_transform("turtle1", "world", rclpy.time.Time()).transform.translation.x)
try:
    buffer.lookup_transform("turtle2", "world", rclpy.time.Time())
except tf2_py.LookupException as error:
    print(isinstance(error, TransformException), error)
"""
    want = '-4.0\nTrue "turtle2" passed to lookupTransform argument target_frame does not exist. \n'
    assert run(code) == (0, want, "")


def test_a_future_that_is_cancelled_no_longer_waits():
    buffer, called = Buffer(), []
    future = buffer.wait_for_transform_async("map", "arm", Time())
    assert len(buffer._waiting) == 1
    future.cancel()
    assert not buffer._waiting
    future.add_done_callback(called.append)
    assert called == [future], "a callback that is added later is called too"
