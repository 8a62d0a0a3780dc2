"""Decorators of ROS 2's ``launch.frontend``. Launch files in YAML and XML have the tags of the launcher."""

from __future__ import annotations

from typing import Callable, TypeVar

__all__ = ["expose_action", "expose_substitution"]

_Class = TypeVar("_Class")


def expose_action(name: str) -> Callable[[_Class], _Class]:
    """Returns a decorator that leaves a class as it is."""
    return lambda exposed: exposed


def expose_substitution(name: str) -> Callable[[_Class], _Class]:
    """Returns a decorator that leaves a class as it is."""
    return lambda exposed: exposed
