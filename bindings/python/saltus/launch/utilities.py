"""Functions that launch files use, with the names of ROS 2's ``launch.utilities``."""

from __future__ import annotations

from typing import Any, Iterable

from saltus.launch.entity import normalize as normalize_to_list_of_entities
from saltus.launch.substitution import parts as normalize_to_list_of_substitutions
from saltus.launch.substitution import perform_substitutions

__all__ = [
    "ensure_argument_type", "is_a", "is_a_subclass", "isclassinstance", "normalize_to_list_of_entities",
    "normalize_to_list_of_substitutions", "perform_substitutions",
]  # fmt: skip


def is_a(obj: Any, entity_type: type) -> bool:
    """Returns whether an object is of a class."""
    return isinstance(obj, entity_type)


def is_a_subclass(obj: Any, entity_type: type) -> bool:
    """Returns whether an object is a class that is derived from another one."""
    return isinstance(obj, type) and issubclass(obj, entity_type)


def isclassinstance(obj: Any) -> bool:
    """Returns whether an object is an instance of a class that a program has defined."""
    return not isinstance(obj, type) and type(obj).__module__ != "builtins"


def ensure_argument_type(argument: Any, types: type | Iterable[type], argument_name: str, caller: Any = None) -> None:
    """Raises ``TypeError`` if an argument is of none of the classes."""
    classes = (types,) if isinstance(types, type) else tuple(types)
    if not isinstance(argument, classes):
        where = "Expected" if caller is None else f"'{caller}' expected"
        names = ", ".join(str(one) for one in classes)
        raise TypeError(
            f"{where} '{argument_name}' to be one of [{names}], but got '{argument}' of type '{type(argument)}'"
        )
