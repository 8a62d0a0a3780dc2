"""Events of nodes, with the names of ROS 2's ``launch_ros.events``."""

from saltus.launch.ros.events import lifecycle
from saltus.launch.ros.events.lifecycle import matches_node_name

__all__ = ["lifecycle", "matches_node_name"]
