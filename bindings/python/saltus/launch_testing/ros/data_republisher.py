"""Publishes changed messages of another topic."""

from __future__ import annotations

from typing import Any, Callable

__all__ = ["DataRepublisher"]


class DataRepublisher:
    """Receives the messages of a topic, and publishes them on another one as a function has changed them.

    The function returns ``None`` for a message that is not published. The program must spin the node.
    """

    def __init__(
        self, node: Any, listen_topic: str, publish_topic: str, msg_type: Any, transform_fn: Callable[[Any], Any]
    ) -> None:
        self._node, self._transform = node, transform_fn
        self._received_count = 0
        self._republished: list[Any] = []
        self._publisher = node.create_publisher(msg_type, publish_topic, 10)
        self._subscription = node.create_subscription(msg_type, listen_topic, self._republish, 10)

    def shutdown(self) -> None:
        """Ends the publication."""
        self._node.destroy_subscription(self._subscription)
        self._node.destroy_publisher(self._publisher)

    def get_num_received(self) -> int:
        """Returns the number of messages that were received."""
        return self._received_count

    def get_num_republished(self) -> int:
        """Returns the number of messages that were published."""
        return len(self._republished)

    def get_republished(self) -> list[Any]:
        """Returns the messages that were published."""
        return self._republished

    def _republish(self, message: Any) -> None:
        self._received_count += 1
        changed = self._transform(message)
        if changed is not None:
            self._republished.append(changed)
            self._publisher.publish(changed)
