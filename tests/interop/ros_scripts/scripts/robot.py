"""A small mobile robot: it subscribes to a laser and to odometry, and publishes velocities."""

import math

import rclpy
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from rclpy.clock import Clock
from rclpy.node import Node
from rclpy.qos import QoSProfile, qos_profile_sensor_data
from sensor_msgs.msg import JointState, LaserScan


class Obstacles(Node):
    def __init__(self):
        super().__init__("obstacle_detection")
        self.nearest = math.inf
        self.pose = 0.0
        qos = QoSProfile(depth=10)
        self.cmd = self.create_publisher(Twist, "cmd_vel", qos)
        self.scan = self.create_subscription(LaserScan, "scan", self.on_scan, qos_profile=qos_profile_sensor_data)
        self.odom = self.create_subscription(Odometry, "odom", self.on_odom, qos)
        self.update = self.create_timer(0.01, self.on_update)

    def on_scan(self, msg):
        ranges = [r for r in msg.ranges if r != 0.0]
        self.nearest = min(ranges)

    def on_odom(self, msg):
        self.pose = msg.pose.pose.position.x

    def on_update(self):
        twist = Twist()
        if self.nearest > 0.5:
            twist.linear.x = 0.3
        else:
            twist.linear.x = 0.0
            self.get_logger().info("Obstacles are detected nearby. Robot stopped.", throttle_duration_sec=0.1)
        self.cmd.publish(twist)


class Simulated(Node):
    def __init__(self):
        super().__init__("simulated")
        self.x = 0.0
        self.create_subscription(Twist, "cmd_vel", self.on_cmd, 10)
        self.scan = self.create_publisher(LaserScan, "scan", qos_profile_sensor_data)
        self.odom = self.create_publisher(Odometry, "odom", 10)
        self.joints = self.create_publisher(JointState, "joint_states", 10)

    def on_cmd(self, msg):
        self.x += msg.linear.x * 0.1
        scan = LaserScan()
        scan.header.stamp = Clock().now().to_msg()
        scan.ranges = [0.0, 1.0 - self.x, 3.0]
        self.scan.publish(scan)
        odom = Odometry()
        odom.pose.pose.position.x = self.x
        self.odom.publish(odom)
        self.joints.publish(JointState(name=["left"], position=[self.x]))


def main():
    rclpy.init()
    nodes = [Obstacles(), Simulated()]
    while rclpy.ok() and nodes[0].nearest > 0.5:
        for node in nodes:
            rclpy.spin_once(node, timeout_sec=0.1)
    for _ in range(50):
        rclpy.spin_once(nodes[0], timeout_sec=0.1)
    print(f"stopped at {nodes[0].pose:.2f}")
    for node in nodes:
        node.destroy_node()
    rclpy.shutdown()


if __name__ == "__main__":
    main()
