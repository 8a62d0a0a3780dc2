"""Clocks: system time (the time of day), steady time (cannot be set) and ROS time (may be simulated)."""

from __future__ import annotations

import threading
import weakref
from enum import IntEnum
from typing import Any, Callable

from saltus import _native
from saltus.clock_type import ClockType
from saltus.duration import Duration
from saltus.exceptions import NotInitializedException
from saltus.time import Time

#: How often a sleep checks whether a signal has shut the context down, in seconds.
_SLICE = 0.1

__all__ = ["Clock", "ClockChange", "ClockType", "JumpHandle", "JumpThreshold", "ROSClock", "TimeJump"]


class ClockChange(IntEnum):
    """What has changed in a time jump besides the time. The numbers are those of ``rcl_clock_change_t``."""

    ROS_TIME_NO_CHANGE = 1
    ROS_TIME_ACTIVATED = 2
    ROS_TIME_DEACTIVATED = 3
    SYSTEM_TIME_NO_CHANGE = 4


class JumpThreshold:
    """The time jumps that are reported: forward by at least ``min_forward``, back by at least ``-min_backward``."""

    def __init__(
        self, *, min_forward: Duration | None, min_backward: Duration | None, on_clock_change: bool = True
    ) -> None:
        if min_forward is not None and min_forward.nanoseconds <= 0:
            raise ValueError("min_forward must be a positive non-zero duration")
        if min_backward is not None and min_backward.nanoseconds >= 0:
            raise ValueError("min_backward must be a negative non-zero duration")
        if min_forward is None and min_backward is None and not on_clock_change:
            raise ValueError("At least one jump threshold must be set")
        self.min_forward, self.min_backward, self.on_clock_change = min_forward, min_backward, on_clock_change


class TimeJump:
    """A change of a clock's time that is not the normal flow of time."""

    def __init__(self, clock_change: ClockChange, delta: Duration) -> None:
        self._clock_change, self._delta = clock_change, delta

    @property
    def clock_change(self) -> ClockChange:
        """What has changed besides the time."""
        return self._clock_change

    @property
    def delta(self) -> Duration:
        """The time after the jump minus the time before it."""
        return self._delta


class JumpHandle:
    """Keeps the callbacks for time jumps registered. ``unregister()`` removes them."""

    def __init__(
        self, register: Callable[[Callable[[int, int], None]], Any], callback: Callable[[int, int], None]
    ) -> None:
        self._callback: Callable[[int, int], None] | None = callback
        # The callback may refer to this handle. The native part refers to the callback weakly, because the garbage
        # collector does not see references from the native part.
        kept = weakref.ref(callback)

        def call(change: int, delta: int) -> None:
            callback = kept()
            if callback is not None:
                callback(change, delta)

        self._native = register(call)

    def unregister(self) -> None:
        """Removes the callbacks."""
        if self._native is not None:
            self._native.close()
            self._native = self._callback = None

    def __enter__(self) -> JumpHandle:
        return self

    def __exit__(self, *_: object) -> None:
        self.unregister()


class Clock:
    """A source of time."""

    def __new__(cls, *, clock_type: ClockType = ClockType.SYSTEM_TIME, _native_clock: Any = None) -> Clock:
        if not isinstance(clock_type, ClockType):
            raise TypeError("Clock type must be a ClockType enum")
        # As in ROS 2, a clock of ROS time is a ROSClock. Only that class has `ros_time_is_active`.
        return super().__new__(ROSClock if clock_type is ClockType.ROS_TIME else cls)

    def __init__(self, *, clock_type: ClockType = ClockType.SYSTEM_TIME, _native_clock: Any = None) -> None:
        kind = "steady" if clock_type is ClockType.STEADY_TIME else "system"
        self._native = _native_clock or _native.Clock(kind)
        self._clock_type = clock_type

    @property
    def clock_type(self) -> ClockType:
        """The kind of time that the clock shows."""
        return self._clock_type

    def __repr__(self) -> str:
        return f"Clock(clock_type={self._clock_type.name})"

    def now(self) -> Time:
        """Returns the current time."""
        return Time(nanoseconds=self._native.now(), clock_type=self._clock_type)

    def create_jump_callback(
        self,
        threshold: JumpThreshold,
        *,
        pre_callback: Callable[[], None] | None = None,
        post_callback: Callable[[TimeJump], None] | None = None,
    ) -> JumpHandle:
        """Registers callbacks for time jumps beyond a threshold, for as long as the handle exists.

        Only jumps of ROS time are reported. Both callbacks are called after the jump, ``pre_callback`` first.
        """
        if post_callback is None and pre_callback is None:
            raise ValueError("One of pre_callback or post_callback must be callable")

        def jumped(change: int, delta: int) -> None:
            if pre_callback is not None:
                pre_callback()
            if post_callback is not None:
                post_callback(TimeJump(ClockChange(change), Duration(nanoseconds=delta)))

        forward = threshold.min_forward.nanoseconds if threshold.min_forward else None
        backward = -threshold.min_backward.nanoseconds if threshold.min_backward else None
        on_jump, on_change = self._native.on_jump, threshold.on_clock_change
        return JumpHandle(lambda call: on_jump(forward, backward, on_change, call), jumped)

    def sleep_until(self, until: Time, context: Any = None) -> bool:
        """Sleeps until a time of this clock.

        Returns false if the context is shut down, or the source of the time changes, before that.
        """
        from saltus.utilities import get_default_context

        context = context or get_default_context()
        if not context.ok():
            raise NotInitializedException()
        if until.clock_type != self._clock_type:
            raise ValueError("until's clock type does not match this clock's type")
        done = threading.Event()
        ended: list[bool] = []

        def jumped(_jump: TimeJump) -> None:
            ended.append(True)
            done.set()

        def time_changed(_jump: TimeJump) -> None:
            done.set()

        any_jump = JumpThreshold(
            min_forward=Duration(nanoseconds=1), min_backward=Duration(nanoseconds=-1), on_clock_change=False
        )
        change = JumpThreshold(min_forward=None, min_backward=None, on_clock_change=True)
        context.on_shutdown(done.set)
        with self.create_jump_callback(any_jump, post_callback=time_changed):
            with self.create_jump_callback(change, post_callback=jumped):
                while context.ok() and not ended:
                    done.clear()
                    left = until.nanoseconds - self._native.now()
                    if left <= 0:
                        return True
                    # A jump callback ends the wait when simulated time changes. But a signal that shuts the context
                    # down does not end the wait, so the wait must be short.
                    done.wait(_SLICE if self._native.is_simulated else min(left / 1e9, _SLICE))
        return False

    def sleep_for(self, rel_time: Duration, context: Any = None) -> bool:
        """Sleeps for a duration of this clock; see :meth:`sleep_until`."""
        return self.sleep_until(self.now() + rel_time, context)


class ROSClock(Clock):
    """A clock of ROS time.

    It shows the time of ``/clock`` while the parameter ``use_sim_time`` of its node is set, and the time of day
    otherwise.
    """

    def __new__(cls, *, _native_clock: Any = None, clock_type: ClockType = ClockType.ROS_TIME) -> ROSClock:
        return object.__new__(cls)

    def __init__(self, *, _native_clock: Any = None, clock_type: ClockType = ClockType.ROS_TIME) -> None:
        super().__init__(clock_type=ClockType.ROS_TIME, _native_clock=_native_clock)

    @property
    def ros_time_is_active(self) -> bool:
        """Whether the clock shows simulated time."""
        return self._native.is_simulated
