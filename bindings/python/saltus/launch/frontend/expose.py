"""The tags of actions, and the names of substitutions, in launch files in XML and YAML."""

from __future__ import annotations

from typing import Any, Callable, TypeVar

__all__ = ["expose_action", "expose_substitution", "instantiate_action", "instantiate_substitution"]

_Exposed = TypeVar("_Exposed")

#: The functions that read actions: ``function(entity, parser)`` returns a class and its arguments.
_action_parsers: dict[str, Callable[[Any, Any], Any]] = {}
#: The functions that read substitutions: ``function(arguments)`` returns a class and its arguments.
_substitution_parsers: dict[str, Callable[[Any], Any]] = {}


def __expose_impl(name: str, register: dict[str, Any], exposed_type: str) -> Callable[[_Exposed], _Exposed]:
    def expose(exposed: _Exposed) -> _Exposed:
        parse = getattr(exposed, "parse", None) if isinstance(exposed, type) else exposed
        if not callable(parse):
            # The words are ROS 2's.
            raise RuntimeError(
                f"Exposed {exposed_type} parser for {name} is not a callable or a class containing a parse method"
            )
        register[name] = parse
        return exposed

    return expose


def expose_action(name: str) -> Callable[[_Exposed], _Exposed]:
    """Returns a decorator for a class with a method ``parse``, or for a function, that reads the action with a tag."""
    return __expose_impl(name, _action_parsers, "action")


def expose_substitution(name: str) -> Callable[[_Exposed], _Exposed]:
    """Returns a decorator for a class with a method ``parse``, or for a function, that reads the substitution with a name."""
    return __expose_impl(name, _substitution_parsers, "substitution")


def instantiate_action(entity: Any, parser: Any) -> Any:
    """Returns the action of an element of a launch file."""
    if entity.type_name not in _action_parsers:
        raise RuntimeError(f"there is no action `{entity.type_name}`")
    create, kwargs = _action_parsers[entity.type_name](entity, parser)
    return create(**kwargs)


def instantiate_substitution(type_name: str, args: Any = None) -> Any:
    """Returns the substitution with a name and its arguments."""
    if type_name not in _substitution_parsers:
        raise RuntimeError(f"there is no substitution `{type_name}`")
    create, kwargs = _substitution_parsers[type_name](list(args or []))
    return create(**kwargs)
