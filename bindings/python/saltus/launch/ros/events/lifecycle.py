"""Events of lifecycle nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from saltus.launch.events import Event, Matcher, target_json

if TYPE_CHECKING:
    from saltus.launch.registry import Registry

__all__ = ["ChangeState", "StateTransition", "matches_node_name"]


def matches_node_name(node_name: str) -> Matcher:
    """Returns a matcher for the node with a full name."""
    full = node_name if node_name.startswith("/") else f"/{node_name}"
    return Matcher(lambda action: action.node_name == full, lambda registry: {"node": [full]})


class ChangeState(Event):
    """A lifecycle node is to change its state."""

    name = "launch_ros.events.lifecycle.ChangeState"

    def __init__(self, *, lifecycle_node_matcher: Any, transition_id: int) -> None:
        if not 0 <= transition_id <= 8:
            raise ValueError(f"given transition_id of '{transition_id}', expected 0 to 8")
        self.lifecycle_node_matcher, self.transition_id = lifecycle_node_matcher, transition_id

    def kind(self, registry: Registry) -> dict[str, Any]:
        target = target_json(self.lifecycle_node_matcher, registry)
        return {"change_state": {"target": target, "transition": self.transition_id}}


class StateTransition(Event):
    """A lifecycle node has changed its state."""

    name = "launch_ros.events.lifecycle.StateTransition"

    def __init__(self, *, action: Any, transition: str, start_state: str, goal_state: str, timestamp: int = 0) -> None:
        self.action, self.transition, self.timestamp = action, transition, timestamp
        self.start_state, self.goal_state = start_state, goal_state
