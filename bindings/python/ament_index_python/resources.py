"""The index of resources: see :mod:`ament_index_python`."""

from saltus.launch.index import *  # noqa: F403
