"""The actions of launch files."""

from __future__ import annotations

import asyncio
import inspect
import os
import threading
from typing import TYPE_CHECKING, Any, Callable, Iterable

from saltus.launch.attributes import Actions, Attribute, pairs
from saltus.launch.configuration_actions import (
    DeclareLaunchArgument,
    PopLaunchConfigurations,
    PushLaunchConfigurations,
    ResetLaunchConfigurations,
    SetLaunchConfiguration,
    UnsetLaunchConfiguration,
)
from saltus.launch.entity import Action, actions_json, normalize
from saltus.launch.environment_actions import (
    AppendEnvironmentVariable,
    PopEnvironment,
    PushEnvironment,
    ResetEnvironment,
    SetEnvironmentVariable,
    UnsetEnvironmentVariable,
)
from saltus.launch.event_actions import EmitEvent, RegisterEventHandler, Shutdown, UnregisterEventHandler
from saltus.launch.frontend.expose import expose_action
from saltus.launch.launch_description_sources import AnyLaunchDescriptionSource, LaunchDescriptionSource
from saltus.launch.logging import get_logger
from saltus.launch.processes import ExecuteLocal, ExecuteProcess
from saltus.launch.simple_actions import OfText, late_pair, perform_pairs, text_of
from saltus.launch.substitution import SomeSubstitutionsType, bool_text, literal, text_json
from saltus.launch.timers import TimerAction
from saltus.launch.type_utils import perform_typed_substitution

if TYPE_CHECKING:
    from saltus.launch.context import LaunchContext
    from saltus.launch.registry import Registry

__all__ = [
    "AppendEnvironmentVariable", "DeclareLaunchArgument", "EmitEvent", "ExecuteLocal", "ExecuteProcess", "GroupAction",
    "IncludeLaunchDescription", "LogInfo", "OpaqueCoroutine", "OpaqueFunction", "PopEnvironment",
    "PopLaunchConfigurations", "PushEnvironment", "PushLaunchConfigurations", "RegisterEventHandler",
    "ResetEnvironment", "ResetLaunchConfigurations", "SetEnvironmentVariable", "SetLaunchConfiguration", "Shutdown",
    "TimerAction", "UnregisterEventHandler", "UnsetEnvironmentVariable", "UnsetLaunchConfiguration",
]  # fmt: skip


@expose_action("log")
class LogInfo(OfText):
    """Writes a line."""

    _tag = "log"
    readers = {"msg": Attribute("message")}
    msg = text_of("The parts of the line.")

    def __init__(self, *, msg: SomeSubstitutionsType, **kwargs: Any) -> None:
        super().__init__(msg, **kwargs)

    def execute(self, context: LaunchContext) -> None:
        get_logger("launch.user").info(self.perform(context))


@expose_action("group")
class GroupAction(Action):
    """Actions that share a condition and a scope."""

    readers = {
        "scoped": Attribute("scoped", bool, optional=True),
        "forwarding": Attribute("forwarding", bool, optional=True),
        "launch_configurations": pairs("keep"),
        "actions": Actions("keep"),
    }

    def __init__(
        self,
        actions: Iterable[Action],
        *,
        scoped: bool = True,
        forwarding: bool = True,
        launch_configurations: dict[Any, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.actions = normalize(actions)
        self.scoped, self.forwarding = scoped, forwarding
        self.launch_configurations = dict(launch_configurations or {})
        self._sub_entities: list[Any] | None = None

    def get_sub_entities(self) -> list[Any]:
        """Returns the actions, with those that begin and end the scope."""
        if self._sub_entities is None:
            self._sub_entities = self._with_scope(self.scoped, self.forwarding)
        return self._sub_entities

    def _with_scope(self, scoped: Any, forwarding: Any) -> list[Any]:
        sets: list[Any] = [SetLaunchConfiguration(name, value) for name, value in self.launch_configurations.items()]
        if not scoped:
            return [*sets, *self.actions]
        if not forwarding:
            sets = [ResetEnvironment(), ResetLaunchConfigurations(self.launch_configurations)]
        pushes, pops = [PushLaunchConfigurations(), PushEnvironment()], [PopEnvironment(), PopLaunchConfigurations()]
        return [*pushes, *sets, *self.actions, *pops]

    def execute(self, context: LaunchContext) -> list[Any]:
        if isinstance(self.scoped, bool) and isinstance(self.forwarding, bool):
            return self.get_sub_entities()
        # In files in XML and YAML, they may have substitutions.
        scoped, forwarding = (
            perform_typed_substitution(context, value, bool) for value in (self.scoped, self.forwarding)
        )
        return self._with_scope(scoped, forwarding)

    def kind(self, registry: Registry) -> dict[str, Any]:
        return {
            "group": {
                "scoped": text_json(bool_text(self.scoped), registry),
                "forwarding": text_json(bool_text(self.forwarding), registry),
                "keep": [late_pair(name, value, registry) for name, value in self.launch_configurations.items()],
                "children": actions_json(self.actions, registry),
            }
        }


@expose_action("include")
class IncludeLaunchDescription(Action):
    """Performs the actions of another launch file."""

    _role = "include"
    readers = {
        "launch_description_source": Attribute("file"),
        "launch_arguments": pairs("arg"),
    }

    def __init__(
        self,
        launch_description_source: LaunchDescriptionSource | SomeSubstitutionsType,
        *,
        launch_arguments: Iterable[tuple[Any, Any]] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        source: Any = launch_description_source
        if not isinstance(source, LaunchDescriptionSource):
            source = AnyLaunchDescriptionSource(source)
        self.launch_description_source = source
        self.launch_arguments = [] if launch_arguments is None else list(launch_arguments)

    def get_sub_entities(self) -> list[Any]:
        """Returns the launch description, if its file is known now and is in Python."""
        found = self.launch_description_source.try_get_launch_description_without_context()
        return [] if found is None else [found]

    def execute(self, context: LaunchContext) -> list[Any]:
        description = self.launch_description_source.get_launch_description(context)
        location = self.launch_description_source.location
        folder = os.path.dirname(os.path.abspath(location)) if os.path.exists(location) else location
        context.extend_locals(
            {"current_launch_file_path": os.path.abspath(location), "current_launch_file_directory": folder}
        )
        self._check_arguments(description, context)
        return [*(SetLaunchConfiguration(name, value) for name, value in self.launch_arguments), description]

    def _check_arguments(self, description: Any, context: LaunchContext) -> None:
        """Raises ``RuntimeError`` if an argument without a default is not given here, nor in an include that contains it."""
        given = set(perform_pairs(context, self.launch_arguments))
        for argument, includes in description.get_launch_arguments_with_include_launch_description_actions():
            known = given.union(*(include._literal_names() for include in includes or []))
            is_required = argument.default_value is None and not argument._conditionally_included
            if is_required and argument.name not in known:
                raise RuntimeError(
                    f"Included launch description missing required argument '{argument.name}' "
                    f"(description: '{argument.description}'), given: [{', '.join(sorted(given))}]"
                )

    def _literal_names(self) -> list[str]:
        """Returns the names of the arguments that are given, except those with substitutions."""
        return [name for key, _ in self.launch_arguments if (name := literal(key)) is not None]

    def kind(self, registry: Registry) -> dict[str, Any]:
        arguments = [late_pair(name, value, registry) for name, value in self.launch_arguments]
        source = self.launch_description_source
        if source.description is not None:
            # There is no file. The arguments are set as those of an included file are: for all that follows.
            children = source.description.to_json(registry)
            text = text_json("false", registry)
            return {"group": {"scoped": text, "forwarding": text, "keep": arguments, "children": children}}
        return {"include": {"file": text_json(source.path, registry), "arguments": arguments}}


class OpaqueFunction(Action):
    """Calls a function, which may return actions."""

    def __init__(
        self,
        *,
        function: Callable[..., Any],
        args: Iterable[Any] | None = None,
        kwargs: dict[str, Any] | None = None,
        **left: Any,
    ) -> None:
        super().__init__(**left)
        if not callable(function):
            raise TypeError(f"OpaqueFunction expected a callable for 'function', got '{type(function)}'")
        self._call = (function, tuple(args or ()), dict(kwargs or {}))

    def execute(self, context: Any) -> Any:
        function, args, kwargs = self._call
        return function(context, *args, **kwargs)


class OpaqueCoroutine(Action):
    """Runs a coroutine beside the launch, on a thread of its own. It can't perform substitutions."""

    def __init__(
        self,
        *,
        coroutine: Callable[..., Any],
        args: Iterable[Any] | None = None,
        kwargs: dict[str, Any] | None = None,
        ignore_context: bool = False,
        **left: Any,
    ) -> None:
        super().__init__(**left)
        if not inspect.iscoroutinefunction(coroutine):
            raise TypeError(f"OpaqueCoroutine expected a coroutine function for 'coroutine', got '{type(coroutine)}'")
        self._call = (coroutine, tuple(args or ()), dict(kwargs or {}), ignore_context)

    def execute(self, context: Any) -> Any:
        coroutine, args, kwargs, ignore_context = self._call
        of_context = [] if ignore_context else [context]
        thread = threading.Thread(
            target=lambda: asyncio.run(coroutine(*of_context, *args, **kwargs)), name="coroutine", daemon=True
        )
        thread.start()
