"""Two boats that follow their commands. It prints when the second one is near the first one."""

import math

import rclpy
from geometry_msgs.msg import Pose2D, Twist
from rclpy.node import Node

STEP = 0.02


class Boat:
    """A boat that moves as it was told last."""

    def __init__(self, node, name, x, y):
        self.pose, self.command = Pose2D(x=x, y=y, theta=0.0), Twist()
        self.publisher = node.create_publisher(Pose2D, f"{name}/pose", 1)
        self.subscription = node.create_subscription(Twist, f"{name}/cmd_vel", self.told, 1)

    def told(self, command):
        self.command = command

    def step(self):
        self.pose.theta += self.command.angular.z * STEP
        self.pose.x += self.command.linear.x * math.cos(self.pose.theta) * STEP
        self.pose.y += self.command.linear.x * math.sin(self.pose.theta) * STEP
        self.publisher.publish(self.pose)


class Sea(Node):
    def __init__(self):
        super().__init__("sea")
        self.boats = [Boat(self, "boat1", 5.0, 5.0), Boat(self, "boat2", 2.0, 4.0)]
        self.arrived = False
        self.timer = self.create_timer(STEP, self.step)

    def step(self):
        for boat in self.boats:
            boat.step()
        first, second = (boat.pose for boat in self.boats)
        if not self.arrived and math.hypot(first.x - second.x, first.y - second.y) < 0.5:
            self.arrived = True
            self.get_logger().info("boat2 is at boat1")


def main():
    rclpy.init()
    node = Sea()
    try:
        rclpy.spin(node)
    except KeyboardInterrupt:
        pass
    rclpy.shutdown()


if __name__ == "__main__":
    main()
