"""Actions that start processes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable

from saltus.launch.attributes import Attribute, Function, Literal, pairs
from saltus.launch.entity import ProcessAction, normalize
from saltus.launch.event_actions import RegisterEventHandler, Shutdown
from saltus.launch.event_handlers import OnProcessExit
from saltus.launch.executable import Executable
from saltus.launch.frontend.expose import expose_action
from saltus.launch.process_options import OPTIONS, RESTART, Words, check_options, output_text, words_of
from saltus.launch.simple_actions import needs_launcher, pair
from saltus.launch.substitution import SomeSubstitutionsType, Substitution, bool_text, number_text, parts, text_json

if TYPE_CHECKING:
    from saltus.launch.context import LaunchContext
    from saltus.launch.elements import ElementParser, Entity
    from saltus.launch.registry import Registry

__all__ = ["ExecuteLocal", "ExecuteProcess"]

#: The arguments that describe a program, and not its process.
_OF_PROGRAM = ("cmd", "prefix", "name", "cwd", "env", "additional_env", "arguments")


def _as_given_or_parts(value: Any) -> Any:
    """Returns a bool and a dictionary as they are, and a text or a number as substitutions."""
    return value if value is None or isinstance(value, (bool, dict)) else parts(number_text(value))


def _parse_on_exit(entity: Entity, parser: ElementParser) -> Shutdown | None:
    text = Literal("on_exit", optional=True).read(entity, parser)
    if text not in (None, "shutdown"):
        raise ValueError(f"`on_exit` of `{entity.type_name}` must be `shutdown`, found `{text}`")
    return None if text is None else Shutdown()


class ExecuteLocal(ProcessAction):
    """Starts a process. Its program is described by an ``Executable``, or by the arguments of one."""

    readers = {
        "cwd": Attribute("cwd", optional=True),
        "prefix": Attribute("launch-prefix", optional=True),
        "output": Attribute("output", optional=True),
        "shell": Attribute("shell", bool, optional=True),
        "emulate_tty": Attribute("emulate_tty", bool, optional=True),
        "sigterm_timeout": Attribute("sigterm_timeout", float, optional=True),
        "sigkill_timeout": Attribute("sigkill_timeout", float, optional=True),
        "respawn": Attribute("respawn", bool, optional=True),
        "respawn_delay": Attribute("respawn_delay", float, optional=True),
        "respawn_max_retries": Attribute("respawn_max_retries", int, optional=True),
        "additional_env": pairs("env"),
        "on_exit": Function(_parse_on_exit),
        **OPTIONS,
    }

    def __init__(
        self,
        *,
        process_description: Executable | None = None,
        shell: bool | SomeSubstitutionsType = False,
        sigterm_timeout: Any = None,
        sigkill_timeout: Any = None,
        emulate_tty: bool | SomeSubstitutionsType = False,
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
        of_program = {name: kwargs.pop(name) for name in _OF_PROGRAM if name in kwargs}
        super().__init__(**kwargs)
        if of_program and process_description is not None:
            raise TypeError(f"'process_description' and {next(iter(of_program))!r} can't be given both")
        self.process_description = process_description or Executable(**of_program)
        self.shell, self.emulate_tty = _as_given_or_parts(shell), _as_given_or_parts(emulate_tty)
        self.sigterm_timeout, self.sigkill_timeout = (_as_given_or_parts(v) for v in (sigterm_timeout, sigkill_timeout))
        self.output = _as_given_or_parts(output)
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
        # That everything ends with the process is an option of the process, as in YAML.
        self._is_required = isinstance(on_exit, Shutdown) and on_exit._is_plain
        self._on_exit = on_exit

    def get_sub_entities(self) -> list[Any]:
        """Returns the actions that follow the end of the process. Those of a function are not known."""
        return [] if callable(self._on_exit) else normalize(self._on_exit)

    def prepare(self, context: LaunchContext) -> None:
        """Evaluates the description of the program."""
        program = self.process_description
        program.prepare(context, self)
        self.process_details = {
            "action": self, "name": program.final_name, "cmd": program.final_cmd, "cwd": program.final_cwd,
            "env": program.final_env,
        }  # fmt: skip

    def execute(self, context: LaunchContext) -> Any:
        raise needs_launcher(self)

    def program(self, registry: Registry) -> dict[str, Any]:
        """Returns what the process runs, for the launcher."""
        return {"command": {"words": [text_json(word, registry) for word in self.process_description.cmd]}}

    def kind(self, registry: Registry) -> dict[str, Any]:
        def texts(options: dict[str, Any]) -> dict[str, Any]:
            return {name: None if text is None else text_json(text, registry) for name, text in options.items()}

        program = self.process_description
        process = texts(
            {
                "label": program.name,
                "cwd": program.cwd,
                "prefix": program.prefix,
                "output": output_text(self.output),
                "shell": bool_text(self.shell),
                "emulate_tty": bool_text(self.emulate_tty),
                "sigterm_timeout": self.sigterm_timeout,
                "sigkill_timeout": self.sigkill_timeout,
            }  # fmt: skip
        )
        process["id"] = registry.number(self)
        process["program"] = self.program(registry)
        process["env"] = [pair(name, value, registry) for name, value in program.additional_env or []]
        process["restart"] = texts(self._restart)
        process["ready"] = None if self._ready is None else texts(self._ready)
        process["after"] = [text_json(name, registry) for name in self._after]
        process["required"] = self._is_required
        if program.env is not None:
            process["whole_env"] = [pair(name, value, registry) for name, value in program.env]
        return {"process": process}

    def to_json(self, registry: Registry) -> list[dict[str, Any]]:
        actions = super().to_json(registry)
        if self._on_exit is None or self._is_required:
            return actions
        handler = OnProcessExit(target_action=self, on_exit=self._on_exit)
        # The handler exists only if the process does.
        return actions + RegisterEventHandler(handler, condition=self.condition).to_json(registry)


def _of_program(name: str, doc: str) -> Any:
    """Returns a property with an attribute of the description of the program."""
    return property(lambda self: getattr(self.process_description, name), doc=doc)


@expose_action("executable")
class ExecuteProcess(ExecuteLocal):
    """Starts a process."""

    readers = {
        **ExecuteLocal.readers,
        "cmd": Words("cmd"),
        "name": Attribute("name", optional=True),
    }

    cmd = _of_program("cmd", "The words of the command, each as a list of substitutions.")
    cwd = _of_program("cwd", "The parts of the path of the folder, or ``None``.")
    env = _of_program("env", "The names and values of the whole environment, or ``None``.")
    additional_env = _of_program(
        "additional_env", "The names and values that are added to the environment, or ``None``."
    )
    prefix = _of_program("prefix", "The parts of the words before the command, or ``None``.")

    def __init__(
        self,
        *,
        cmd: Iterable[SomeSubstitutionsType],
        prefix: SomeSubstitutionsType | None = None,
        name: SomeSubstitutionsType | None = None,
        cwd: SomeSubstitutionsType | None = None,
        env: dict[Any, Any] | None = None,
        additional_env: dict[Any, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        program = Executable(cmd=cmd, prefix=prefix, name=name, cwd=cwd, env=env, additional_env=additional_env)
        super().__init__(process_description=program, **kwargs)

    @property
    def name(self) -> Any:
        """The parts of the name, or ``None``. After ``prepare`` it is the name with its number."""
        program = self.process_description
        return program.name if program.final_name is None else program.final_name

    @classmethod
    def _parse_cmdline(cls, cmd: str, parser: ElementParser) -> list[list[Substitution]]:
        return words_of(parser.parse_substitution(cmd))
