"""Actions for nodes, with the classes of ROS 2's ``launch_ros.actions``."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Iterable

from saltus.launch.attributes import Attribute
from saltus.launch.entity import Action
from saltus.launch.event_actions import EmitEvent, RegisterEventHandler
from saltus.launch.events import Event
from saltus.launch.frontend.expose import expose_action
from saltus.launch.ros.event_handlers import OnStateTransition
from saltus.launch.ros.events.lifecycle import ChangeState, StateTransition, matches_node_name
from saltus.launch.ros.loading import LoadComposableNodes
from saltus.launch.ros.namespaces import make_namespace_absolute, prefix_namespace
from saltus.launch.ros.nodes import ComposableNodeContainer, LifecycleNode, Node
from saltus.launch.ros.parameters import Parameter
from saltus.launch.simple_actions import OfPair, OfText, needs_launcher, text_of
from saltus.launch.substitution import (
    Known,
    SomeSubstitutionsType,
    bool_text,
    literal,
    number_text,
    parts,
    perform_substitutions,
    text_json,
)
from saltus.launch.timers import TimerAction
from saltus.names import validate_namespace

if TYPE_CHECKING:
    from saltus.launch.context import LaunchContext
    from saltus.launch.registry import Registry

__all__ = [
    "ComposableNodeContainer", "LifecycleNode", "LifecycleTransition", "LoadComposableNodes", "Node", "PushROSNamespace",
    "PushRosNamespace", "ROSTimer", "RosTimer", "SetParameter", "SetParametersFromFile", "SetROSLogDir", "SetRemap",
    "SetUseSimTime",
]  # fmt: skip


#: The state in which each transition ends, if nothing fails.
_GOALS = {1: "inactive", 2: "unconfigured", 3: "active", 4: "inactive", 5: "finalized", 6: "finalized", 7: "finalized"}


class LifecycleTransition(Action):
    """Changes the states of lifecycle nodes, one transition after the other."""

    def __init__(
        self,
        *,
        lifecycle_node_names: Iterable[SomeSubstitutionsType],
        transition_ids: Iterable[int | SomeSubstitutionsType],
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.lifecycle_node_names = [parts(name) for name in lifecycle_node_names]
        self.transition_ids = [parts(number_text(number)) for number in transition_ids]
        if not self.transition_ids:
            raise ValueError("No transition_ids provided.")
        if not self.lifecycle_node_names:
            raise ValueError("No lifecycle_node_names provided.")

    def execute(self, context: LaunchContext) -> list[Action]:
        names = [make_namespace_absolute(perform_substitutions(context, name)) for name in self.lifecycle_node_names]
        numbers = [int(perform_substitutions(context, number)) for number in self.transition_ids]
        handlers = [
            RegisterEventHandler(_on_end_of(number, following, name))
            for name in names
            for number, following in zip(numbers, [*numbers[1:], None])
        ]
        return [*handlers, *(_change_state(name, numbers[0]) for name in names)]

    def kind(self, registry: Registry) -> dict[str, Any]:
        names = [text_json(name, registry) for name in self.lifecycle_node_names]
        numbers = [int(literal(number) or "") for number in self.transition_ids]
        return {"transitions": {"nodes": names, "transitions": numbers}}


def _change_state(name: str, transition: int) -> EmitEvent:
    return EmitEvent(event=ChangeState(lifecycle_node_matcher=matches_node_name(name), transition_id=transition))


def _on_end_of(transition: int, following: int | None, name: str) -> OnStateTransition:
    """Returns a handler that begins the next transition of a node when one has ended."""
    is_node = matches_node_name(name)

    def matches(event: Event) -> bool:
        if not isinstance(event, StateTransition) or event.goal_state != _GOALS.get(transition):
            return False
        return is_node(event.action)

    entities = [] if following is None else [_change_state(name, following)]
    return OnStateTransition(matcher=matches, entities=entities, handle_once=True)


@expose_action("push_ros_namespace")
@expose_action("push-ros-namespace")
class PushROSNamespace(OfText):
    """Adds to the namespace of all nodes that follow."""

    _tag = "push_namespace"
    readers = {"namespace": Attribute("namespace")}
    namespace = text_of("The parts of the namespace.")

    def __init__(self, namespace: SomeSubstitutionsType, **kwargs: Any) -> None:
        super().__init__(namespace, **kwargs)

    def execute(self, context: LaunchContext) -> None:
        values = context.launch_configurations
        namespace = prefix_namespace(values.get("ros_namespace"), self.perform(context))
        namespace = make_namespace_absolute(namespace or "")
        validate_namespace(namespace)
        values["ros_namespace"] = namespace


PushRosNamespace = PushROSNamespace


def _append(context: LaunchContext, name: str, item: Any) -> None:
    """Appends to the list in a variable. A list that was pushed stays as it is."""
    if Known.launcher is not None:
        raise RuntimeError(
            "a function of a launch file can't perform this action: return it, and the launcher performs it"
        )
    context.launch_configurations[name] = [*context.launch_configurations.get(name, []), item]


@expose_action("set_parameter")
class SetParameter(Action):
    """Sets a parameter of all nodes that follow."""

    readers = {"name": Attribute("name"), "value": Attribute("value")}

    def __init__(self, name: SomeSubstitutionsType, value: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._parameter = Parameter(name, value)
        self.name, self.value = self._parameter.name, self._parameter.value

    def execute(self, context: LaunchContext) -> None:
        _append(context, "global_params", self._parameter.evaluate(context))

    def kind(self, registry: Registry) -> dict[str, Any]:
        return {"set_parameter": self._parameter.to_json(registry)}


@expose_action("set_parameters_from_file")
class SetParametersFromFile(OfText):
    """Gives a file of parameters to all nodes that follow."""

    _tag = "set_parameters_from_file"
    readers = {"filename": Attribute("filename")}

    def __init__(self, filename: SomeSubstitutionsType, **kwargs: Any) -> None:
        super().__init__(filename, **kwargs)

    def execute(self, context: LaunchContext) -> None:
        _append(context, "global_params", self.perform(context))


@expose_action("set_remap")
class SetRemap(OfPair):
    """Gives a remapping rule to all nodes that follow."""

    _tag = "set_remap"
    readers = {"src": Attribute("from"), "dst": Attribute("to")}

    def __init__(self, src: SomeSubstitutionsType, dst: SomeSubstitutionsType, **kwargs: Any) -> None:
        super().__init__(src, dst, **kwargs)

    @property
    def src(self) -> Any:
        """The parts of the name that nodes use."""
        return self.name

    @property
    def dst(self) -> Any:
        """The parts of the name that is used instead."""
        return self.value

    def execute(self, context: LaunchContext) -> None:
        _append(context, "ros_remaps", self.perform(context))


@expose_action("set_ros_log_dir")
class SetROSLogDir(OfText):
    """Sets the folder of the logs of all processes that follow."""

    _tag = "set_log_folder"
    readers = {"new_log_dir": Attribute("new_log_dir")}
    log_dir = text_of("The parts of the path of the folder.")

    def __init__(self, new_log_dir: SomeSubstitutionsType, **kwargs: Any) -> None:
        super().__init__(new_log_dir, **kwargs)

    def execute(self, context: LaunchContext) -> None:
        before = context.environment.get("ROS_LOG_DIR", "")
        context.environment["ROS_LOG_DIR"] = os.path.join(before, self.perform(context))


@expose_action("set_use_sim_time")
class SetUseSimTime(OfText):
    """Sets whether the timers of the launch use the clock of the topic ``/clock``."""

    _tag = "set_use_sim_time"
    readers = {"value": Attribute("value", bool)}

    def __init__(self, value: bool | SomeSubstitutionsType, **kwargs: Any) -> None:
        super().__init__(bool_text(value), **kwargs)

    def execute(self, context: LaunchContext) -> None:
        raise needs_launcher(self)


@expose_action("ros_timer")
class ROSTimer(TimerAction):
    """Performs actions later, by the clock of the nodes."""

    _is_ros = True


RosTimer = ROSTimer
