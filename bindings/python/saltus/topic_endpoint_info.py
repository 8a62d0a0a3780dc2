"""The properties of publishers and subscriptions, as the graph knows them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from saltus.qos import QoSProfile


class TopicEndpointTypeEnum(IntEnum):
    """The kind of an endpoint of a topic."""

    INVALID = 0
    PUBLISHER = 1
    SUBSCRIPTION = 2


@dataclass
class TopicEndpointInfo:
    """A publisher or subscription of a topic."""

    node_name: str
    node_namespace: str
    topic_type: str
    topic_type_hash: str
    endpoint_type: TopicEndpointTypeEnum
    endpoint_gid: list[int]
    qos_profile: QoSProfile

    def __str__(self) -> str:
        gid = ".".join(f"{byte:02x}" for byte in self.endpoint_gid)
        return "\n".join(
            (
                f"Node name: {self.node_name}",
                f"Node namespace: {self.node_namespace}",
                f"Topic type: {self.topic_type}",
                f"Topic type hash: {self.topic_type_hash}",
                f"Endpoint type: {self.endpoint_type.name}",
                f"GID: {gid}",
                f"QoS profile: {self.qos_profile}",
            )
        )
