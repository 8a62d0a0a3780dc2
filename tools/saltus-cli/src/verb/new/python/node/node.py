"""A node that publishes its status twice a second."""

import saltus
from saltus.executors import ExternalShutdownException
from saltus.msgs.std_msgs.msg import String


class StatusNode(saltus.Node):
    """Publishes to ``status``."""

    def __init__(self):
        super().__init__("@name@")
        self.status = self.create_publisher(String, "status", 10)
        self.timer = self.create_timer(0.5, self.publish_status)
        self.count = 0

    def publish_status(self):
        self.count += 1
        message = String(data=f"step {self.count}")
        self.get_logger().info(f"publishing '{message.data}'")
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
