"""Points in time."""

from __future__ import annotations

from typing import Any

from saltus._interfaces import class_of
from saltus.clock_type import ClockType
from saltus.duration import Duration

S_TO_NS = CONVERSION_CONSTANT = 1_000_000_000
_INT64 = 2**63


class Time:
    """A point in time of one kind of clock. Times of different kinds can't be compared.

    >>> Time(seconds=3) - Time(seconds=1)
    Duration(nanoseconds=2000000000)
    """

    def __init__(
        self, *, seconds: float = 0, nanoseconds: int = 0, clock_type: ClockType = ClockType.SYSTEM_TIME
    ) -> None:
        if not isinstance(clock_type, ClockType):
            raise TypeError("Clock type must be a ClockType enum")
        if seconds < 0:
            raise ValueError("Seconds value must not be negative")
        if nanoseconds < 0:
            raise ValueError("Nanoseconds value must not be negative")
        total = int(seconds * S_TO_NS) + int(nanoseconds)
        if total >= _INT64:
            raise OverflowError("Total nanoseconds value is too large to store in C time point.")
        self._nanoseconds = total
        self._clock_type = clock_type

    @property
    def nanoseconds(self) -> int:
        """The nanoseconds since the epoch of the clock."""
        return self._nanoseconds

    @property
    def clock_type(self) -> ClockType:
        """The kind of clock that the time is of."""
        return self._clock_type

    def seconds_nanoseconds(self) -> tuple[int, int]:
        """Returns the whole seconds, and the remaining nanoseconds."""
        return divmod(self._nanoseconds, S_TO_NS)

    def __repr__(self) -> str:
        return f"Time(nanoseconds={self._nanoseconds}, clock_type={self._clock_type.name})"

    def __add__(self, other: Duration) -> Time:
        if isinstance(other, Duration):
            total = self._nanoseconds + other.nanoseconds
            try:
                return Time(nanoseconds=total, clock_type=self._clock_type)
            except OverflowError as error:
                raise OverflowError("Addition leads to overflow in C storage.") from error
        return NotImplemented

    def __radd__(self, other: Duration) -> Time:
        return self.__add__(other)

    def __sub__(self, other: Any) -> Any:
        if isinstance(other, Time):
            if self._clock_type != other._clock_type:
                raise TypeError("Can't subtract times with different clock types")
            return Duration(nanoseconds=self._nanoseconds - other._nanoseconds)
        if isinstance(other, Duration):
            try:
                return Time(nanoseconds=self._nanoseconds - other.nanoseconds, clock_type=self._clock_type)
            except ValueError as error:
                raise ValueError("Subtraction leads to negative time") from error
        return NotImplemented

    def _other(self, other: object) -> int | None:
        if not isinstance(other, Time):
            return None
        if self._clock_type != other._clock_type:
            raise TypeError("Can't compare times with different clock types")
        return other._nanoseconds

    def __eq__(self, other: object) -> bool:
        nanoseconds = self._other(other)
        return NotImplemented if nanoseconds is None else self._nanoseconds == nanoseconds

    def __hash__(self) -> int:
        return hash((self._nanoseconds, self._clock_type))

    def __lt__(self, other: Time) -> bool:
        nanoseconds = self._other(other)
        return NotImplemented if nanoseconds is None else self._nanoseconds < nanoseconds

    def __le__(self, other: Time) -> bool:
        nanoseconds = self._other(other)
        return NotImplemented if nanoseconds is None else self._nanoseconds <= nanoseconds

    def __gt__(self, other: Time) -> bool:
        nanoseconds = self._other(other)
        return NotImplemented if nanoseconds is None else self._nanoseconds > nanoseconds

    def __ge__(self, other: Time) -> bool:
        nanoseconds = self._other(other)
        return NotImplemented if nanoseconds is None else self._nanoseconds >= nanoseconds

    def to_msg(self) -> Any:
        """Returns the time as a ``builtin_interfaces/msg/Time``."""
        seconds, nanoseconds = self.seconds_nanoseconds()
        return class_of("builtin_interfaces/msg/Time")(sec=seconds, nanosec=nanoseconds)

    @classmethod
    def from_msg(cls, msg: Any, clock_type: ClockType = ClockType.ROS_TIME) -> Time:
        """Creates a time from a ``builtin_interfaces/msg/Time``."""
        if not isinstance(msg, class_of("builtin_interfaces/msg/Time")):
            raise TypeError("Must pass a builtin_interfaces.msg.Time object")
        return cls(seconds=msg.sec, nanoseconds=msg.nanosec, clock_type=clock_type)
