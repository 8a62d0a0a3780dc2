"""A launch service to which tests give further work while it runs."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from saltus.launch.entity import Action, LaunchDescription, LaunchDescriptionEntity
from saltus.launch.event_actions import EmitEvent, RegisterEventHandler
from saltus.launch.event_handlers import OnProcessExit, OnProcessStart
from saltus.launch.events import Event, IncludeLaunchDescription
from saltus.launch.service import LaunchService
from saltus.launch.timers import TimerAction

if TYPE_CHECKING:
    from saltus.launch.registry import Registry

#: The time between two looks for further work, in seconds. It is the longest delay of a process that a test starts. Half of it
#: would need twice the CPU time, which is 2 % of a core.
_PERIOD = 0.1


class _Inbox(Action):
    """Returns the work of other threads to the launcher.

    The launcher can't be told that there is some. So a timer asks for it again and again. Because a timer keeps a launch
    running, there is one only while a process runs, or if the launch is to run without processes.
    """

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.Lock()
        self._work: list[LaunchDescriptionEntity] = []
        self._pids: set[int] = set()
        self._is_asked = True
        #: Whether the launch runs while there are no processes.
        self.is_kept_alive = False
        #: Is set when the launcher has asked for the first time: it has performed the launch description.
        self.has_begun = threading.Event()
        self._timer = TimerAction(period=_PERIOD, actions=[self])

    def entities(self) -> list[LaunchDescriptionEntity]:
        """Returns the parts of a launch description that ask for work."""
        handlers = OnProcessStart(on_start=self._on_start), OnProcessExit(on_exit=self._on_exit)
        # The first time is as soon as the launch description was performed.
        return [*(RegisterEventHandler(handler) for handler in handlers), TimerAction(period=0.0, actions=[self])]

    def put(self, work: LaunchDescriptionEntity) -> None:
        """Adds work. Raises ``RuntimeError`` if nothing asks for it."""
        with self._lock:
            if not self._is_asked:
                raise RuntimeError(
                    "the launch ends, because no process runs: mark generate_test_description with "
                    "launch_testing.markers.keep_alive"
                )
            self._work.append(work)

    def kind(self, registry: Registry) -> dict[str, Any]:
        # The method `execute` is another object each time, and the registry would keep all of them.
        return {"opaque": registry.number(self)}

    def __call__(self, context: Any) -> list[LaunchDescriptionEntity]:
        """Returns the work, and asks again later."""
        with self._lock:
            work, self._work = self._work, []
            # The processes of the launch description, and those that the work starts, are known the next time.
            is_first = not self.has_begun.is_set()
            self._is_asked = is_first or bool(work) or self.is_kept_alive or len(self._pids) > 0
            entities = [*work, self._timer] if self._is_asked else work
        self.has_begun.set()
        return entities

    def _on_start(self, event: Any, context: Any) -> list[LaunchDescriptionEntity]:
        with self._lock:
            self._pids.add(event.pid)
            was_asked, self._is_asked = self._is_asked, True
            return [] if was_asked else [self._timer]

    def _on_exit(self, event: Any, context: Any) -> None:
        with self._lock:
            self._pids.discard(event.pid)


class LiveLaunchService(LaunchService):
    """A launch service for one run. During the run it takes descriptions and events from any thread."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._inbox = _Inbox()
        self._has_ended = False
        #: Whether Ctrl-C or another signal has ended the run.
        self.is_interrupted = False
        super().include_launch_description(LaunchDescription(self._inbox.entities()))

    @property
    def has_begun(self) -> threading.Event:
        """Is set when the launch description was performed."""
        return self._inbox.has_begun

    def include_launch_description(self, launch_description: LaunchDescription) -> None:
        """Adds a description. Raises ``RuntimeError`` if the launch ends or has ended."""
        if self._takes_work():
            self._inbox.put(launch_description)
        else:
            super().include_launch_description(launch_description)

    def emit_event(self, event: Event) -> None:
        """Emits an event. Raises ``RuntimeError`` if the launch ends or has ended."""
        if isinstance(event, IncludeLaunchDescription):
            self.include_launch_description(event.launch_description)
        elif self._takes_work():
            self._inbox.put(EmitEvent(event=event))
        else:
            super().emit_event(event)

    def _takes_work(self) -> bool:
        """Returns whether the launch runs. Raises ``RuntimeError`` if it has ended."""
        if self._has_ended:
            raise RuntimeError("the launch has ended")
        return self._launcher is not None

    def _serve(self, shutdown_when_idle: bool) -> int:
        self._inbox.is_kept_alive = not shutdown_when_idle
        try:
            return super()._serve(shutdown_when_idle)
        finally:
            self._has_ended = True

    def _forward(self, number: int, frame: Any) -> None:
        self.is_interrupted = True
        super()._forward(number, frame)
