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


class WorkAdded(Event):
    """The program has added work to its launch."""

    name = "saltus.launch.inbox.WorkAdded"


class _Work:
    """An action that waits for the launch."""

    def __init__(self, action: Any) -> None:
        self.action = action
        self.is_done_at_end = isinstance(action, EmitEvent)
        #: Is set when the launch has taken the action, or never will.
        self.is_decided = threading.Event()
        self.was_taken = False

    def decide(self, is_taken: bool) -> None:
        self.was_taken = is_taken
        self.is_decided.set()


class Inbox(BaseEventHandler):
    """Takes actions from any thread, and returns them when the launcher asks for them.

    The launcher asks for them when it was told that there are some.
    """

    trigger = "work_added"

    def __init__(self) -> None:
        super().__init__(matcher=lambda event: isinstance(event, WorkAdded))
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
        work.is_decided.wait()
        if not work.was_taken:
            raise RuntimeError("the launch ends, and starts nothing more")

    def handle(self, event: Event, context: LaunchContext) -> list[Any]:
        """Returns the work. While the launch ends, these are only the events."""
        with self._lock:
            work, self._work = self._work, []
        for one in work:
            one.decide(one.is_done_at_end or not context.is_shutdown)
        return [one.action for one in work if one.was_taken]

    def close(self) -> None:
        """Refuses the work that the launch has not taken, and all further work."""
        with self._lock:
            self._is_open = False
            work, self._work = self._work, []
        for one in work:
            one.decide(False)
