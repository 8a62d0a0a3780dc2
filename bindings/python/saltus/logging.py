"""Loggers: the console in ROS 2's format, and ``/rosout``."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from saltus import _native
from saltus.logging_severity import LoggingSeverity

__all__ = [
    "LoggingSeverity", "RcutilsLogger", "clear_config", "get_logger", "get_logger_effective_level",
    "get_logger_level", "get_logging_directory", "get_logging_severity_from_string", "initialize",
    "set_logger_level", "shutdown",
]  # fmt: skip

_THIS_FILE = os.path.normcase(__file__)


class _Place:
    """What is kept of a place in the program that logs with a filter."""

    __slots__ = ("severity", "filters", "last", "skipped", "said")

    def __init__(self, severity: int, filters: frozenset[str]) -> None:
        self.severity, self.filters = severity, filters
        self.last: int | None = None
        self.skipped = self.said = False


_FILTERS = {"throttle_duration_sec", "throttle_time_source_type", "skip_first", "once"}
_places: dict[tuple[str, int, int], _Place] = {}


def _passes(place: _Place, filters: dict[str, Any]) -> bool:
    """Whether a message with these filters is to be said, this time."""
    if filters.get("skip_first") and not place.skipped:
        place.skipped = True
        return False
    if filters.get("once"):
        said, place.said = place.said, True
        return not said
    if "throttle_duration_sec" in filters:
        clock: Any = filters.get("throttle_time_source_type")
        now = clock.now().nanoseconds if hasattr(clock, "now") else _native.monotonic_now()
        if place.last is not None and now - place.last < filters["throttle_duration_sec"] * 1e9:
            return False
        place.last = now
    return True


class RcutilsLogger:
    """Says things at a severity: ``logger.info("ready")``.

    Filters: ``throttle_duration_sec=1.0`` (at most once in so long), ``once=True``, ``skip_first=True``.
    """

    def __init__(self, name: str = "", node: Any = None) -> None:
        self.name = name
        self._node = node

    def get_child(self, name: str) -> RcutilsLogger:
        """A logger below this one, which has its level unless it is given its own."""
        if not name:
            raise ValueError("Child logger name must not be empty.")
        return RcutilsLogger(f"{self.name}.{name}" if self.name else name, self._node)

    def set_level(self, level: LoggingSeverity) -> None:
        """Says only things of at least that severity from now on."""
        set_logger_level(self.name, level)

    def get_effective_level(self) -> LoggingSeverity:
        """From which severity on it says things."""
        return get_logger_effective_level(self.name)

    def is_enabled_for(self, severity: LoggingSeverity) -> bool:
        """Whether it says things of that severity."""
        return int(severity) >= _native.logger_level(self.name)

    def log(self, message: str, severity: LoggingSeverity, name: str | None = None, **filters: Any) -> bool:
        """Says something. Whether it was said, and not kept back by the level or a filter."""
        if not filters and int(severity) < _native.logger_level(self.name if name is None else name):
            return False
        frame = sys._getframe(1)
        while frame.f_back is not None and os.path.normcase(frame.f_code.co_filename) == _THIS_FILE:
            frame = frame.f_back
        place = (frame.f_code.co_filename, frame.f_lineno, frame.f_lasti)
        number = int(LoggingSeverity(severity))
        if filters and not self._may_pass(place, number, filters):
            return False
        name = self.name if name is None else name
        if number < _native.logger_level(name):
            return False
        where = (place[0], frame.f_code.co_name, place[1])
        if self._node is not None and self._node.is_open:
            self._node.say(name, number, str(message), where)
        else:
            _native.say(name, number, str(message), where)
        return True

    def _may_pass(self, place: tuple[str, int, int], severity: int, filters: dict[str, Any]) -> bool:
        unknown = filters.keys() - _FILTERS
        if unknown:
            raise TypeError(f"unsupported logging filters {sorted(unknown)}")
        if "throttle_time_source_type" in filters and "throttle_duration_sec" not in filters:
            raise TypeError("required parameter throttle_duration_sec not specified")
        kept = _places.get(place)
        if kept is None:
            kept = _places[place] = _Place(severity, frozenset(filters))
        if kept.severity != severity:
            raise ValueError("Logger severity cannot be changed between calls.")
        if kept.filters != frozenset(filters):
            raise ValueError("Requested logging filters cannot be changed between calls.")
        return _passes(kept, filters)

    def debug(self, message: str, **filters: Any) -> bool:
        """Says what helps to find a fault."""
        return self.log(message, LoggingSeverity.DEBUG, **filters)

    def info(self, message: str, **filters: Any) -> bool:
        """Says what a user may want to know."""
        return self.log(message, LoggingSeverity.INFO, **filters)

    def warning(self, message: str, **filters: Any) -> bool:
        """Says what may become a problem."""
        return self.log(message, LoggingSeverity.WARN, **filters)

    def warn(self, message: str, **filters: Any) -> bool:
        """As ``warning``."""
        return self.log(message, LoggingSeverity.WARN, **filters)

    def error(self, message: str, **filters: Any) -> bool:
        """Says what has failed."""
        return self.log(message, LoggingSeverity.ERROR, **filters)

    def fatal(self, message: str, **filters: Any) -> bool:
        """Says why the program can't go on."""
        return self.log(message, LoggingSeverity.FATAL, **filters)


def get_logger(name: str) -> RcutilsLogger:
    """The logger of that name, which speaks on the console only. A node's is ``node.get_logger()``."""
    if not name:
        raise ValueError("Logger name must not be empty.")
    return RcutilsLogger(name)


def initialize() -> None:
    """Nothing: logging is always ready."""


def shutdown() -> None:
    """Nothing: what was said is out already."""


def clear_config() -> None:
    """As ``shutdown``."""


def set_logger_level(name: str, level: LoggingSeverity, detailed_error: bool = False) -> None:
    """Sets the level of a logger, or of all (``""``); ``UNSET`` takes it away."""
    _native.set_logger_level(name, int(LoggingSeverity(level)))


def get_logger_level(name: str) -> LoggingSeverity:
    """The level of a logger: its own, or that of its nearest ancestor that has one."""
    return LoggingSeverity(_native.logger_level(name))


def get_logger_effective_level(name: str) -> LoggingSeverity:
    """As ``get_logger_level``."""
    return get_logger_level(name)


def get_logging_severity_from_string(log_severity: str) -> LoggingSeverity:
    """The severity of a word: ``"warn"``."""
    try:
        return LoggingSeverity[log_severity.upper()]
    except KeyError:
        raise RuntimeError(f"expected a severity such as 'warn', found '{log_severity}'") from None


def get_logging_directory() -> Path:
    """Where ROS 2 would keep log files; Saltus writes none."""
    if os.environ.get("ROS_LOG_DIR"):
        return Path(os.environ["ROS_LOG_DIR"])
    home = os.environ.get("ROS_HOME") or "~/.ros"
    return Path(home).expanduser() / "log"
