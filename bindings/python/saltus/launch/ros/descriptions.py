"""Descriptions of components, with the classes of ROS 2's ``launch_ros.descriptions``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from saltus.launch.attributes import Attribute, children, pairs, read_all
from saltus.launch.conditions import Condition, parse_condition
from saltus.launch.entity import LaunchDescriptionEntity
from saltus.launch.ros.parameters import (
    Parameter,
    ParameterFile,
    ParameterValue,
    frozen,
    parse_parameters,
    sources_json,
    value_json,
)
from saltus.launch.substitution import SomeSubstitutionsType, bool_text, parts, text_json

if TYPE_CHECKING:
    from saltus.launch.elements import Entity
    from saltus.launch.frontend.parser import Parser
    from saltus.launch.registry import Registry

__all__ = ["ComposableNode", "Parameter", "ParameterFile", "ParameterValue"]


def names_json(name: Any, namespace: Any, parameters: Any, remappings: Any, registry: Registry) -> dict[str, Any]:
    """Returns the name of a node, its parameters and its remapping rules for the launcher."""
    rules = []
    for rule in remappings or []:
        if len(rule) != 2:
            raise TypeError(f"remap_rule must be a tuple of length 2, got length {len(rule)}")
        rules.append({"name": text_json(rule[0], registry), "value": text_json(rule[1], registry)})
    return {
        "name": None if name is None else text_json(name, registry),
        "namespace": None if namespace is None else text_json(namespace, registry),
        "parameters": sources_json(parameters, registry),
        "remaps": rules,
    }


_ATTRIBUTES = {
    "package": Attribute("pkg"),
    "plugin": Attribute("plugin"),
    "name": Attribute("name", optional=True),
    "namespace": Attribute("namespace", optional=True),
    "autostart": Attribute("autostart", bool, optional=True),
}


def parse_components(entity: Entity, parser: Parser) -> list[ComposableNode]:
    """Returns the components in the elements ``composable_node`` of an element of a launch file."""
    found = (ComposableNode.parse(child, parser) for child in children(entity, "composable_node"))
    return [create(**kwargs) for create, kwargs in found]


class ComposableNode(LaunchDescriptionEntity):
    """A component that is loaded into a container."""

    def __init__(
        self,
        *,
        package: SomeSubstitutionsType,
        plugin: SomeSubstitutionsType,
        name: SomeSubstitutionsType | None = None,
        namespace: SomeSubstitutionsType | None = None,
        parameters: Any = None,
        remappings: Any = None,
        extra_arguments: Any = None,
        condition: Condition | None = None,
        autostart: bool | SomeSubstitutionsType = False,
    ) -> None:
        self.package, self.node_plugin = parts(package), parts(plugin)
        self.node_name, self.node_namespace = (None if text is None else parts(text) for text in (name, namespace))
        self.parameters, self.remappings = frozen(parameters), remappings
        self.extra_arguments = frozen(extra_arguments)
        self._condition, self._autostart = condition, autostart

    @classmethod
    def parse(cls, entity: Entity, parser: Parser) -> tuple[type[ComposableNode], dict[str, Any]]:
        """Returns the class and its arguments for an element of a launch file in XML or YAML."""
        kwargs = {**read_all(_ATTRIBUTES, entity, parser), "condition": parse_condition(entity, parser)}
        kwargs["parameters"] = parse_parameters(entity, parser) or None
        kwargs["remappings"] = pairs(entity, parser, "remap", ("from", "to")) or None
        kwargs["extra_arguments"] = [dict([pair]) for pair in pairs(entity, parser, "extra_arg")] or None
        entity.assert_entity_completely_parsed()
        return cls, kwargs

    def condition(self) -> Condition | None:
        """The component is loaded only if the condition holds."""
        return self._condition

    def component_json(self, registry: Registry) -> dict[str, Any]:
        """Returns the component for the launcher."""
        file, line = self._origin
        arguments = []
        for source in self.extra_arguments or []:
            for name, value in source.items():
                arguments.append([text_json(name, registry), value_json(value, registry)])
        component = {
            "origin": {"file": file, "line": line},
            "package": text_json(self.package, registry),
            "plugin": text_json(self.node_plugin, registry),
            "names": names_json(self.node_name, self.node_namespace, self.parameters, self.remappings, registry),
            "extra_arguments": arguments,
            "autostart": text_json(bool_text(self._autostart), registry),
        }
        if self._condition is not None:
            component["condition"] = self._condition.to_json(registry)
        return component
