"""How severe a log message is."""

from enum import IntEnum


class LoggingSeverity(IntEnum):
    """The severities. The numbers are those of ``rcl_interfaces/msg/Log``. ``UNSET`` is the level of the ancestor."""

    UNSET = 0
    DEBUG = 10
    INFO = 20
    WARN = 30
    ERROR = 40
    FATAL = 50
