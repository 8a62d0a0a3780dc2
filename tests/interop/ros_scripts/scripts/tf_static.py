"""Broadcasts a transform that never changes: the name of the child, x, y, z, roll, pitch and yaw are arguments."""

import sys

import numpy as np
import rclpy
from geometry_msgs.msg import TransformStamped
from rclpy.node import Node
from tf2_ros.static_transform_broadcaster import StaticTransformBroadcaster


def quaternion(roll, pitch, yaw):
    (sr, cr), (sp, cp), (sy, cy) = ((np.sin(angle / 2.0), np.cos(angle / 2.0)) for angle in (roll, pitch, yaw))
    return np.array([
        sr * cp * cy - cr * sp * sy,
        cr * sp * cy + sr * cp * sy,
        cr * cp * sy - sr * sp * cy,
        cr * cp * cy + sr * sp * sy,
    ])  # fmt: skip


class StaticBroadcaster(Node):
    def __init__(self, child, *numbers):
        super().__init__("static_broadcaster")
        self.broadcaster = StaticTransformBroadcaster(self)
        x, y, z, *angles = map(float, numbers)
        t = TransformStamped()
        t.header.stamp = self.get_clock().now().to_msg()
        t.header.frame_id = "world"
        t.child_frame_id = child
        t.transform.translation.x, t.transform.translation.y, t.transform.translation.z = x, y, z
        # These are numbers of NumPy.
        quat = quaternion(*angles)
        t.transform.rotation.x = quat[0]
        t.transform.rotation.y = quat[1]
        t.transform.rotation.z = quat[2]
        t.transform.rotation.w = quat[3]
        self.broadcaster.sendTransform(t)


def main():
    if len(sys.argv) != 8:
        rclpy.logging.get_logger("logger").info("Invalid number of parameters")
        sys.exit(0)
    rclpy.init()
    node = StaticBroadcaster(*sys.argv[1:])
    try:
        rclpy.spin(node)
    except KeyboardInterrupt:
        pass
    rclpy.shutdown()


if __name__ == "__main__":
    main()
