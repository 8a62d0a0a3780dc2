"""The node `/holder`, written for rclpy: it publishes messages of several types on `/saltus/…`, and has a parameter."""

import rclpy
from geometry_msgs.msg import Twist, Vector3
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import Image, LaserScan
from std_msgs.msg import String

rclpy.init()
node = rclpy.create_node("holder")
node.declare_parameter("speed", 50)
latched = node.create_publisher(
    String, "/saltus/latched", QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
)
latched.publish(String(data="before"))
latched.publish(String(data="kept"))

messages = {
    "text": String(data="from saltus"),
    "twist": Twist(linear=Vector3(x=0.5)),
    "scan": LaserScan(ranges=[1.5] * 360),
    "image": Image(height=1000, width=1000, step=1000, data=bytes([7]) * 1_000_000),
}
publishers = {name: node.create_publisher(type(one), f"/saltus/{name}", 5) for name, one in messages.items()}


def publish() -> None:
    """Publishes one message of each type."""
    for name, publisher in publishers.items():
        publisher.publish(messages[name])


node.create_timer(0.1, publish)
print("ready", flush=True)
rclpy.spin(node)
