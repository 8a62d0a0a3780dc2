"""Publishers that publish only while their node is active."""

from __future__ import annotations

from typing import Any, TypeVar

from saltus.lifecycle.managed_entity import SimpleManagedEntity
from saltus.publisher import Publisher

MsgT = TypeVar("MsgT")


class LifecyclePublisher(SimpleManagedEntity, Publisher[MsgT]):
    """A publisher that drops and counts messages while its node is not active.

    Created by ``node.create_lifecycle_publisher()``. The first message that is dropped is logged.
    """

    def __init__(self, node: Any, native: Any, msg_type: type[MsgT], event_handlers: list[Any]) -> None:
        SimpleManagedEntity.__init__(self)
        Publisher.__init__(self, node, native, msg_type, event_handlers)
        #: How many messages were dropped because the node was not active.
        self.dropped = 0
        self._has_warned = False
        # The base class sets the native method here, which would publish in all states.
        del self.publish

    def publish(self, msg: MsgT | bytes) -> None:
        """Publishes a message if the publisher is activated. Otherwise drops and counts it."""
        if self._enabled:
            self._native.publish(msg)
        else:
            self._drop()

    def loan(self, message: MsgT, **lengths: int) -> Any:
        """Returns memory for a message, as the method of the base class.

        Returns ``None`` if the publisher is not activated, so that the program need not make the message. That counts as
        a dropped message.
        """
        if self._enabled:
            return self._native.loan(message, **lengths)
        self._drop()
        return None

    def _set_activated(self, activated: bool) -> None:
        """Lets messages pass or drops them. Called after each transition of the node."""
        self._enabled = activated
        if activated:
            self._has_warned = False

    def _drop(self) -> None:
        self.dropped += 1
        if not self._has_warned:
            self._has_warned = True
            self._node.get_logger().warning(
                f"Trying to publish message on the topic '{self.topic_name}', but the publisher is not activated"
            )
