"""Prefixes and folders of packages: see :mod:`ament_index_python`."""

from saltus.launch.index import *  # noqa: F403
