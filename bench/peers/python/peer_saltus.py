"""Saltus's package: `native/…` is its own classes, `rclpy/…` the same by rclpy's; behind the stroke how it waits.

The message is `saltus_bench_msgs/msg/Payload`; its data is a NumPy array, and is copied once into shared memory.
"""

import sys

import numpy as np
from pingpong import REPLY, Ping, Pong, arguments

given = arguments()
kind, wait = given.mode.split("/")
if kind == "rclpy":
    import saltus.ros  # noqa: F401 - finds rclpy
    import rclpy as ros
    from rclpy.executors import SingleThreadedExecutor
    from rclpy.node import Node
    from rclpy.task import Future
    from saltus_bench_msgs.msg import Payload
else:
    import saltus as ros
    from saltus import Future, Node, SingleThreadedExecutor
    from saltus.msgs.saltus_bench_msgs.msg import Payload

with ros.init(args=[]):
    node = Node(f"{given.role}_{given.tag}")
    executor = SingleThreadedExecutor(wait_strategy=wait)
    executor.add_node(node)
    done = Future()
    to, back = ("ping", "pong") if given.role == "ping" else ("pong", "ping")
    publisher = node.create_publisher(Payload, f"{to}_{given.tag}", 10)
    publish = publisher.publish
    if given.role == "ping":
        ping = Ping(given)
        message = Payload(data_size=given.size, data=np.frombuffer(ping.data, np.uint8))

        def hear(reply):
            if ping.look(reply.data):
                if ping.begin():
                    message.sequence_number = ping.sequence
                    publish(message)
                else:
                    done.set_result(None)
    else:
        pong = Pong(given)

        def hear(request):
            if pong.note(request.data):
                publish(request)
            else:
                done.set_result(None)

    subscription = node.create_subscription(Payload, f"{back}_{given.tag}", hear, 10)
    if not (publisher.wait_for_subscriptions(1, 10.0) and subscription.wait_for_publishers(1, 10.0)):
        sys.exit("the other end did not come")
    if given.role == "pong":
        executor.spin_until_future_complete(done, given.seconds * 2 + 20)
        pong.report()
    else:
        ping.begin()
        publish(message)
        while not done.done():
            before = ping.sequence
            executor.spin_until_future_complete(done, REPLY)
            if not done.done() and ping.sequence == before:
                ping.miss()
                if not ping.begin():
                    break
                publish(message)
        ping.end()
        message.sequence_number = 2**32 - 1
        for _ in range(3):
            publish(message)
        ping.report("0.1.0")
    node.destroy_node()
