"""Callback groups: they determine which callbacks may run at the same time."""

from __future__ import annotations

import weakref
from typing import Any


class CallbackGroup:
    """The base of callback groups: it decides when the callbacks of its entities may run.

    A program may derive a group with another rule.
    """

    #: Whether all entities of the group may begin, or none. An executor then asks for one of them only.
    _asks_once = False

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "can_execute" in vars(cls) and "_asks_once" not in vars(cls):
            # The rule of a program may let one entity begin and not another.
            cls._asks_once = False

    def __init__(self) -> None:
        self.entities: weakref.WeakSet[Any] = weakref.WeakSet()

    def add_entity(self, entity: Any) -> None:
        """Adds an entity to the group."""
        self.entities.add(entity)

    def has_entity(self, entity: Any) -> bool:
        """Returns whether an entity belongs to the group."""
        return entity in self.entities

    def can_execute(self, entity: Any) -> bool:
        """Returns whether a callback of the entity may begin now."""
        raise NotImplementedError

    def beginning_execution(self, entity: Any) -> bool:
        """Reserves the group for a callback of the entity, which is about to begin. Returns whether it may begin."""
        raise NotImplementedError

    def ending_execution(self, entity: Any) -> None:
        """Releases the group after a callback of the entity has ended."""
        raise NotImplementedError


class ReentrantCallbackGroup(CallbackGroup):
    """A group whose callbacks may all run at the same time."""

    _asks_once = True

    def can_execute(self, entity: Any) -> bool:
        return True

    def beginning_execution(self, entity: Any) -> bool:
        return True

    def ending_execution(self, entity: Any) -> None:
        pass


class MutuallyExclusiveCallbackGroup(CallbackGroup):
    """A group of which at most one callback runs at a time."""

    _asks_once = True

    def __init__(self) -> None:
        super().__init__()
        #: The callback that runs, if any. One thread may begin it and another thread may end it. A signal handler may
        #: raise an exception between any two steps. So a single step checks that no callback runs and stores the new
        #: one.
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
