"""Options of processes, as the launcher needs them."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, Any

from saltus.launch.attributes import Attribute, Each, Function, Reader
from saltus.launch.substitution import Substitution, TextSubstitution

if TYPE_CHECKING:
    from saltus.launch.elements import ElementParser, Entity


def check_options(name: str, options: Any, one_of: tuple[str, ...], others: tuple[str, ...]) -> None:
    """Raises ``TypeError`` if options are no dictionary, have unknown keys, or not exactly one of some keys."""
    if options is None:
        return
    if not isinstance(options, dict):
        raise TypeError(f"expected {name!r} to be a dict, but got {options!r}")
    known = (*one_of, *others)
    if unknown := [key for key in options if key not in known]:
        raise TypeError(f"{name!r} has no key {unknown[0]!r}; the keys are {', '.join(known)}")
    if sum(key in options for key in one_of) != 1:
        wanted = f"the key {one_of[0]!r}" if len(one_of) == 1 else f"one of the keys {', '.join(one_of)}"
        raise TypeError(f"{name!r} needs {wanted}")


#: The names of the launcher for the keys of ``restart``.
RESTART = {"policy": "policy", "backoff": "delay", "max_backoff": "max_delay", "max": "max"}


def output_text(output: Any) -> Any:
    """Returns where the output goes, as one word. ROS 2 also has a mapping for both outputs; errors are always shown."""
    if not isinstance(output, dict):
        return output
    wanted: set[str] = set()
    for stream in ("stdout", "both"):
        places = output.get(stream, ())
        wanted |= {places} if isinstance(places, str) else set(places)
    if "screen" not in wanted:
        places = output.get("stderr", "screen")
        errors = {places} if isinstance(places, str) else set(places)
        return "own_log" if "own_log" in wanted or "screen" not in errors else "log"
    if "own_log" in wanted:
        return "full"
    return "both" if "log" in wanted else "screen"


def _options(tag: str, *keys: str) -> Function:
    """Returns a reader for an element with options that ROS 2 does not have."""

    def read(entity: Entity, parser: ElementParser) -> dict[str, Any] | None:
        found = Each(tag, *(Attribute(key, optional=True) for key in keys)).read(entity, parser)
        return None if found is None else {key: value for key, value in zip(keys, found[0]) if value is not None}

    return Function(read)


def _after(entity: Entity, parser: ElementParser) -> list[Any] | None:
    after = entity.get_attr("after", data_type=None, optional=True)
    words = after.split(",") if isinstance(after, str) else after
    return None if words is None else [parser.parse_substitution(word.strip()) for word in words]


#: The readers of the options of processes that ROS 2 does not have.
OPTIONS: dict[str, Reader] = {
    "restart": _options("restart", "policy", "backoff", "max_backoff", "max"),
    "ready": _options("ready", "node", "topic", "service", "state", "timeout"),
    "after": Function(_after),
}


#: The first character that stands for a substitution while a command is split. No text of a command has it.
_FIRST_MARK = 0xF0000


def words_of(command: list[Substitution]) -> list[list[Substitution]]:
    """Returns the words of a command, as a shell splits it. The value of a substitution is not split."""
    marks = {chr(_FIRST_MARK + index): sub for index, sub in enumerate(command)}
    whole = "".join(sub.text if isinstance(sub, TextSubstitution) else mark for mark, sub in marks.items())
    pieces = (re.split(f"([{''.join(marks)}])", word) for word in shlex.split(whole))
    words = ([marks.get(piece) or TextSubstitution(text=piece) for piece in word if piece] for word in pieces)
    return [word or [TextSubstitution(text="")] for word in words]


class Words(Attribute):
    """An attribute that is a command: its words."""

    def read(self, entity: Entity, parser: ElementParser) -> Any:
        command = super().read(entity, parser)
        return None if command is None else words_of(command)
