"""Callback groups: which callbacks may run at the same time."""

from __future__ import annotations

import weakref
from typing import Any


class CallbackGroup:
    """Decides when callbacks of its entities may run. Derive from it for a rule of your own."""

    def __init__(self) -> None:
        self.entities: weakref.WeakSet[Any] = weakref.WeakSet()

    def add_entity(self, entity: Any) -> None:
        """Adds an entity."""
        self.entities.add(entity)

    def has_entity(self, entity: Any) -> bool:
        """Whether an entity is in it."""
        return entity in self.entities

    def can_execute(self, entity: Any) -> bool:
        """Whether a callback of the entity may begin now."""
        raise NotImplementedError

    def beginning_execution(self, entity: Any) -> bool:
        """Notes that a callback of the entity is about to begin. Returns whether it may."""
        raise NotImplementedError

    def ending_execution(self, entity: Any) -> None:
        """Notes that a callback of the entity has ended."""
        raise NotImplementedError


class ReentrantCallbackGroup(CallbackGroup):
    """All of its callbacks may run at the same time."""

    def can_execute(self, entity: Any) -> bool:
        return True

    def beginning_execution(self, entity: Any) -> bool:
        return True

    def ending_execution(self, entity: Any) -> None:
        pass


class MutuallyExclusiveCallbackGroup(CallbackGroup):
    """One of its callbacks runs at a time."""

    def __init__(self) -> None:
        super().__init__()
        #: The callback that runs, if there is one. One thread may begin it and another one may end it. A single step
        #: checks that no callback runs and stores this one: a signal handler may raise an exception before or after
        #: that step, but not within it.
        self._running: dict[str, Any] = {}

    def can_execute(self, entity: Any) -> bool:
        return not self._running

    def beginning_execution(self, entity: Any) -> bool:
        run = _Run(entity)
        return self._running.setdefault("callback", run) is run

    def ending_execution(self, entity: Any) -> None:
        run = self._running.get("callback")
        if run is not None and run.entity is entity:
            self._running.clear()


class _Run:
    """One run of an entity's callback."""

    __slots__ = ("entity",)

    def __init__(self, entity: Any) -> None:
        self.entity = entity
