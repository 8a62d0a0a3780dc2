"""Handlers of events of nodes, with the classes of ROS 2's ``launch_ros.event_handlers``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from saltus.launch.event_handlers import OnActionEventBase
from saltus.launch.events import Event
from saltus.launch.ros.events.lifecycle import StateTransition
from saltus.launch.ros.nodes import LifecycleNode

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
        super().__init__(
            action_matcher=target_lifecycle_node,
            on_event=entities,
            target_event_cls=StateTransition,
            target_action_cls=LifecycleNode,
            **kwargs,
        )
        self._wanted = {"transition": transition, "start": start_state, "goal": goal_state}
        self._own_matcher = matcher
        self._is_known = matcher is None

    def matches(self, event: Event) -> bool:
        if self._own_matcher is not None:
            return bool(self._own_matcher(event))
        return super().matches(event)

    def _is_for_action(self, event: Any) -> bool:
        found = {"transition": event.transition, "start": event.start_state, "goal": event.goal_state}
        is_wanted = all(value in (None, found[name]) for name, value in self._wanted.items())
        return is_wanted and super()._is_for_action(event)

    def to_json(self, registry: Registry) -> dict[str, Any]:
        handler = super().to_json(registry)
        handler["trigger"] = {"state_changed": self._wanted}
        return handler
