"""A talker and two listeners in one process. An argument chooses the executor."""

import sys

import rclpy
from rclpy.executors import ExternalShutdownException, MultiThreadedExecutor, SingleThreadedExecutor
from rclpy.node import Node
from std_msgs.msg import String


class Estragon(Node):
    def __init__(self):
        super().__init__("estragon")
        self.pub = self.create_publisher(String, "chatter", 10)
        self.create_timer(0.02, lambda: self.pub.publish(String(data="Let's go")))
        self.sub = self.create_subscription(String, "chatter", self.hear, 10)

    def hear(self, msg):
        self.get_logger().info("Estragon: %s" % msg.data, throttle_duration_sec=0.05)


class Vladimir(Node):
    def __init__(self):
        super().__init__("vladimir")
        self.sub = self.create_subscription(String, "chatter", self.hear, 10)

    def hear(self, msg):
        self.get_logger().info("Vladimir heard: [%s]" % msg.data, throttle_duration_sec=0.05)


def main():
    rclpy.init()
    executor = MultiThreadedExecutor(num_threads=4) if "many" in sys.argv else SingleThreadedExecutor()
    nodes = [Estragon(), Vladimir()]
    try:
        for node in nodes:
            executor.add_node(node)
        try:
            executor.spin()
        finally:
            executor.shutdown()
            for node in nodes:
                node.destroy_node()
    except (KeyboardInterrupt, ExternalShutdownException):
        print("they do not move")
    finally:
        rclpy.try_shutdown()


if __name__ == "__main__":
    main()
