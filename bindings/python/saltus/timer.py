"""Timers and rates."""

from __future__ import annotations

import threading
from typing import Any, Callable

from saltus._entity import Entity
from saltus.clock import Clock
from saltus.exceptions import ROSInterruptException
from saltus.time import Time


class TimerInfo:
    """When a timer was to be called, and when it was."""

    def __init__(self, expected_call_time: Time, actual_call_time: Time) -> None:
        self.expected_call_time, self.actual_call_time = expected_call_time, actual_call_time


def _wants_info(callback: Callable[..., Any]) -> bool:
    import inspect

    try:
        parameters = inspect.signature(callback).parameters.values()
    except (TypeError, ValueError):
        return False
    return any(parameter.annotation in (TimerInfo, "TimerInfo") for parameter in parameters)


class Timer(Entity):
    """Calls back once per period; made by ``node.create_timer()``.

    Deadlines are absolute: lateness does not add up. One that was missed by more than a period is skipped, but
    for simulated time.
    """

    _rank = 1

    def __init__(
        self, node: Any, native: Any, callback: Callable[..., Any] | None, callback_group: Any, clock: Clock
    ) -> None:
        super().__init__(node, native, callback_group)
        self._clock = clock
        self.callback = callback  # type: ignore[assignment]

    @property
    def callback(self) -> Callable[..., Any] | None:
        """What is called; one whose parameter is annotated as :class:`TimerInfo` is given one."""
        return self._callback

    @callback.setter
    def callback(self, callback: Callable[..., Any] | None) -> None:
        self._callback = callback
        self._wants_info = callback is not None and _wants_info(callback)

    @property
    def clock(self) -> Clock:
        """The clock that it follows."""
        return self._clock

    def _take(self) -> Any:
        return self._native.take() or None

    def _run(self, taken: Any) -> Any:
        if self._callback is None:
            return None
        if self._wants_info:
            return self._callback(self._info())
        return self._callback()

    def _info(self) -> TimerInfo:
        now = self._clock.now()
        period, left = self._native.timer_period_ns, self._native.time_until_next_call() or 0
        expected = max(now.nanoseconds + left - period, 0)
        return TimerInfo(Time(nanoseconds=expected, clock_type=now.clock_type), now)

    @property
    def timer_period_ns(self) -> int:
        """The time between two calls, in nanoseconds."""
        return self._native.timer_period_ns

    @timer_period_ns.setter
    def timer_period_ns(self, value: int) -> None:
        self._native.timer_period_ns = int(value)

    def is_ready(self) -> bool:
        """Whether its time has come."""
        return self._native.is_ready()

    def is_canceled(self) -> bool:
        """Whether it was cancelled."""
        return self._native.is_canceled()

    def cancel(self) -> None:
        """Stops it until ``reset()``."""
        self._native.cancel()

    def reset(self) -> None:
        """Begins anew: the next call is one period from now."""
        self._native.reset()

    def reset_at(self, next_call: Time) -> None:
        """Begins anew: the next call is at that time by its clock, and those after it a period apart."""
        self._native.reset_at(next_call.nanoseconds)

    def time_since_last_call(self) -> int:
        """In nanoseconds; before the first call, since it was made."""
        return self._native.time_since_last_call()

    def time_until_next_call(self) -> int | None:
        """In nanoseconds; ``None`` if it is cancelled."""
        return self._native.time_until_next_call()

    def destroy(self) -> None:
        """Stops it for good."""
        self._node.destroy_timer(self)


class Rate:
    """Sleeps to the next point of a grid; made by ``node.create_rate()``. Another thread must spin the node."""

    def __init__(self, timer: Timer, *, context: Any) -> None:
        self._timer = timer
        self._context = context
        self._condition = threading.Condition()
        self._is_over = False
        self._count = 0
        timer.callback = self._tick
        # It must be kept for as long as it may be called.
        self._on_shutdown = self._end
        context.on_shutdown(self._on_shutdown)

    def _tick(self) -> None:
        with self._condition:
            self._count += 1
            self._condition.notify_all()

    def _end(self) -> None:
        with self._condition:
            self._is_over = True
            self._condition.notify_all()

    def destroy(self) -> None:
        """Ends it, and whoever sleeps."""
        self._end()
        self._timer.destroy()

    def sleep(self) -> None:
        """Sleeps until the next point. Raises ``ROSInterruptException`` if the context is shut down."""
        with self._condition:
            before = self._count
            while self._count == before and not self._is_over and self._context.ok():
                # The context may be shut down by a signal, which tells nobody on this thread.
                self._condition.wait(0.1)
            if self._is_over or not self._context.ok():
                raise ROSInterruptException()
