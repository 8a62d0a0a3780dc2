"""Actions that change the environment of the processes that follow."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from saltus.launch.attributes import Attribute
from saltus.launch.entity import Action
from saltus.launch.frontend.expose import expose_action
from saltus.launch.simple_actions import OfPair, OfText, Plain, pair, text_of
from saltus.launch.substitution import SomeSubstitutionsType, bool_text, parts, perform_substitutions, text_json
from saltus.launch.type_utils import perform_typed_substitution

if TYPE_CHECKING:
    from saltus.launch.context import LaunchContext
    from saltus.launch.registry import Registry

__all__ = [
    "AppendEnvironmentVariable", "PopEnvironment", "PushEnvironment", "ResetEnvironment", "SetEnvironmentVariable",
    "UnsetEnvironmentVariable",
]  # fmt: skip


@expose_action("set_env")
class SetEnvironmentVariable(OfPair):
    """Sets an environment variable."""

    _tag = "set_env"

    def execute(self, context: LaunchContext) -> None:
        name, value = self.perform(context)
        context.environment[name] = value


@expose_action("unset_env")
class UnsetEnvironmentVariable(OfText):
    """Removes an environment variable."""

    _tag = "unset_env"
    readers = {"name": Attribute("name")}
    name = text_of("The name of the variable.")

    def __init__(self, name: SomeSubstitutionsType, **kwargs: Any) -> None:
        super().__init__(name, **kwargs)

    def execute(self, context: LaunchContext) -> None:
        context.environment.pop(self.perform(context), None)


@expose_action("append_env")
class AppendEnvironmentVariable(Action):
    """Appends to an environment variable, or puts something before it."""

    readers = {
        "name": Attribute("name"),
        "value": Attribute("value"),
        "prepend": Attribute("prepend", bool, optional=True),
        "separator": Attribute("separator", optional=True),
    }

    def __init__(
        self,
        name: SomeSubstitutionsType,
        value: SomeSubstitutionsType,
        prepend: bool | SomeSubstitutionsType = False,
        separator: SomeSubstitutionsType = os.pathsep,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.name, self.value, self.separator = parts(name), parts(value), parts(separator)
        self.prepend: Any = prepend if isinstance(prepend, bool) else parts(prepend)

    def execute(self, context: LaunchContext) -> None:
        name, value = perform_substitutions(context, self.name), perform_substitutions(context, self.value)
        if name in context.environment:
            words = [context.environment[name], value]
            if perform_typed_substitution(context, self.prepend, bool):
                words.reverse()
            value = perform_substitutions(context, self.separator).join(words)
        context.environment[name] = value

    def kind(self, registry: Registry) -> dict[str, Any]:
        return {
            "append_env": {
                "pair": pair(self.name, self.value, registry),
                "prepend": text_json(bool_text(self.prepend), registry),
                "separator": text_json(self.separator, registry),
            }
        }


@expose_action("reset_env")
class ResetEnvironment(Plain):
    """Restores the environment that the launch began with."""

    _kind = "reset_env"

    def execute(self, context: LaunchContext) -> None:
        context._reset_environment()


class PushEnvironment(Plain):
    """Remembers the environment until ``PopEnvironment``."""

    _kind = {"push": "environment"}

    def execute(self, context: LaunchContext) -> None:
        context._push_environment()


class PopEnvironment(Plain):
    """Restores the environment of the last ``PushEnvironment``."""

    _kind = {"pop": "environment"}

    def execute(self, context: LaunchContext) -> None:
        context._pop_environment()
