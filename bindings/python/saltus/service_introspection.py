"""Service introspection: what clients and servers publish about their calls."""

from enum import IntEnum


class ServiceIntrospectionState(IntEnum):
    """What is published on ``<service>/_service_event``."""

    OFF = 0
    METADATA = 1
    CONTENTS = 2
