"""The names of the nodes that a context has started."""

from __future__ import annotations

from typing import TYPE_CHECKING

from saltus.launch import logging as launch_logging

if TYPE_CHECKING:
    from saltus.launch.context import LaunchContext

__all__ = ["add_node_name", "get_node_name_count"]

_KEY = "unique_ros_node_names"


def add_node_name(context: LaunchContext, node_name: str) -> None:
    """Counts a node with a name. Warns if there are now several."""
    count = get_node_name_count(context, node_name) + 1
    context.extend_globals({_KEY: {**context.get_globals_as_dict().get(_KEY, {}), node_name: count}})
    if count > 1:
        # The words are ROS 2's.
        launch_logging.get_logger("launch_ros.utilities.track_node_names").warning(
            f"there are now at least {count} nodes with the name {node_name} created within this launch context"
        )


def get_node_name_count(context: LaunchContext, node_name: str) -> int:
    """Returns the number of nodes with a name."""
    return int(context.get_globals_as_dict().get(_KEY, {}).get(node_name, 0))
