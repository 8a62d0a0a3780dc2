"""A buffer of transforms, with the class of ROS 2's ``tf2_py``."""

from __future__ import annotations

from typing import Any

from saltus import _native
from saltus.duration import Duration
from saltus.exceptions import (
    ConnectivityException,
    ExtrapolationException,
    InvalidArgumentException,
    LookupException,
    TransformException,
)  # fmt: skip
from saltus.logging import get_logger
from saltus.msgs.builtin_interfaces.msg import Time as TimeMessage
from saltus.msgs.geometry_msgs.msg import Quaternion, Transform, TransformStamped, Vector3
from saltus.msgs.std_msgs.msg import Header
from saltus.time import Time

__all__ = [
    "BufferCore", "ConnectivityException", "ExtrapolationException", "InvalidArgumentException", "LookupException",
    "TimeoutException", "TransformException",
]  # fmt: skip

_SECOND = 1_000_000_000
#: How many refused transforms are logged at most.
_MOST_LOGGED = 100


class TimeoutException(TransformException):
    """A transform was not there in time."""


def nanoseconds(time: Any) -> int:
    """Returns the nanoseconds of a time, which may also be a message."""
    return time.nanoseconds if hasattr(time, "nanoseconds") else time.sec * _SECOND + time.nanosec


def time_message(nanoseconds: int) -> TimeMessage:
    """Returns nanoseconds as a message."""
    seconds, rest = divmod(nanoseconds, _SECOND)
    return TimeMessage(sec=seconds, nanosec=rest)


class BufferCore:
    """The transforms of all frames over the last seconds. Any thread may use it."""

    def __init__(self, cache_time: Duration | None = None) -> None:
        self._buffer = _native.TransformBuffer(10 * _SECOND if cache_time is None else cache_time.nanoseconds)
        self._logged: set[tuple[str, str]] = set()

    def set_transform(self, transform: TransformStamped, authority: str) -> None:
        """Sets the transform of a frame at a time. One that is refused is a warning."""
        self._set(transform, authority, False)

    def set_transform_static(self, transform: TransformStamped, authority: str) -> None:
        """Sets the transform of a frame for all times."""
        self._set(transform, authority, True)

    def _set(self, stamped: TransformStamped, authority: str, is_static: bool) -> None:
        moved, turned = stamped.transform.translation, stamped.transform.rotation
        numbers = [moved.x, moved.y, moved.z, turned.x, turned.y, turned.z, turned.w]
        names = (stamped.header.frame_id, stamped.child_frame_id)
        refused = self._buffer.set(names, nanoseconds(stamped.header.stamp), numbers, authority, is_static)
        if refused is None:
            return
        fault = (stamped.child_frame_id, refused.split()[0])
        # Each frame and kind of fault is logged once.
        if fault not in self._logged and len(self._logged) < _MOST_LOGGED:
            self._logged.add(fault)
            get_logger("tf2_buffer").warning(refused)

    def lookup_transform_core(self, target_frame: str, source_frame: str, time: Any) -> TransformStamped:
        """Returns the transform from one frame to another one at a time; with time 0 at the latest one."""
        found = self._buffer.lookup(target_frame, source_frame, nanoseconds(time))
        return _message(target_frame, source_frame, *found)

    def lookup_transform_full_core(
        self, target_frame: str, target_time: Any, source_frame: str, source_time: Any, fixed_frame: str
    ) -> TransformStamped:
        """Returns the transform from where a frame was at one time to where another one is at another time."""
        target, source = (target_frame, nanoseconds(target_time)), (source_frame, nanoseconds(source_time))
        return _message(target_frame, source_frame, *self._buffer.lookup_across(target, source, fixed_frame))

    def can_transform_core(self, target_frame: str, source_frame: str, time: Any) -> tuple[bool, str]:
        """Returns whether there is a transform, and why not."""
        missing = self._buffer.missing(target_frame, source_frame, nanoseconds(time))
        return missing is None, missing or ""

    def can_transform_full_core(
        self, target_frame: str, target_time: Any, source_frame: str, source_time: Any, fixed_frame: str
    ) -> tuple[bool, str]:
        """Returns whether there is a transform across two times, and why not."""
        inner = self.can_transform_core(fixed_frame, source_frame, source_time)
        return self.can_transform_core(target_frame, fixed_frame, target_time) if inner[0] else inner

    def get_latest_common_time(self, target_frame: str, source_frame: str) -> Time:
        """Returns the latest time that all frames between two frames have."""
        return Time(nanoseconds=self._buffer.latest_common_time(target_frame, source_frame))

    def clear(self) -> None:
        """Removes all transforms."""
        self._buffer.clear()

    def all_frames_as_string(self) -> str:
        """Returns a line for each frame with a parent."""
        return "".join(f"Frame {name} exists with parent {parent}.\n" for name, parent, *_ in self._buffer.frames())

    def all_frames_as_yaml(self, time: float = 0.0) -> str:
        """Returns all frames in YAML, as ``view_frames`` reads them."""
        frames = self._buffer.frames()
        if not frames:
            return "[]"
        return "".join(_yaml(*frame) for frame in frames)

    def _frameExists(self, frame_id: str) -> bool:
        return frame_id in self._buffer.names()

    def _getFrameStrings(self) -> list[str]:
        return self._buffer.names()


def _message(parent: str, child: str, stamp: int, numbers: list[float]) -> TransformStamped:
    x, y, z, *rotation = numbers
    return TransformStamped(
        header=Header(stamp=time_message(stamp), frame_id=parent),
        child_frame_id=child,
        transform=Transform(
            translation=Vector3(x=x, y=y, z=z),
            rotation=Quaternion(x=rotation[0], y=rotation[1], z=rotation[2], w=rotation[3]),
        ),
    )


def _yaml(name: str, parent: str, authority: str, is_static: bool, oldest: int, newest: int, count: int) -> str:
    length = (newest - oldest) / _SECOND
    return (
        f"{name}: \n  parent: '{parent}'\n  broadcaster: '{authority}'\n  rate: {count / max(length, 1e-4):.3f}\n"
        f"  most_recent_transform: {newest / _SECOND:.6f}\n  oldest_transform: {oldest / _SECOND:.6f}\n"
        f"  buffer_length: {length:.3f}\n"
    )
