"""What an action sees while it is performed."""

from __future__ import annotations

import asyncio
import collections
import functools
import os
from typing import Any, Mapping, MutableMapping

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
        self.launch_configurations: dict[str, Any] = {}
        # As in ROS 2, the environment of the context is that of the process.
        self.environment: MutableMapping[str, str] = os.environ
        self._first_environment = dict(os.environ)
        self._locals: dict[str, Any] = {}
        self._globals: dict[str, Any] = {}
        self._pushed: dict[str, list[dict[str, Any]]] = {}
        self._event_handlers: collections.deque[Any] = collections.deque()
        self._completion_futures: list[asyncio.Future[Any]] = []
        self._asyncio_loop: asyncio.AbstractEventLoop | None = None

    @functools.cached_property
    def _event_queue(self) -> asyncio.Queue[Any]:
        """The events that wait. In Python 3.9, a queue belongs to the loop of the thread that creates it."""
        return asyncio.Queue()

    @property
    def asyncio_loop(self) -> asyncio.AbstractEventLoop | None:
        """The loop in which the launch runs, or ``None``."""
        return self._asyncio_loop

    def _set_asyncio_loop(self, loop: asyncio.AbstractEventLoop | None) -> None:
        self._asyncio_loop = loop

    def add_completion_future(self, future: asyncio.Future[Any]) -> None:
        """Adds a future that must be done before the launch ends."""
        self._completion_futures.append(future)

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

    def get_globals_as_dict(self) -> dict[str, Any]:
        """Returns the local values that stay after the handler."""
        return dict(self._globals)

    def _push(self, kind: str, values: Mapping[str, Any]) -> None:
        self._pushed.setdefault(kind, []).append(dict(values))

    def _pop(self, kind: str) -> dict[str, Any]:
        pushed = self._pushed.get(kind)
        if not pushed:
            raise RuntimeError(f"can't restore the {kind}: none were pushed before")
        return pushed.pop()

    def _push_locals(self) -> None:
        self._push("locals", self._locals)

    def _pop_locals(self) -> None:
        self._locals = self._pop("locals")

    def _push_launch_configurations(self) -> None:
        self._push("launch configurations", self.launch_configurations)

    def _pop_launch_configurations(self) -> None:
        self.launch_configurations = self._pop("launch configurations")

    def _push_environment(self) -> None:
        self._push("environment", self.environment)

    def _pop_environment(self) -> None:
        self._set_environment(self._pop("environment"))

    def _reset_environment(self) -> None:
        self._set_environment(self._first_environment)

    def _set_environment(self, values: dict[str, str]) -> None:
        self.environment.clear()
        self.environment.update(values)

    def perform_substitution(self, sub: Any) -> str:
        """Returns the value of a substitution."""
        value: str = sub.perform(self)
        return value

    def emit_event_sync(self, event: Any) -> None:
        """Adds an event, which is handled after the present one."""
        self._event_queue.put_nowait(event)

    async def emit_event(self, event: Any) -> None:
        """Adds an event, which is handled after the present one."""
        self.emit_event_sync(event)

    def would_handle_event(self, event: Any) -> bool:
        """Returns whether a handler is for an event."""
        return any(handler.matches(event) for handler in self._event_handlers)

    def register_event_handler(self, event_handler: Any, append: bool = False) -> None:
        """Registers a handler of events: the first one, or the last one with ``append``."""
        if append:
            self._event_handlers.append(event_handler)
        else:
            self._event_handlers.appendleft(event_handler)

    def unregister_event_handler(self, event_handler: Any) -> None:
        """Removes a handler of events. Raises ``ValueError`` if it is not registered."""
        self._event_handlers.remove(event_handler)
