"""A listener that receives serialized messages."""

import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.serialization import deserialize_message, serialize_message
from std_msgs.msg import String


class Listener(Node):
    def __init__(self):
        super().__init__("serialized_subscriber")
        self.subscription = self.create_subscription(String, "chatter", self.listener_callback, 10, raw=True)

    def listener_callback(self, msg):
        decoded = deserialize_message(msg, String)
        assert isinstance(msg, bytes) and serialize_message(decoded) == msg
        self.get_logger().info('I heard: "%s" of %d bytes' % (decoded.data, len(msg)))


def main(args=None):
    rclpy.init(args=args)
    try:
        rclpy.spin(Listener())
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        rclpy.try_shutdown()


if __name__ == "__main__":
    main()
