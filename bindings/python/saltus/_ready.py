"""The entities of an executor that are ready."""

from __future__ import annotations

import heapq
import itertools
import threading
from collections import deque
from typing import Any, Callable


class ReadyQueue:
    """Entities that are ready, in the order in which they became ready. Any thread may use it.

    The entities of a group that holds them back are not walked: a program may have thousands of timers in one group.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._numbers = itertools.count()
        #: The entities of each group with their numbers, by the id of the group.
        self._of_group: dict[int, deque[tuple[int, Any]]] = {}
        #: The number of the first entity of each group, and the id of the group, as a heap.
        self._heads: list[tuple[int, int]] = []
        self._known: set[int] = set()

    def __len__(self) -> int:
        return len(self._known)

    def add(self, entity: Any) -> None:
        """Adds an entity as the last one, unless it is in the queue already."""
        with self._lock:
            if id(entity) in self._known:
                return
            self._known.add(id(entity))
            group = id(entity.callback_group)
            waiting = self._of_group.setdefault(group, deque())
            waiting.append((next(self._numbers), entity))
            if len(waiting) == 1:
                heapq.heappush(self._heads, (waiting[0][0], group))

    def take(self, is_present: Callable[[Any], bool]) -> Any:
        """Removes the first entity that may run in its group, and returns it. Returns ``None`` if there is none.

        Forgets the entities before it that are not present any more.
        """
        held: list[tuple[int, int]] = []
        found = None
        with self._lock:
            while found is None and self._heads:
                group = heapq.heappop(self._heads)[1]
                waiting = self._of_group.get(group)
                if waiting is None:
                    # A destructor has forgotten the entities of a node meanwhile.
                    continue
                found = self._take_first(waiting, is_present)
                if not waiting:
                    self._of_group.pop(group, None)
                elif found is None:
                    held.append((waiting[0][0], group))
                else:
                    heapq.heappush(self._heads, (waiting[0][0], group))
            for head in held:
                heapq.heappush(self._heads, head)
        return found

    def _take_first(self, waiting: deque[tuple[int, Any]], is_present: Callable[[Any], bool]) -> Any:
        """Removes the first entity of a group that may run, and returns it."""
        index = 0
        while index < len(waiting):
            entity = waiting[index][1]
            may_run = is_present(entity) and entity.callback_group.can_execute(entity)
            if may_run or not is_present(entity):
                del waiting[index]
                self._known.discard(id(entity))
                if may_run:
                    return entity
            elif getattr(entity.callback_group, "_asks_once", False):
                return None
            else:
                index += 1
        return None

    def forget(self, is_gone: Callable[[Any], bool]) -> None:
        """Removes the entities for which ``is_gone`` returns true. Makes the queue whole if an exception ended a change."""
        with self._lock:
            every = [pair for waiting in self._of_group.values() for pair in waiting if not is_gone(pair[1])]
            of_group: dict[int, deque[tuple[int, Any]]] = {}
            for pair in sorted(every, key=lambda pair: pair[0]):
                of_group.setdefault(id(pair[1].callback_group), deque()).append(pair)
            heads = [(waiting[0][0], group) for group, waiting in of_group.items()]
            heapq.heapify(heads)
            # An exception of a signal handler may end this at any line, so nothing is changed before.
            self._of_group, self._heads, self._known = of_group, heads, {id(entity) for _, entity in every}
