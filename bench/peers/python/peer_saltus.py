"""The Python package of Saltus. `native/…` uses topics with the classes of `saltus`, `rclpy/…` topics with the classes
of `saltus.rclpy`, and `service/…` a service with the classes of `saltus`. The word after the slash is the wait
strategy. A NumPy array is copied once, into shared memory."""

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
    """Returns a NumPy array over the data."""
    return np.frombuffer(data, np.uint8)


# The result is not used, because the `init` of `saltus.rclpy` may return nothing, as in rclpy.
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
