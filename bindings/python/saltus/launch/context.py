"""What an action sees while it is performed."""

from __future__ import annotations

import os
from typing import Any, MutableMapping

__all__ = ["LaunchContext"]


class _Locals:
    """Values that can only be read."""

    def __init__(self, values: dict[str, Any]) -> None:
        self.__dict__["_values"] = values

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["_values"][name]
        except KeyError:
            known = ", ".join(self.__dict__["_values"])
            raise AttributeError(
                f"context.locals does not contain attribute '{name}', it contains: [{known}]"
            ) from None

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"can't set attribute '{name}', locals are read-only")


class LaunchContext:
    """The variables, the environment and the local values of an action.

    The launcher fills it in before it calls a function of a launch file, and reads what the function has changed. A launch
    file may also create one. Then its variables are those that the file sets.
    """

    def __init__(self, *, argv: list[str] | None = None, noninteractive: bool = False) -> None:
        self.argv = list(argv or [])
        self.noninteractive = noninteractive
        self.is_shutdown = False
        self.launch_configurations: dict[str, str] = {}
        # As in ROS 2, the environment of the context is that of the process.
        self.environment: MutableMapping[str, str] = os.environ
        self._locals: dict[str, Any] = {}
        self._globals: dict[str, Any] = {}
        #: Events and handlers of events.
        self._emitted: list[Any] = []

    @property
    def locals(self) -> Any:
        """The local values, as attributes."""
        return _Locals(self.get_locals_as_dict())

    def get_locals_as_dict(self) -> dict[str, Any]:
        """Returns the local values."""
        return {**self._globals, **self._locals}

    def extend_locals(self, extensions: dict[str, Any]) -> None:
        """Adds local values."""
        self._locals.update(extensions)

    def extend_globals(self, extensions: dict[str, Any]) -> None:
        """Adds local values that stay after the handler."""
        self._globals.update(extensions)

    def perform_substitution(self, sub: Any) -> str:
        """Returns the value of a substitution."""
        return str(sub.perform(self))

    def emit_event_sync(self, event: Any) -> None:
        """Adds an event, which is handled after the present one."""
        self._emitted.append(event)

    def register_event_handler(self, event_handler: Any, append: bool = False) -> None:
        """Registers a handler of events."""
        self._emitted.append(event_handler)
