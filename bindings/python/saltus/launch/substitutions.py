"""The substitutions of launch files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Iterable

from saltus.launch.substitution import (
    Known,
    SomeSubstitutionsType,
    Substitution,
    SubstitutionFailure,
    TextSubstitution,
    parts,
)  # fmt: skip

if TYPE_CHECKING:
    from saltus.launch.context import LaunchContext

__all__ = [
    "AllSubstitution", "AndSubstitution", "AnonName", "AnySubstitution", "Command", "EnvironmentVariable",
    "EqualsSubstitution", "FileContent", "FindExecutable", "IfElseSubstitution", "LaunchConfiguration", "LaunchLogDir",
    "LocalSubstitution", "NotEqualsSubstitution", "NotSubstitution", "OrSubstitution", "PathJoinSubstitution",
    "PathSubstitution", "PythonExpression", "SubstitutionFailure", "TextSubstitution", "ThisLaunchFile", "ThisLaunchFileDir",
]  # fmt: skip


class _WithArguments(Known):
    """A substitution whose arguments are all given to its constructor."""

    def __init__(self, *arguments: Any) -> None:
        self._arguments: list[Any] = [parts(argument) for argument in arguments]

    def arguments(self) -> list[Any]:
        return self._arguments


class LaunchConfiguration(_WithArguments):
    """The value of a variable: an argument of the launch file, or what ``SetLaunchConfiguration`` has set."""

    name = "var"

    def __init__(self, variable_name: SomeSubstitutionsType, *, default: Any = None) -> None:
        if default is not None and not isinstance(default, (str, Substitution)):
            items = default if isinstance(default, Iterable) else [default]
            default = [item if isinstance(item, Substitution) else str(item) for item in items]
        super().__init__(variable_name, *([] if default is None else [default]))

    @property
    def variable_name(self) -> Any:
        """The name of the variable."""
        return self._arguments[0]


class EnvironmentVariable(_WithArguments):
    """The value of an environment variable."""

    name = "env"

    def __init__(self, name: SomeSubstitutionsType, *, default_value: SomeSubstitutionsType | None = None) -> None:
        super().__init__(name, *([] if default_value is None else [default_value]))


class PythonExpression(_WithArguments):
    """The value of an expression in Python, as a text."""

    name = "eval"

    def __init__(self, expression: SomeSubstitutionsType, python_modules: SomeSubstitutionsType = ("math",)) -> None:
        modules: list[Any] = []
        for module in parts(python_modules):
            modules.extend([module, ","])
        super().__init__(expression, modules)


class Command(_WithArguments):
    """The output of a command."""

    name = "command"

    def __init__(self, command: SomeSubstitutionsType, *, on_stderr: SomeSubstitutionsType = "fail") -> None:
        super().__init__(command, on_stderr)


class FindExecutable(_WithArguments):
    """The path of a program in the folders of ``PATH``."""

    def __init__(self, *, name: SomeSubstitutionsType) -> None:
        super().__init__(name)


FindExecutable.name = "find-exec"


class AnonName(_WithArguments):
    """A name that no other launch has."""

    def __init__(self, name: SomeSubstitutionsType) -> None:
        super().__init__(name)


AnonName.name = "anon"


class ThisLaunchFile(_WithArguments):
    """The path of the launch file."""

    name = "filename"


class ThisLaunchFileDir(_WithArguments):
    """The folder of the launch file."""

    name = "dirname"


class LaunchLogDir(_WithArguments):
    """The folder with the logs of this launch."""

    name = "log_dir"


class FileContent(_WithArguments):
    """The content of a file."""

    name = "file-content"

    def __init__(self, path: SomeSubstitutionsType) -> None:
        super().__init__(path)


class PathJoinSubstitution(_WithArguments):
    """The parts of a path, joined."""

    name = "path-join"

    def __init__(self, substitutions: Iterable[SomeSubstitutionsType]) -> None:
        super().__init__(*substitutions)

    @property
    def substitutions(self) -> list[Any]:
        """The parts of the path."""
        return self._arguments

    def __truediv__(self, other: SomeSubstitutionsType) -> PathJoinSubstitution:
        return PathJoinSubstitution([*self._arguments, other])


class PathSubstitution(PathJoinSubstitution):
    """A path, to which parts are added with ``/``."""

    def __init__(self, path: SomeSubstitutionsType) -> None:
        super().__init__([path])


class _OfBools(_WithArguments):
    """A substitution of bools: ``True`` and ``False`` are also allowed as values of Python."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*(_plain(argument) for argument in arguments))


def _plain(value: Any) -> Any:
    """Returns a value of Python as a text with substitutions."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        return str(value)
    return value


class NotSubstitution(_OfBools):
    """Whether a value is false."""

    name = "not"

    def __init__(self, value: Any) -> None:
        super().__init__(value)


class AndSubstitution(_OfBools):
    """Whether both values are true."""

    name = "and"

    def __init__(self, left: Any, right: Any) -> None:
        super().__init__(left, right)


class OrSubstitution(_OfBools):
    """Whether one of the values is true."""

    name = "or"

    def __init__(self, left: Any, right: Any) -> None:
        super().__init__(left, right)


class AnySubstitution(_OfBools):
    """Whether one of the values is true."""

    name = "any"


class AllSubstitution(_OfBools):
    """Whether all values are true."""

    name = "all"


class EqualsSubstitution(_OfBools):
    """Whether two values are equal: as bools, as numbers, or as texts."""

    name = "equals"

    def __init__(self, left: Any, right: Any) -> None:
        super().__init__(left, right)


class NotEqualsSubstitution(_OfBools):
    """Whether two values are not equal."""

    name = "not-equals"

    def __init__(self, left: Any, right: Any) -> None:
        super().__init__(left, right)


class IfElseSubstitution(_OfBools):
    """One of two values."""

    name = "if"

    def __init__(
        self, condition: Any, if_value: SomeSubstitutionsType = "", else_value: SomeSubstitutionsType = ""
    ) -> None:
        if if_value == else_value == "":
            raise RuntimeError("One of if_value and else_value must be specified")
        super().__init__(condition, if_value, else_value)


class LocalSubstitution(Substitution):
    """The value of an expression with the local values of a handler, such as ``event.returncode``."""

    def __init__(self, expression: str, description: str | None = None) -> None:
        self.expression = expression
        self._description = description

    def perform(self, context: LaunchContext) -> str:
        names = context.get_locals_as_dict()
        return str(eval(f"context.locals.{self.expression}", {"context": context, "os": os, **names}))

    def describe(self) -> str:
        return f"LocalVar('{self._description or self.expression}')"
