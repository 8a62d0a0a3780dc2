"""The work that a program gives to its launch while it runs."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Callable

from saltus.launch.event_actions import EmitEvent
from saltus.launch.event_handlers import BaseEventHandler
from saltus.launch.events import Event

if TYPE_CHECKING:
    from saltus.launch.context import LaunchContext

__all__ = ["Inbox", "WorkAdded"]

#: The time after which a waiting thread looks whether the launcher has ended, in seconds. A function of the launch may run then,
#: which may wait for this thread.
_CHECK = 0.2


class WorkAdded(Event):
    """The program has added work to its launch."""

    name = "saltus.launch.inbox.WorkAdded"


class _Work:
    """An action that waits for the launch."""

    def __init__(self, action: Any) -> None:
        self.action = action
        self.is_done_at_end = isinstance(action, EmitEvent)
        self._is_decided = threading.Event()
        self.was_taken = False

    def decide(self, is_taken: bool) -> None:
        """Notes whether the launch has taken the action. Only the first call counts."""
        if not self._is_decided.is_set():
            self.was_taken = is_taken
            self._is_decided.set()

    def wait(self, has_ended: Callable[[], bool]) -> None:
        """Waits until it is decided. After the end of the launcher it will not be taken."""
        while not self._is_decided.wait(_CHECK):
            if has_ended():
                self.decide(False)


class Inbox(BaseEventHandler):
    """Takes actions from any thread, and returns them when the launcher asks for them.

    The launcher asks for them when it was told that there are some. ``has_ended`` returns whether the launcher has ended.
    """

    trigger = "work_added"

    def __init__(self, has_ended: Callable[[], bool]) -> None:
        super().__init__(matcher=lambda event: isinstance(event, WorkAdded))
        self._has_ended = has_ended
        self._lock = threading.Lock()
        self._work: list[_Work] = []
        self._is_open = True
        #: The thread that runs the functions of the launch. It must not wait for itself.
        self._thread = threading.get_ident()
        #: Tells the launcher that there is work; ``None`` before it has connected.
        self._notify: Callable[[], None] | None = None

    def connect(self, notify: Callable[[], None]) -> None:
        """Takes the function that tells the launcher that there is work. It tells nothing if the launcher has ended."""
        with self._lock:
            self._notify = notify
            has_work = bool(self._work)
        if has_work:
            notify()

    def put(self, action: Any) -> None:
        """Adds an action, and waits until the launch has taken it. On the thread of the launch it does not wait.

        Raises ``RuntimeError`` if the launch has ended, or if it ends and the action is not an event.
        """
        work = _Work(action)
        with self._lock:
            if not self._is_open:
                raise RuntimeError("the launch has ended")
            self._work.append(work)
            notify = self._notify
        if notify is not None:
            notify()
        if threading.get_ident() == self._thread:
            return
        work.wait(self._has_ended)
        if not work.was_taken:
            raise RuntimeError("the launch ends, and starts nothing more")

    def handle(self, event: Event, context: LaunchContext) -> list[Any]:
        """Returns the work. While the launch ends, these are only the events."""
        with self._lock:
            for one in self._work:
                one.decide(one.is_done_at_end or not context.is_shutdown)
            work = [one.action for one in self._work if one.was_taken]
            self._work.clear()
        return work

    def close(self) -> None:
        """Refuses the work that the launch has not taken, and all further work."""
        with self._lock:
            self._is_open, self._notify = False, None
            for one in self._work:
                one.decide(False)
            self._work.clear()
