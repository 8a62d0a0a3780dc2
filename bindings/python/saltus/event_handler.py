"""Events of publishers and subscriptions: missed deadlines, liveliness, mismatches, lost messages, matches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable

from saltus._entity import Entity
from saltus.exceptions import UnsupportedEventTypeError
from saltus.qos import QoSPolicyKind

__all__ = [
    "EventHandler", "PublisherEventCallbacks", "QoSDeadlineMissedInfo", "QoSIncompatibleInfo",
    "QoSLivelinessChangedInfo", "QoSLivelinessLostInfo", "QoSMatchedInfo", "QoSMessageLostInfo",
    "QoSOfferedDeadlineMissedInfo", "QoSOfferedIncompatibleQoSInfo", "QoSPublisherMatchedInfo",
    "QoSRequestedDeadlineMissedInfo", "QoSRequestedIncompatibleQoSInfo", "QoSSubscriptionMatchedInfo",
    "IncompatibleTypeInfo", "SubscriptionEventCallbacks", "UnsupportedEventTypeError",
]  # fmt: skip


@dataclass(frozen=True)
class QoSDeadlineMissedInfo:
    """The number of deadline periods without a message."""

    total_count: int
    total_count_change: int


@dataclass(frozen=True)
class QoSLivelinessLostInfo:
    """The number of times that the lease of a publisher has expired."""

    total_count: int
    total_count_change: int


@dataclass(frozen=True)
class QoSLivelinessChangedInfo:
    """The number of publishers that are alive, and the number of those that are not."""

    alive_count: int
    not_alive_count: int
    alive_count_change: int
    not_alive_count_change: int


@dataclass(frozen=True)
class QoSIncompatibleInfo:
    """The number of incompatible endpoints of the other side, and the incompatible policy of the last one."""

    total_count: int
    total_count_change: int
    last_policy_kind: QoSPolicyKind


@dataclass(frozen=True)
class IncompatibleTypeInfo:
    """The number of endpoints of the other side that have another type."""

    total_count: int
    total_count_change: int


@dataclass(frozen=True)
class QoSMessageLostInfo:
    """The number of messages that a subscription has lost."""

    total_count: int
    total_count_change: int


@dataclass(frozen=True)
class QoSMatchedInfo:
    """The number of matched endpoints of the other side: in total, and now."""

    total_count: int
    total_count_change: int
    current_count: int
    current_count_change: int


QoSRequestedDeadlineMissedInfo = QoSOfferedDeadlineMissedInfo = QoSDeadlineMissedInfo
QoSRequestedIncompatibleQoSInfo = QoSOfferedIncompatibleQoSInfo = QoSIncompatibleInfo
QoSPublisherMatchedInfo = QoSSubscriptionMatchedInfo = QoSMatchedInfo

_INFOS: dict[str, Callable[..., Any]] = {
    "deadline": QoSDeadlineMissedInfo,
    "liveliness_lost": QoSLivelinessLostInfo,
    "liveliness_changed": QoSLivelinessChangedInfo,
    "incompatible_qos": lambda total, change, kind: QoSIncompatibleInfo(total, change, QoSPolicyKind(kind)),
    "incompatible_type": IncompatibleTypeInfo,
    "message_lost": QoSMessageLostInfo,
    "matched": QoSMatchedInfo,
}


class EventHandler(Entity):
    """Calls the callback for each kind of event."""

    def __init__(self, node: Any, native: Any, callbacks: dict[str, Callable[[Any], Any]], group: Any) -> None:
        self._callbacks = callbacks
        super().__init__(node, native, group)

    def _take(self) -> Any:
        return self._native.take() if self._is_open else None

    def _run(self, taken: Any) -> Any:
        kind, numbers = taken
        callback = self._callbacks.get(kind)
        return None if callback is None else callback(_INFOS[kind](*numbers))

    def _close(self) -> None:
        self._is_open = False
        self._native = None


class _EventCallbacks:
    _kinds: dict[str, Any]

    def create_event_handlers(self, callback_group: Any, entity: Any, node: Any) -> list[EventHandler]:
        """Creates the handlers that call these callbacks. ``entity`` is the native publisher or subscription."""
        wanted = {kind: callback for kind, callback in self._kinds.items() if callback is not None}
        return [EventHandler(node, entity.events(), wanted, callback_group)] if wanted else []


class SubscriptionEventCallbacks(_EventCallbacks):
    """The callbacks for the events of a subscription.

    A mismatch of profiles or types is always logged, with or without a callback.
    """

    def __init__(
        self,
        *,
        deadline: Callable[[QoSDeadlineMissedInfo], None] | None = None,
        incompatible_qos: Callable[[QoSIncompatibleInfo], None] | None = None,
        liveliness: Callable[[QoSLivelinessChangedInfo], None] | None = None,
        message_lost: Callable[[QoSMessageLostInfo], None] | None = None,
        incompatible_type: Callable[[IncompatibleTypeInfo], None] | None = None,
        matched: Callable[[QoSMatchedInfo], None] | None = None,
        use_default_callbacks: bool = True,
    ) -> None:
        self.deadline, self.incompatible_qos, self.liveliness = deadline, incompatible_qos, liveliness
        self.message_lost, self.incompatible_type, self.matched = message_lost, incompatible_type, matched
        self.use_default_callbacks = use_default_callbacks
        self._kinds = {
            "deadline": deadline,
            "incompatible_qos": incompatible_qos,
            "liveliness_changed": liveliness,
            "message_lost": message_lost,
            "incompatible_type": incompatible_type,
            "matched": matched,
        }


class PublisherEventCallbacks(_EventCallbacks):
    """The callbacks for the events of a publisher.

    A mismatch of profiles or types is always logged, with or without a callback.
    """

    def __init__(
        self,
        *,
        deadline: Callable[[QoSDeadlineMissedInfo], None] | None = None,
        liveliness: Callable[[QoSLivelinessLostInfo], None] | None = None,
        incompatible_qos: Callable[[QoSIncompatibleInfo], None] | None = None,
        incompatible_type: Callable[[IncompatibleTypeInfo], None] | None = None,
        matched: Callable[[QoSMatchedInfo], None] | None = None,
        use_default_callbacks: bool = True,
    ) -> None:
        self.deadline, self.liveliness, self.incompatible_qos = deadline, liveliness, incompatible_qos
        self.incompatible_type, self.matched = incompatible_type, matched
        self.use_default_callbacks = use_default_callbacks
        self._kinds = {
            "deadline": deadline,
            "liveliness_lost": liveliness,
            "incompatible_qos": incompatible_qos,
            "incompatible_type": incompatible_type,
            "matched": matched,
        }
