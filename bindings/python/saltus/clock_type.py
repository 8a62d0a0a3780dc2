"""The kinds of time."""

from enum import IntEnum


class ClockType(IntEnum):
    """The kind of time that a clock shows. The numbers are those of ``rcl_clock_type_t``."""

    UNINITIALIZED = 0
    ROS_TIME = 1
    SYSTEM_TIME = 2
    STEADY_TIME = 3
