"""Handlers of events of nodes, with the classes of ROS 2's ``launch_ros.event_handlers``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from saltus.launch.event_handlers import OnActionEventBase
from saltus.launch.ros.actions import LifecycleNode

if TYPE_CHECKING:
    from saltus.launch.registry import Registry

__all__ = ["OnStateTransition"]


class OnStateTransition(OnActionEventBase):
    """Performs actions when a lifecycle node has changed its state."""

    def __init__(
        self,
        *,
        entities: Any,
        target_lifecycle_node: Any = None,
        transition: str | None = None,
        start_state: str | None = None,
        goal_state: str | None = None,
        matcher: Any = None,
        **kwargs: Any,
    ) -> None:
        if target_lifecycle_node is not None and not isinstance(target_lifecycle_node, LifecycleNode):
            raise RuntimeError("OnStateTransition requires a 'LifecycleNode' action as the target")
        super().__init__(target_action=target_lifecycle_node, on_event=entities, **kwargs)
        self._wanted = {"transition": transition, "start": start_state, "goal": goal_state}
        if matcher is not None:
            self._matcher = matcher
            self._is_known = False

    def to_json(self, registry: Registry) -> dict[str, Any]:
        handler = super().to_json(registry)
        handler["trigger"] = {"state_changed": self._wanted}
        return handler
