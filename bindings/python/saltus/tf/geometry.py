"""Transforms messages, with the functions of ROS 2's ``tf2_geometry_msgs``. Importing it registers them for buffers."""

from __future__ import annotations

from typing import Any

import numpy

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
from saltus.tf.interface import ConvertRegistration, TransformRegistration

__all__ = [
    "do_transform_point", "do_transform_polygon_stamped", "do_transform_pose", "do_transform_pose_stamped",
    "do_transform_pose_with_covariance_stamped", "do_transform_vector3", "from_msg_msg", "rotation_matrix",
    "to_msg_msg", "transform_covariance",
]  # fmt: skip

_Array = Any


def to_msg_msg(msg: Any) -> Any:
    """Returns a message as it is."""
    return msg


from_msg_msg = to_msg_msg


def rotation_matrix(turned: Quaternion) -> _Array:
    """Returns a rotation as a matrix. As in ROS 2, a quaternion of zeros turns nothing."""
    numbers = numpy.array([turned.x, turned.y, turned.z, turned.w])
    length = numpy.linalg.norm(numbers)
    if length**2 < numpy.finfo(float).eps:
        return numpy.eye(3)
    x, y, z, w = numbers / length
    return numpy.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip


def _matrix(transform: TransformStamped) -> _Array:
    return rotation_matrix(transform.transform.rotation)


def _moved(point: Any, transform: TransformStamped) -> list[float]:
    offset = transform.transform.translation
    turned = _matrix(transform) @ [point.x, point.y, point.z] + [offset.x, offset.y, offset.z]
    return [float(value) for value in turned]


def _turned(inner: Quaternion, transform: TransformStamped) -> Quaternion:
    """Returns the product of two quaternions."""
    a, b = transform.transform.rotation, inner
    return Quaternion(
        x=a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        y=a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        z=a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
        w=a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
    )


def do_transform_point(point: PointStamped, transform: TransformStamped) -> PointStamped:
    """Returns a point in the frame of the transform."""
    x, y, z = _moved(point.point, transform)
    return PointStamped(header=transform.header, point=Point(x=x, y=y, z=z))


def do_transform_vector3(vector3: Vector3Stamped, transform: TransformStamped) -> Vector3Stamped:
    """Returns a direction in the frame of the transform: it is only rotated."""
    vector = vector3.vector
    x, y, z = (float(value) for value in _matrix(transform) @ [vector.x, vector.y, vector.z])
    return Vector3Stamped(header=transform.header, vector=Vector3(x=x, y=y, z=z))


def do_transform_pose(pose: Pose, transform: TransformStamped) -> Pose:
    """Returns a pose in the frame of the transform."""
    x, y, z = _moved(pose.position, transform)
    return Pose(position=Point(x=x, y=y, z=z), orientation=_turned(pose.orientation, transform))


def do_transform_pose_stamped(pose: PoseStamped, transform: TransformStamped) -> PoseStamped:
    """Returns a pose with the header of the transform."""
    return PoseStamped(header=transform.header, pose=do_transform_pose(pose.pose, transform))


def transform_covariance(cov_in: Any, transform: TransformStamped) -> Any:
    """Returns the covariance of a pose after a rotation."""
    both = numpy.kron(numpy.eye(2), _matrix(transform))
    return (both @ numpy.asarray(cov_in).reshape(6, 6) @ both.T).reshape(36)


def do_transform_pose_with_covariance_stamped(
    pose: PoseWithCovarianceStamped, transform: TransformStamped
) -> PoseWithCovarianceStamped:
    """Returns a pose and its covariance with the header of the transform."""
    moved = PoseWithCovarianceStamped(header=transform.header)
    moved.pose.pose = do_transform_pose(pose.pose.pose, transform)
    moved.pose.covariance = transform_covariance(pose.pose.covariance, transform)
    return moved


def do_transform_polygon_stamped(polygon: PolygonStamped, transform: TransformStamped) -> PolygonStamped:
    """Returns a polygon with the header of the transform."""
    corners = (_moved(corner, transform) for corner in polygon.polygon.points)
    points = [Point32(x=x, y=y, z=z) for x, y, z in corners]
    return PolygonStamped(header=transform.header, polygon=Polygon(points=points))


for _type, _function in (
    (PointStamped, do_transform_point),
    (Vector3Stamped, do_transform_vector3),
    (PoseStamped, do_transform_pose_stamped),
    (PoseWithCovarianceStamped, do_transform_pose_with_covariance_stamped),
    (PolygonStamped, do_transform_polygon_stamped),
):
    TransformRegistration().add(_type, _function)
    ConvertRegistration().add_to_msg(_type, to_msg_msg)
    ConvertRegistration().add_from_msg(_type, from_msg_msg)
