"""Publishers."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

from saltus.duration import Duration
from saltus.qos import QoSProfile

MsgT = TypeVar("MsgT")


class Publisher(Generic[MsgT]):
    """The sending end of a topic; made by ``node.create_publisher()``."""

    def __init__(self, node: Any, native: Any, msg_type: type[MsgT], event_handlers: list[Any]) -> None:
        self._node = node
        self._native = native
        self.msg_type = msg_type
        self.event_handlers = event_handlers
        self._is_open = True
        #: Straight to the native one: it is what latency is made of.
        self.publish = native.publish  # type: ignore[method-assign] # as documented below

    def publish(self, msg: MsgT | bytes) -> None:  # type: ignore[no-redef] # noqa: F811 - for its documentation
        """Sends a message, or the bytes of one, which are written or copied into shared memory."""

    def loan(self, message: MsgT, **lengths: int) -> Any:
        """Memory for a message whose arrays are written in place, without any copy.

        The message gives all other fields; each named array gets so many elements. What is returned has an
        attribute for each of them, a NumPy array, and ``publish()``::

            with camera.loan(Image(height=480, width=640, step=1920, encoding="rgb8"), data=480 * 1920) as image:
                driver.read_into(image.data)
        """
        return self._native.loan(message, **lengths)

    @property
    def topic_name(self) -> str:
        """The full name of its topic."""
        return self._native.topic_name

    @property
    def topic(self) -> str:
        """The full name of its topic."""
        return self._native.topic_name

    @property
    def qos_profile(self) -> QoSProfile:
        """What it offers."""
        return QoSProfile._of(self._native.profile())

    @property
    def handle(self) -> Any:
        """What the native module has of it."""
        return self._native

    def get_subscription_count(self) -> int:
        """How many subscriptions are connected."""
        return self._native.get_subscription_count()

    def wait_for_subscriptions(self, count: int = 1, timeout_sec: float | None = None) -> bool:
        """Waits until so many subscriptions are connected, for at most so long. Whether they are."""
        return self._native.wait_for_subscriptions(count, timeout_sec)

    def assert_liveliness(self) -> None:
        """Says that it is alive, without publishing: renews the lease of manual liveliness."""
        self._native.assert_liveliness()

    def wait_for_all_acked(self, timeout: Duration = Duration(seconds=-1)) -> bool:
        """True at once: what was published lies in the queue of every reliable subscription already."""
        self._native.get_subscription_count()
        return True

    def statistics(self) -> tuple[int, dict[str, int]]:
        """How many messages were sent, and how many were lost, by cause."""
        sent, lost = self._native.statistics()
        return sent, dict(lost)

    def destroy(self) -> None:
        """Closes it."""
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
