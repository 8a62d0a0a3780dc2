"""Conversion of messages to and from serialized bytes."""

from __future__ import annotations

from typing import Any, TypeVar

from saltus import _native

MsgT = TypeVar("MsgT")


def serialize_message(message: Any) -> bytes:
    """Returns the serialized bytes of a message, including the encapsulation header.

    >>> from saltus.msgs.std_msgs.msg import UInt8
    >>> serialize_message(UInt8(data=7))
    b'\\x00\\x01\\x00\\x00\\x07'
    """
    return _native.serialize(message)


def deserialize_message(serialized_message: bytes, message_type: type[MsgT]) -> MsgT:
    """Returns a message of a class from its serialized bytes."""
    return _native.deserialize(message_type, serialized_message)
