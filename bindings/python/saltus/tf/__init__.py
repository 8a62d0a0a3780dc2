"""Transforms between coordinate frames, with the classes of ROS 2's ``tf2_ros`` and ``tf2_py``.

Programs that import ``tf2_ros``, ``tf2_py`` and ``tf2_geometry_msgs`` run with ``python -m saltus.ros``::

    buffer = Buffer()
    listener = TransformListener(buffer, node, spin_thread=True)
    laser = buffer.lookup_transform("map", "laser", Time(), timeout=Duration(seconds=1))
"""

from saltus.exceptions import (
    ConnectivityException,
    ExtrapolationException,
    InvalidArgumentException,
    LookupException,
    TransformException,
)  # fmt: skip
from saltus.tf.broadcasters import StaticTransformBroadcaster, TransformBroadcaster
from saltus.tf.buffer import Buffer
from saltus.tf.buffer_client import BufferClient
from saltus.tf.buffer_server import BufferServer
from saltus.tf.core import BufferCore, TimeoutException
from saltus.tf.interface import (
    BufferInterface,
    ConvertRegistration,
    NotImplementedException,
    Stamped,
    TransformRegistration,
    TypeException,
    convert,
)  # fmt: skip
from saltus.tf.listener import TransformListener

__all__ = [
    "Buffer", "BufferClient", "BufferCore", "BufferInterface", "BufferServer", "ConnectivityException",
    "ConvertRegistration", "ExtrapolationException", "InvalidArgumentException", "LookupException",
    "NotImplementedException", "Stamped", "StaticTransformBroadcaster", "TimeoutException", "TransformBroadcaster",
    "TransformException", "TransformListener", "TransformRegistration", "TypeException", "convert",
]  # fmt: skip
