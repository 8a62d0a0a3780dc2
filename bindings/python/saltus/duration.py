"""Lengths of time."""

from __future__ import annotations

from typing import Any

from saltus._interfaces import class_of

S_TO_NS = 1_000_000_000
_INT64 = 2**63


class Duration:
    """A length of time, as a 64-bit count of nanoseconds.

    >>> Duration(seconds=1.5) > Duration(nanoseconds=1_000_000_000)
    True
    """

    def __init__(self, *, seconds: float = 0, nanoseconds: int = 0) -> None:
        total = int(seconds * S_TO_NS) + int(nanoseconds)
        if not -_INT64 <= total < _INT64:
            raise OverflowError("Total nanoseconds value is too large to store in C duration.")
        self._nanoseconds = total

    @property
    def nanoseconds(self) -> int:
        """The whole duration in nanoseconds."""
        return self._nanoseconds

    def __repr__(self) -> str:
        return f"Duration(nanoseconds={self._nanoseconds})"

    def __str__(self) -> str:
        if self == Infinite:
            return "Infinite"
        return f"{self._nanoseconds} nanoseconds"

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Duration):
            return self._nanoseconds == other._nanoseconds
        # A value of another type is not equal. This must not raise an exception: tests compare results with None.
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self._nanoseconds)

    def __lt__(self, other: Duration) -> bool:
        if isinstance(other, Duration):
            return self._nanoseconds < other._nanoseconds
        return NotImplemented

    def __le__(self, other: Duration) -> bool:
        if isinstance(other, Duration):
            return self._nanoseconds <= other._nanoseconds
        return NotImplemented

    def __gt__(self, other: Duration) -> bool:
        if isinstance(other, Duration):
            return self._nanoseconds > other._nanoseconds
        return NotImplemented

    def __ge__(self, other: Duration) -> bool:
        if isinstance(other, Duration):
            return self._nanoseconds >= other._nanoseconds
        return NotImplemented

    def __add__(self, other: Duration) -> Duration:
        if isinstance(other, Duration):
            return Duration(nanoseconds=self._nanoseconds + other._nanoseconds)
        return NotImplemented

    def __sub__(self, other: Duration) -> Duration:
        if isinstance(other, Duration):
            return Duration(nanoseconds=self._nanoseconds - other._nanoseconds)
        return NotImplemented

    def __mul__(self, factor: float) -> Duration:
        if isinstance(factor, (int, float)):
            return Duration(nanoseconds=int(self._nanoseconds * factor))
        return NotImplemented

    def to_msg(self) -> Any:
        """Returns the duration as a ``builtin_interfaces/msg/Duration``."""
        seconds, nanoseconds = divmod(self._nanoseconds, S_TO_NS)
        return class_of("builtin_interfaces/msg/Duration")(sec=seconds, nanosec=nanoseconds)

    @classmethod
    def from_msg(cls, msg: Any) -> Duration:
        """Creates a duration from a ``builtin_interfaces/msg/Duration``."""
        if not isinstance(msg, class_of("builtin_interfaces/msg/Duration")):
            raise TypeError("Must pass a builtin_interfaces.msg.Duration object")
        return cls(seconds=msg.sec, nanoseconds=msg.nanosec)


#: The duration that ROS 2 uses for "no limit".
Infinite = Duration(seconds=9_223_372_036, nanoseconds=854_775_807)
