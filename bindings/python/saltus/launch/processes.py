"""Actions that start processes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable

from saltus.launch.entity import ProcessAction
from saltus.launch.event_actions import RegisterEventHandler, Shutdown
from saltus.launch.event_handlers import OnProcessExit
from saltus.launch.process_options import RESTART, check_options, output_text
from saltus.launch.simple_actions import needs_launcher, pair
from saltus.launch.substitution import SomeSubstitutionsType, Substitution, bool_text, number_text, parts, text_json

if TYPE_CHECKING:
    from saltus.launch.context import LaunchContext
    from saltus.launch.registry import Registry

__all__ = ["ExecuteLocal", "ExecuteProcess"]


class ExecuteLocal(ProcessAction):
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

    def execute(self, context: LaunchContext) -> Any:
        raise needs_launcher(self)

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
