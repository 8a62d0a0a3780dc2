"""Actions that start nodes, and that load components."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable

from saltus.launch.entity import Action
from saltus.launch.processes import ExecuteProcess
from saltus.launch.ros.descriptions import ComposableNode, names_json
from saltus.launch.ros.parameters import frozen
from saltus.launch.simple_actions import needs_launcher
from saltus.launch.substitution import SomeSubstitutionsType, bool_text, parts, text_json

if TYPE_CHECKING:
    from saltus.launch.context import LaunchContext
    from saltus.launch.registry import Registry

__all__ = ["ComposableNodeContainer", "LifecycleNode", "LoadComposableNodes", "Node"]


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

    def execute(self, context: LaunchContext) -> None:
        raise needs_launcher(self)

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
