"""Events when the other endpoint is matched and when it leaves."""

import rclpy
import rclpy.node
from rclpy.event_handler import (
    PublisherEventCallbacks,
    QoSPublisherMatchedInfo,
    QoSSubscriptionMatchedInfo,
    SubscriptionEventCallbacks,
)
from rclpy.executors import SingleThreadedExecutor
from rclpy.task import Future
from std_msgs.msg import String


class Detect(rclpy.node.Node):
    def __init__(self):
        super().__init__("matched_event_detection_node")
        self.future = Future()
        self.pub = self.create_publisher(
            String, "pub_topic", 10, event_callbacks=PublisherEventCallbacks(matched=self.on_publisher)
        )
        self.sub = self.create_subscription(
            String, "sub_topic", lambda _: None, 10,
            event_callbacks=SubscriptionEventCallbacks(matched=self.on_subscription),
        )  # fmt: skip

    def tell(self, whose, info):
        print(f"{whose}: {info.current_count} now ({info.current_count_change:+}), {info.total_count} in all")
        self.future.set_result(True)

    def on_publisher(self, info: QoSPublisherMatchedInfo):
        self.tell("publisher", info)

    def on_subscription(self, info: QoSSubscriptionMatchedInfo):
        self.tell("subscription", info)

    def get_future(self):
        self.future = Future()
        return self.future


def main(args=None):
    rclpy.init(args=args)
    detect, other = Detect(), rclpy.node.Node("other")
    executor = SingleThreadedExecutor()
    executor.add_node(detect)
    executor.add_node(other)
    sub = other.create_subscription(String, "pub_topic", lambda _: None, 10)
    executor.spin_until_future_complete(detect.get_future(), 10)
    other.destroy_subscription(sub)
    executor.spin_until_future_complete(detect.get_future(), 10)
    pub = other.create_publisher(String, "sub_topic", 10)
    executor.spin_until_future_complete(detect.get_future(), 10)
    other.destroy_publisher(pub)
    executor.spin_until_future_complete(detect.get_future(), 10)
    rclpy.try_shutdown()


if __name__ == "__main__":
    main()
