"""Launch files in YAML."""

from __future__ import annotations

import contextlib
from typing import Any, TextIO

from saltus.launch.elements import Entity as BaseEntity
from saltus.launch.elements import ReadOnce, is_list_of_entities
from saltus.launch.frontend.parser import Parser as BaseParser
from saltus.launch.substitution import bool_text, number_text
from saltus.launch.type_utils import is_instance_of, load_yaml

__all__ = ["Entity", "Parser"]


class Entity(ReadOnce):
    """An element in YAML: a mapping with its attributes, or the list of its children."""

    def __init__(self, element: Any, type_name: str, *, parent: BaseEntity | None = None) -> None:
        super().__init__(type_name, parent)
        if not isinstance(element, (dict, list, type(None))):
            raise TypeError(f"`{type_name}` must have attributes or elements, found {element!r}")
        self._values: dict[str, Any] = {"children": element} if isinstance(element, list) else dict(element or {})
        self._unread = set(self._values)

    @property
    def children(self) -> list[BaseEntity]:
        self._unread.discard("children")
        return [self._child(item) for item in self._values.get("children") or []]

    def _child(self, item: Any) -> Entity:
        """Returns a child: a mapping with one key, which is the tag."""
        if not isinstance(item, dict) or len(item) != 1:
            raise RuntimeError(f"expected an element with one tag in `{self.type_name}`, found {item!r}")
        ((tag, element),) = item.items()
        return Entity(element, tag, parent=self)

    def get_attr(self, name: str, *, data_type: Any = str, optional: bool = False, can_be_str: bool = True) -> Any:
        if name not in self._values:
            self.check_missing(name, optional)
            return None
        self._unread.discard(name)
        value = self._values[name]
        if is_list_of_entities(data_type):
            items = value if isinstance(value, list) else [value]
            return [Entity(item, name, parent=self) for item in items]
        value = _widened(value, data_type)
        if not is_instance_of(value, data_type, can_be_str=can_be_str):
            raise self.wrong_type(name, value, data_type)
        return value


def _widened(value: Any, data_type: Any) -> Any:
    """Returns a number or a bool as a text, and an integer as a float, where that is wanted.

    ``saltus launch`` allows this, too. ROS 2 does not.
    """
    if data_type is str and isinstance(value, (bool, int, float)):
        return number_text(bool_text(value))
    return float(value) if data_type is float and type(value) is int else value


class Parser(BaseParser):
    """Reads launch files in YAML."""

    @classmethod
    def load(cls, file: str | TextIO) -> tuple[BaseEntity, BaseParser]:
        with open(file, encoding="utf-8") if isinstance(file, str) else contextlib.nullcontext(file) as stream:
            tree = load_yaml(stream.read())
        if not isinstance(tree, dict) or len(tree) != 1:
            raise RuntimeError("expected one root, such as `launch:`")
        ((tag, element),) = tree.items()
        return Entity(element, tag), cls()

    @classmethod
    def get_file_extensions(cls) -> set[str]:
        return {"yaml", "yml"}
