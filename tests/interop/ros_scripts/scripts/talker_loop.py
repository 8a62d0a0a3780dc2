"""A talker without an executor: it sleeps in a loop."""

from time import sleep

import rclpy
from rclpy.duration import Duration
from std_msgs.msg import String


def main(args=None):
    rclpy.init(args=args)
    node = rclpy.create_node("old_school")
    publisher = node.create_publisher(String, "topic", 10)
    i = 0
    try:
        while rclpy.ok():
            publisher.publish(String(data="Hello World: %d" % i))
            node.get_logger().info("Publishing %d" % i)
            if publisher.wait_for_all_acked(Duration(seconds=1)):
                node.get_logger().info("acknowledged", once=True)
            i += 1
            sleep(0.05)
    except KeyboardInterrupt:
        pass
    node.destroy_publisher(publisher)
    node.destroy_node()
    rclpy.shutdown()


if __name__ == "__main__":
    main()
