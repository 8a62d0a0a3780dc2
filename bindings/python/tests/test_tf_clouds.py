"""Clouds of points in another frame."""

import math

import numpy
import pytest
from conftest import run
from saltus.msgs.geometry_msgs.msg import Quaternion, Transform, TransformStamped, Vector3
from saltus.msgs.sensor_msgs.msg import PointCloud2, PointField
from saltus.msgs.std_msgs.msg import Header
from saltus.tf import Buffer
from saltus.tf.clouds import do_transform_cloud, transform_points


def turned():
    """A transform that turns to the left, and moves by 10 m."""
    rotation = Quaternion(z=math.sqrt(0.5), w=math.sqrt(0.5))
    transform = Transform(translation=Vector3(x=10.0), rotation=rotation)
    return TransformStamped(header=Header(frame_id="map"), child_frame_id="laser", transform=transform)


def cloud(format="<f4", datatype=PointField.FLOAT32, padding=0):
    """2 x 3 points with an intensity between the coordinates, and padding after each row."""
    size = numpy.dtype(format).itemsize
    kind = numpy.dtype(
        {"names": ["x", "i", "y", "z"], "formats": [format, "<u2", format, format],
         "offsets": [0, size, size + 2, 2 * size + 2], "itemsize": 3 * size + 6}
    )  # fmt: skip
    points = numpy.zeros((2, 3), kind)
    points["x"], points["i"], points["z"] = [[1, 2, 3], [4, 5, 6]], [[7, 8, 9], [10, 11, 12]], 0.5
    rows = b"".join(row.tobytes() + b"\xaa" * padding for row in points)
    fields = [
        PointField(
            name=name, offset=kind.fields[name][1], datatype=datatype if name != "i" else PointField.UINT16, count=1
        )
        for name in kind.names
    ]
    return PointCloud2(
        header=Header(frame_id="laser"), height=2, width=3, fields=fields, is_bigendian=format[0] == ">",
        point_step=kind.itemsize, row_step=3 * kind.itemsize + padding, data=numpy.frombuffer(rows, numpy.uint8),
    ), kind  # fmt: skip


@pytest.mark.parametrize(
    ("format", "datatype"), [("<f4", PointField.FLOAT32), (">f4", PointField.FLOAT32), ("<f8", PointField.FLOAT64)]
)
@pytest.mark.parametrize("padding", [0, 3])
def test_the_coordinates_of_a_cloud_are_transformed(format, datatype, padding):
    given, kind = cloud(format, datatype, padding)
    moved = do_transform_cloud(given, turned())
    assert (moved.header.frame_id, given.header.frame_id) == ("map", "laser")
    rows = numpy.ndarray((2, 3), kind, bytes(moved.data), 0, (moved.row_step, moved.point_step))
    assert numpy.allclose(rows["x"], 10.0) and numpy.allclose(rows["y"], [[1, 2, 3], [4, 5, 6]])
    assert numpy.allclose(rows["z"], 0.5) and rows["i"].tolist() == [[7, 8, 9], [10, 11, 12]]
    assert bytes(moved.data[-padding:] if padding else b"") == b"\xaa" * padding
    assert bytes(given.data) == bytes(cloud(format, datatype, padding)[0].data)


def test_a_buffer_transforms_clouds():
    buffer = Buffer()
    buffer.set_transform_static(turned(), "test")
    moved = buffer.transform(cloud()[0], "map")
    assert moved.header.frame_id == "map" and moved.data.view("<f4").size > 0
    assert do_transform_cloud(cloud()[0], turned().transform).header.frame_id == "laser"
    assert numpy.allclose(transform_points(numpy.array([[1.0, 0.0, 0.0]]), turned().transform), [[10.0, 1.0, 0.0]])
    empty = PointCloud2(height=1, fields=cloud()[0].fields, point_step=18)
    assert do_transform_cloud(empty, turned()).width == 0


def cut(cloud, row_step):
    cloud.row_step, cloud.data = row_step, cloud.data[:-1]


def test_as_in_ros_2_the_length_of_rows_may_be_left_out():
    given, kind = cloud()
    given.row_step = 0
    moved = do_transform_cloud(given, turned())
    assert numpy.allclose(numpy.ndarray((2, 3), kind, bytes(moved.data))["x"], 10.0)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda cloud: setattr(cloud, "fields", cloud.fields[:2]), "the cloud has no field `y`"),
        (lambda cloud: cut(cloud, row_step=5), "points of 18 bytes in rows of 5 are not in"),
        (lambda cloud: setattr(cloud, "height", 2**32 - 1), "are not in 108 bytes"),
        (lambda cloud: setattr(cloud, "point_step", 10), "the field `z` is not within a point"),
    ],
)
def test_clouds_that_do_not_fit_their_description_are_errors(change, text):
    wrong = cloud()[0]
    change(wrong)
    with pytest.raises(ValueError, match=text):
        do_transform_cloud(wrong, turned())


def test_programs_for_tf2_sensor_msgs_run():
    code = "import saltus.ros; from tf2_sensor_msgs.tf2_sensor_msgs import do_transform_cloud; print('there')"
    assert run(code) == (0, "there\n", "")
