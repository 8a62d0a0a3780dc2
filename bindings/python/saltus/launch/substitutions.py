"""The substitutions of launch files."""

from __future__ import annotations

import importlib
import os
import random
import shlex
import shutil
import socket
import subprocess
from typing import TYPE_CHECKING, Any, Iterable

from saltus.launch import logging as launch_logging
from saltus.launch.boolean_substitution import (
    AllSubstitution,
    AndSubstitution,
    AnySubstitution,
    EqualsSubstitution,
    IfElseSubstitution,
    NotEqualsSubstitution,
    NotSubstitution,
    OrSubstitution,
)
from saltus.launch.frontend.expose import expose_substitution
from saltus.launch.substitution import (
    Known,
    SomeSubstitutionsType,
    Substitution,
    SubstitutionFailure,
    TextSubstitution,
    WithArguments,
    argument,
    describe,
    parts,
    perform_substitutions,
)

if TYPE_CHECKING:
    from saltus.launch.context import LaunchContext

__all__ = [
    "AllSubstitution", "AndSubstitution", "AnonName", "AnySubstitution", "Command", "EnvironmentVariable",
    "EqualsSubstitution", "FileContent", "FindExecutable", "IfElseSubstitution", "LaunchConfiguration", "LaunchLogDir",
    "LocalSubstitution", "NotEqualsSubstitution", "NotSubstitution", "OrSubstitution", "PathJoinSubstitution",
    "PathSubstitution", "PythonExpression", "SubstitutionFailure", "TextSubstitution", "ThisLaunchFile", "ThisLaunchFileDir",
]  # fmt: skip


class LaunchConfiguration(WithArguments):
    """The value of a variable: an argument of the launch file, or what ``SetLaunchConfiguration`` has set."""

    tag = "var"
    variable_name = argument(0, "The name of the variable.")
    default = argument(1, "The value if the variable is not set.")

    def __init__(self, variable_name: SomeSubstitutionsType, *, default: Any = None) -> None:
        if default is not None and not isinstance(default, (str, Substitution)):
            items = default if isinstance(default, Iterable) else [default]
            default = [item if isinstance(item, Substitution) else str(item) for item in items]
        super().__init__(variable_name, *([] if default is None else [default]))

    def evaluate(self, context: LaunchContext) -> str:
        name = perform_substitutions(context, self.variable_name)
        if name in context.launch_configurations:
            value: str = context.launch_configurations[name]
            return value
        return value_or_fail(context, self.default, f"launch configuration '{name}' does not exist")


def value_or_fail(context: LaunchContext, default: list[Substitution] | None, error: str) -> str:
    """Returns the value of a default. Raises ``SubstitutionFailure`` if there is none."""
    if default is None:
        raise SubstitutionFailure(error)
    return perform_substitutions(context, default)


class EnvironmentVariable(WithArguments):
    """The value of an environment variable."""

    tag = "env"
    name = argument(0, "The name of the environment variable.")
    default_value = argument(1, "The value if the environment variable is not set.")

    def __init__(self, name: SomeSubstitutionsType, *, default_value: SomeSubstitutionsType | None = None) -> None:
        super().__init__(name, *([] if default_value is None else [default_value]))

    def evaluate(self, context: LaunchContext) -> str:
        name = perform_substitutions(context, self.name)
        value = context.environment.get(name)
        if value is not None:
            return value
        return value_or_fail(context, self.default_value, f"environment variable '{name}' does not exist")


def evaluate_expression(expression: str, modules: Iterable[str]) -> str:
    """Returns the value of an expression in Python, in which modules and the members of ``math`` can be used."""
    names: dict[str, Any] = {name: importlib.import_module(name) for name in modules}
    if "math" in names:
        names = {**vars(names["math"]), **names}
    return str(eval(expression, names))


class PythonExpression(Known):
    """The value of an expression in Python, as a text."""

    tag = "eval"

    def __init__(self, expression: SomeSubstitutionsType, python_modules: SomeSubstitutionsType = ("math",)) -> None:
        self.expression, self.python_modules = parts(expression), parts(python_modules)

    def arguments(self) -> list[Any]:
        modules: list[Any] = []
        for module in self.python_modules:
            modules.extend([module, ","])
        return [self.expression, modules]

    def evaluate(self, context: LaunchContext) -> str:
        words = ",".join(module.perform(context) for module in self.python_modules).split(",")
        modules = [word.strip() for word in words if word.strip()]
        return evaluate_expression(perform_substitutions(context, self.expression), modules)

    def describe(self) -> str:
        modules = ", ".join(module.describe() for module in self.python_modules)
        return f"PythonExpr({describe(self.expression)}, [{modules}])"


class Command(WithArguments):
    """The output of a command."""

    tag = "command"
    command = argument(0, "The command, with its arguments.")
    on_stderr = argument(1, "What is done with errors that the command writes: fail, ignore, warn or capture.")

    def __init__(self, command: SomeSubstitutionsType, *, on_stderr: SomeSubstitutionsType = "fail") -> None:
        super().__init__(command, on_stderr)

    def evaluate(self, context: LaunchContext) -> str:
        command, mode = (perform_substitutions(context, text) for text in self.arguments())
        if mode not in ("fail", "ignore", "warn", "capture"):
            raise SubstitutionFailure(f"expected fail, ignore, warn or capture, found '{mode}'")
        errors_to = subprocess.STDOUT if mode == "capture" else subprocess.PIPE
        try:
            done = subprocess.run(
                shlex.split(command), stdout=subprocess.PIPE, stderr=errors_to, text=True, check=False
            )
        except FileNotFoundError as error:
            raise SubstitutionFailure(f"file not found: {error}") from None
        return _output(command, mode, done)


def _output(command: str, mode: str, done: subprocess.CompletedProcess[str]) -> str:
    """Returns the output of a command that has ended."""
    if done.returncode != 0:
        raise SubstitutionFailure(f"executed command failed. Command: {command}\n{done.stdout}{done.stderr or ''}")
    if done.stderr and mode in ("fail", "warn"):
        text = f"executed command showed stderr output. Command: {command}\n{done.stderr}"
        if mode == "fail":
            raise SubstitutionFailure(text)
        launch_logging.get_logger("launch").warning(text)
    return done.stdout


class FindExecutable(WithArguments):
    """The path of a program in the folders of ``PATH``."""

    tag = "find-exec"
    name = argument(0, "The name of the program.")

    def __init__(self, *, name: SomeSubstitutionsType) -> None:
        super().__init__(name)

    def evaluate(self, context: LaunchContext) -> str:
        name = perform_substitutions(context, self.name)
        path = shutil.which(name, path=context.environment.get("PATH", ""))
        if path is None:
            raise SubstitutionFailure(f"there is no program '{name}' in the folders of PATH")
        return path


class AnonName(WithArguments):
    """A name that no other launch has."""

    tag = "anon"
    name = argument(0, "The beginning of the name.")

    def __init__(self, name: SomeSubstitutionsType) -> None:
        super().__init__(name)

    def evaluate(self, context: LaunchContext) -> str:
        name = perform_substitutions(context, self.name)
        key = f"anon{name}"
        if key not in context.launch_configurations:
            unique = f"{name}_{socket.gethostname()}_{os.getpid()}_{random.randrange(2**63)}"
            context.launch_configurations[key] = unique.translate(str.maketrans(".-:", "___"))
        found: str = context.launch_configurations[key]
        return found


class _OfFile(WithArguments):
    """A substitution whose value is that of a local value: what the launch has set for the file."""

    def __init__(self) -> None:
        super().__init__()

    _local: str

    def evaluate(self, context: LaunchContext) -> str:
        value = context.get_locals_as_dict().get(self._local)
        if value is None:
            raise SubstitutionFailure(
                f"{type(self).__name__} used outside of a launch file: there is no '{self._local}'"
            )
        return str(value)


class ThisLaunchFile(_OfFile):
    """The path of the launch file."""

    tag = "filename"
    _local = "current_launch_file_path"


class ThisLaunchFileDir(_OfFile):
    """The folder of the launch file."""

    tag = "dirname"
    _local = "current_launch_file_directory"


class LaunchLogDir(WithArguments):
    """The folder with the logs of this launch."""

    tag = "log_dir"

    def __init__(self) -> None:
        super().__init__()

    def evaluate(self, context: LaunchContext) -> str:
        return launch_logging.launch_config.log_dir


class FileContent(WithArguments):
    """The content of a file."""

    tag = "file-content"
    path = argument(0, "The path of the file.")

    def __init__(self, path: SomeSubstitutionsType) -> None:
        super().__init__(path)

    def evaluate(self, context: LaunchContext) -> str:
        path = perform_substitutions(context, self.path)
        try:
            with open(path, encoding="utf-8") as file:
                return file.read()
        except FileNotFoundError:
            raise SubstitutionFailure(f"File not found: {path}") from None
        except (OSError, ValueError) as error:
            raise SubstitutionFailure(f"can't read {path}: {error}") from None


class PathJoinSubstitution(WithArguments):
    """The parts of a path, joined."""

    tag = "path-join"

    def __init__(self, substitutions: Iterable[SomeSubstitutionsType]) -> None:
        super().__init__(*substitutions)

    @classmethod
    def parse(cls, data: list[list[Substitution]]) -> tuple[Any, dict[str, Any]]:
        return cls, {"substitutions": data}

    @property
    def substitutions(self) -> list[Any]:
        """The parts of the path."""
        return self._arguments

    def evaluate(self, context: LaunchContext) -> str:
        return os.path.join("", *(perform_substitutions(context, part) for part in self._arguments))

    def __truediv__(self, other: SomeSubstitutionsType) -> PathJoinSubstitution:
        return PathJoinSubstitution([*self._arguments, other])


class PathSubstitution(PathJoinSubstitution):
    """A path, to which parts are added with ``/``."""

    def __init__(self, path: SomeSubstitutionsType) -> None:
        super().__init__([path])


class LocalSubstitution(Substitution):
    """The value of an expression with the local values of a handler, such as ``event.returncode``."""

    def __init__(self, expression: str, description: str | None = None) -> None:
        self.expression = expression
        self._description = description

    @property
    def description(self) -> str | None:
        """A description for the user."""
        return self._description

    def perform(self, context: LaunchContext) -> str:
        names = context.get_locals_as_dict()
        return str(eval(f"context.locals.{self.expression}", {"context": context, "os": os, **names}))

    def describe(self) -> str:
        return f"LocalVar('{self._description or self.expression}')"


for _class in (
    AllSubstitution, AndSubstitution, AnonName, AnySubstitution, Command, EnvironmentVariable, EqualsSubstitution,
    FileContent, FindExecutable, IfElseSubstitution, LaunchConfiguration, LaunchLogDir, NotEqualsSubstitution,
    NotSubstitution, OrSubstitution, PathJoinSubstitution, PythonExpression, ThisLaunchFile, ThisLaunchFileDir,
):  # fmt: skip
    expose_substitution(_class.tag)(_class)
expose_substitution("launch_log_dir")(LaunchLogDir)
