"""Lifecycle nodes whose received arrays have the types of ROS 2's message classes."""

from __future__ import annotations

from typing import Any

from saltus.lifecycle import (
    LifecycleNodeMixin,
    LifecyclePublisher,
    LifecycleState,
    ManagedEntity,
    SimpleManagedEntity,
    TransitionCallbackReturn,
)
from saltus.rclpy.node import Node as RegularNode


class LifecycleNode(LifecycleNodeMixin, RegularNode):
    """Same as :class:`saltus.lifecycle.LifecycleNode`, but received arrays of numbers are copies."""

    def __init__(self, node_name: str, *, enable_communication_interface: bool = True, **kwargs: Any) -> None:
        RegularNode.__init__(self, node_name, **kwargs)
        LifecycleNodeMixin.__init__(self, enable_communication_interface=enable_communication_interface)


Node = LifecycleNode
NodeMixin = LifecycleNodeMixin
State = LifecycleState
Publisher = LifecyclePublisher

__all__ = [
    "LifecycleNode", "LifecycleNodeMixin", "LifecyclePublisher", "LifecycleState", "ManagedEntity",
    "SimpleManagedEntity", "TransitionCallbackReturn",
]  # fmt: skip
