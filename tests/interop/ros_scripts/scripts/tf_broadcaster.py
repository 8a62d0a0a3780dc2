"""Broadcasts where a boat is. Its name is a parameter."""

import math

import rclpy
from geometry_msgs.msg import Pose2D, TransformStamped
from rclpy.node import Node
from tf2_ros import TransformBroadcaster


class BoatBroadcaster(Node):
    def __init__(self):
        super().__init__("boat_broadcaster")
        self.name = self.declare_parameter("boat", "boat").get_parameter_value().string_value
        self.broadcaster = TransformBroadcaster(self)
        self.subscription = self.create_subscription(Pose2D, f"/{self.name}/pose", self.send, 1)

    def send(self, pose):
        t = TransformStamped()
        t.header.stamp = self.get_clock().now().to_msg()
        t.header.frame_id = "world"
        t.child_frame_id = self.name
        t.transform.translation.x = pose.x
        t.transform.translation.y = pose.y
        t.transform.translation.z = 0.0
        t.transform.rotation.z = math.sin(pose.theta / 2.0)
        t.transform.rotation.w = math.cos(pose.theta / 2.0)
        self.broadcaster.sendTransform(t)


def main():
    rclpy.init()
    node = BoatBroadcaster()
    try:
        rclpy.spin(node)
    except KeyboardInterrupt:
        pass
    rclpy.shutdown()


if __name__ == "__main__":
    main()
