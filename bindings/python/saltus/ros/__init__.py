"""Runs programs that were written for ROS 2. No ROS installation is needed.

Import ``saltus.ros`` first, or start the program with ``python -m saltus.ros program.py``. After that, the imports of
``rclpy``, ``std_msgs.msg``, ``example_interfaces.srv``, ``launch`` and so on find the modules of Saltus, even if others are
installed. Your own interfaces are found in the folders of ``SALTUS_INTERFACE_PATH``.
"""

from __future__ import annotations

import importlib.util
import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from typing import Any

import saltus.rclpy
from saltus._aliases import AliasFinder
from saltus._interfaces import find_by_own_name

#: The packages for launch files and their tests.
_LAUNCH_PACKAGES = {
    "ament_index_python", "launch", "launch_ros", "launch_testing", "launch_testing_ros", "launch_xml", "launch_yaml",
}  # fmt: skip


class _LaunchFinder(MetaPathFinder):
    """Makes the modules for launch files importable when a program imports the first of them: most programs import none."""

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if fullname not in _LAUNCH_PACKAGES:
            return None
        sys.meta_path.remove(self)
        from saltus.launch import names

        names.install()
        return importlib.util.find_spec(fullname)


find_by_own_name()
sys.meta_path.insert(0, _LaunchFinder())
AliasFinder(
    {
        "message_filters": "saltus.message_filters",
        "nav2_simple_commander": "saltus.navigation",
        **{
            f"nav2_simple_commander.{module}": f"saltus.navigation.{module}"
            for module in (
                "costmap_2d",
                "footprint_collision_checker",
                "line_iterator",
                "robot_navigator",
                "utils",
            )  # fmt: skip
        },
        "tf2_geometry_msgs": "saltus.tf.geometry",
        "tf2_py": "saltus.tf.core",
        "tf2_ros": "saltus.tf",
        "tf2_ros.buffer": "saltus.tf.buffer",
        "tf2_ros.buffer_client": "saltus.tf.buffer_client",
        "tf2_ros.buffer_interface": "saltus.tf.interface",
        "tf2_ros.static_transform_broadcaster": "saltus.tf.broadcasters",
        "tf2_ros.transform_broadcaster": "saltus.tf.broadcasters",
        "tf2_ros.transform_listener": "saltus.tf.listener",
        "tf2_sensor_msgs": "saltus.tf.clouds",
        "tf2_sensor_msgs.tf2_sensor_msgs": "saltus.tf.clouds",
        "rclpy": "saltus.rclpy",
        "rclpy.lifecycle": "saltus.rclpy.lifecycle",
        "rclpy.lifecycle.node": "saltus.rclpy.lifecycle.node",
        "rclpy.node": "saltus.rclpy.node",
        "rclpy.impl": "saltus.rclpy.impl",
        **{f"rclpy.{module}": f"saltus.rclpy.{module}" for module in saltus.rclpy.MODULES},
    }
).install(first=True)
