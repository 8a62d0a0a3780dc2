"""How the arguments of an action are written in launch files in XML and YAML."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, List

from saltus.launch.elements import Entity

if TYPE_CHECKING:
    from saltus.launch.frontend.parser import Parser

__all__ = ["Attribute", "children", "literal_attribute", "pairs"]


@dataclasses.dataclass(frozen=True)
class Attribute:
    """An attribute of an element: its name and its type. It may have substitutions."""

    name: str
    data_type: Any = str
    optional: bool = False

    def read(self, entity: Entity, parser: Parser) -> Any:
        """Returns the value. A text is returned as its parts."""
        value = entity.get_attr(self.name, data_type=self.data_type, optional=self.optional)
        return parser.parse_substitution(value) if isinstance(value, str) else value


def read_all(attributes: dict[str, Attribute], entity: Entity, parser: Parser) -> dict[str, Any]:
    """Returns the values of the attributes that are there, by the names of arguments."""
    values = {name: attribute.read(entity, parser) for name, attribute in attributes.items()}
    return {name: value for name, value in values.items() if value is not None}


def literal_attribute(entity: Entity, parser: Parser, name: str, optional: bool = False) -> str | None:
    """Returns an attribute that has no substitutions."""
    value = entity.get_attr(name, optional=optional)
    if value is None:
        return None
    parts: Any = parser.parse_substitution(value)
    if any(not hasattr(part, "text") for part in parts):
        raise ValueError(f"`{name}` of `{entity.type_name}` can't have substitutions: {value}")
    return "".join(part.text for part in parts)


def children(entity: Entity, tag: str) -> list[Entity]:
    """Returns the elements with a tag within another one. Each must be read to its end."""
    return entity.get_attr(tag, data_type=List[Entity], optional=True) or []


def pairs(
    entity: Entity, parser: Parser, tag: str, names: tuple[str, str] = ("name", "value")
) -> list[tuple[Any, Any]]:
    """Returns the pairs of texts in the elements with a tag."""
    found = []
    for child in children(entity, tag):
        first, second = (tuple(parser.parse_substitution(child.get_attr(name))) for name in names)
        child.assert_entity_completely_parsed()
        found.append((first, second))
    return found
