"""Actions for nodes, with the classes of ROS 2's ``launch_ros.actions``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable

from saltus.launch.actions import ExecuteProcess, _OfPair, _OfText
from saltus.launch.entity import Action
from saltus.launch.ros.descriptions import ComposableNode, names_json
from saltus.launch.ros.parameters import frozen, value_json
from saltus.launch.substitution import SomeSubstitutionsType, bool_text, parts, text_json
from saltus.launch.timers import TimerAction

if TYPE_CHECKING:
    from saltus.launch.registry import Registry

__all__ = [
    "ComposableNodeContainer", "LifecycleNode", "LifecycleTransition", "LoadComposableNodes", "Node", "PushROSNamespace",
    "PushRosNamespace", "ROSTimer", "RosTimer", "SetParameter", "SetParametersFromFile", "SetROSLogDir", "SetRemap",
    "SetUseSimTime",
]  # fmt: skip


class Node(ExecuteProcess):
    """Starts a node."""

    def __init__(
        self,
        *,
        executable: SomeSubstitutionsType,
        package: SomeSubstitutionsType | None = None,
        name: SomeSubstitutionsType | None = None,
        namespace: SomeSubstitutionsType | None = None,
        exec_name: SomeSubstitutionsType | None = None,
        parameters: Any = None,
        remappings: Iterable[tuple[Any, Any]] | None = None,
        ros_arguments: Iterable[SomeSubstitutionsType] | None = None,
        arguments: Iterable[SomeSubstitutionsType] | None = None,
        **kwargs: Any,
    ) -> None:
        if parameters is not None and not isinstance(parameters, (list, tuple)):
            raise TypeError(f"expected 'parameters' to be one of [list], but got '{parameters}'")
        super().__init__(cmd=[executable], name=exec_name, **kwargs)
        self.node_package, self.node_executable = package, executable
        self._name, self._namespace = name, namespace
        self._parameters, self._remappings = frozen(parameters), frozen(list(remappings or []))
        self._arguments = [parts(word) for word in arguments or []]
        self._ros_arguments = [parts(word) for word in ros_arguments or []]

    @property
    def node_name(self) -> str:
        """The full name of the node, which is known when it was started."""
        if self.process_details is None:
            raise RuntimeError("cannot access 'node_name' before executing action")
        return str(self.process_details["node"])

    def node_kind(self, registry: Registry) -> Any:
        """Returns the kind of node, for the launcher."""
        return "plain"

    def program(self, registry: Registry) -> dict[str, Any]:
        package = None if self.node_package is None else text_json(self.node_package, registry)
        return {
            "node": {
                "package": package,
                "exec": text_json(self.node_executable, registry),
                "names": names_json(self._name, self._namespace, self._parameters, self._remappings, registry),
                "args": {"words": [text_json(word, registry) for word in self._arguments]},
                "ros_args": {"words": [text_json(word, registry) for word in self._ros_arguments]},
                "kind": self.node_kind(registry),
            }
        }


class LifecycleNode(Node):
    """Starts a lifecycle node."""

    def __init__(
        self,
        *,
        name: SomeSubstitutionsType,
        namespace: SomeSubstitutionsType,
        autostart: bool | SomeSubstitutionsType = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, namespace=namespace, **kwargs)
        self._autostart = autostart

    def node_kind(self, registry: Registry) -> Any:
        return {"lifecycle": {"autostart": text_json(bool_text(self._autostart), registry)}}


class ComposableNodeContainer(Node):
    """Starts a container, and loads components into it."""

    def __init__(
        self,
        *,
        name: SomeSubstitutionsType,
        namespace: SomeSubstitutionsType,
        composable_node_descriptions: Iterable[ComposableNode] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, namespace=namespace, **kwargs)
        self._components = list(composable_node_descriptions or [])

    def node_kind(self, registry: Registry) -> Any:
        return {"container": [component.component_json(registry) for component in self._components]}


class LoadComposableNodes(Action):
    """Loads components into a container that runs."""

    def __init__(
        self, *, composable_node_descriptions: Iterable[ComposableNode], target_container: Any, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self._components = list(composable_node_descriptions)
        self._target = target_container

    def kind(self, registry: Registry) -> dict[str, Any]:
        if isinstance(self._target, ComposableNodeContainer):
            target: dict[str, Any] = {"action": registry.number(self._target)}
        else:
            target = {"node": text_json(self._target, registry)}
        return {
            "load": {
                "target": target,
                "components": [component.component_json(registry) for component in self._components],
            }
        }


class LifecycleTransition(Action):
    """Changes the states of lifecycle nodes, one transition after the other."""

    def __init__(
        self, *, lifecycle_node_names: Iterable[SomeSubstitutionsType], transition_ids: Iterable[int], **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.lifecycle_node_names = list(lifecycle_node_names)
        self.transition_ids = list(transition_ids)
        if not self.transition_ids:
            raise ValueError("No transition_ids provided.")
        if not self.lifecycle_node_names:
            raise ValueError("No lifecycle_node_names provided.")

    def kind(self, registry: Registry) -> dict[str, Any]:
        names = [text_json(name, registry) for name in self.lifecycle_node_names]
        return {"transitions": {"nodes": names, "transitions": self.transition_ids}}


class PushROSNamespace(_OfText):
    """Adds to the namespace of all nodes that follow."""

    _tag = "push_namespace"

    def __init__(self, namespace: SomeSubstitutionsType, **kwargs: Any) -> None:
        super().__init__(namespace, **kwargs)


PushRosNamespace = PushROSNamespace


class SetParameter(Action):
    """Sets a parameter of all nodes that follow."""

    def __init__(self, name: SomeSubstitutionsType, value: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._name, self._value = parts(name), frozen(value)

    def kind(self, registry: Registry) -> dict[str, Any]:
        return {"set_parameter": [text_json(self._name, registry), value_json(self._value, registry)]}


class SetParametersFromFile(_OfText):
    """Gives a file of parameters to all nodes that follow."""

    _tag = "set_parameters_from_file"

    def __init__(self, filename: SomeSubstitutionsType, **kwargs: Any) -> None:
        super().__init__(filename, **kwargs)


class SetRemap(_OfPair):
    """Gives a remapping rule to all nodes that follow."""

    _tag = "set_remap"

    def __init__(self, src: SomeSubstitutionsType, dst: SomeSubstitutionsType, **kwargs: Any) -> None:
        super().__init__(src, dst, **kwargs)


class SetROSLogDir(_OfText):
    """Sets the folder of the logs of all processes that follow."""

    _tag = "set_log_folder"

    def __init__(self, new_log_dir: SomeSubstitutionsType, **kwargs: Any) -> None:
        super().__init__(new_log_dir, **kwargs)


class SetUseSimTime(_OfText):
    """Sets whether the timers of the launch use the clock of the topic ``/clock``."""

    _tag = "set_use_sim_time"

    def __init__(self, value: bool | SomeSubstitutionsType, **kwargs: Any) -> None:
        super().__init__(bool_text(value), **kwargs)


class ROSTimer(TimerAction):
    """Performs actions later, by the clock of the nodes."""

    _is_ros = True


RosTimer = ROSTimer
