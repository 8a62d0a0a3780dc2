"""Launch files in Python, with the classes of ROS 2's ``launch``.

``saltus launch robot.launch.py`` runs such files. They may also import these modules as ``launch`` and ``launch_ros``::

    from launch import LaunchDescription
    from launch_ros.actions import Node

    def generate_launch_description():
        return LaunchDescription([Node(package="demo", executable="talker")])
"""

from saltus.launch import (
    actions,
    conditions,
    event_handlers,
    events,
    frontend,
    launch_description_sources,
    logging,
    substitutions,
    utilities,
)  # fmt: skip
from saltus.launch.conditions import Condition
from saltus.launch.context import LaunchContext
from saltus.launch.entity import (
    Action,
    LaunchDescription,
    LaunchDescriptionEntity,
    SomeEntitiesType,
    SomeEntitiesType_types_tuple,
)
from saltus.launch.event_handlers import EventHandler
from saltus.launch.events import Event
from saltus.launch.launch_description_sources import InvalidLaunchFileError, LaunchDescriptionSource
from saltus.launch.service import LaunchIntrospector, LaunchService
from saltus.launch.substitution import SomeSubstitutionsType, SomeSubstitutionsType_types_tuple, Substitution

__all__ = [
    "Action", "Condition", "Event", "EventHandler", "InvalidLaunchFileError", "LaunchContext", "LaunchDescription",
    "LaunchDescriptionEntity", "LaunchDescriptionSource", "LaunchIntrospector", "LaunchService", "SomeEntitiesType",
    "SomeEntitiesType_types_tuple", "SomeSubstitutionsType", "SomeSubstitutionsType_types_tuple",
    "Substitution", "actions", "conditions", "event_handlers", "events", "frontend",
    "launch_description_sources", "logging", "substitutions", "utilities",
]  # fmt: skip
