"""A function that waits for one message."""

from __future__ import annotations

import itertools
from typing import Any

from saltus.executors import SingleThreadedExecutor
from saltus.node import Node
from saltus.qos import QoSProfile
from saltus.task import Future

_numbers = itertools.count()


def wait_for_message(
    msg_type: Any, node: Any, topic: str, *, qos_profile: QoSProfile | int = 1, time_to_wait: float = -1
) -> tuple[bool, Any]:
    """Waits for the next message of a topic, for at most ``time_to_wait`` seconds.

    Returns whether a message arrived, and the message. The node may be spun meanwhile, but need not be. A callback may
    call this function.
    """
    arrived: Future[Any] = Future()

    def receive(message: Any) -> None:
        if not arrived.done():
            arrived.set_result(message)

    # A hidden node receives the message, so that it does not matter whether the other node is spun.
    waiting = Node(
        f"_wait_for_message_{next(_numbers)}",
        context=node.context,
        enable_rosout=False,
        start_parameter_services=False,
    )
    executor = SingleThreadedExecutor(context=node.context)
    try:
        waiting.create_subscription(msg_type, node.resolve_topic_name(topic), receive, qos_profile)
        executor.add_node(waiting)
        executor.spin_until_future_complete(arrived, time_to_wait)
    finally:
        executor.shutdown()
        waiting.destroy_node()
    return (True, arrived.result()) if arrived.done() else (False, None)
