"""The arguments of launches that are tested. The texts are ROS 2's."""

from __future__ import annotations

from typing import Any, Iterable

__all__ = ["parse_launch_arguments", "print_arguments_of_launch_description"]


def parse_launch_arguments(launch_arguments: Iterable[str]) -> list[tuple[str, str]]:
    """Returns the names and values of arguments such as ``robot:=arm``. The last value of a name counts.

    Raises ``ValueError`` for a word of another form.
    """
    found: dict[str, str] = {}
    for argument in launch_arguments:
        name, assigned, value = argument.partition(":=")
        if not name or not assigned:
            raise ValueError(f"malformed launch argument '{argument}', expected format '<name>:=<value>'")
        found[name] = value
    return list(found.items())


def print_arguments_of_launch_description(*, launch_description: Any) -> None:
    """Prints the arguments of a launch description."""
    arguments = launch_description.get_launch_arguments()
    print("Arguments (pass arguments as '<name>:=<value>'):")
    for argument in arguments:
        mark = "*" if argument._conditionally_included else ""
        print(f"\n    '{argument.name}':{mark}\n        {argument.description}")
        if argument.default_value is not None:
            default = " + ".join(part.describe() for part in argument.default_value)
            print(f"        (default: {default})")
    if not arguments:
        print("\n  No arguments.")
    elif any(argument._conditionally_included for argument in arguments):
        print("\n* argument(s) which are only used if specific conditions occur")
