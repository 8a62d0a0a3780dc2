"""A listener that calls `spin_once` in a loop, and ends after three messages."""

import rclpy
from rclpy.utilities import get_default_context
from std_msgs.msg import String


def main(args=None):
    rclpy.init(args=args)
    node = rclpy.create_node("listener_loop")
    heard = []
    subscription = node.create_subscription(String, "topic", heard.append, 10)
    while rclpy.ok() and len(heard) < 3:
        rclpy.spin_once(node, timeout_sec=0.1)
    print("heard", [message.data.split(":")[0] for message in heard])
    node.destroy_subscription(subscription)
    node.destroy_node()
    assert get_default_context().ok()
    rclpy.shutdown()
    assert not rclpy.ok()
    try:
        rclpy.shutdown()
    except RuntimeError:
        print("a second shutdown is an error")
    rclpy.init(args=args)
    print("again:", rclpy.ok())
    rclpy.shutdown()


if __name__ == "__main__":
    main()
