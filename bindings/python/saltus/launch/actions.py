"""The actions of launch files."""

from __future__ import annotations

import asyncio
import inspect
import os
import threading
from typing import TYPE_CHECKING, Any, Callable, Iterable

from saltus.launch.entity import Action, actions_json, normalize
from saltus.launch.event_handlers import EventHandler, OnProcessExit
from saltus.launch.events import Event
from saltus.launch.events import Shutdown as ShutdownEvent
from saltus.launch.launch_description_sources import AnyLaunchDescriptionSource, LaunchDescriptionSource
from saltus.launch.process_options import RESTART, check_options, output_text
from saltus.launch.substitution import (
    SomeSubstitutionsType,
    Substitution,
    bool_text,
    late_text_json,
    number_text,
    parts,
    text_json,
)
from saltus.launch.timers import TimerAction

if TYPE_CHECKING:
    from saltus.launch.registry import Registry

__all__ = [
    "AppendEnvironmentVariable", "DeclareLaunchArgument", "EmitEvent", "ExecuteLocal", "ExecuteProcess", "GroupAction",
    "IncludeLaunchDescription", "LogInfo", "OpaqueCoroutine", "OpaqueFunction", "PopEnvironment",
    "PopLaunchConfigurations", "PushEnvironment", "PushLaunchConfigurations", "RegisterEventHandler",
    "ResetEnvironment", "ResetLaunchConfigurations", "SetEnvironmentVariable", "SetLaunchConfiguration", "Shutdown",
    "TimerAction", "UnregisterEventHandler", "UnsetEnvironmentVariable", "UnsetLaunchConfiguration",
]  # fmt: skip


def pair(name: Any, value: Any, registry: Registry) -> dict[str, Any]:
    """Returns a name and a value for the launcher."""
    return {"name": text_json(name, registry), "value": text_json(number_text(bool_text(value)), registry)}


def late_pair(name: Any, value: Any, registry: Registry) -> dict[str, Any]:
    """Returns a name and a value that ROS 2 reads when the action is performed."""
    value = number_text(bool_text(value))
    return {"name": late_text_json(name, registry), "value": late_text_json(value, registry)}


class DeclareLaunchArgument(Action):
    """Declares an argument of the launch file."""

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
        self.description = description
        self.choices = None if choices is None else list(choices)
        if self.choices == []:
            raise RuntimeError("Provided choices arg is empty. Use None to ignore the choice list.")
        if self.choices and isinstance(default_value, str) and default_value not in self.choices:
            raise RuntimeError(f'Provided default_value "{default_value}" is not in provided choices "{self.choices}".')

    def _collect(self, found: dict[str, Any], is_conditional: bool, includes: list[Any] | None) -> None:
        """Adds the argument to a list of arguments, unless it has one with its name."""
        if self.name not in found:
            self._conditionally_included = is_conditional or self.condition is not None
            found[self.name] = (self, includes)

    def kind(self, registry: Registry) -> dict[str, Any]:
        default = None if self.default_value is None else text_json(self.default_value, registry)
        choices = self.choices or []
        return {"arg": {"name": self.name, "default": default, "description": self.description, "choices": choices}}


class _OfPair(Action):
    """An action with a name and a value."""

    _tag: str

    def __init__(self, name: SomeSubstitutionsType, value: SomeSubstitutionsType, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.name, self.value = parts(name), parts(number_text(bool_text(value)))

    def kind(self, registry: Registry) -> dict[str, Any]:
        return {self._tag: pair(self.name, self.value, registry)}


class _OfText(Action):
    """An action with a text."""

    _tag: str

    def __init__(self, text: SomeSubstitutionsType, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._text = parts(text)

    def kind(self, registry: Registry) -> dict[str, Any]:
        return {self._tag: text_json(self._text, registry)}


class _Plain(Action):
    """An action that has only a condition."""

    _kind: Any

    def kind(self, registry: Registry) -> Any:
        return self._kind


class SetLaunchConfiguration(_OfPair):
    """Sets a variable."""

    _tag = "let"


class UnsetLaunchConfiguration(_OfText):
    """Removes a variable."""

    _tag = "unset"

    def __init__(self, name: SomeSubstitutionsType, **kwargs: Any) -> None:
        super().__init__(name, **kwargs)


class SetEnvironmentVariable(_OfPair):
    """Sets an environment variable."""

    _tag = "set_env"


class UnsetEnvironmentVariable(_OfText):
    """Removes an environment variable."""

    _tag = "unset_env"

    def __init__(self, name: SomeSubstitutionsType, **kwargs: Any) -> None:
        super().__init__(name, **kwargs)


class AppendEnvironmentVariable(Action):
    """Appends to an environment variable, or puts something before it."""

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
        self.prepend = parts(bool_text(prepend))

    def kind(self, registry: Registry) -> dict[str, Any]:
        return {
            "append_env": {
                "pair": pair(self.name, self.value, registry),
                "prepend": text_json(self.prepend, registry),
                "separator": text_json(self.separator, registry),
            }
        }


class ResetEnvironment(_Plain):
    """Restores the environment that the launch began with."""

    _kind = "reset_env"


class PushEnvironment(_Plain):
    """Remembers the environment until ``PopEnvironment``."""

    _kind = {"push": "environment"}


class PopEnvironment(_Plain):
    """Restores the environment of the last ``PushEnvironment``."""

    _kind = {"pop": "environment"}


class PushLaunchConfigurations(_Plain):
    """Remembers the variables until ``PopLaunchConfigurations``."""

    _kind = {"push": "variables"}


class PopLaunchConfigurations(_Plain):
    """Restores the variables of the last ``PushLaunchConfigurations``."""

    _kind = {"pop": "variables"}


class ResetLaunchConfigurations(Action):
    """Removes all variables but those that are given."""

    _role = "reset"

    def __init__(self, launch_configurations: dict[Any, Any] | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.launch_configurations = dict(launch_configurations or {})

    def kind(self, registry: Registry) -> dict[str, Any]:
        return {"reset": [late_pair(name, value, registry) for name, value in self.launch_configurations.items()]}


class LogInfo(_OfText):
    """Writes a line."""

    _tag = "log"

    def __init__(self, *, msg: SomeSubstitutionsType, **kwargs: Any) -> None:
        super().__init__(msg, **kwargs)

    @property
    def msg(self) -> Any:
        """The parts of the line."""
        return self._text


class EmitEvent(Action):
    """Emits an event."""

    def __init__(self, *, event: Event, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not isinstance(event, Event):
            raise RuntimeError(f"EmitEvent() expected an event instance, got '{event}'.")
        self.event = event

    def kind(self, registry: Registry) -> dict[str, Any]:
        return self.event.kind(registry)


_NO_REASON = "reason not given"


class Shutdown(EmitEvent):
    """Ends everything."""

    def __init__(self, *, reason: SomeSubstitutionsType = _NO_REASON, **kwargs: Any) -> None:
        super().__init__(event=ShutdownEvent(reason=reason), **kwargs)
        #: Whether it says no more than that everything ends.
        self._is_plain = self.condition is None and reason == _NO_REASON


class GroupAction(Action):
    """Actions that share a condition and a scope."""

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

    def get_sub_entities(self) -> list[Any]:
        """Returns the actions."""
        return self.actions

    def kind(self, registry: Registry) -> dict[str, Any]:
        return {
            "group": {
                "scoped": text_json(bool_text(self.scoped), registry),
                "forwarding": text_json(bool_text(self.forwarding), registry),
                "keep": [late_pair(name, value, registry) for name, value in self.launch_configurations.items()],
                "children": actions_json(self.actions, registry),
            }
        }


class IncludeLaunchDescription(Action):
    """Performs the actions of another launch file."""

    _role = "include"

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


class RegisterEventHandler(Action):
    """Registers a handler of events."""

    def __init__(self, event_handler: EventHandler, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.event_handler = event_handler

    def kind(self, registry: Registry) -> dict[str, Any]:
        return {"handler": self.event_handler.to_json(registry)}


class UnregisterEventHandler(Action):
    """Removes a handler of events."""

    def __init__(self, event_handler: EventHandler, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.event_handler = event_handler

    def kind(self, registry: Registry) -> dict[str, Any]:
        return {"remove_handler": registry.number(self.event_handler)}


class ExecuteLocal(Action):
    """Starts a process."""

    def __init__(
        self,
        *,
        cmd: Iterable[SomeSubstitutionsType],
        prefix: SomeSubstitutionsType | None = None,
        name: SomeSubstitutionsType | None = None,
        cwd: SomeSubstitutionsType | None = None,
        env: dict[Any, Any] | None = None,
        additional_env: dict[Any, Any] | None = None,
        shell: bool = False,
        sigterm_timeout: Any = None,
        sigkill_timeout: Any = None,
        emulate_tty: bool = False,
        output: Any = None,
        output_format: str | None = None,
        cached_output: bool = False,
        log_cmd: bool = False,
        on_exit: Any = None,
        respawn: Any = False,
        respawn_delay: float | None = None,
        respawn_max_retries: int = -1,
        restart: dict[str, Any] | None = None,
        ready: dict[str, Any] | None = None,
        after: Iterable[SomeSubstitutionsType] = (),
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.cmd = [parts(word) for word in cmd]
        self._options: dict[str, Any] = {
            "label": name, "cwd": cwd, "prefix": prefix, "output": output_text(output),
            "shell": bool_text(shell), "emulate_tty": bool_text(emulate_tty),
            "sigterm_timeout": number_text(sigterm_timeout), "sigkill_timeout": number_text(sigkill_timeout),
        }  # fmt: skip
        check_options("restart", restart, ("policy",), ("backoff", "max_backoff", "max"))
        check_options("ready", ready, ("node", "topic", "service", "state"), ("timeout",))
        if restart is None:
            restart = {"policy": bool_text(respawn), "backoff": respawn_delay, "max": respawn_max_retries}
        else:
            restart = {"backoff": 0.5, "max_backoff": 30, **restart}
        self._restart = {RESTART[name]: number_text(value) for name, value in restart.items()}
        self._ready = None if ready is None else {name: number_text(value) for name, value in ready.items()}
        if isinstance(after, (str, Substitution)):
            after = [after]
        self._after = [parts(name) for name in after]
        self._env = env
        self._additional_env = dict(additional_env or {})
        # That everything ends with the process is an option of the process, as in YAML.
        self._is_required = isinstance(on_exit, Shutdown) and on_exit._is_plain
        self._on_exit = None if self._is_required else on_exit
        #: What is known of the process: its name, its command and its number.
        self.process_details: dict[str, Any] | None = None
        self.return_code: int | None = None

    def program(self, registry: Registry) -> dict[str, Any]:
        """Returns what the process runs, for the launcher."""
        return {"command": {"words": [text_json(word, registry) for word in self.cmd]}}

    def kind(self, registry: Registry) -> dict[str, Any]:
        def texts(options: dict[str, Any]) -> dict[str, Any]:
            return {name: None if text is None else text_json(text, registry) for name, text in options.items()}

        process = texts(self._options)
        process["id"] = registry.number(self)
        process["program"] = self.program(registry)
        process["env"] = [pair(name, value, registry) for name, value in self._additional_env.items()]
        process["restart"] = texts(self._restart)
        process["ready"] = None if self._ready is None else texts(self._ready)
        process["after"] = [text_json(name, registry) for name in self._after]
        process["required"] = self._is_required
        if self._env is not None:
            process["whole_env"] = [pair(name, value, registry) for name, value in self._env.items()]
        return {"process": process}

    def to_json(self, registry: Registry) -> list[dict[str, Any]]:
        actions = super().to_json(registry)
        if self._on_exit is None:
            return actions
        handler = OnProcessExit(target_action=self, on_exit=self._on_exit)
        # The handler exists only if the process does.
        return actions + RegisterEventHandler(handler, condition=self.condition).to_json(registry)


class ExecuteProcess(ExecuteLocal):
    """Starts a process."""
