"""Messages: creation, checks, text, serialization and deserialization, as in the classes of ROS 2."""

import array
import collections.abc
import copy
import gc
import pickle

import numpy as np
import pytest
from conftest import ROOT
from saltus import _interfaces
from saltus._native import deserialize, serialize
from saltus.exceptions import FieldError, InterfaceError, SerializationError
from saltus.msgs.diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from saltus.msgs.example_interfaces.action import Fibonacci
from saltus.msgs.example_interfaces.srv import AddTwoInts
from saltus.msgs.geometry_msgs.msg import PoseStamped, PoseWithCovariance, Twist
from saltus.msgs.lifecycle_msgs.msg import Transition
from saltus.msgs.sensor_msgs.msg import Image, JointState, LaserScan, PointCloud2, RegionOfInterest
from saltus.msgs.std_msgs.msg import Byte, ByteMultiArray, Empty, Header, Int8, String, UInt8
from saltus.msgs.type_description_interfaces.msg import FieldType
from saltus.msgs.unique_identifier_msgs.msg import UUID


def every_class():
    for package, kinds in _interfaces.packages().items():
        for name in kinds.get("msg", ()):
            yield _interfaces.class_of(f"{package}/msg/{name}")
        for name in kinds.get("srv", ()):
            for part in ("Request", "Response", "Event"):
                yield _interfaces.class_of(f"{package}/srv/{name}_{part}")
        for name in kinds.get("action", ()):
            for part in ("Goal", "Result", "Feedback"):
                yield _interfaces.class_of(f"{package}/action/{name}_{part}")


def test_every_bundled_message_is_created_printed_serialized_and_deserialized():
    count = 0
    for cls in every_class():
        message = cls()
        assert deserialize(cls, serialize(message)) == message
        assert repr(message).startswith(f"{message._TYPE_SUPPORT.name.replace('/', '.')}(")
        assert message.get_fields_and_field_types() == cls.get_fields_and_field_types()
        count += 1
    assert count > 250


def vectors():
    for line in (ROOT / "spec/vectors/rosbags_cdr.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            name, little, big = line.split()
            yield name, bytes.fromhex(little), bytes.fromhex(big)


def materialized(message):
    """Returns a copy of the message. Each of its fields is set to the value that was read."""
    copied = type(message)()
    for name in message.get_fields_and_field_types():
        value = getattr(message, name)
        if isinstance(value, list):
            value = [materialized(one) if hasattr(one, "_TYPE_SUPPORT") else one for one in value]
        setattr(copied, name, materialized(value) if hasattr(value, "_TYPE_SUPPORT") else value)
    return copied


def test_golden_bytes_are_deserialized_in_both_byte_orders_and_serialized_again():
    count = 0
    for name, little, big in vectors():
        cls = _interfaces.class_of(name)
        message = materialized(deserialize(cls, little))
        assert serialize(message) == little, name
        assert serialize(materialized(deserialize(cls, big))) == little, name
        count += 1
    assert count > 1000


def test_type_hashes_are_those_of_ros_2():
    lines = (ROOT / "spec/vectors/rosbags_hashes.txt").read_text().splitlines()
    known = [line.split() for line in lines if line and not line.startswith("#")]
    for name, hash_ in known:
        assert _interfaces.interfaces.support(name).hash == hash_
    assert len(known) > 100


@pytest.mark.parametrize(
    ("cls", "field", "value", "says"),
    [
        (String, "data", 5, "The 'data' field must be of type 'str'"),
        (UInt8, "data", 300, "The 'data' field must be an unsigned integer in [0, 255]"),
        (UInt8, "data", "a", "The 'data' field must be of type 'int'"),
        (Int8, "data", -129, "The 'data' field must be an integer in [-128, 127]"),
        (LaserScan, "angle_min", 1, "The 'angle_min' field must be of type 'float'"),
        (LaserScan, "angle_min", 1e39, "The 'angle_min' field must be a float in [-3.402823466e+38, 3.402823466e+38]"),
        (RegionOfInterest, "do_rectify", 1, "The 'do_rectify' field must be of type 'bool'"),
        (Byte, "data", b"ab", "The 'data' field must be of type 'bytes' or 'ByteString'"),
        (PoseStamped, "pose", "x", "The 'pose' field must be a sub message of type 'Pose'"),
        (Image, "data", [256], "each unsigned integer in [0, 255]"),
        (Image, "data", "abc", "The 'data' field must be a set or sequence and each value of type 'int'"),
        (Image, "data", array.array("b"), "The 'data' array.array() must have the type code of 'B'"),
        (Image, "data", np.zeros(3), "The 'data' numpy.ndarray() must have the dtype of 'numpy.uint8'"),
        (Image, "data", np.zeros((2, 2), np.uint8), "must have one dimension, not 2: use .reshape(-1)"),
        (PoseWithCovariance, "covariance", np.zeros(35), "must have a size of 36"),
        (PoseWithCovariance, "covariance", [0.0], "with length 36 and each value of type 'float'"),
        (DiagnosticArray, "status", [String()], "each value of type 'DiagnosticStatus'"),
        (FieldType, "string_capacity", -1, "an unsigned integer in"),
    ],
)
def test_a_field_rejects_a_wrong_value_with_the_error_of_ros_2(cls, field, value, says):
    with pytest.raises(AssertionError) as refused:
        setattr(cls(), field, value)
    assert says in str(refused.value)
    with pytest.raises(FieldError):
        cls(**{field: value})


def test_an_unknown_argument_is_rejected():
    with pytest.raises(AssertionError, match="Invalid arguments passed to constructor: date"):
        String(date="x")


def test_values_are_converted_as_in_a_ros_2_class():
    image = Image(data=b"abc", height=3)
    assert image.data == array.array("B", b"abc")
    pose = PoseWithCovariance(covariance=[1.0] * 36)
    assert isinstance(pose.covariance, np.ndarray) and pose.covariance.dtype == np.float64
    assert ByteMultiArray(data=[b"a", b"b"]).data == [b"a", b"b"]
    own = np.arange(5, dtype=np.uint8)
    assert Image(data=own).data is own
    assert LaserScan(ranges=(1.0, 2.0)).ranges.tolist() == [1.0, 2.0]


def test_the_text_of_a_message_is_that_of_ros_2():
    assert repr(String(data="it's")) == 'std_msgs.msg.String(data="it\'s")'
    assert repr(Header()) == ("std_msgs.msg.Header(stamp=builtin_interfaces.msg.Time(sec=0, nanosec=0), frame_id='')")
    assert "data=[97, 98]" in repr(Image(data=b"ab"))
    assert "ranges=[]" in repr(LaserScan())
    assert repr(AddTwoInts.Request(a=1)) == "example_interfaces.srv.AddTwoInts_Request(a=1, b=0)"
    assert "covariance=array([0., 0.," in repr(PoseWithCovariance())


def test_types_are_reported_as_in_ros_2():
    assert Image.get_fields_and_field_types()["data"] == "sequence<uint8>"
    assert PoseWithCovariance.get_fields_and_field_types()["covariance"] == "double[36]"
    assert PoseStamped.get_fields_and_field_types()["header"] == "std_msgs/Header"
    assert FieldType.__slots__[0] == "_type_id"
    assert Fibonacci.Impl.SendGoalService.Request.get_fields_and_field_types()["goal_id"] == (
        "unique_identifier_msgs/UUID"
    )


def test_constants_are_attributes_of_the_class_and_of_instances():
    assert DiagnosticStatus.WARN == b"\x01" == DiagnosticStatus().WARN
    assert Transition.TRANSITION_CONFIGURE == 1 == Transition().TRANSITION_CONFIGURE


def test_messages_are_equal_if_their_fields_are_equal():
    assert Twist() == Twist() != Header()
    assert Image(data=b"a") == Image(data=np.frombuffer(b"a", np.uint8)) != Image(data=b"b")
    left, right = PoseWithCovariance(), PoseWithCovariance()
    right.covariance[3] = 1.0
    assert left != right
    assert Empty() == Empty()
    assert String() != "no message"


def test_a_message_is_copied_and_pickled():
    pose = PoseStamped()
    pose.header.frame_id = "map"
    deep, shallow = copy.deepcopy(pose), copy.copy(pose)
    assert deep == pose == pickle.loads(pickle.dumps(pose)) == shallow
    assert deep.header is not pose.header and shallow.header is pose.header


def test_a_class_may_be_derived_from_a_message_class():
    class Named(String):
        def __init__(self, name):
            super().__init__(data=name)

    assert Named("x").data == "x"
    assert serialize(Named("x")) == serialize(String(data="x"))


def test_a_received_message_can_be_changed_and_published_again():
    scan = deserialize(LaserScan, serialize(LaserScan(ranges=[1.0, 2.0])))
    scan.ranges.append(3.0)
    scan.header.frame_id = "laser"
    again = deserialize(LaserScan, serialize(scan))
    assert (again.ranges.tolist(), again.header.frame_id) == ([1.0, 2.0, 3.0], "laser")


def test_a_received_message_is_forwarded_unchanged_unless_it_may_have_been_changed(saltus, node):
    sent, got = LaserScan(ranges=[1.0, 2.0], header=Header(frame_id="a"), angle_min=0.5), []
    node.create_subscription(LaserScan, "scan", got.append, 1)
    node.create_publisher(LaserScan, "scan", 1).publish(sent)
    saltus.spin_once(node, timeout_sec=10)
    (message,) = got
    assert (message.angle_min, message.ranges.tolist()) == (0.5, [1.0, 2.0]) and serialize(message) == serialize(sent)
    message.header.frame_id = "longer"
    sent.header.frame_id = "longer"
    assert serialize(message) == serialize(sent)
    message.angle_min = 0.25
    assert deserialize(LaserScan, serialize(message)).angle_min == 0.25


def test_damaged_bytes_raise_only_serialization_errors():
    cloud = serialize(PointCloud2(data=b"x" * 40))
    with pytest.raises(SerializationError):
        deserialize(PointCloud2, b"")
    for place in range(len(cloud)):
        for change in (1, 0x80, 0xFF):
            broken = bytearray(cloud)
            broken[place] ^= change
            try:
                repr(deserialize(PointCloud2, bytes(broken)))
            except SerializationError:
                pass
        with pytest.raises(SerializationError):
            deserialize(PointCloud2, cloud[:place])


def test_a_field_of_another_class_is_rejected():
    with pytest.raises(TypeError):
        String.data.__get__(Header())
    with pytest.raises(AttributeError):
        del String().data


def test_service_classes_have_no_instances_and_unknown_names_are_errors():
    with pytest.raises(NotImplementedError):
        AddTwoInts()
    with pytest.raises(ImportError):
        from saltus.msgs.std_msgs.msg import Strin  # noqa: F401
    with pytest.raises(ModuleNotFoundError):
        import saltus.msgs.nothing_msgs  # noqa: F401


def test_definitions_in_a_folder_are_found(tmp_path):
    import saltus

    (tmp_path / "my_robot" / "msg").mkdir(parents=True)
    (tmp_path / "my_robot" / "msg" / "Gripper.msg").write_text(
        "std_msgs/Header header\nfloat64 width 0.1\nstring<=4 name\nuint8[<=3] codes\nuint8 OPEN=1\nwstring w\n"
    )
    (tmp_path / "my_robot" / "msg" / "Bad.msg").write_text("nothing_msgs/Nothing x\n")
    saltus.interfaces.add_path(tmp_path)
    from saltus.msgs.my_robot.msg import Gripper

    gripper = Gripper(name="left", codes=[1, 2], w="hé")
    assert (gripper.width, Gripper.OPEN) == (0.1, 1)
    assert deserialize(Gripper, serialize(gripper)) == gripper
    for field, value in (("name", "right"), ("codes", [1, 2, 3, 4])):
        with pytest.raises(FieldError):
            setattr(gripper, field, value)
    gripper.codes.extend([3, 4])
    refused = "'codes' field can't be written: expected a sequence of at most 3 elements, found 4"
    with pytest.raises(FieldError, match=refused):
        serialize(gripper)
    with pytest.raises(InterfaceError, match="unknown type `nothing_msgs/msg/Nothing`"):
        from saltus.msgs.my_robot.msg import Bad  # noqa: F401
    with pytest.raises(InterfaceError, match="no folder"):
        saltus.interfaces.add_path(tmp_path / "nowhere")


def test_dropped_messages_leave_no_objects():
    gc.collect()
    before = len(gc.get_objects())
    for _ in range(1000):
        repr(copy.deepcopy(PoseStamped()))
    gc.collect()
    assert len(gc.get_objects()) - before < 100


def test_a_received_message_can_be_copied_before_its_fields_are_read():
    laser = deserialize(LaserScan, serialize(LaserScan(ranges=[1.0, 2.0], header=Header(frame_id="laser"))))
    twin = copy.copy(laser)
    assert twin == laser and twin.header is laser.header


@pytest.mark.parametrize("count", [6, 4000])
def test_an_array_whose_shape_was_changed_after_the_check_is_rejected(count):
    ranges = np.zeros(count, np.float32)
    laser = LaserScan()
    laser.ranges = ranges
    laser.ranges.shape = (2, count // 2)
    with pytest.raises(FieldError, match="ranges"):
        serialize(laser)


def test_a_sequence_with_a_wrong_length_is_rejected():
    class WrongLength(collections.abc.Sequence):
        def __len__(self):
            return 2

        def __getitem__(self, place):
            return ["a", "b", "c", "d"][place]

    status = JointState()
    status.name = WrongLength()
    with pytest.raises(FieldError, match="has 4 elements"):
        serialize(status)


def test_the_default_of_a_byte_array_has_bytes_as_after_a_round_trip(tmp_path):
    import saltus

    folder = tmp_path / "byte_msgs" / "msg"
    folder.mkdir(parents=True)
    (folder / "Bytes.msg").write_text(
        "byte[3] a [0, 1, 255]\nbyte[] b [1, 2]\nbyte[<=3] c [3]\nbyte d 7\nbool[] e [true]\nbyte[2] f\n"
    )
    saltus.interfaces.add_path(tmp_path)
    from saltus.msgs.byte_msgs.msg import Bytes

    new = Bytes()
    assert (new.a, new.b, new.c, new.d) == ([b"\0", b"\1", b"\xff"], [b"\1", b"\2"], [b"\3"], b"\7")
    assert deserialize(Bytes, serialize(new)) == new


def test_a_buffer_is_copied_as_a_whole():
    class Buffer(bytearray):
        def __iter__(self):
            raise AssertionError("the elements are read one by one")

    expected = array.array("B", b"abc")
    for source in (b"abc", Buffer(b"abc"), memoryview(b"abc"), memoryview(b"xaxbxc")[1::2]):
        assert Image(data=source).data == expected
    numbers = array.array("f", [1.0, float("nan")])
    assert LaserScan(ranges=memoryview(numbers)).ranges.tobytes() == numbers.tobytes()
    assert UUID(uuid=Buffer(range(16))).uuid.tolist() == list(range(16))
    with pytest.raises(AssertionError, match="with length 16"):
        UUID(uuid=Buffer(15))
    with pytest.raises(AssertionError, match="each value of type 'float'"):
        LaserScan(ranges=bytearray(4))
