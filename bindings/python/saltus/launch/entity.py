"""What a launch description consists of."""

from __future__ import annotations

import asyncio
import os
import pathlib
import sys
from typing import TYPE_CHECKING, Any, ClassVar, Iterable, Union

from saltus.launch.attributes import Reader, read_all
from saltus.launch.conditions import Condition, parse_condition
from saltus.launch.events import ExecutionComplete

if TYPE_CHECKING:
    from saltus.launch.context import LaunchContext
    from saltus.launch.elements import ElementParser, Entity
    from saltus.launch.registry import Registry

__all__ = ["Action", "LaunchDescription", "LaunchDescriptionEntity", "SomeEntitiesType", "SomeEntitiesType_types_tuple"]

_OWN = (str(pathlib.Path(__file__).parent) + os.sep, "<frozen")


class LaunchDescriptionEntity:
    """A part of a launch description. It remembers the line of the launch file that has created it."""

    _origin: tuple[str, int]
    #: What the entity is for a list of arguments: an ``include``, a ``reset`` of all arguments, or nothing.
    _role: ClassVar[str | None] = None

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        entity = super().__new__(cls)
        frame: Any = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename.startswith(_OWN):
            frame = frame.f_back
        entity._origin = ("<python>", 1) if frame is None else (frame.f_code.co_filename, frame.f_lineno)
        return entity

    def _collect(self, found: dict[str, Any], is_conditional: bool, includes: list[Any] | None) -> None:
        """Adds the entity to a list of arguments, if it declares one."""

    def describe(self) -> str:
        """Returns a description for the user."""
        raise NotImplementedError(f"{type(self).__name__} has no description")

    def describe_sub_entities(self) -> list[Any]:
        """Returns the parts that are always performed with this one."""
        return []

    def describe_conditional_sub_entities(self) -> list[tuple[str, list[Any]]]:
        """Returns the parts that may be performed, with the descriptions of their conditions."""
        return []

    def visit(self, context: LaunchContext) -> Any:
        """Returns the parts that are performed instead of this one."""
        return None

    def get_asyncio_future(self) -> asyncio.Future[Any] | None:
        """Returns what is done when the entity has ended. ``None``: it has ended when it was visited."""
        return None

    def to_json(self, registry: Registry) -> list[dict[str, Any]]:
        """Returns the actions for the launcher."""
        raise NotImplementedError(f"the launcher can't perform {type(self).__name__}")


SomeEntitiesType_types_tuple = (LaunchDescriptionEntity, Iterable)
SomeEntitiesType = Union[LaunchDescriptionEntity, Iterable[LaunchDescriptionEntity]]


class Action(LaunchDescriptionEntity):
    """Something that a launch does.

    While the launcher runs a file, it performs the classes of this package. A class of a launch file defines ``execute``,
    which returns other actions.
    """

    #: How the arguments of the constructor are read in an element of a launch file.
    readers: ClassVar[dict[str, Reader]] = {}

    def __init__(self, *, condition: Condition | None = None) -> None:
        if condition is not None and not isinstance(condition, Condition):
            raise TypeError(f"expected 'condition' to be a Condition, but got {condition!r}")
        self.__condition = condition

    @classmethod
    def parse(
        cls, entity: Entity, parser: ElementParser, ignore: Iterable[str] | None = None
    ) -> tuple[type[Action], dict[str, Any]]:
        """Returns the class and its arguments for an element of a launch file. Some arguments may be ignored."""
        kwargs = read_all(cls.readers, entity, parser, ignore)
        condition = parse_condition(entity, parser)
        return cls, kwargs if condition is None else {**kwargs, "condition": condition}

    @property
    def condition(self) -> Condition | None:
        """The action has an effect only if the condition holds."""
        return self.__condition

    def execute(self, context: LaunchContext) -> Any:
        """Performs the action in a program that has no launcher. Returns the actions that this one stands for."""
        return None

    def describe(self) -> str:
        return repr(self)

    def get_sub_entities(self) -> list[Any]:
        """Returns the actions within this one."""
        return []

    def describe_sub_entities(self) -> list[Any]:
        return self.get_sub_entities() if self.condition is None else []

    def describe_conditional_sub_entities(self) -> list[tuple[str, list[Any]]]:
        if self.condition is None:
            return []
        return [(f"Conditionally included by {self.describe()}", self.get_sub_entities())]

    def visit(self, context: LaunchContext) -> Any:
        if self.condition is not None and not self.condition.evaluate(context):
            return None
        entities = self.execute(context)
        self._complete(context)
        return entities

    def _complete(self, context: LaunchContext) -> None:
        """Emits the event that the action has ended, now or when its future is done, if a handler is for it."""
        event = ExecutionComplete(action=self)
        if not context.would_handle_event(event):
            return
        future = self.get_asyncio_future()
        if future is None:
            context.emit_event_sync(event)
        else:
            future.add_done_callback(lambda _: context.emit_event_sync(event))

    def kind(self, registry: Registry) -> dict[str, Any]:
        """Returns what the action does, for the launcher."""
        return {"opaque": registry.number(self.execute)}

    def to_json(self, registry: Registry) -> list[dict[str, Any]]:
        if type(self).kind is not Action.kind and not _is_of_this_package(type(self).execute):
            raise TypeError(f"{type(self).__name__}: an action of this package can't have another `execute`")
        file, line = self._origin
        action: dict[str, Any] = {"origin": {"file": file, "line": line}, "kind": self.kind(registry)}
        if self.__condition is not None:
            action["condition"] = self.__condition.to_json(registry)
        return [action]


def _is_of_this_package(function: Any) -> bool:
    return str(getattr(function, "__module__", None)).startswith("saltus.launch.")


class ProcessAction(Action):
    """The base of the actions that start a process."""

    #: What is known of the process: its name, its command and its number.
    process_details: dict[str, Any] | None = None
    return_code: int | None = None


class LaunchDescription(LaunchDescriptionEntity):
    """The actions of a launch file."""

    def __init__(
        self, initial_entities: Iterable[LaunchDescriptionEntity] | None = None, *, deprecated_reason: str | None = None
    ) -> None:
        self.entities = list(initial_entities or [])
        self.deprecated_reason = deprecated_reason

    @property
    def deprecated(self) -> bool:
        """Whether the launch file should no longer be used."""
        return self.deprecated_reason is not None

    def add_entity(self, entity: LaunchDescriptionEntity) -> None:
        """Adds a part at the end."""
        self.entities.append(entity)

    def add_action(self, action: Action) -> None:
        """Adds an action at the end."""
        self.add_entity(action)

    def visit(self, context: LaunchContext) -> Any:
        return self.entities

    def describe(self) -> str:
        return repr(self)

    def describe_sub_entities(self) -> list[Any]:
        return self.entities

    def get_launch_arguments(self, conditional_inclusion: bool = False) -> list[Any]:
        """Returns the arguments that this description and those in it declare, each once."""
        found = self.get_launch_arguments_with_include_launch_description_actions(conditional_inclusion)
        return [argument for argument, _ in found]

    def get_launch_arguments_with_include_launch_description_actions(
        self, conditional_inclusion: bool = False
    ) -> list[tuple[Any, list[Any] | None]]:
        """Returns the arguments, each with the includes that contain it, or with ``None``."""
        found: dict[str, tuple[Any, list[Any] | None]] = {}
        _collect_arguments(self.entities, conditional_inclusion, None, found)
        return list(found.values())

    def to_json(self, registry: Registry) -> list[dict[str, Any]]:
        return actions_json(self.entities, registry)


def _collect_arguments(
    entities: Any, is_conditional: bool, includes: list[Any] | None, found: dict[str, tuple[Any, list[Any] | None]]
) -> None:
    """Adds the arguments that are declared in some parts of a description."""
    for entity in normalize(entities):
        if entity._role == "reset":
            # Arguments after it can't be set from outside.
            return
        entity._collect(found, is_conditional, includes)
        inner = [*(includes or []), entity] if entity._role == "include" else includes
        _collect_arguments(entity.describe_sub_entities(), False, inner, found)
        for _, conditional in entity.describe_conditional_sub_entities():
            _collect_arguments(conditional, True, inner, found)


def normalize(entities: Any) -> list[LaunchDescriptionEntity]:
    """Returns the parts of a launch description: of one, of a list, or of nothing."""
    if entities is None:
        return []
    if isinstance(entities, LaunchDescriptionEntity):
        return [entities]
    items = list(entities)
    for item in items:
        if not isinstance(item, LaunchDescriptionEntity):
            raise TypeError(f"expected an action, found {item!r}")
    return items


def actions_json(entities: Any, registry: Registry) -> list[dict[str, Any]]:
    """Returns actions for the launcher."""
    return [action for entity in normalize(entities) for action in entity.to_json(registry)]
