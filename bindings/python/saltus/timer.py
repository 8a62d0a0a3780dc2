"""Timers and rates."""

from __future__ import annotations

import threading
from typing import Any, Callable

from saltus._entity import Entity
from saltus.clock import Clock
from saltus.exceptions import ROSInterruptException
from saltus.time import Time


class TimerInfo:
    """When a call of a timer was due, and when it began."""

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
    """Calls its callback once per period. Created by ``node.create_timer()``.

    The calls are due one period apart, whether calls are late or not, so delays do not add up. A call that is late by
    more than a period is skipped, except in simulated time.
    """

    _rank = 1

    def __init__(
        self, node: Any, native: Any, callback: Callable[..., Any] | None, callback_group: Any, clock: Clock
    ) -> None:
        self._clock = clock
        self.callback = callback  # type: ignore[assignment]
        super().__init__(node, native, callback_group)

    @property
    def callback(self) -> Callable[..., Any] | None:
        """The function that is called. If it has a parameter that is annotated as :class:`TimerInfo`, it gets one."""
        return self._callback

    @callback.setter
    def callback(self, callback: Callable[..., Any] | None) -> None:
        self._callback = callback
        self._wants_info = callback is not None and _wants_info(callback)

    @property
    def clock(self) -> Clock:
        """The clock that the timer uses."""
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
        """The period in nanoseconds."""
        return self._native.timer_period_ns

    @timer_period_ns.setter
    def timer_period_ns(self, value: int) -> None:
        self._native.timer_period_ns = int(value)

    def is_ready(self) -> bool:
        """Returns whether the timer is due."""
        return self._native.is_ready()

    def is_canceled(self) -> bool:
        """Returns whether the timer is cancelled."""
        return self._native.is_canceled()

    def cancel(self) -> None:
        """Stops the timer until ``reset()`` is called."""
        self._native.cancel()

    def reset(self) -> None:
        """Restarts the timer. The next call is due one period from now."""
        self._native.reset()

    def reset_at(self, next_call: Time) -> None:
        """Restarts the timer. The next call is due at ``next_call``, a time of its clock, and then once per period."""
        self._native.reset_at(next_call.nanoseconds)

    def time_since_last_call(self) -> int:
        """Returns the nanoseconds since the last call, or since the timer was created if there was no call."""
        return self._native.time_since_last_call()

    def time_until_next_call(self) -> int | None:
        """Returns the nanoseconds until the next call, or ``None`` if the timer is cancelled."""
        return self._native.time_until_next_call()

    def destroy(self) -> None:
        """Stops the timer permanently."""
        self._node.destroy_timer(self)


class Rate:
    """Sleeps until the next of a series of equally spaced times.

    Created by ``node.create_rate()``. Another thread must spin the node.
    """

    def __init__(self, timer: Timer, *, context: Any) -> None:
        self._timer = timer
        self._context = context
        self._condition = threading.Condition()
        self._is_over = False
        self._count = 0
        #: The count at the end of the last sleep, for each thread that sleeps.
        self._seen = threading.local()
        timer.callback = self._tick
        # The context keeps only a weak reference to the callback, so it is kept here.
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
        """Ends the rate, and wakes the threads that sleep."""
        self._end()
        self._timer.destroy()

    def sleep(self) -> None:
        """Sleeps until the next time of the series.

        Returns at once if a time has passed since the last sleep of this thread: then the work took longer than a period.
        Raises ``ROSInterruptException`` if the context is shut down.
        """
        with self._condition:
            seen = getattr(self._seen, "count", 0)
            while self._count == seen and not self._is_over and self._context.ok():
                # The wait has a timeout, because a signal that shuts the context down does not wake this thread.
                self._condition.wait(0.1)
            self._seen.count = self._count
            if self._is_over or not self._context.ok():
                raise ROSInterruptException()
