"""A lifecycle node whose publisher is active only in the state active."""

import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.lifecycle import Node, Publisher, State
from rclpy.lifecycle.managed_entity import ManagedEntity
from rclpy.lifecycle.node import LifecycleNode, TransitionCallbackReturn
from rclpy.lifecycle.publisher import LifecyclePublisher
from std_msgs.msg import String

assert (Node, Publisher) == (LifecycleNode, LifecyclePublisher) and issubclass(Publisher, ManagedEntity)


class Talker(Node):
    def __init__(self):
        super().__init__("lc_talker")
        self.count = 0
        self.pub: Publisher = None
        self.timer = None

    def publish(self):
        self.count += 1
        active = self.pub is not None and self.pub.is_activated
        self.get_logger().info("active %s" % active)
        self.pub.publish(String(data="number %d" % self.count))

    def on_configure(self, state: State):
        self.pub = self.create_lifecycle_publisher(String, "lifecycle_chatter", 10)
        self.timer = self.create_timer(0.05, self.publish)
        self.get_logger().info("configured after " + state.label)
        return TransitionCallbackReturn.SUCCESS

    def on_activate(self, state: State):
        self.get_logger().info("activated after " + state.label)
        return super().on_activate(state)

    def on_deactivate(self, state: State):
        self.get_logger().info("deactivated after " + state.label)
        return super().on_deactivate(state)

    def on_cleanup(self, state: State):
        self.destroy_timer(self.timer)
        self.destroy_lifecycle_publisher(self.pub)
        return TransitionCallbackReturn.FAILURE

    def on_shutdown(self, state: State):
        self.get_logger().info("shut down after " + state.label)
        return TransitionCallbackReturn.SUCCESS


def main():
    rclpy.init()
    try:
        rclpy.spin(Talker())
    except (KeyboardInterrupt, ExternalShutdownException):
        pass


if __name__ == "__main__":
    main()
