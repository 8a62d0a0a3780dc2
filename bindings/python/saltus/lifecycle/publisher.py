"""Publishers that publish only while their node is active."""

from __future__ import annotations

from typing import Any, TypeVar

from saltus.lifecycle.managed_entity import LifecycleState, SimpleManagedEntity, TransitionCallbackReturn
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
        self.publish = self._drop  # type: ignore[method-assign] # as in the base class

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Lets messages pass."""
        self._has_warned = False
        self.publish = self._native.publish  # type: ignore[method-assign] # as in the base class
        return super().on_activate(state)

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Drops all further messages."""
        self.publish = self._drop  # type: ignore[method-assign] # as in the base class
        return super().on_deactivate(state)

    def _drop(self, msg: MsgT | bytes) -> None:
        self.dropped += 1
        if not self._has_warned:
            self._has_warned = True
            self._node.get_logger().warning(
                f"Trying to publish message on the topic '{self.topic_name}', but the publisher is not activated"
            )
