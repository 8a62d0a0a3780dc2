"""Loggers. They write to the console in ROS 2's format, and to ``/rosout``."""

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


class _CallSite:
    """The state of a call site that logs with a filter."""

    __slots__ = ("severity", "filters", "last", "skipped", "logged")

    def __init__(self, severity: int, filters: frozenset[str]) -> None:
        self.severity, self.filters = severity, filters
        self.last: int | None = None
        self.skipped = self.logged = False


_FILTERS = {"throttle_duration_sec", "throttle_time_source_type", "skip_first", "once"}
_call_sites: dict[tuple[str, int, int], _CallSite] = {}


def _passes(call_site: _CallSite, filters: dict[str, Any]) -> bool:
    """Returns whether a message with these filters is logged this time."""
    if filters.get("skip_first") and not call_site.skipped:
        call_site.skipped = True
        return False
    if filters.get("once"):
        logged, call_site.logged = call_site.logged, True
        return not logged
    if "throttle_duration_sec" in filters:
        clock: Any = filters.get("throttle_time_source_type")
        now = clock.now().nanoseconds if hasattr(clock, "now") else _native.monotonic_now()
        if call_site.last is not None and now - call_site.last < filters["throttle_duration_sec"] * 1e9:
            return False
        call_site.last = now
    return True


class RcutilsLogger:
    """Logs messages with a severity: ``logger.info("ready")``.

    Filters: ``throttle_duration_sec=1.0`` (at most once per second), ``once=True``, ``skip_first=True``.
    """

    def __init__(self, name: str = "", node: Any = None) -> None:
        self.name = name
        self._node = node

    def get_child(self, name: str) -> RcutilsLogger:
        """Returns a logger below this one. It has the level of this logger until its own level is set."""
        if not name:
            raise ValueError("Child logger name must not be empty.")
        return RcutilsLogger(f"{self.name}.{name}" if self.name else name, self._node)

    def set_level(self, level: LoggingSeverity) -> None:
        """Sets the level of the logger: the lowest severity that is logged."""
        set_logger_level(self.name, level)

    def get_effective_level(self) -> LoggingSeverity:
        """Returns the level of the logger: the lowest severity that is logged."""
        return get_logger_effective_level(self.name)

    def is_enabled_for(self, severity: LoggingSeverity) -> bool:
        """Returns whether messages of a severity are logged."""
        return int(severity) >= _native.logger_level(self.name)

    def log(self, message: str, severity: LoggingSeverity, name: str | None = None, **filters: Any) -> bool:
        """Logs a message. Returns false if the level or a filter has suppressed it."""
        if not filters and int(severity) < _native.logger_level(self.name if name is None else name):
            return False
        frame = sys._getframe(1)
        while frame.f_back is not None and os.path.normcase(frame.f_code.co_filename) == _THIS_FILE:
            frame = frame.f_back
        call_site = (frame.f_code.co_filename, frame.f_lineno, frame.f_lasti)
        number = int(LoggingSeverity(severity))
        if filters and not self._may_pass(call_site, number, filters):
            return False
        name = self.name if name is None else name
        if number < _native.logger_level(name):
            return False
        where = (call_site[0], frame.f_code.co_name, call_site[1])
        if self._node is not None and self._node.is_open:
            self._node.log(name, number, str(message), where)
        else:
            _native.log(name, number, str(message), where)
        return True

    def _may_pass(self, call_site: tuple[str, int, int], severity: int, filters: dict[str, Any]) -> bool:
        unknown = filters.keys() - _FILTERS
        if unknown:
            raise TypeError(f"unsupported logging filters {sorted(unknown)}")
        if "throttle_time_source_type" in filters and "throttle_duration_sec" not in filters:
            raise TypeError("required parameter throttle_duration_sec not specified")
        kept = _call_sites.get(call_site)
        if kept is None:
            kept = _call_sites[call_site] = _CallSite(severity, frozenset(filters))
        if kept.severity != severity:
            raise ValueError("Logger severity cannot be changed between calls.")
        if kept.filters != frozenset(filters):
            raise ValueError("Requested logging filters cannot be changed between calls.")
        return _passes(kept, filters)

    def debug(self, message: str, **filters: Any) -> bool:
        """Logs a message that helps to debug the program."""
        return self.log(message, LoggingSeverity.DEBUG, **filters)

    def info(self, message: str, **filters: Any) -> bool:
        """Logs a message that a user may want to know."""
        return self.log(message, LoggingSeverity.INFO, **filters)

    def warning(self, message: str, **filters: Any) -> bool:
        """Logs something that may become a problem."""
        return self.log(message, LoggingSeverity.WARN, **filters)

    def warn(self, message: str, **filters: Any) -> bool:
        """Same as ``warning``."""
        return self.log(message, LoggingSeverity.WARN, **filters)

    def error(self, message: str, **filters: Any) -> bool:
        """Logs that something has failed."""
        return self.log(message, LoggingSeverity.ERROR, **filters)

    def fatal(self, message: str, **filters: Any) -> bool:
        """Logs why the program can't continue."""
        return self.log(message, LoggingSeverity.FATAL, **filters)


def get_logger(name: str) -> RcutilsLogger:
    """Returns the logger of a name. It logs to the console only. The logger of a node is ``node.get_logger()``."""
    if not name:
        raise ValueError("Logger name must not be empty.")
    return RcutilsLogger(name)


def initialize() -> None:
    """Does nothing, because logging is always ready."""


def shutdown() -> None:
    """Does nothing, because all messages were written already."""


def clear_config() -> None:
    """Same as ``shutdown``."""


def set_logger_level(name: str, level: LoggingSeverity, detailed_error: bool = False) -> None:
    """Sets the level of a logger, or of all loggers if the name is ``""``. ``UNSET`` removes the level."""
    _native.set_logger_level(name, int(LoggingSeverity(level)))


def get_logger_level(name: str) -> LoggingSeverity:
    """Returns the level that a logger has of its own. It is ``UNSET`` if the logger has the level of an ancestor."""
    return LoggingSeverity(_native.own_logger_level(name))


def get_logger_effective_level(name: str) -> LoggingSeverity:
    """Returns the level of a logger: its own level, or the level of the nearest ancestor that has one."""
    return LoggingSeverity(_native.logger_level(name))


def get_logging_severity_from_string(log_severity: str) -> LoggingSeverity:
    """Returns the severity of a word such as ``"warn"``."""
    try:
        return LoggingSeverity[log_severity.upper()]
    except KeyError:
        raise RuntimeError(f"expected a severity such as 'warn', found '{log_severity}'") from None


def get_logging_directory() -> Path:
    """Returns the folder where ROS 2 would write log files. Saltus writes none."""
    if os.environ.get("ROS_LOG_DIR"):
        return Path(os.environ["ROS_LOG_DIR"])
    home = os.environ.get("ROS_HOME") or "~/.ros"
    return Path(home).expanduser() / "log"
