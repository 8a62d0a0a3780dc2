"""Launch files with nodes, with the classes of ROS 2's ``launch_ros``."""

from saltus.launch.ros import actions, descriptions, event_handlers, events, parameters, substitutions, utilities

__all__ = ["actions", "descriptions", "event_handlers", "events", "parameters", "substitutions", "utilities"]
