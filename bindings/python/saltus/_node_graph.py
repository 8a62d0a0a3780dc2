"""What a node knows of the graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from saltus.context import Context
from saltus.exceptions import SaltusError
from saltus.qos import QoSProfile
from saltus.topic_endpoint_info import TopicEndpointInfo, TopicEndpointTypeEnum

HIDDEN_NODE_PREFIX = "_"

NamesAndTypes = list  # of tuple[str, list[str]]


class NodeNameNonExistentError(SaltusError):
    """There is no node with this name."""


class NodeGraph:
    """The part of a node that queries names, types, nodes and endpoints."""

    _context: Context

    if TYPE_CHECKING:

        def resolve_topic_name(self, topic: str, *, only_expand: bool = False) -> str:
            """Returns the full name of a topic, given the name that the node uses."""

        def resolve_service_name(self, service: str, *, only_expand: bool = False) -> str:
            """Returns the full name of a service, given the name that the node uses."""

    def __graph(self) -> Any:
        return self._context.handle.graph()

    def get_topic_names_and_types(self, no_demangle: bool = False) -> NamesAndTypes:
        """Returns every topic with its types, sorted. The topics that every node has are included."""
        found = dict(self.__graph().names_and_types("topics"))
        # Nodes open these topics when they first publish on them.
        found.setdefault("/parameter_events", ["rcl_interfaces/msg/ParameterEvent"])
        found.setdefault("/rosout", ["rcl_interfaces/msg/Log"])
        return sorted(found.items())

    def get_service_names_and_types(self) -> NamesAndTypes:
        """Returns every service with its types, sorted."""
        return self.__graph().names_and_types("services")

    def get_node_names(self) -> list[str]:
        """Returns the names of all nodes that are not hidden."""
        return [name for name, _ in self.get_node_names_and_namespaces()]

    def get_node_names_and_namespaces(self) -> list[tuple[str, str]]:
        """Returns the name and namespace of each node that is not hidden."""
        return [node for node in self.__graph().nodes() if not node[0].startswith(HIDDEN_NODE_PREFIX)]

    def get_node_names_and_namespaces_with_enclaves(self) -> list[tuple[str, str, str]]:
        """Returns the name and namespace of each node, and ``/`` as its enclave, because Saltus has no enclaves."""
        return [(name, namespace, "/") for name, namespace in self.get_node_names_and_namespaces()]

    def get_fully_qualified_node_names(self) -> list[str]:
        """Returns the full names of all nodes that are not hidden."""
        return [f"{ns.rstrip('/')}/{name}" for name, ns in self.get_node_names_and_namespaces()]

    def __of_node(self, what: str, node_name: str, node_namespace: str) -> NamesAndTypes:
        found = self.__graph().of_node(what, node_name, node_namespace or "/")
        if found is None:
            full = f"{node_namespace.rstrip('/')}/{node_name}"
            raise NodeNameNonExistentError(f"Cannot get {what} of node {full}: there is no node with this name")
        return found

    def get_publisher_names_and_types_by_node(
        self, node_name: str, node_namespace: str, no_demangle: bool = False
    ) -> NamesAndTypes:
        """Returns the topics that a node publishes, with their types."""
        return self.__of_node("publishers", node_name, node_namespace)

    def get_subscriber_names_and_types_by_node(
        self, node_name: str, node_namespace: str, no_demangle: bool = False
    ) -> NamesAndTypes:
        """Returns the topics that a node subscribes to, with their types."""
        return self.__of_node("subscriptions", node_name, node_namespace)

    def get_service_names_and_types_by_node(self, node_name: str, node_namespace: str) -> NamesAndTypes:
        """Returns the services of a node, with their types."""
        return self.__of_node("services", node_name, node_namespace)

    def get_client_names_and_types_by_node(self, node_name: str, node_namespace: str) -> NamesAndTypes:
        """Returns the services that a node calls, with their types."""
        return self.__of_node("clients", node_name, node_namespace)

    def __endpoints(self, what: str, topic_name: str, no_mangle: bool) -> list[TopicEndpointInfo]:
        full = topic_name if no_mangle else self.resolve_topic_name(topic_name)
        return [
            TopicEndpointInfo(
                name, namespace, type_name, type_hash, TopicEndpointTypeEnum(kind), list(gid), QoSProfile._of(profile)
            )
            for name, namespace, type_name, type_hash, kind, gid, profile in self.__graph().endpoints(what, full)
        ]

    def get_publishers_info_by_topic(self, topic_name: str, no_mangle: bool = False) -> list[TopicEndpointInfo]:
        """Returns the publishers of a topic."""
        return self.__endpoints("publishers", topic_name, no_mangle)

    def get_subscriptions_info_by_topic(self, topic_name: str, no_mangle: bool = False) -> list[TopicEndpointInfo]:
        """Returns the subscriptions to a topic."""
        return self.__endpoints("subscriptions", topic_name, no_mangle)

    def count_publishers(self, topic_name: str) -> int:
        """Returns how many publishers a topic has."""
        return self.__graph().count("publishers", self.resolve_topic_name(topic_name))

    def count_subscribers(self, topic_name: str) -> int:
        """Returns how many subscriptions a topic has."""
        return self.__graph().count("subscriptions", self.resolve_topic_name(topic_name))

    def count_clients(self, service_name: str) -> int:
        """Returns how many clients a service has."""
        return self.__graph().count("clients", self.resolve_service_name(service_name))

    def count_services(self, service_name: str) -> int:
        """Returns how many servers a service has."""
        return self.__graph().count("services", self.resolve_service_name(service_name))

    def wait_for_node(self, fully_qualified_node_name: str, timeout: float) -> bool:
        """Waits until a node with this name exists, for at most ``timeout`` seconds. Returns whether it exists."""
        wanted = "/" + fully_qualified_node_name.lstrip("/")
        names = self.get_fully_qualified_node_names
        return self._context.handle.wait_for(lambda: wanted in names(), timeout)
