"""ROS 2's rclpy: `rclpy/…` and `rclpy-service/…`. Needs a sourced ROS 2 environment with `bench/peers/ros2`."""

import array
import time

import rclpy
from callbacks import service, topic
from pingpong import arguments
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from saltus_bench_ros2.msg import Payload
from saltus_bench_ros2.srv import Echo

given = arguments()
rclpy.init(args=[])
node = Node(f"{given.role}_{given.tag}", enable_rosout=False, start_parameter_services=False)
executor = SingleThreadedExecutor()
executor.add_node(node)
version = f"rclpy_on_{rclpy.get_rmw_implementation_identifier()}"
if given.mode.startswith("rclpy-service/"):
    service(given, node, executor, Echo, version, lambda data: array.array("B", data))
else:
    topic(given, node, executor, Payload, version, lambda data: array.array("B", data))
# This gives the last message time to arrive.
time.sleep(0.1)
executor.shutdown()
node.destroy_node()
rclpy.shutdown()
