"""Broadcasts a frame beside a boat: it stays where it is, or goes around the boat if the argument says so."""

import math
import sys

import rclpy
from geometry_msgs.msg import TransformStamped
from rclpy.node import Node
from tf2_ros import TransformBroadcaster


class BuoyBroadcaster(Node):
    def __init__(self, moves):
        super().__init__("buoy_broadcaster")
        self.moves = moves
        self.broadcaster = TransformBroadcaster(self)
        self.timer = self.create_timer(0.1, self.send)

    def send(self):
        seconds, _ = self.get_clock().now().seconds_nanoseconds()
        angle = seconds * math.pi if self.moves else math.pi / 2.0
        t = TransformStamped()
        t.header.stamp = self.get_clock().now().to_msg()
        t.header.frame_id = "boat1"
        t.child_frame_id = "buoy1"
        t.transform.translation.x = 2.0 * math.cos(angle)
        t.transform.translation.y = 2.0 * math.sin(angle)
        t.transform.rotation.w = 1.0
        self.broadcaster.sendTransform(t)


def main():
    rclpy.init()
    node = BuoyBroadcaster("moves" in sys.argv)
    try:
        rclpy.spin(node)
    except KeyboardInterrupt:
        pass
    rclpy.shutdown()


if __name__ == "__main__":
    main()
