"""Descriptions of components, with the classes of ROS 2's ``launch_ros.descriptions``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from saltus.launch.attributes import Attribute, Each, Function, Reader, pairs, read_all
from saltus.launch.conditions import Condition, parse_condition
from saltus.launch.entity import LaunchDescriptionEntity
from saltus.launch.ros.parameters import (
    PARAMETERS,
    Parameter,
    ParameterFile,
    ParameterValue,
    frozen,
    sources_json,
    value_json,
)
from saltus.launch.substitution import SomeSubstitutionsType, bool_text, parts, text_json

if TYPE_CHECKING:
    from saltus.launch.elements import ElementParser, Entity
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


def _parse_extra_argument(entity: Entity, parser: ElementParser) -> dict[Any, Any]:
    return {tuple(Attribute("name").read(entity, parser)): Attribute("value").read(entity, parser)}


class ComposableNode(LaunchDescriptionEntity):
    """A component that is loaded into a container."""

    readers: ClassVar[dict[str, Reader]] = {
        "package": Attribute("pkg"),
        "plugin": Attribute("plugin"),
        "name": Attribute("name", optional=True),
        "namespace": Attribute("namespace", optional=True),
        "autostart": Attribute("autostart", bool, optional=True),
        "parameters": PARAMETERS,
        "remappings": pairs("remap", "from", "to"),
        "extra_arguments": Each("extra_arg", Function(_parse_extra_argument)),
    }

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
    def parse(cls, entity: Entity, parser: ElementParser) -> tuple[type[ComposableNode], dict[str, Any]]:
        """Returns the class and its arguments for an element of a launch file."""
        return cls, {**read_all(cls.readers, entity, parser), "condition": parse_condition(entity, parser)}

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


def _parse_component(entity: Entity, parser: ElementParser) -> ComposableNode:
    create, kwargs = ComposableNode.parse(entity, parser)
    return create(**kwargs)


#: Reads the components within an element of a launch file.
COMPONENTS = Each("composable_node", Function(_parse_component))
