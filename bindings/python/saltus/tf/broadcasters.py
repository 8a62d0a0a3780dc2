"""Sends transforms."""

from __future__ import annotations

import copy
from typing import Iterable

from saltus.msgs.geometry_msgs.msg import TransformStamped
from saltus.msgs.tf2_msgs.msg import TFMessage
from saltus.node import Node
from saltus.qos import DurabilityPolicy, QoSProfile

__all__ = ["StaticTransformBroadcaster", "TransformBroadcaster"]


def _listed(transform: TransformStamped | Iterable[TransformStamped]) -> list[TransformStamped]:
    return [transform] if isinstance(transform, TransformStamped) else list(transform)


class TransformBroadcaster:
    """Sends transforms that change, on ``/tf``."""

    def __init__(self, node: Node, qos: QoSProfile | int | None = None) -> None:
        self.pub_tf = node.create_publisher(TFMessage, "/tf", 100 if qos is None else qos)

    def sendTransform(self, transform: TransformStamped | Iterable[TransformStamped]) -> None:
        """Sends a transform, or several in one message."""
        self.pub_tf.publish(TFMessage(transforms=_listed(transform)))


class StaticTransformBroadcaster:
    """Sends transforms that never change, on ``/tf_static``. Listeners that come later get them, too."""

    def __init__(self, node: Node, qos: QoSProfile | int | None = None) -> None:
        late = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self.pub_tf = node.create_publisher(TFMessage, "/tf_static", late if qos is None else qos)
        # All transforms are sent together, because only the last message is kept.
        self._sent: dict[str, TransformStamped] = {}

    def sendTransform(self, transform: TransformStamped | Iterable[TransformStamped]) -> None:
        """Sends a transform or several, and all that were sent before. A new one replaces that of the same child."""
        for stamped in _listed(transform):
            # A copy, because the caller may change the message and send it again.
            self._sent[stamped.child_frame_id] = copy.deepcopy(stamped)
        self.pub_tf.publish(TFMessage(transforms=list(self._sent.values())))
