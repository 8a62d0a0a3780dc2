"""A listener whose callback is a lambda."""

import rclpy
from std_msgs.msg import String


def main(args=None):
    rclpy.init(args=args)
    node = rclpy.create_node("minimal_subscriber")
    subscription = node.create_subscription(
        String, "topic", lambda message: node.get_logger().info(f'I heard: "{message.data}"'), 10
    )
    subscription  # kept
    try:
        rclpy.spin(node)
    except KeyboardInterrupt:
        pass
    node.destroy_node()
    rclpy.shutdown()


if __name__ == "__main__":
    main()
