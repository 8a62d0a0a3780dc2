"""The bases of actions with few arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from saltus.launch.attributes import Attribute
from saltus.launch.entity import Action
from saltus.launch.substitution import (
    SomeSubstitutionsType,
    bool_text,
    late_text_json,
    number_text,
    parts,
    perform_text,
    text_json,
)

if TYPE_CHECKING:
    from saltus.launch.context import LaunchContext
    from saltus.launch.registry import Registry


def pair(name: Any, value: Any, registry: Registry) -> dict[str, Any]:
    """Returns a name and a value for the launcher."""
    return {"name": text_json(name, registry), "value": text_json(number_text(bool_text(value)), registry)}


def late_pair(name: Any, value: Any, registry: Registry) -> dict[str, Any]:
    """Returns a name and a value that ROS 2 reads when the action is performed."""
    value = number_text(bool_text(value))
    return {"name": late_text_json(name, registry), "value": late_text_json(value, registry)}


def perform_pairs(context: LaunchContext, pairs: Any) -> dict[str, str]:
    """Returns the values of names and values."""
    return {perform_text(context, name): perform_text(context, number_text(bool_text(value))) for name, value in pairs}


class OfPair(Action):
    """An action with a name and a value."""

    _tag: str
    readers = {"name": Attribute("name"), "value": Attribute("value")}

    def __init__(self, name: SomeSubstitutionsType, value: SomeSubstitutionsType, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.name, self.value = parts(name), parts(number_text(bool_text(value)))

    def perform(self, context: LaunchContext) -> tuple[str, str]:
        """Returns the name and the value."""
        return perform_text(context, self.name), perform_text(context, self.value)

    def kind(self, registry: Registry) -> dict[str, Any]:
        return {self._tag: pair(self.name, self.value, registry)}


class OfText(Action):
    """An action with a text."""

    _tag: str

    def __init__(self, text: SomeSubstitutionsType, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._text = parts(text)

    def perform(self, context: LaunchContext) -> str:
        """Returns the text."""
        return perform_text(context, self._text)

    def kind(self, registry: Registry) -> dict[str, Any]:
        return {self._tag: text_json(self._text, registry)}


def text_of(doc: str) -> Any:
    """Returns a property with the parts of the text of an action."""
    return property(lambda self: self._text, doc=doc)


class Plain(Action):
    """An action that has only a condition."""

    _kind: Any

    def kind(self, registry: Registry) -> Any:
        return self._kind


def needs_launcher(action: Action) -> RuntimeError:
    """Returns the error of an action that only the launcher performs."""
    return RuntimeError(f"only `saltus launch` performs {type(action).__name__}: run the launch file with it")
