"""Transforms clouds of points, with the functions of ROS 2's ``tf2_sensor_msgs``. Importing it registers them for buffers."""

from __future__ import annotations

from typing import Any

import numpy

from saltus.msgs.geometry_msgs.msg import Transform, TransformStamped
from saltus.msgs.sensor_msgs.msg import PointCloud2, PointField
from saltus.msgs.std_msgs.msg import Header
from saltus.tf.geometry import from_msg_msg, rotation_matrix, to_msg_msg
from saltus.tf.interface import ConvertRegistration, TransformRegistration

__all__ = ["do_transform_cloud", "from_msg_msg", "to_msg_msg", "transform_points"]

_Array = Any
_FORMATS = {PointField.FLOAT32: "f4", PointField.FLOAT64: "f8"}


def transform_points(point_cloud: _Array, transform: Transform) -> _Array:
    """Returns transformed points. An array has the shape (number of points, 3)."""
    offset = transform.translation
    return point_cloud @ rotation_matrix(transform.rotation).T + [offset.x, offset.y, offset.z]


def do_transform_cloud(cloud: PointCloud2, transform: Transform | TransformStamped) -> PointCloud2:
    """Returns a cloud whose coordinates x, y and z are transformed. The other fields of its points stay.

    With a ``TransformStamped``, the frame of the cloud is that of the transform.

    Raises ``ValueError`` if the cloud has no such fields, or if its data is too short.
    """
    header = Header(stamp=cloud.header.stamp, frame_id=cloud.header.frame_id)
    if isinstance(transform, TransformStamped):
        header.frame_id, transform = transform.header.frame_id, transform.transform
    data = bytearray(cloud.data)
    points = _points(cloud, data)
    moved = transform_points(numpy.stack([points[name].ravel() for name in "xyz"], axis=1).astype(float), transform)
    for name, values in zip("xyz", moved.T):
        points[name] = values.reshape(points.shape)
    return PointCloud2(
        header=header, height=cloud.height, width=cloud.width, fields=cloud.fields, is_bigendian=cloud.is_bigendian,
        point_step=cloud.point_step, row_step=cloud.row_step, data=numpy.frombuffer(data, numpy.uint8),
        is_dense=cloud.is_dense,
    )  # fmt: skip


def _points(cloud: PointCloud2, data: bytearray) -> _Array:
    """Returns the points within the data as an array with the fields x, y and z. Its shape is (height, width)."""
    fields = {field.name: field for field in cloud.fields}
    order, formats = ">" if cloud.is_bigendian else "<", []
    for name in "xyz":
        if name not in fields:
            raise ValueError(f"the cloud has no field `{name}`")
        if fields[name].datatype not in _FORMATS:
            raise ValueError(f"the field `{name}` has the type {fields[name].datatype}, and not FLOAT32 or FLOAT64")
        formats.append(order + _FORMATS[fields[name].datatype])
        if fields[name].offset + numpy.dtype(formats[-1]).itemsize > cloud.point_step:
            raise ValueError(f"the field `{name}` is not within a point")
    height, width, step, row = cloud.height, cloud.width, cloud.point_step, cloud.row_step
    if step * width > row and step * width * height == len(data):
        # ROS 2 does not use the length of rows, so some drivers leave it out.
        row = step * width
    if step * width > row or row * height > len(data):
        raise ValueError(f"{width} x {height} points of {step} bytes in rows of {row} are not in {len(data)} bytes")
    if 0 in (height, width):
        return numpy.empty((height, width), [(name, "f8") for name in "xyz"])
    offsets = [fields[name].offset for name in "xyz"]
    kind = numpy.dtype({"names": list("xyz"), "formats": formats, "offsets": offsets, "itemsize": step})
    return numpy.ndarray((height, width), kind, data, 0, (row, step))


ConvertRegistration().add_to_msg(PointCloud2, to_msg_msg)
ConvertRegistration().add_from_msg(PointCloud2, from_msg_msg)
TransformRegistration().add(PointCloud2, do_transform_cloud)
