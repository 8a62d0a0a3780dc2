"""Installed packages, under the name of ROS 2's package, for programs that import it: xacro does for ``$(find …)``."""

from saltus.launch.index import *  # noqa: F403
