"""The output of the processes of a launch: ``proc_output`` of a test."""

from __future__ import annotations

import threading
from typing import Any, Iterator

from saltus.launch_testing.asserts import assertInStream
from saltus.launch_testing.records import Synchronized, name_of
from saltus.launch_testing.util import NoMatchingProcessException, resolveProcesses

__all__ = ["ActiveIoHandler", "IoHandler"]


class IoHandler:
    """The output of processes, in the order in which it was written."""

    def __init__(self) -> None:
        self._events: list[Any] = []
        self._of_process: dict[str, list[Any]] = {}

    def track(self, process_name: str) -> None:
        """Adds a process that has written nothing yet."""
        self._of_process.setdefault(process_name, [])

    def append(self, process_io: Any) -> None:
        """Adds an event of the class ``ProcessIO``."""
        self._events.append(process_io)
        self._of_process.setdefault(process_io.process_name, []).append(process_io)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._events)

    def processes(self) -> list[Any]:
        """Returns the actions of the processes that have written something, each once."""
        return [events[0].action for events in self._of_process.values() if events]

    def process_names(self) -> list[str]:
        """Returns the names of all processes."""
        return list(self._of_process)

    def __getitem__(self, key: Any) -> list[Any]:
        """Returns the events of a process, given its name or its action. Raises ``KeyError`` if it is not known."""
        return list(self._of_process[name_of(key)])


class ActiveIoHandler(Synchronized):
    """The output of processes that still run. Tests can wait for more."""

    def __init__(self) -> None:
        self._output = IoHandler()
        super().__init__(self._output)

    @property
    def io_event(self) -> threading.Condition:
        """The condition that is notified when something is written."""
        return self._changed

    @property
    def io_handler(self) -> IoHandler:
        """The output without a lock, for use when the processes have ended."""
        return self._output

    def track(self, process_name: str) -> None:
        """Adds a process that has written nothing yet."""
        with self._changed:
            self._output.track(process_name)
            self._changed.notify_all()

    def assertWaitFor(self, *args: Any, **kwargs: Any) -> None:
        """Waits for output as :meth:`waitFor` does. Raises ``AssertionError`` if it does not come."""
        expected = kwargs["expected_output"] if "expected_output" in kwargs else args[0]
        assert self.waitFor(*args, **kwargs), f"Waiting for output timed out: {expected!r} did not come"

    def waitFor(
        self,
        expected_output: Any,
        process: Any = None,
        cmd_args: Any = None,
        *,
        strict_proc_matching: bool = True,
        output_filter: Any = None,
        timeout: float = 10,
        strip_ansi_escape_sequences: bool = True,
        stream: str = "stderr",
    ) -> bool:
        """Waits until a stream of a process has an output, for at most ``timeout`` seconds. Returns whether it has.

        The arguments are those of :func:`saltus.launch_testing.asserts.assertInStream`. By default the output of any
        process counts. Raises :class:`NoMatchingProcessException` if none of the processes has written anything.
        """

        def is_there() -> bool:
            try:
                assertInStream(
                    self._output, expected_output, process, cmd_args, output_filter=output_filter,
                    strict_proc_matching=strict_proc_matching,
                    strip_ansi_escape_sequences=strip_ansi_escape_sequences, stream=stream,
                )  # fmt: skip
            except (NoMatchingProcessException, AssertionError):
                return False
            return True

        if self._wait_for(is_there, timeout):
            return True
        # A name that is wrong is another mistake than an output that is missing.
        resolveProcesses(self, process=process, cmd_args=cmd_args, strict_proc_matching=False)
        return False
