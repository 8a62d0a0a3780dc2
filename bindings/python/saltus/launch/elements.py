"""The elements of launch files in XML and YAML."""

from __future__ import annotations

from typing import Any, List, Protocol

__all__ = ["ElementParser", "Entity", "is_list_of_entities"]


class Entity:
    """An element of a launch file: its tag, its attributes and its children."""

    @property
    def type_name(self) -> str:
        """The tag."""
        raise NotImplementedError

    @property
    def parent(self) -> Entity | None:
        """The element that contains this one, or ``None``."""
        raise NotImplementedError

    @property
    def children(self) -> list[Entity]:
        """The elements within this one."""
        raise NotImplementedError

    def assert_entity_completely_parsed(self) -> None:
        """Raises ``ValueError`` if an attribute or a child was not read."""
        raise NotImplementedError

    def get_attr(self, name: str, *, data_type: Any = str, optional: bool = False, can_be_str: bool = True) -> Any:
        """Returns an attribute, or ``None`` if it is optional and not there.

        The type is ``bool``, ``int``, ``float``, ``str``, a ``List`` of one of them, ``List[Entity]`` for the children with
        a tag, or ``None`` for the type that the text has in YAML. With ``can_be_str`` the value may also be a text.
        """
        raise NotImplementedError


class ReadOnce(Entity):
    """An element that notes which of its attributes and children were read."""

    def __init__(self, tag: str, parent: Entity | None) -> None:
        self._tag, self._parent = tag, parent
        self._unread: set[str] = set()

    @property
    def type_name(self) -> str:
        return self._tag

    @property
    def parent(self) -> Entity | None:
        return self._parent

    def assert_entity_completely_parsed(self) -> None:
        if self._unread:
            names = ", ".join(f"`{name}`" for name in sorted(self._unread))
            raise ValueError(f"unexpected attributes or elements in `{self._tag}`: {names}")

    def check_missing(self, name: str, optional: bool) -> None:
        """Raises ``AttributeError`` if an attribute that is not there is not optional."""
        if not optional:
            raise AttributeError(f"`{self._tag}` has no attribute or element `{name}`")

    def wrong_type(self, name: str, value: Any, data_type: Any) -> TypeError:
        """Returns the error of an attribute with another type."""
        return TypeError(f"the attribute `{name}` of `{self._tag}` is no {data_type}: {value!r}")


class ElementParser(Protocol):
    """What reads the elements within an element, and the substitutions in its attributes."""

    def parse_action(self, entity: Entity) -> Any:
        """Returns the action of an element."""

    def parse_substitution(self, value: str) -> list[Any]:
        """Returns the parts of a text."""

    def parse_if_substitutions(self, value: Any) -> Any:
        """Returns a value, or a list of values, in which texts with substitutions are lists of their parts."""


def is_list_of_entities(data_type: Any) -> bool:
    """Returns whether a type is that of children."""
    return bool(data_type == List[Entity])
