"""Options of processes, as the launcher needs them."""

from __future__ import annotations

from typing import Any


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
