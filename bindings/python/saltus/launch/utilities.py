"""Functions that launch files use, with the names of ROS 2's ``launch.utilities``."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Iterable

from saltus.launch.entity import LaunchDescriptionEntity
from saltus.launch.entity import normalize as normalize_to_list_of_entities
from saltus.launch.signals import AsyncSafeSignalManager
from saltus.launch.substitution import parts as normalize_to_list_of_substitutions
from saltus.launch.substitution import perform_substitutions

if TYPE_CHECKING:
    from saltus.launch.context import LaunchContext

__all__ = [
    "AsyncSafeSignalManager", "ensure_argument_type", "is_a", "is_a_subclass", "isclassinstance",
    "normalize_to_list_of_entities", "normalize_to_list_of_substitutions", "perform_substitutions",
    "visit_all_entities_and_collect_futures",
]  # fmt: skip


def is_a(obj: Any, entity_type: type) -> bool:
    """Returns whether an object is of a class."""
    return isinstance(obj, entity_type)


def is_a_subclass(obj: Any, entity_type: type) -> bool:
    """Returns whether an object, or its class, is a class that is derived from another one."""
    return issubclass(obj if isinstance(obj, type) else type(obj), entity_type)


def isclassinstance(obj: Any) -> bool:
    """Returns whether an object has a class. In Python 3 all have."""
    return hasattr(obj, "__class__")


def visit_all_entities_and_collect_futures(
    entity: LaunchDescriptionEntity, context: LaunchContext
) -> list[tuple[LaunchDescriptionEntity, asyncio.Future[Any]]]:
    """Visits an entity and all that it returns, the first one with all its own first. Returns those with a future."""
    entities = entity.visit(context)
    future = entity.get_asyncio_future()
    found = [] if future is None else [(entity, future)]
    for one in normalize_to_list_of_entities(entities):
        found.extend(visit_all_entities_and_collect_futures(one, context))
    return found


def ensure_argument_type(argument: Any, types: type | Iterable[type], argument_name: str, caller: Any = None) -> None:
    """Raises ``TypeError`` if an argument is of none of the classes."""
    classes = (types,) if isinstance(types, type) else tuple(types)
    if not isinstance(argument, classes):
        where = "Expected" if caller is None else f"'{caller}' expected"
        names = ", ".join(str(one) for one in classes)
        raise TypeError(
            f"{where} '{argument_name}' to be one of [{names}], but got '{argument}' of type '{type(argument)}'"
        )
