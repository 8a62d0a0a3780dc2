"""Saltus's package. `native/…` uses a topic with its own classes, `rclpy/…` a topic with the classes of rclpy, and
`service/…` a service with its own classes. The word after the slash says how it waits. A NumPy array is copied once
into shared memory."""

from pingpong import arguments

given = arguments()
kind, wait = given.mode.split("/")
if kind == "rclpy":
    import saltus.ros  # noqa: F401, I001 - finds rclpy
    import rclpy as ros
    from rclpy.executors import SingleThreadedExecutor
    from rclpy.node import Node
    from saltus_bench_msgs.msg import Payload
    from saltus_bench_msgs.srv import Echo
else:
    import saltus as ros
    from saltus import Node, SingleThreadedExecutor
    from saltus.msgs.saltus_bench_msgs.msg import Payload
    from saltus.msgs.saltus_bench_msgs.srv import Echo

import numpy as np
from callbacks import service, topic


def wrap(data):
    """A NumPy array over the data."""
    return np.frombuffer(data, np.uint8)


# The module of rclpy's habits has an `init` that returns nothing, as rclpy's does.
ros.init(args=[])
node = Node(f"{given.role}_{given.tag}")
executor = SingleThreadedExecutor(wait_strategy=wait)
executor.add_node(node)
if kind == "service":
    service(given, node, executor, Echo, "0.1.0", wrap)
else:
    topic(given, node, executor, Payload, "0.1.0", wrap)
node.destroy_node()
ros.shutdown()
