"""The starts and the exit codes of the processes of a launch: ``proc_info`` of a test."""

from __future__ import annotations

import threading
from typing import Any, Iterator

from saltus.launch.events.process import ProcessExited
from saltus.launch_testing.records import Synchronized, name_of
from saltus.launch_testing.util import NoMatchingProcessException, resolveProcesses

__all__ = ["ActiveProcInfoHandler", "ProcInfoHandler"]


class ProcInfoHandler:
    """The last event of each process: ``ProcessStarted``, and then ``ProcessExited`` with a ``returncode``."""

    def __init__(self) -> None:
        self._last: dict[str, Any] = {}

    def append(self, process_info: Any) -> None:
        """Adds an event. It replaces the one before of the same process."""
        self._last[process_info.process_name] = process_info

    def __iter__(self) -> Iterator[Any]:
        return iter(self._last.values())

    def processes(self) -> list[Any]:
        """Returns the actions of the processes."""
        return [event.action for event in self._last.values()]

    def process_names(self) -> list[str]:
        """Returns the names of the processes."""
        return list(self._last)

    def __getitem__(self, key: Any) -> Any:
        """Returns the event of a process, given its name or its action. Raises ``KeyError`` if it is not known."""
        if isinstance(key, str):
            return self._last[key]
        found = [event for event in self._last.values() if event.action is key]
        # An action that was started again has the last name.
        return found[-1] if found else self._last[name_of(key)]


class ActiveProcInfoHandler(Synchronized):
    """The events of processes that still run. Tests can wait for more."""

    def __init__(self) -> None:
        self._processes = ProcInfoHandler()
        super().__init__(self._processes)

    @property
    def proc_event(self) -> threading.Condition:
        """The condition that is notified when a process has started or ended."""
        return self._changed

    @property
    def proc_info_handler(self) -> ProcInfoHandler:
        """The events without a lock, for use when the processes have ended."""
        return self._processes

    def assertWaitForStartup(self, process: Any, cmd_args: Any = None, *, timeout: float = 10) -> None:
        """Waits until a process has started. Raises ``AssertionError`` after ``timeout`` seconds."""
        # The texts are ROS 2's.
        has_started = self._wait_for(lambda: self._find(process, cmd_args) is not None, timeout)
        assert has_started, f"Timed out waiting for process '{process}' to start"

    def assertWaitForShutdown(self, process: Any, cmd_args: Any = None, *, timeout: float = 10) -> None:
        """Waits until a process has ended. Raises ``AssertionError`` after ``timeout`` seconds."""
        has_ended = self._wait_for(lambda: isinstance(self._find(process, cmd_args), ProcessExited), timeout)
        assert has_ended, f"Timed out waiting for process '{process}' to finish"

    def _find(self, process: Any, cmd_args: Any) -> Any:
        """Returns the event of the only process that matches, or ``None``."""
        try:
            (found, *_) = resolveProcesses(self._processes, process=process, cmd_args=cmd_args)
        except NoMatchingProcessException:
            return None
        return self._processes[found]
