"""A component that publishes its status."""

import saltus
from saltus.executors import ExternalShutdownException
from saltus.msgs.rcl_interfaces.msg import FloatingPointRange, ParameterDescriptor
from saltus.msgs.std_msgs.msg import String


class Status(saltus.Node):
    """Publishes to ``status``. The parameter ``rate`` is the number of messages per second."""

    def __init__(self, **options):
        super().__init__("@name@", **options)
        limits = FloatingPointRange(from_value=0.1, to_value=1000.0)
        rate = self.declare_parameter("rate", 2.0, ParameterDescriptor(floating_point_range=[limits])).value
        self.status = self.create_publisher(String, "status", 10)
        self.timer = self.create_timer(1.0 / rate, self.publish_status)
        self.count = 0

    def publish_status(self):
        self.count += 1
        self.status.publish(String(data=f"step {self.count}"))


def main():
    """Runs the component in a process of its own, until Ctrl-C."""
    try:
        with saltus.init():
            saltus.spin(Status())
    except (KeyboardInterrupt, ExternalShutdownException):
        pass


if __name__ == "__main__":
    main()
