"""Quality of service: the policies that a publisher offers and a subscription requests."""

from __future__ import annotations

import warnings
from enum import Enum, IntEnum
from typing import Any

from saltus.duration import Duration, Infinite
from saltus.exceptions import SaltusError

_BEST_AVAILABLE_NS = 9_223_372_036_854_775_806
_INFINITE_NS = Infinite.nanoseconds


# The most messages that a queue can hold.
_MOST_MESSAGES = 65535


class InvalidQoSProfileException(SaltusError, ValueError):
    """The profile lacks a required policy."""

    def __init__(self, *args: object) -> None:
        super().__init__("Invalid QoSProfile", *args)


class QoSPolicyKind(IntEnum):
    """The kinds of policies. The numbers are those of ``rmw_qos_policy_kind_t``."""

    INVALID = 1
    DURABILITY = 2
    DEADLINE = 4
    LIVELINESS = 8
    RELIABILITY = 16
    HISTORY = 32
    LIFESPAN = 64
    DEPTH = 128
    LIVELINESS_LEASE_DURATION = 256
    AVOID_ROS_NAMESPACE_CONVENTIONS = 512


def qos_policy_name_from_kind(policy_kind: QoSPolicyKind) -> str:
    """Returns the name of a policy, such as ``RELIABILITY``."""
    return QoSPolicyKind(policy_kind).name


class QoSPolicyEnum(IntEnum):
    """The base of the values of a policy. Each value has a short name, such as ``best_effort``."""

    @classmethod
    def short_keys(cls) -> list[str]:
        """Returns the short names of the values."""
        return [member.lower() for member in cls.__members__ if not member.startswith("RMW")]

    @classmethod
    def get_from_short_key(cls, name: str) -> Any:
        """Returns the value that has a short name."""
        return cls[name.upper()].value

    @property
    def short_key(self) -> str:
        """The short name of the value."""
        return self.name.lower()


class HistoryPolicy(QoSPolicyEnum):
    """How many messages are kept for a subscription."""

    SYSTEM_DEFAULT = 0
    KEEP_LAST = 1
    KEEP_ALL = 2
    UNKNOWN = 3


class ReliabilityPolicy(QoSPolicyEnum):
    """Whether the loss of messages is avoided, or only counted."""

    SYSTEM_DEFAULT = 0
    RELIABLE = 1
    BEST_EFFORT = 2
    UNKNOWN = 3
    BEST_AVAILABLE = 4


class DurabilityPolicy(QoSPolicyEnum):
    """Whether a late subscription receives messages that were published before."""

    SYSTEM_DEFAULT = 0
    TRANSIENT_LOCAL = 1
    VOLATILE = 2
    UNKNOWN = 3
    BEST_AVAILABLE = 4


class LivelinessPolicy(QoSPolicyEnum):
    """How a publisher shows that it is alive."""

    SYSTEM_DEFAULT = 0
    AUTOMATIC = 1
    MANUAL_BY_TOPIC = 3
    UNKNOWN = 4
    BEST_AVAILABLE = 5


QoSHistoryPolicy = HistoryPolicy
QoSReliabilityPolicy = ReliabilityPolicy
QoSDurabilityPolicy = DurabilityPolicy
QoSLivelinessPolicy = LivelinessPolicy

_UNSPECIFIED = Duration()


class QoSProfile:
    """A set of policies. ``depth`` is required, unless ``history`` is given and is not ``KEEP_LAST``.

    >>> QoSProfile(depth=10) == qos_profile_default
    True
    """

    __slots__ = [
        "_avoid_ros_namespace_conventions", "_deadline", "_depth", "_durability", "_history", "_lifespan",
        "_liveliness", "_liveliness_lease_duration", "_reliability",
    ]  # fmt: skip

    def __init__(
        self,
        history: HistoryPolicy | None = None,
        depth: int | None = None,
        reliability: ReliabilityPolicy | None = None,
        durability: DurabilityPolicy | None = None,
        lifespan: Duration | None = None,
        deadline: Duration | None = None,
        liveliness: LivelinessPolicy | None = None,
        liveliness_lease_duration: Duration | None = None,
        avoid_ros_namespace_conventions: bool | None = None,
    ) -> None:
        if history is None:
            if depth is None:
                raise InvalidQoSProfileException("History and/or depth settings are required.")
            history = HistoryPolicy.KEEP_LAST
        elif history == HistoryPolicy.KEEP_LAST and depth is None:
            raise InvalidQoSProfileException("History set to KEEP_LAST without a depth setting.")
        if depth == 0 and history == HistoryPolicy.KEEP_LAST:
            warnings.warn("A zero depth with KEEP_LAST doesn't make sense; no data could be stored.", stacklevel=2)
        self.history = history
        self.depth = 0 if depth is None else depth
        self.reliability = ReliabilityPolicy.RELIABLE if reliability is None else reliability
        self.durability = DurabilityPolicy.VOLATILE if durability is None else durability
        self.lifespan = _UNSPECIFIED if lifespan is None else lifespan
        self.deadline = _UNSPECIFIED if deadline is None else deadline
        self.liveliness = LivelinessPolicy.SYSTEM_DEFAULT if liveliness is None else liveliness
        lease = liveliness_lease_duration
        self.liveliness_lease_duration = _UNSPECIFIED if lease is None else lease
        self.avoid_ros_namespace_conventions = bool(avoid_ros_namespace_conventions)

    @property
    def history(self) -> HistoryPolicy:
        """How many messages are kept for a subscription."""
        return self._history

    @history.setter
    def history(self, value: HistoryPolicy) -> None:
        self._history = HistoryPolicy(value)

    @property
    def depth(self) -> int:
        """The number of messages that are kept with ``KEEP_LAST``: 0 to 65,535."""
        return self._depth

    @depth.setter
    def depth(self, value: int) -> None:
        if not isinstance(value, int) or value < 0:
            raise ValueError("depth must be a non-negative integer")
        self._depth = value

    @property
    def reliability(self) -> ReliabilityPolicy:
        """Whether the loss of messages is avoided, or only counted."""
        return self._reliability

    @reliability.setter
    def reliability(self, value: ReliabilityPolicy) -> None:
        self._reliability = ReliabilityPolicy(value)

    @property
    def durability(self) -> DurabilityPolicy:
        """Whether a late subscription receives messages that were published before."""
        return self._durability

    @durability.setter
    def durability(self, value: DurabilityPolicy) -> None:
        self._durability = DurabilityPolicy(value)

    @property
    def liveliness(self) -> LivelinessPolicy:
        """How a publisher shows that it is alive."""
        return self._liveliness

    @liveliness.setter
    def liveliness(self, value: LivelinessPolicy) -> None:
        self._liveliness = LivelinessPolicy(value)

    @staticmethod
    def _duration(value: Duration) -> Duration:
        if not isinstance(value, Duration):
            raise TypeError("expected a Duration")
        return value

    @property
    def lifespan(self) -> Duration:
        """How long a message is valid. 0 means for ever."""
        return self._lifespan

    @lifespan.setter
    def lifespan(self, value: Duration) -> None:
        self._lifespan = self._duration(value)

    @property
    def deadline(self) -> Duration:
        """The longest time between two messages. 0 means no limit."""
        return self._deadline

    @deadline.setter
    def deadline(self, value: Duration) -> None:
        self._deadline = self._duration(value)

    @property
    def liveliness_lease_duration(self) -> Duration:
        """How long a publisher counts as alive after it has shown that it is alive. 0 means for ever."""
        return self._liveliness_lease_duration

    @liveliness_lease_duration.setter
    def liveliness_lease_duration(self, value: Duration) -> None:
        self._liveliness_lease_duration = self._duration(value)

    @property
    def avoid_ros_namespace_conventions(self) -> bool:
        """Has no effect in Saltus."""
        return self._avoid_ros_namespace_conventions

    @avoid_ros_namespace_conventions.setter
    def avoid_ros_namespace_conventions(self, value: bool) -> None:
        self._avoid_ros_namespace_conventions = bool(value)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, QoSProfile):
            return False
        return all(getattr(self, slot) == getattr(other, slot) for slot in self.__slots__)

    def __hash__(self) -> int:
        return hash(tuple(getattr(self, slot) for slot in self.__slots__))

    def __repr__(self) -> str:
        fields = ", ".join(f"{slot[1:]}={getattr(self, slot)!r}" for slot in sorted(self.__slots__))
        return f"QoSProfile({fields})"

    def _profile(self) -> tuple[int, ...]:
        """Returns the profile in the form that the native module uses."""
        return (
            int(self._history),
            self._possible_depth(),
            int(self._reliability),
            int(self._durability),
            int(self._liveliness),
            *map(_finite_ns, (self._deadline, self._lifespan, self._liveliness_lease_duration)),
        )

    def _possible_depth(self) -> int:
        if self._depth > _MOST_MESSAGES and self._history == HistoryPolicy.KEEP_LAST:
            warnings.warn(
                f"a queue holds at most {_MOST_MESSAGES} messages: this depth is used instead of {self._depth}",
                stacklevel=4,
            )
        return min(self._depth, _MOST_MESSAGES)

    @classmethod
    def _of(cls, profile: tuple[int, ...]) -> QoSProfile:
        """Creates a profile from the form that the native module uses."""
        history, depth, reliability, durability, liveliness, deadline, lifespan, lease = profile
        return cls(
            history=HistoryPolicy(history),
            depth=depth,
            reliability=ReliabilityPolicy(reliability),
            durability=DurabilityPolicy(durability),
            liveliness=LivelinessPolicy(liveliness),
            deadline=Duration(nanoseconds=deadline) if deadline else Infinite,
            lifespan=Duration(nanoseconds=lifespan) if lifespan else Infinite,
            liveliness_lease_duration=Duration(nanoseconds=lease) if lease else Infinite,
        )


def _finite_ns(duration: Duration) -> int:
    nanoseconds = duration.nanoseconds
    return 0 if nanoseconds == _INFINITE_NS or nanoseconds < 0 else nanoseconds


qos_profile_unknown = QoSProfile(
    history=HistoryPolicy.UNKNOWN,
    depth=0,
    reliability=ReliabilityPolicy.UNKNOWN,
    durability=DurabilityPolicy.UNKNOWN,
    liveliness=LivelinessPolicy.UNKNOWN,
)
qos_profile_default = QoSProfile(depth=10)
qos_profile_system_default = QoSProfile(
    history=HistoryPolicy.SYSTEM_DEFAULT,
    depth=0,
    reliability=ReliabilityPolicy.SYSTEM_DEFAULT,
    durability=DurabilityPolicy.SYSTEM_DEFAULT,
)
qos_profile_sensor_data = QoSProfile(depth=5, reliability=ReliabilityPolicy.BEST_EFFORT)
qos_profile_services_default = QoSProfile(depth=10)
qos_profile_parameters = QoSProfile(depth=1000)
qos_profile_parameter_events = QoSProfile(depth=1000)
qos_profile_rosout_default = QoSProfile(
    depth=1000, durability=DurabilityPolicy.TRANSIENT_LOCAL, lifespan=Duration(seconds=10)
)
qos_profile_action_status_default = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
qos_profile_best_available = QoSProfile(
    depth=10,
    reliability=ReliabilityPolicy.BEST_AVAILABLE,
    durability=DurabilityPolicy.BEST_AVAILABLE,
    liveliness=LivelinessPolicy.BEST_AVAILABLE,
    deadline=Duration(nanoseconds=_BEST_AVAILABLE_NS),
    liveliness_lease_duration=Duration(nanoseconds=_BEST_AVAILABLE_NS),
)


class QoSPresetProfiles(Enum):
    """ROS 2's profiles, by name."""

    UNKNOWN = qos_profile_unknown
    DEFAULT = qos_profile_default
    SYSTEM_DEFAULT = qos_profile_system_default
    SENSOR_DATA = qos_profile_sensor_data
    SERVICES_DEFAULT = qos_profile_services_default
    PARAMETERS = qos_profile_parameters
    PARAMETER_EVENTS = qos_profile_parameter_events
    ROSOUT_DEFAULT = qos_profile_rosout_default
    ACTION_STATUS_DEFAULT = qos_profile_action_status_default
    BEST_AVAILABLE = qos_profile_best_available

    @classmethod
    def short_keys(cls) -> list[str]:
        """Returns the short names of the profiles."""
        return [name.lower() for name in cls.__members__]

    @classmethod
    def get_from_short_key(cls, name: str) -> QoSProfile:
        """Returns the profile that has a short name."""
        return cls[name.upper()].value


class QoSCompatibility(IntEnum):
    """Whether two profiles are compatible."""

    OK = 0
    WARNING = 1
    ERROR = 2


def qos_check_compatible(publisher_qos: QoSProfile, subscription_qos: QoSProfile) -> tuple[QoSCompatibility, str]:
    """Returns whether a subscription accepts what a publisher offers, and if not, the reason.

    The result is a warning if it depends on the choice for ``SYSTEM_DEFAULT``, ``UNKNOWN`` or ``BEST_AVAILABLE``.
    """
    errors, warned = [], []

    def check(policy: str, offered: Any, requested: Any, strong: Any, weak: Any) -> None:
        open_values = [value for value in (offered, requested) if value not in (strong, weak)]
        if offered == weak and requested == strong:
            errors.append(f"ERROR: {policy} is {offered.name} for the publisher, but {requested.name} is requested;")
        elif open_values and not (offered == strong or requested == weak):
            warned.append(f"WARNING: {policy} of one side is {open_values[0].name};")

    check(
        "Reliability", publisher_qos.reliability, subscription_qos.reliability,
        ReliabilityPolicy.RELIABLE, ReliabilityPolicy.BEST_EFFORT,
    )  # fmt: skip
    check(
        "Durability", publisher_qos.durability, subscription_qos.durability,
        DurabilityPolicy.TRANSIENT_LOCAL, DurabilityPolicy.VOLATILE,
    )  # fmt: skip
    for policy, offered, requested in (
        ("Deadline", publisher_qos.deadline, subscription_qos.deadline),
        (
            "Liveliness lease duration",
            publisher_qos.liveliness_lease_duration,
            subscription_qos.liveliness_lease_duration,
        ),
    ):
        longest = _finite_ns(offered) or _INFINITE_NS
        if longest > (_finite_ns(requested) or _INFINITE_NS):
            errors.append(f"ERROR: {policy} of the publisher is longer than requested;")
    manual = LivelinessPolicy.MANUAL_BY_TOPIC
    if publisher_qos.liveliness == LivelinessPolicy.AUTOMATIC and subscription_qos.liveliness == manual:
        errors.append("ERROR: Liveliness is AUTOMATIC for the publisher, but MANUAL_BY_TOPIC is requested;")
    kind = QoSCompatibility.ERROR if errors else QoSCompatibility.WARNING if warned else QoSCompatibility.OK
    return kind, "".join(errors + warned)
