"""Waiting for one message."""

from __future__ import annotations

import threading
from typing import Any

from saltus.callback_groups import MutuallyExclusiveCallbackGroup
from saltus.executors import SingleThreadedExecutor
from saltus.qos import QoSProfile
from saltus.task import Future


def wait_for_message(
    msg_type: Any, node: Any, topic: str, *, qos_profile: QoSProfile | int = 1, time_to_wait: float = -1
) -> tuple[bool, Any]:
    """Waits for the next message of a topic, for at most so many seconds: whether it came, and the message.

    The node need not be spun, and may be.
    """
    arrived: list[Any] = []
    done = threading.Event()
    future: Future[None] = Future()

    def hear(message: Any) -> None:
        arrived.append(message)
        done.set()
        if not future.done():
            future.set_result(message)

    subscription = node.create_subscription(
        msg_type, topic, hear, qos_profile, callback_group=MutuallyExclusiveCallbackGroup()
    )
    try:
        if node.executor is not None:
            done.wait(None if time_to_wait < 0 else time_to_wait)
        else:
            executor = SingleThreadedExecutor(context=node.context)
            executor.add_node(node)
            try:
                executor.spin_until_future_complete(future, time_to_wait)
            finally:
                executor.shutdown()
    finally:
        node.destroy_subscription(subscription)
    return (True, arrived[0]) if arrived else (False, None)
