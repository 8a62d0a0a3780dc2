"""A custom callback group that limits the rate of callbacks, and two timers in a mutually exclusive group."""

import rclpy
from rclpy.callback_groups import CallbackGroup, MutuallyExclusiveCallbackGroup
from rclpy.executors import ExternalShutdownException, MultiThreadedExecutor
from rclpy.node import Node
from std_msgs.msg import String


class Throttled(CallbackGroup):
    def __init__(self, node):
        super().__init__()
        self.timer = node.create_timer(0.05, self.refill)
        self.bucket = 2

    def refill(self):
        self.bucket = min(2, self.bucket + 1)

    def can_execute(self, entity):
        return self.bucket > 0

    def beginning_execution(self, entity):
        if self.bucket <= 0:
            return False
        self.bucket -= 1
        return True

    def ending_execution(self, entity):
        pass


class Busy(Node):
    def __init__(self):
        super().__init__("busy")
        self.i = 0
        self.inside = 0
        self.group = MutuallyExclusiveCallbackGroup()
        self.pub = self.create_publisher(String, "chatter", 10)
        self.timers_ = [self.create_timer(0.001, self.tick, callback_group=self.group) for _ in range(2)]
        self.throttled = Throttled(self)
        self.sub = self.create_subscription(String, "chatter", self.hear, 10, callback_group=self.throttled)

    def tick(self):
        self.inside += 1
        assert self.inside == 1, "two at once"
        self.pub.publish(String(data=str(self.i)))
        self.i += 1
        self.inside -= 1

    def hear(self, msg):
        self.get_logger().info("I heard: [%s]" % msg.data)


def main(args=None):
    rclpy.init(args=args)
    node = Busy()
    executor = MultiThreadedExecutor()
    executor.add_node(node)
    try:
        executor.spin()
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        executor.shutdown()


if __name__ == "__main__":
    main()
