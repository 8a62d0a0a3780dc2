"""How severe a log message is."""

from enum import IntEnum


class LoggingSeverity(IntEnum):
    """The severities, with their numbers on the wire. ``UNSET`` is a logger's that has its ancestor's."""

    UNSET = 0
    DEBUG = 10
    INFO = 20
    WARN = 30
    ERROR = 40
    FATAL = 50
