"""Lifecycle nodes whose received arrays have the types of ROS 2's message classes."""

from __future__ import annotations

from typing import Any

from saltus.lifecycle import LifecycleNodeMixin, LifecycleState, TransitionCallbackReturn
from saltus.rclpy.node import Node


class LifecycleNode(LifecycleNodeMixin, Node):
    """Same as :class:`saltus.lifecycle.LifecycleNode`, but received arrays of numbers are copies."""

    def __init__(self, node_name: str, *, enable_communication_interface: bool = True, **kwargs: Any) -> None:
        Node.__init__(self, node_name, **kwargs)
        LifecycleNodeMixin.__init__(self, enable_communication_interface=enable_communication_interface)


__all__ = ["LifecycleNode", "LifecycleNodeMixin", "LifecycleState", "TransitionCallbackReturn"]
