"""A talker whose timer callback is a local function."""

import rclpy
from rclpy.executors import ExternalShutdownException
from std_msgs.msg import String


def main(args=None):
    try:
        with rclpy.init(args=args):
            node = rclpy.create_node("minimal_publisher")
            publisher = node.create_publisher(String, "topic", 10)
            count = 0

            def say():
                nonlocal count
                message = String()
                message.data = f"Hello World: {count}"
                count += 1
                node.get_logger().info(f'Publishing: "{message.data}"')
                publisher.publish(message)

            timer = node.create_timer(0.05, say)
            rclpy.spin(node)
            node.destroy_timer(timer)
            node.destroy_node()
    except (KeyboardInterrupt, ExternalShutdownException):
        print("talker ended")


if __name__ == "__main__":
    main()
