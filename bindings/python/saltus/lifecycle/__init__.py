"""Lifecycle nodes: nodes whose state (unconfigured, inactive, active, finalized) other nodes can change.

::

    class Talker(LifecycleNode):
        def on_configure(self, state):
            self.chatter = self.create_lifecycle_publisher(String, "chatter", 10)
            return TransitionCallbackReturn.SUCCESS

Then ``saltus lifecycle set /talker configure`` calls ``on_configure``.
"""

from __future__ import annotations

from saltus.lifecycle.managed_entity import (
    LifecycleState,
    ManagedEntity,
    SimpleManagedEntity,
    TransitionCallbackReturn,
)
from saltus.lifecycle.node import LifecycleNode, LifecycleNodeMixin
from saltus.lifecycle.publisher import LifecyclePublisher

Node = LifecycleNode
NodeMixin = LifecycleNodeMixin
State = LifecycleState
Publisher = LifecyclePublisher

__all__ = [
    "LifecycleNode", "LifecycleNodeMixin", "LifecyclePublisher", "LifecycleState", "ManagedEntity",
    "SimpleManagedEntity", "TransitionCallbackReturn",
]  # fmt: skip
