"""Transforms objects of any registered type, with the classes of ROS 2's ``tf2_ros``."""

from __future__ import annotations

from typing import Any, Callable

from saltus.duration import Duration
from saltus.msgs.std_msgs.msg import Header

__all__ = [
    "BufferInterface", "ConvertRegistration", "NotImplementedException", "Stamped", "TransformRegistration",
    "TypeException", "convert",
]  # fmt: skip


class TypeException(Exception):
    """A type is not registered."""

    def __init__(self, errstr: str) -> None:
        super().__init__(errstr)
        self.errstr = errstr


class NotImplementedException(Exception):
    """A subclass of ``BufferInterface`` does not have a method."""

    def __init__(self) -> None:
        self.errstr = "CanTransform or LookupTransform not implemented"
        super().__init__(self.errstr)


class TransformRegistration:
    """The functions that transform objects, by their types. All instances share them."""

    _functions: dict[Any, Callable[[Any, Any], Any]] = {}

    def add(self, key: Any, callback: Callable[[Any, Any], Any]) -> None:
        """Registers a function that gets an object and a ``TransformStamped``."""
        self._functions[key] = callback

    def get(self, key: Any) -> Callable[[Any, Any], Any]:
        """Returns the function for a type."""
        if key not in self._functions:
            raise TypeException(f"Type {key} is not loaded or supported")
        return self._functions[key]


class ConvertRegistration:
    """The functions that convert objects to and from messages. All instances share them."""

    _functions: dict[Any, Callable[[Any], Any]] = {}

    def add_from_msg(self, key: Any, callback: Callable[[Any], Any]) -> None:
        """Registers a function that makes an object of a type from a message."""
        self._functions["from", key] = callback

    def add_to_msg(self, key: Any, callback: Callable[[Any], Any]) -> None:
        """Registers a function that makes a message from an object of a type."""
        self._functions["to", key] = callback

    def add_convert(self, key: tuple[Any, Any], callback: Callable[[Any], Any]) -> None:
        """Registers a function that makes an object of the second type from one of the first type."""
        self._functions["convert", key] = callback

    def get_from_msg(self, key: Any) -> Callable[[Any], Any]:
        """Returns the function that makes an object of a type from a message."""
        return self._get("from", key)

    def get_to_msg(self, key: Any) -> Callable[[Any], Any]:
        """Returns the function that makes a message from an object of a type."""
        return self._get("to", key)

    def get_convert(self, key: tuple[Any, Any]) -> Callable[[Any], Any]:
        """Returns the function that makes an object of the second type from one of the first type."""
        return self._get("convert", key)

    def _get(self, kind: str, key: Any) -> Callable[[Any], Any]:
        if (kind, key) not in self._functions:
            raise TypeException(f"Type {key} is not loaded or supported")
        return self._functions[kind, key]


def convert(a: Any, b_type: Any) -> Any:
    """Returns an object as one of another type: directly, or over a message."""
    registration = ConvertRegistration()
    if type(a) is b_type:
        return a
    try:
        return registration.get_convert((type(a), b_type))(a)
    except TypeException:
        return registration.get_from_msg(b_type)(registration.get_to_msg(type(a))(a))


def Stamped(obj: Any, stamp: Any, frame_id: str) -> Any:
    """Gives an object a header. Returns it."""
    obj.header = Header(frame_id=frame_id, stamp=stamp)
    return obj


class BufferInterface:
    """Transforms objects with the lookups of a subclass."""

    def __init__(self) -> None:
        self.registration = TransformRegistration()

    def transform(
        self, object_stamped: Any, target_frame: str, timeout: Duration = Duration(), new_type: Any = None
    ) -> Any:
        """Returns an object in another frame, at the time of its header."""
        header, apply = object_stamped.header, self.registration.get(type(object_stamped))
        found = self.lookup_transform(target_frame, header.frame_id, header.stamp, timeout)
        moved = apply(object_stamped, found)
        return moved if new_type is None else convert(moved, new_type)

    def transform_full(
        self,
        object_stamped: Any,
        target_frame: str,
        target_time: Any,
        fixed_frame: str,
        timeout: Duration = Duration(),
        new_type: Any = None,
    ) -> Any:
        """Returns an object in another frame at another time. The fixed frame does not move meanwhile."""
        header, apply = object_stamped.header, self.registration.get(type(object_stamped))
        found = self.lookup_transform_full(
            target_frame, target_time, header.frame_id, header.stamp, fixed_frame, timeout
        )
        moved = apply(object_stamped, found)
        return moved if new_type is None else convert(moved, new_type)

    def lookup_transform(self, target_frame: str, source_frame: str, time: Any, timeout: Duration = Duration()) -> Any:
        """Returns the transform from one frame to another one."""
        raise NotImplementedException()

    def lookup_transform_full(
        self,
        target_frame: str,
        target_time: Any,
        source_frame: str,
        source_time: Any,
        fixed_frame: str,
        timeout: Duration = Duration(),
    ) -> Any:
        """Returns the transform between two frames across two times."""
        raise NotImplementedException()

    def can_transform(self, target_frame: str, source_frame: str, time: Any, timeout: Duration = Duration()) -> Any:
        """Returns whether there is a transform."""
        raise NotImplementedException()

    def can_transform_full(
        self,
        target_frame: str,
        target_time: Any,
        source_frame: str,
        source_time: Any,
        fixed_frame: str,
        timeout: Duration = Duration(),
    ) -> Any:
        """Returns whether there is a transform across two times."""
        raise NotImplementedException()
