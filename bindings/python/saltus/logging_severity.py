"""How severe a log message is."""

from enum import IntEnum


class LoggingSeverity(IntEnum):
    """The severities, with their numbers in messages. A logger with ``UNSET`` has the level of its ancestor."""

    UNSET = 0
    DEBUG = 10
    INFO = 20
    WARN = 30
    ERROR = 40
    FATAL = 50
