"""Launch files in XML."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from typing import Any, TextIO

from saltus.launch.elements import Entity as BaseEntity
from saltus.launch.elements import ReadOnce, is_list_of_entities
from saltus.launch.frontend.parser import Parser as BaseParser
from saltus.launch.type_utils import get_typed_value

__all__ = ["Entity", "Parser"]


class Entity(ReadOnce):
    """An element in XML. Attributes are converted to the types that are wanted."""

    def __init__(self, xml_element: ElementTree.Element, *, parent: BaseEntity | None = None) -> None:
        super().__init__(xml_element.tag, parent)
        self._attributes = dict(xml_element.attrib)
        self._children = [Entity(child, parent=self) for child in xml_element]
        self._unread = {*self._attributes, *(child.type_name for child in self._children)}

    @property
    def children(self) -> list[BaseEntity]:
        self._unread -= {child.type_name for child in self._children}
        return list(self._children)

    def get_attr(self, name: str, *, data_type: Any = str, optional: bool = False, can_be_str: bool = True) -> Any:
        if is_list_of_entities(data_type):
            found = [child for child in self._children if child.type_name == name]
            self._unread.discard(name)
            if not found:
                self.check_missing(name, optional)
            return found or None
        if name not in self._attributes:
            self.check_missing(name, optional)
            return None
        separator_name = f"{name}-sep"
        self._unread -= {name, separator_name}
        text = self._attributes[name]
        separator = self._attributes.get(separator_name)
        try:
            value = text if separator is None else text.split(separator)
            return get_typed_value(value, data_type, can_be_str=can_be_str)
        except ValueError:
            raise self.wrong_type(name, text, data_type) from None


class Parser(BaseParser):
    """Reads launch files in XML."""

    @classmethod
    def load(cls, file: str | TextIO) -> tuple[BaseEntity, BaseParser]:
        return Entity(ElementTree.parse(file).getroot()), cls()

    @classmethod
    def get_file_extensions(cls) -> set[str]:
        return {"xml"}
