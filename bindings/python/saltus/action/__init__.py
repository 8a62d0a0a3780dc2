"""Actions: long-running tasks that publish feedback and can be cancelled.

An action consists of three services and two topics below its name. Their names and types are those of ROS 2.
"""

from saltus.action.client import ActionClient, ClientGoalHandle
from saltus.action.graph import get_action_names_and_types
from saltus.action.server import ActionServer, CancelResponse, GoalResponse, GoalStatus, ServerGoalHandle

__all__ = [
    "ActionClient", "ActionServer", "CancelResponse", "ClientGoalHandle", "GoalResponse", "GoalStatus",
    "ServerGoalHandle", "get_action_names_and_types",
]  # fmt: skip
