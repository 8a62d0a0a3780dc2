"""Actions that change the variables of a launch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable

from saltus.launch.attributes import Attribute, Each, Literal, pairs
from saltus.launch.entity import Action
from saltus.launch.frontend.expose import expose_action
from saltus.launch.simple_actions import OfPair, OfText, Plain, late_pair, perform_pairs, text_of
from saltus.launch.substitution import SomeSubstitutionsType, parts, perform_substitutions, text_json

if TYPE_CHECKING:
    from saltus.launch.context import LaunchContext
    from saltus.launch.registry import Registry

__all__ = [
    "DeclareLaunchArgument", "PopLaunchConfigurations", "PushLaunchConfigurations", "ResetLaunchConfigurations",
    "SetLaunchConfiguration", "UnsetLaunchConfiguration",
]  # fmt: skip


@expose_action("arg")
class DeclareLaunchArgument(Action):
    """Declares an argument of the launch file."""

    readers = {
        "name": Literal("name"),
        "default_value": Attribute("default", optional=True),
        "description": Literal("description", optional=True),
        "choices": Each("choice", Literal("value")),
    }

    #: Whether the argument is declared only if a condition holds. ``LaunchDescription.get_launch_arguments`` sets it.
    _conditionally_included = False

    def __init__(
        self,
        name: str,
        *,
        default_value: SomeSubstitutionsType | None = None,
        description: str | None = None,
        choices: Iterable[str] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.name = name
        self.default_value = None if default_value is None else parts(default_value)
        self._description = description
        self.choices = None if choices is None else list(choices)
        if self.choices == []:
            raise RuntimeError("Provided choices arg is empty. Use None to ignore the choice list.")
        if self.choices and isinstance(default_value, str) and default_value not in self.choices:
            raise RuntimeError(f'Provided default_value "{default_value}" is not in provided choices "{self.choices}".')

    @property
    def description(self) -> str:
        """The description, with the values that are allowed. The words are ROS 2's."""
        if self.choices is None:
            return self._description or "no description given"
        if not self._description:
            return f"One of: {self.choices}"
        return f"{self._description}. Valid choices are: {self.choices}"

    def _collect(self, found: dict[str, Any], is_conditional: bool, includes: list[Any] | None) -> None:
        """Adds the argument to a list of arguments, unless it has one with its name."""
        if self.name not in found:
            self._conditionally_included = is_conditional or self.condition is not None
            found[self.name] = (self, includes)

    def execute(self, context: LaunchContext) -> None:
        values = context.launch_configurations
        if self.name not in values:
            if self.default_value is None:
                raise RuntimeError(f'Required launch argument "{self.name}" was not provided.')
            values[self.name] = perform_substitutions(context, self.default_value)
        if self.choices and values[self.name] not in self.choices:
            raise RuntimeError(
                f'Argument "{self.name}" provided value "{values[self.name]}" is not valid. '
                f"Valid options are: {self.choices}"
            )

    def kind(self, registry: Registry) -> dict[str, Any]:
        default = None if self.default_value is None else text_json(self.default_value, registry)
        choices = self.choices or []
        return {"arg": {"name": self.name, "default": default, "description": self._description, "choices": choices}}


@expose_action("let")
class SetLaunchConfiguration(OfPair):
    """Sets a variable."""

    _tag = "let"

    def execute(self, context: LaunchContext) -> None:
        name, value = self.perform(context)
        context.launch_configurations[name] = value


@expose_action("unset")
class UnsetLaunchConfiguration(OfText):
    """Removes a variable."""

    _tag = "unset"
    readers = {"name": Attribute("name")}
    name = text_of("The name of the variable.")

    def __init__(self, name: SomeSubstitutionsType, **kwargs: Any) -> None:
        super().__init__(name, **kwargs)

    def execute(self, context: LaunchContext) -> None:
        context.launch_configurations.pop(self.perform(context), None)


class PushLaunchConfigurations(Plain):
    """Remembers the variables until ``PopLaunchConfigurations``."""

    _kind = {"push": "variables"}

    def execute(self, context: LaunchContext) -> None:
        context._push_launch_configurations()


class PopLaunchConfigurations(Plain):
    """Restores the variables of the last ``PushLaunchConfigurations``."""

    _kind = {"pop": "variables"}

    def execute(self, context: LaunchContext) -> None:
        context._pop_launch_configurations()


@expose_action("reset")
class ResetLaunchConfigurations(Action):
    """Removes all variables but those that are given."""

    _role = "reset"
    readers = {"launch_configurations": pairs("keep")}

    def __init__(self, launch_configurations: dict[Any, Any] | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.launch_configurations = dict(launch_configurations or {})

    def execute(self, context: LaunchContext) -> None:
        kept = perform_pairs(context, self.launch_configurations.items())
        context.launch_configurations.clear()
        context.launch_configurations.update(kept)

    def kind(self, registry: Registry) -> dict[str, Any]:
        return {"reset": [late_pair(name, value, registry) for name, value in self.launch_configurations.items()]}
