"""Lifecycle nodes with the names of ``rclpy.lifecycle``. See :mod:`saltus.lifecycle`."""

from __future__ import annotations

from saltus.lifecycle import LifecyclePublisher, ManagedEntity, SimpleManagedEntity
from saltus.rclpy.lifecycle.node import (
    LifecycleNode,
    LifecycleNodeMixin,
    LifecycleState,
    TransitionCallbackReturn,
)

Node = LifecycleNode
NodeMixin = LifecycleNodeMixin
State = LifecycleState
Publisher = LifecyclePublisher

__all__ = [
    "LifecycleNode", "LifecycleNodeMixin", "LifecyclePublisher", "LifecycleState", "ManagedEntity",
    "SimpleManagedEntity", "TransitionCallbackReturn",
]  # fmt: skip
