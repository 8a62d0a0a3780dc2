"""Filters for messages, with the classes of ROS 2's package ``message_filters``.

A filter gets messages from other filters, and calls its callbacks with the messages that it lets pass::

    left = message_filters.Subscriber(node, Image, "left")
    right = message_filters.Subscriber(node, Image, "right")
    pairs = message_filters.ApproximateTimeSynchronizer([left, right], 10, 0.1)
    pairs.registerCallback(lambda left, right: ...)

``ApproximateTimeSynchronizer`` is the algorithm of ROS 2's Python package, with a tolerance. ``ApproximateTime`` is the
adaptive algorithm of its C++ package, which needs none.
"""

from __future__ import annotations

import itertools
import threading
from collections import deque
from typing import Any, Callable, Sequence

from saltus import _native
from saltus.clock import ROSClock
from saltus.duration import Duration
from saltus.logging import get_logger
from saltus.time import Time

__all__ = [
    "ApproximateTime", "ApproximateTimeSynchronizer", "Cache", "Chain", "LatestTime", "SimpleFilter", "Subscriber",
    "TimeSequencer", "TimeSynchronizer",
]  # fmt: skip


class SimpleFilter:
    """The base of all filters: it has callbacks, which get the output of the filter."""

    def __init__(self) -> None:
        self.callbacks: dict[int, tuple[Callable[..., Any], tuple[Any, ...]]] = {}

    def registerCallback(self, cb: Callable[..., Any], *args: Any) -> int:
        """Adds a callback. It gets the output of the filter, and then ``args``. Returns the number of the callback."""
        number = len(self.callbacks)
        self.callbacks[number] = (cb, args)
        return number

    def signalMessage(self, *msg: Any) -> None:
        """Calls all callbacks."""
        for callback, args in list(self.callbacks.values()):
            callback(*msg, *args)


class Subscriber(SimpleFilter):
    """A subscription as the first filter. Its arguments are those of ``node.create_subscription``, without callback."""

    def __init__(self, node: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        self.node = node
        self.topic = args[1]
        kwargs.setdefault("qos_profile", 10)
        self.sub = node.create_subscription(*args, self.signalMessage, **kwargs)

    def getTopic(self) -> str:
        """Returns the name of the topic."""
        return self.topic

    def __getattr__(self, key: str) -> Any:
        if key == "sub":
            raise AttributeError(key)
        return getattr(self.sub, key)


def _stamp_of(message: Any, allow_headerless: bool, user: str) -> Time | None:
    """Returns the stamp in the header of a message, or the present time if it has no header and that is allowed."""
    stamp = getattr(getattr(message, "header", None), "stamp", None)
    if stamp is not None:
        return stamp if isinstance(stamp, Time) else Time.from_msg(stamp)
    if allow_headerless:
        return ROSClock().now()
    get_logger(user).warning(
        "a message without header.stamp is dropped; with allow_headerless=True it gets the present time"
    )
    return None


def _nanoseconds(message: Any) -> int:
    """Returns the stamp in the header of a message. It is negative before 1970."""
    stamp = message.header.stamp
    return stamp.sec * 1_000_000_000 + stamp.nanosec


class Cache(SimpleFilter):
    """Keeps the last messages, and lets all messages pass."""

    def __init__(self, f: SimpleFilter, cache_size: int = 1, allow_headerless: bool = False) -> None:
        super().__init__()
        self.cache_size = cache_size
        self.allow_headerless = allow_headerless
        self.cache_msgs: list[Any] = []
        self.cache_times: list[Time] = []
        self.connectInput(f)

    def connectInput(self, f: SimpleFilter) -> None:
        """Makes a filter the input."""
        self.incoming_connection = f.registerCallback(self.add)

    def add(self, msg: Any) -> None:
        """Adds a message. If there are too many, removes the oldest one."""
        stamp = _stamp_of(msg, self.allow_headerless, "message_filters_cache")
        if stamp is None:
            return
        self.cache_times.append(stamp)
        self.cache_msgs.append(msg)
        if len(self.cache_msgs) > self.cache_size:
            del self.cache_msgs[0], self.cache_times[0]
        self.signalMessage(msg)

    def __messages(self, holds: Callable[[Time], bool]) -> list[Any]:
        return [message for message, time in zip(self.cache_msgs, self.cache_times) if holds(time)]

    def getInterval(self, from_stamp: Time, to_stamp: Time) -> list[Any]:
        """Returns the messages with stamps from ``from_stamp`` to ``to_stamp``, both included."""
        assert from_stamp <= to_stamp
        return self.__messages(lambda time: from_stamp <= time <= to_stamp)

    def getElemAfterTime(self, stamp: Time) -> Any:
        """Returns the oldest message with this stamp or a later one, or ``None``."""
        return next(iter(self.__messages(lambda time: time >= stamp)), None)

    def getElemBeforeTime(self, stamp: Time) -> Any:
        """Returns the newest message with this stamp or an earlier one, or ``None``."""
        return next(reversed(self.__messages(lambda time: time <= stamp)), None)

    def getLatestTime(self) -> Time | None:
        """Returns the stamp of the newest message, or ``None``."""
        return self.cache_times[-1] if self.cache_times else None

    #: The name in ROS 2's package.
    getLastestTime = getLatestTime

    def getOldestTime(self) -> Time | None:
        """Returns the stamp of the oldest message, or ``None``."""
        return self.cache_times[0] if self.cache_times else None

    def getLast(self) -> Any:
        """Returns the newest message, or ``None``."""
        latest = self.getLatestTime()
        return None if latest is None else self.getElemAfterTime(latest)


class _SetFilter(SimpleFilter):
    """A filter of several inputs that calls back with sets of messages.

    The lock protects the filter, but is not held during a callback: that may add a message, or spin. Sets are delivered
    in order, by one thread at a time. If a callback raises an exception, the sets after it are delivered with the next
    message.
    """

    def __init__(self) -> None:
        super().__init__()
        self.lock = threading.Lock()
        self._ready: deque[Sequence[Any]] = deque()
        self._is_delivering = False

    def _connect(self, fs: Sequence[SimpleFilter], *args: Sequence[Any]) -> None:
        self.input_connections = [f.registerCallback(self.add, *more) for f, *more in zip(fs, *args)]

    def add(self, msg: Any, *args: Any) -> None:
        """Adds a message of an input. Calls back with the sets that it completes."""
        raise NotImplementedError

    def _deliver(self) -> None:
        """Calls back with the sets that are ready, unless that is happening already."""
        with self.lock:
            if self._is_delivering:
                return
            self._is_delivering = True
        try:
            while (messages := self._next()) is not None:
                self.signalMessage(*messages)
        except BaseException:
            self._is_delivering = False
            raise

    def _next(self) -> Sequence[Any] | None:
        with self.lock:
            if self._ready:
                return self._ready.popleft()
            self._is_delivering = False
            return None


class TimeSynchronizer(_SetFilter):
    """Calls back with sets of messages that have the same stamp, one of each input."""

    def __init__(self, fs: Sequence[SimpleFilter], queue_size: int) -> None:
        super().__init__()
        self.queue_size = queue_size
        self.connectInput(fs)

    def connectInput(self, fs: Sequence[SimpleFilter]) -> None:
        """Makes filters the inputs."""
        self.queues: list[dict[int, Any]] = [{} for _ in fs]
        self._connect(fs, self.queues, range(len(fs)))

    def add(self, msg: Any, my_queue: dict[int, Any], my_queue_index: int | None = None) -> None:
        """Adds a message of an input. Calls back with the sets that it completes."""
        with self.lock:
            self._keep(my_queue, _nanoseconds(msg), msg)
            complete = set.intersection(*(set(queue) for queue in self.queues))
            for stamp in sorted(complete):
                self._ready.append([queue.pop(stamp) for queue in self.queues])
        self._deliver()

    def _keep(self, queue: dict[int, Any], stamp: int, message: Any) -> None:
        queue[stamp] = message
        while len(queue) > self.queue_size:
            del queue[min(queue)]


class ApproximateTimeSynchronizer(TimeSynchronizer):
    """Calls back with sets of messages whose stamps differ by less than ``slop`` seconds, one of each input."""

    def __init__(
        self, fs: Sequence[SimpleFilter], queue_size: int, slop: float, allow_headerless: bool = False
    ) -> None:
        # The first message may come as soon as the inputs are connected.
        self.slop = Duration(seconds=slop)
        self.allow_headerless = allow_headerless
        super().__init__(fs, queue_size)

    def add(self, msg: Any, my_queue: dict[int, Any], my_queue_index: int | None = None) -> None:
        """Adds a message of an input. Calls back with the set that it completes."""
        time = _stamp_of(msg, self.allow_headerless, "message_filters_approx")
        if time is None:
            return
        stamp, slop = time.nanoseconds, self.slop.nanoseconds
        with self.lock:
            self._keep(my_queue, stamp, msg)
            if stamp not in my_queue:
                return
            near = [
                [stamp] if queue is my_queue
                # The closest stamps are tried first.
                else sorted((other for other in queue if abs(other - stamp) <= slop), key=lambda o: abs(o - stamp))
                for queue in self.queues
            ]  # fmt: skip
            for stamps in itertools.product(*near):
                if max(stamps) - min(stamps) < slop:
                    self._ready.append([queue.pop(other) for queue, other in zip(self.queues, stamps)])
                    break
        self._deliver()


class ApproximateTime(_SetFilter):
    """Calls back with sets of messages with similar stamps, one of each input. It adapts, and needs no tolerance.

    This is the policy ``ApproximateTime`` of the C++ package. ``age_penalty`` is how much an earlier set is preferred to
    a later one with a shorter interval, ``max_interval_duration`` the longest interval between the first and the last
    stamp of a set, and ``inter_message_lower_bounds`` the shortest times between two messages of each input.
    """

    def __init__(
        self,
        fs: Sequence[SimpleFilter],
        queue_size: int,
        *,
        age_penalty: float = 0.1,
        max_interval_duration: Duration | None = None,
        inter_message_lower_bounds: Sequence[Duration] = (),
    ) -> None:
        longest = None if max_interval_duration is None else max_interval_duration.nanoseconds
        bounds = [bound.nanoseconds for bound in inter_message_lower_bounds]
        super().__init__()
        self._native = _native.ApproximateTime(len(fs), queue_size, age_penalty, longest, bounds)
        self._connect(fs, range(len(fs)))

    @property
    def dropped(self) -> int:
        """How many messages were dropped, because they are in no set."""
        return self._native.dropped

    def add(self, msg: Any, index: int) -> None:
        """Adds a message of an input. Calls back with the sets that it completes."""
        with self.lock:
            self._ready.extend(self._native.add(index, _nanoseconds(msg), msg))
        self._deliver()


class LatestTime(_SetFilter):
    """Calls back with the latest message of each input, at the rate of the fastest input.

    ``clock`` measures the rates. ``rate_configs`` has for each input the weights of the newest rate and of the newest
    error, and the margin in mean errors.
    """

    def __init__(
        self,
        fs: Sequence[SimpleFilter],
        clock: Any = None,
        rate_configs: Sequence[tuple[float, float, float]] | None = None,
    ) -> None:
        configs = [(0.9, 0.3, 10.0)] * len(fs) if rate_configs is None else list(rate_configs)
        if len(configs) != len(fs):
            raise ValueError(f"expected {len(fs)} rate_configs, found {len(configs)}")
        super().__init__()
        self._native = _native.LatestTime(configs)
        self._clock = ROSClock() if clock is None else clock
        self._connect(fs, range(len(fs)))

    def add(self, msg: Any, index: int) -> None:
        """Adds a message of an input. Calls back if this input is the fastest one."""
        with self.lock:
            messages = self._native.add(index, self._clock.now().nanoseconds, msg)
            if messages is not None:
                self._ready.append(messages)
        self._deliver()


class TimeSequencer(SimpleFilter):
    """Calls back with messages in the order of their stamps, each when it is at least ``delay`` old.

    A timer of ``node`` checks this every ``update_rate``. A message that comes too late is dropped.
    """

    def __init__(self, f: SimpleFilter, delay: Duration, update_rate: Duration, queue_size: int, node: Any) -> None:
        super().__init__()
        self._native = _native.TimeSequencer(delay.nanoseconds, queue_size)
        self._lock = threading.Lock()
        self._clock = node.get_clock()
        self.incoming_connection = f.registerCallback(self.add)
        self._timer = node.create_timer(update_rate.nanoseconds * 1e-9, self._dispatch)

    def add(self, msg: Any) -> None:
        """Adds a message."""
        with self._lock:
            self._native.add(_nanoseconds(msg), msg)

    @property
    def dropped(self) -> int:
        """How many messages were dropped, because they came too late or too many were waiting."""
        return self._native.dropped

    def _dispatch(self) -> None:
        while (message := self.__next()) is not None:
            self.signalMessage(message[0])

    def __next(self) -> tuple[Any] | None:
        with self._lock:
            return self._native.next(self._clock.now().nanoseconds)


class Chain(SimpleFilter):
    """Filters in a row, as one filter. Its input is that of the first one, its output that of the last one.

    Each filter has a method ``add``.
    """

    def __init__(self, f: SimpleFilter, *filters: Any) -> None:
        super().__init__()
        source = f
        for one in filters:
            source.registerCallback(one.add)
            source = one
        source.registerCallback(self.signalMessage)
