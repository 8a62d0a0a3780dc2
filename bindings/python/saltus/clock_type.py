"""The kinds of time."""

from enum import IntEnum


class ClockType(IntEnum):
    """Which time a clock shows; numbered as ``rcl_clock_type_t``."""

    UNINITIALIZED = 0
    ROS_TIME = 1
    SYSTEM_TIME = 2
    STEADY_TIME = 3
