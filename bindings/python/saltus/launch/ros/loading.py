"""The action that loads components into a container, and its requests."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterable

from saltus._interfaces import class_of
from saltus.launch.attributes import Attribute
from saltus.launch.entity import Action
from saltus.launch.frontend.expose import expose_action
from saltus.launch.ros.descriptions import COMPONENTS, ComposableNode
from saltus.launch.ros.evaluation import (
    evaluate_parameters,
    normalize_parameters,
    normalize_remap_rules,
    to_parameters_list,
)
from saltus.launch.ros.namespaces import make_namespace_absolute, prefix_namespace
from saltus.launch.ros.nodes import ComposableNodeContainer
from saltus.launch.simple_actions import needs_launcher
from saltus.launch.substitution import parts, perform_substitutions, text_json

if TYPE_CHECKING:
    from saltus.launch.context import LaunchContext
    from saltus.launch.registry import Registry

__all__ = ["LoadComposableNodes", "get_composable_node_load_request"]


@expose_action("load_composable_node")
class LoadComposableNodes(Action):
    """Loads components into a container that runs."""

    readers = {
        "target_container": Attribute("target"),
        "composable_node_descriptions": COMPONENTS,
    }

    def __init__(
        self, *, composable_node_descriptions: Iterable[ComposableNode], target_container: Any, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self._components = list(composable_node_descriptions)
        is_action = isinstance(target_container, ComposableNodeContainer)
        self.target = target_container if is_action else parts(target_container)

    def execute(self, context: LaunchContext) -> None:
        raise needs_launcher(self)

    def kind(self, registry: Registry) -> dict[str, Any]:
        if isinstance(self.target, ComposableNodeContainer):
            target: dict[str, Any] = {"action": registry.number(self.target)}
        else:
            target = {"node": text_json(self.target, registry)}
        return {
            "load": {
                "target": target,
                "components": [component.component_json(registry) for component in self._components],
            }
        }


def get_composable_node_load_request(composable_node_description: ComposableNode, context: LaunchContext) -> Any:
    """Returns the request ``composition_interfaces/srv/LoadNode`` for a component.

    The remapping rules and parameters that were set for all nodes are the first ones.
    """
    component = composable_node_description

    def text(subs: Any) -> str:
        return "" if subs is None else perform_substitutions(context, subs)

    name = text(component.node_name)
    own_namespace = None if component.node_namespace is None else text(component.node_namespace)
    base = context.launch_configurations.get("ros_namespace")
    namespace = make_namespace_absolute(prefix_namespace(base, own_namespace)) or ""
    of_all = [
        Path(p) if isinstance(p, str) else dict([p]) for p in context.launch_configurations.get("global_params", [])
    ]
    own = evaluate_parameters(context, normalize_parameters(component.parameters or []))
    extra = evaluate_parameters(context, normalize_parameters(component.extra_arguments or []))
    return class_of("composition_interfaces/srv/LoadNode_Request")(
        package_name=text(component.package),
        plugin_name=text(component.node_plugin),
        node_name=name,
        node_namespace=namespace,
        remap_rules=_rules(component, context),
        parameters=_messages(context, name, namespace, [*of_all, *own]),
        extra_arguments=_messages(context, name, namespace, extra),
    )


def _rules(component: ComposableNode, context: LaunchContext) -> list[str]:
    """Returns the remapping rules of a component as texts."""
    own = [
        tuple(perform_substitutions(context, part) for part in rule)
        for rule in normalize_remap_rules(component.remappings or [])
    ]
    return [f"{name}:={value}" for name, value in [*context.launch_configurations.get("ros_remaps", []), *own]]


def _messages(context: LaunchContext, name: str, namespace: str, evaluated: Iterable[Any]) -> list[Any]:
    return [parameter.to_parameter_msg() for parameter in to_parameters_list(context, name, namespace, evaluated)]
