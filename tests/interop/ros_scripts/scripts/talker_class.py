"""A talker that is a class, and passes all arguments by keyword."""

import rclpy
from rclpy.node import Node
from std_msgs.msg import String


class Talker(Node):
    def __init__(self):
        super().__init__(node_name="talker", namespace="")
        self.pub = self.create_publisher(msg_type=String, topic="chatter", qos_profile=10)
        self.i = 1
        self.timer = self.create_timer(timer_period_sec=0.05, callback=self.on_timer)

    def on_timer(self):
        self.get_logger().info("Publishing: {0}".format(self.i))
        self.pub.publish(msg=String(data="Hello World: {0}".format(self.i)))
        self.i += 1


def main(args=None):
    rclpy.init(args=args)
    node = Talker()
    try:
        rclpy.spin(node)
    finally:
        node.destroy_node()
        rclpy.try_shutdown()


if __name__ == "__main__":
    main()
