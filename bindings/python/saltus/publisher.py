"""Publishers."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

from saltus.duration import Duration
from saltus.qos import QoSProfile

MsgT = TypeVar("MsgT")


class Publisher(Generic[MsgT]):
    """Publishes messages on a topic. Created by ``node.create_publisher()``."""

    def __init__(self, node: Any, native: Any, msg_type: type[MsgT], event_handlers: list[Any]) -> None:
        self._node = node
        self._native = native
        self.msg_type = msg_type
        self.event_handlers = event_handlers
        self._is_open = True
        #: This is the native method itself, because a Python method around it would add latency.
        self.publish = native.publish  # type: ignore[method-assign] # as documented below

    def publish(self, msg: MsgT | bytes) -> None:  # type: ignore[no-redef] # noqa: F811 - for its documentation
        """Publishes a message, or a message that is given as bytes. It is written or copied into shared memory."""

    def loan(self, message: MsgT, **lengths: int) -> Any:
        """Returns memory for a message whose arrays are written in place, without a copy.

        ``lengths`` gives the number of elements of each of these arrays. ``message`` gives all other fields. The loan
        has a NumPy array as an attribute for each of these arrays, and a method ``publish()``::

            with camera.loan(Image(height=480, width=640, step=1920, encoding="rgb8"), data=480 * 1920) as image:
                driver.read_into(image.data)
        """
        return self._native.loan(message, **lengths)

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
        """The QoS profile that the publisher offers."""
        return QoSProfile._of(self._native.profile())

    @property
    def handle(self) -> Any:
        """The native publisher."""
        return self._native

    def get_subscription_count(self) -> int:
        """Returns how many subscriptions are connected."""
        return self._native.get_subscription_count()

    def wait_for_subscriptions(self, count: int = 1, timeout_sec: float | None = None) -> bool:
        """Waits until ``count`` subscriptions are connected, for at most ``timeout_sec``. Returns whether they are."""
        return self._native.wait_for_subscriptions(count, timeout_sec)

    def assert_liveliness(self) -> None:
        """Renews the lease of manual liveliness without publishing a message."""
        self._native.assert_liveliness()

    def wait_for_all_acked(self, timeout: Duration = Duration(seconds=-1)) -> bool:
        """Returns true at once, because published messages are in the queues of all reliable subscriptions already."""
        self._native.get_subscription_count()
        return True

    def statistics(self) -> tuple[int, dict[str, int]]:
        """Returns how many messages were sent. Also returns how many were lost, for each cause."""
        sent, lost = self._native.statistics()
        return sent, dict(lost)

    def destroy(self) -> None:
        """Closes the publisher."""
        self._node.destroy_publisher(self)

    def __enter__(self) -> Publisher[MsgT]:
        return self

    def __exit__(self, *_: object) -> None:
        self.destroy()

    def _close(self) -> None:
        self._is_open = False
        for handler in self.event_handlers:
            handler._close()
        self._native.close()
