"""Actions: long tasks that can be watched and cancelled.

An action is three services and two topics under its name, named and typed as in ROS 2.
"""

from saltus.action.client import ActionClient, ClientGoalHandle
from saltus.action.graph import get_action_names_and_types
from saltus.action.server import ActionServer, CancelResponse, GoalResponse, GoalStatus, ServerGoalHandle

__all__ = [
    "ActionClient", "ActionServer", "CancelResponse", "ClientGoalHandle", "GoalResponse", "GoalStatus",
    "ServerGoalHandle", "get_action_names_and_types",
]  # fmt: skip
