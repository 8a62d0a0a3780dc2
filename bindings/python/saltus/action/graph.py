"""The actions of the graph."""

from __future__ import annotations

from typing import Any

_FEEDBACK = "/_action/feedback"
_MESSAGE = "_FeedbackMessage"


def _actions(topics: list[tuple[str, list[str]]]) -> list[tuple[str, list[str]]]:
    return [
        (name[: -len(_FEEDBACK)], [ty[: -len(_MESSAGE)] for ty in types if ty.endswith(_MESSAGE)])
        for name, types in topics
        if name.endswith(_FEEDBACK)
    ]


def get_action_names_and_types(node: Any) -> list[tuple[str, list[str]]]:
    """Returns every action with its types, sorted."""
    return _actions(node.get_topic_names_and_types())


def get_action_client_names_and_types_by_node(
    node: Any, remote_node_name: str, remote_node_namespace: str
) -> list[tuple[str, list[str]]]:
    """Returns the actions of which a node has a client, with their types."""
    return _actions(node.get_subscriber_names_and_types_by_node(remote_node_name, remote_node_namespace))


def get_action_server_names_and_types_by_node(
    node: Any, remote_node_name: str, remote_node_namespace: str
) -> list[tuple[str, list[str]]]:
    """Returns the actions of which a node has a server, with their types."""
    return _actions(node.get_publisher_names_and_types_by_node(remote_node_name, remote_node_namespace))
