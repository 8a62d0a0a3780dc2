"""The description of a program that a process runs, with the class of ROS 2's ``launch.descriptions``."""

from __future__ import annotations

import itertools
import os
import re
import shlex
from typing import TYPE_CHECKING, Any, Iterable

from saltus.launch.substitution import (
    SomeSubstitutionsType,
    Substitution,
    bool_text,
    number_text,
    parts,
    perform_substitutions,
)
from saltus.launch.substitutions import LaunchConfiguration

if TYPE_CHECKING:
    from saltus.launch.context import LaunchContext

__all__ = ["Executable"]

_Pairs = list[tuple[list[Substitution], list[Substitution]]]

#: The numbers at the end of the names of processes.
_numbers = itertools.count(1)


def _optional(text: SomeSubstitutionsType | None) -> list[Substitution] | None:
    return None if text is None else parts(text)


def _pairs(values: dict[Any, Any] | None) -> _Pairs | None:
    if values is None:
        return None
    return [(parts(name), parts(number_text(bool_text(value)))) for name, value in dict(values).items()]


class Executable:
    """A program: its command, its name, its folder and its environment."""

    def __init__(
        self,
        *,
        cmd: Iterable[SomeSubstitutionsType],
        prefix: SomeSubstitutionsType | None = None,
        name: SomeSubstitutionsType | None = None,
        cwd: SomeSubstitutionsType | None = None,
        env: dict[Any, Any] | None = None,
        additional_env: dict[Any, Any] | None = None,
        arguments: Iterable[SomeSubstitutionsType] | None = None,
    ) -> None:
        words = [cmd] if isinstance(cmd, (str, Substitution)) else cmd
        self.arguments = [parts(word) for word in arguments or []]
        self.cmd = [parts(word) for word in words] + self.arguments
        self.prefix, self.name, self.cwd = _optional(prefix), _optional(name), _optional(cwd)
        self.env, self.additional_env = _pairs(env), _pairs(additional_env)
        self.final_cmd: list[str] | None = None
        self.final_name: str | None = None
        self.final_cwd: str | None = None
        self.final_env: dict[str, str] | None = None

    def prepare(self, context: LaunchContext, action: Any) -> None:
        """Evaluates the command, the name, the folder and the environment. They are in the attributes ``final_…``."""
        command = [perform_substitutions(context, word) for word in self.cmd]
        program = os.path.basename(command[0])
        name = program if self.name is None else perform_substitutions(context, self.name)
        self.final_cmd = [*shlex.split(self._final_prefix(context, program)), *command]
        self.final_name = f"{name}-{next(_numbers)}"
        self.final_cwd = None if self.cwd is None else perform_substitutions(context, self.cwd)
        whole = dict(context.environment) if self.env is None else _perform(context, self.env)
        self.final_env = {**whole, **_perform(context, self.additional_env or [])}

    def _final_prefix(self, context: LaunchContext, program: str) -> str:
        """Returns the own prefix, or that of all programs whose names match a filter."""
        if self.prefix is not None:
            return perform_substitutions(context, self.prefix)
        wanted = LaunchConfiguration("launch-prefix-filter", default="").perform(context)
        if wanted and re.match(wanted, program) is None:
            return ""
        return LaunchConfiguration("launch-prefix", default="").perform(context)


def _perform(context: LaunchContext, pairs: _Pairs) -> dict[str, str]:
    return {perform_substitutions(context, name): perform_substitutions(context, value) for name, value in pairs}
