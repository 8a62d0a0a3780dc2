"""Sends a robot to places, with the classes and functions of ROS 2's ``nav2_simple_commander``.

Programs that import ``nav2_simple_commander`` run unmodified under :mod:`saltus.ros`.
"""

from saltus.navigation.robot_navigator import BasicNavigator, TaskResult

__all__ = ["BasicNavigator", "TaskResult"]
