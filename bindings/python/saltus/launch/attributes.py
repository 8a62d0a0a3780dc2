"""How the arguments of actions are written in launch files in XML and YAML."""

from __future__ import annotations

import dataclasses
from typing import Any, Callable, Iterable, List

from saltus.launch.elements import ElementParser, Entity
from saltus.launch.substitution import literal

__all__ = ["Actions", "Attribute", "Each", "Function", "Literal", "Reader", "children", "read_all"]


class Reader:
    """Reads an argument in an element."""

    def read(self, entity: Entity, parser: ElementParser) -> Any:
        """Returns the argument, or ``None`` if it is not there."""
        raise NotImplementedError


@dataclasses.dataclass(frozen=True)
class Attribute(Reader):
    """An attribute of an element: its name and its type. A text may have substitutions, and is read as its parts."""

    name: str
    data_type: Any = str
    optional: bool = False

    def read(self, entity: Entity, parser: ElementParser) -> Any:
        value = entity.get_attr(self.name, data_type=self.data_type, optional=self.optional)
        return parser.parse_substitution(value) if isinstance(value, str) else value


class Literal(Attribute):
    """An attribute that has no substitutions."""

    def read(self, entity: Entity, parser: ElementParser) -> Any:
        parts = super().read(entity, parser)
        text = None if parts is None else literal(parts)
        if parts is not None and text is None:
            raise ValueError(f"`{self.name}` of `{entity.type_name}` can't have substitutions")
        return text


class Each(Reader):
    """The elements with a tag: of each one the value of a reader, or a tuple with the values of several."""

    def __init__(self, tag: str, *readers: Reader) -> None:
        self._tag, self._readers = tag, readers

    def read(self, entity: Entity, parser: ElementParser) -> Any:
        return [self._value(child, parser) for child in children(entity, self._tag)] or None

    def _value(self, child: Entity, parser: ElementParser) -> Any:
        values = [reader.read(child, parser) for reader in self._readers]
        child.assert_entity_completely_parsed()
        # The name in a pair may be the key of a dictionary.
        of_pair = tuple(tuple(value) if isinstance(value, list) else value for value in values)
        return values[0] if len(values) == 1 else of_pair


class Actions(Reader):
    """The actions within an element: all elements except those with some tags."""

    def __init__(self, *others: str) -> None:
        self._others = others

    def read(self, entity: Entity, parser: ElementParser) -> Any:
        return [parser.parse_action(child) for child in entity.children if child.type_name not in self._others]


class Function(Reader):
    """What a function returns for an element."""

    def __init__(self, function: Callable[[Entity, ElementParser], Any]) -> None:
        self._function = function

    def read(self, entity: Entity, parser: ElementParser) -> Any:
        return self._function(entity, parser)


def pairs(tag: str, first: str = "name", second: str = "value") -> Each:
    """Returns a reader for the pairs of texts in the elements with a tag."""
    return Each(tag, Attribute(first), Attribute(second))


def read_all(
    readers: dict[str, Reader], entity: Entity, parser: ElementParser, ignore: Iterable[str] | None = None
) -> dict[str, Any]:
    """Returns the arguments that are there, except some, by their names."""
    ignored = tuple(ignore or ())
    values = {name: reader.read(entity, parser) for name, reader in readers.items() if name not in ignored}
    return {name: value for name, value in values.items() if value is not None}


def children(entity: Entity, tag: str) -> list[Entity]:
    """Returns the elements with a tag within another one."""
    found: list[Entity] = entity.get_attr(tag, data_type=List[Entity], optional=True) or []
    return found
