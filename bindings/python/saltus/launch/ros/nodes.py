"""Actions that start nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable

from saltus.launch.attributes import Attribute, pairs
from saltus.launch.frontend.expose import expose_action
from saltus.launch.process_options import Words
from saltus.launch.processes import ExecuteLocal, ExecuteProcess
from saltus.launch.ros.descriptions import COMPONENTS, ComposableNode, names_json
from saltus.launch.ros.evaluation import normalize_parameters, normalize_remap_rules
from saltus.launch.ros.parameters import PARAMETERS, frozen
from saltus.launch.substitution import SomeSubstitutionsType, bool_text, parts, text_json

if TYPE_CHECKING:
    from saltus.launch.registry import Registry

__all__ = ["ComposableNodeContainer", "LifecycleNode", "Node"]


@expose_action("node")
class Node(ExecuteProcess):
    """Starts a node."""

    readers = {
        **ExecuteLocal.readers,
        "name": Attribute("name", optional=True),
        "executable": Attribute("exec"),
        "package": Attribute("pkg", optional=True),
        "namespace": Attribute("namespace", optional=True),
        "exec_name": Attribute("exec_name", optional=True),
        "arguments": Words("args", optional=True),
        "ros_arguments": Words("ros_args", optional=True),
        "parameters": PARAMETERS,
        "remappings": pairs("remap", "from", "to"),
    }

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
        normalize_parameters(parameters or [])
        remappings = list(normalize_remap_rules(remappings or []))
        super().__init__(cmd=[executable], name=exec_name, **kwargs)
        self.node_package, self.node_executable = package, executable
        self._name, self._namespace = name, namespace
        self._parameters, self._remappings = frozen(parameters), remappings
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


@expose_action("lifecycle_node")
class LifecycleNode(Node):
    """Starts a lifecycle node."""

    readers = {**Node.readers, "autostart": Attribute("autostart", bool, optional=True)}

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


@expose_action("node_container")
class ComposableNodeContainer(Node):
    """Starts a container, and loads components into it."""

    readers = {**Node.readers, "composable_node_descriptions": COMPONENTS}

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
