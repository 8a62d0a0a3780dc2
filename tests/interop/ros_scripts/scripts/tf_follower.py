"""Steers the second boat to a frame, which is a parameter. `delayed` follows where the frame was half a second ago."""

import math
import sys

import rclpy
from geometry_msgs.msg import Twist
from rclpy.duration import Duration
from rclpy.node import Node
from tf2_ros import TransformException
from tf2_ros.buffer import Buffer
from tf2_ros.transform_listener import TransformListener


class Follower(Node):
    def __init__(self, is_delayed):
        super().__init__("follower")
        self.target = self.declare_parameter("target_frame", "boat1").get_parameter_value().string_value
        self.is_delayed = is_delayed
        self.tf_buffer = Buffer()
        self.tf_listener = TransformListener(self.tf_buffer, self)
        self.publisher = self.create_publisher(Twist, "boat2/cmd_vel", 1)
        self.timer = self.create_timer(0.1, self.steer)
        self.has_steered = False

    def look_up(self):
        if not self.is_delayed:
            return self.tf_buffer.lookup_transform("boat2", self.target, rclpy.time.Time())
        return self.tf_buffer.lookup_transform_full(
            target_frame="boat2",
            target_time=rclpy.time.Time(),
            source_frame=self.target,
            source_time=self.get_clock().now() - Duration(seconds=0.5),
            fixed_frame="world",
            timeout=Duration(seconds=0.0),
        )

    def steer(self):
        try:
            t = self.look_up()
        except TransformException as ex:
            self.get_logger().info(f"Could not transform {self.target} to boat2: {ex}")
            return
        if not self.has_steered:
            self.has_steered = True
            self.get_logger().info(f"Following {self.target}")
        msg = Twist()
        x, y = t.transform.translation.x, t.transform.translation.y
        msg.angular.z = 2.0 * math.atan2(y, x)
        msg.linear.x = min(1.5 * math.sqrt(x**2 + y**2), 3.0)
        self.publisher.publish(msg)


def main():
    rclpy.init()
    node = Follower("delayed" in sys.argv)
    try:
        rclpy.spin(node)
    except KeyboardInterrupt:
        pass
    rclpy.shutdown()


if __name__ == "__main__":
    main()
