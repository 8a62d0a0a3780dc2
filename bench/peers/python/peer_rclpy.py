"""ROS 2's rclpy, in a sourced environment that has `bench/peers/ros2` built: `rclpy`, `rclpy-service`."""

import array
import os

import rclpy
from callbacks import service, topic
from pingpong import arguments
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.task import Future
from saltus_bench_ros2.msg import Payload
from saltus_bench_ros2.srv import Echo

given = arguments()
rclpy.init(args=[])
node = Node(f"{given.role}_{given.tag}", enable_rosout=False, start_parameter_services=False)
executor = SingleThreadedExecutor()
executor.add_node(node)
version = os.environ.get("ROS_DISTRO", "unknown")
if given.mode == "rclpy-service":
    service(given, node, executor, Echo, version, lambda data: array.array("B", data), lambda data: data)
else:
    topic(given, node, executor, Future, Payload, version, lambda data: array.array("B", data), lambda data: data)
executor.shutdown()
node.destroy_node()
rclpy.shutdown()
