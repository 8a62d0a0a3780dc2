"""Subscriptions."""

from __future__ import annotations

import inspect
from typing import Any, Awaitable, Callable, Generic, TypeVar

from saltus import _native
from saltus._entity import Entity, wants_two
from saltus.qos import QoSProfile

MsgT = TypeVar("MsgT")


class MessageInfo(dict):
    """The metadata of a message: times in nanoseconds, the sequence number, and the gid of the publisher.

    It is a mapping, as in ROS 2. Its keys can also be read as attributes.
    """

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    @classmethod
    def _of(cls, info: _native.Info) -> MessageInfo:
        source, received, sequence, publisher = info.values()
        return cls(
            source_timestamp=source,
            received_timestamp=received,
            publication_sequence_number=sequence,
            reception_sequence_number=None,
            publisher_gid=bytes(publisher),
        )


async def _timed(result: Awaitable[Any], info: _native.Info) -> None:
    """Counts the time until the coroutine of a callback has returned."""
    await result
    info.callback_returned()


class Subscription(Entity, Generic[MsgT]):
    """Receives the messages of a topic. Created by ``node.create_subscription()``."""

    _rank = 2

    def __init__(
        self,
        node: Any,
        native: Any,
        msg_type: type[MsgT],
        callback: Callable[..., Any],
        callback_group: Any,
        event_handlers: list[Any],
        raw: bool,
    ) -> None:
        self.msg_type = msg_type
        self.raw = raw
        self.event_handlers = event_handlers
        self._take = native.take_serialized if raw else native.take  # type: ignore[method-assign] # saves a call
        self.callback = callback
        super().__init__(node, native, callback_group)

    @property
    def callback(self) -> Callable[..., Any]:
        """The function that is called with each message, and with a :class:`MessageInfo` if it takes two arguments."""
        return self._callback

    @callback.setter
    def callback(self, callback: Callable[..., Any]) -> None:
        self._callback = callback
        self._wants_info = wants_two(callback)

    def _run(self, taken: Any) -> Any:
        message, info = taken
        result = self._callback(message, MessageInfo._of(info)) if self._wants_info else self._callback(message)
        if result is not None and inspect.isawaitable(result):
            return _timed(result, info)
        info.callback_returned()
        return None

    @property
    def topic_name(self) -> str:
        """The full name of the topic."""
        return self._native.topic_name

    @property
    def topic(self) -> str:
        """The full name of the topic."""
        return self._native.topic_name

    @property
    def qos_profile(self) -> QoSProfile:
        """The QoS profile that the subscription requests."""
        return QoSProfile._of(self._native.profile())

    def get_publisher_count(self) -> int:
        """Returns how many publishers are connected."""
        return self._native.get_publisher_count()

    def wait_for_publishers(self, count: int = 1, timeout_sec: float | None = None) -> bool:
        """Waits until ``count`` publishers are connected, for at most ``timeout_sec``. Returns whether they are."""
        return self._native.wait_for_publishers(count, timeout_sec)

    def statistics(self) -> tuple[int, dict[str, int]]:
        """Returns how many messages were received. Also returns how many were lost, for each cause."""
        received, lost = self._native.statistics()
        return received, dict(lost)

    def destroy(self) -> None:
        """Closes the subscription."""
        self._node.destroy_subscription(self)

    def _close(self) -> None:
        for handler in self.event_handlers:
            handler._close()
        super()._close()
