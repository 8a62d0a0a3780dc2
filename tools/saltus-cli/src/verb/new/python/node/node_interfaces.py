"""A node that publishes its status twice a second, as a message of its own type."""

import saltus
from saltus.executors import ExternalShutdownException
from saltus.msgs.@name@_msgs.msg import Status


class StatusNode(saltus.Node):
    """Publishes to ``status``."""

    def __init__(self):
        super().__init__("@name@")
        self.status = self.create_publisher(Status, "status", 10)
        self.timer = self.create_timer(0.5, self.publish_status)
        self.count = 0

    def publish_status(self):
        self.count += 1
        message = Status(count=self.count)
        message.header.stamp = self.get_clock().now().to_msg()
        self.get_logger().info(f"publishing step {self.count}")
        self.status.publish(message)


def main():
    """Runs the node until Ctrl-C."""
    try:
        with saltus.init():
            saltus.spin(StatusNode())
    except (KeyboardInterrupt, ExternalShutdownException):
        pass


if __name__ == "__main__":
    main()
