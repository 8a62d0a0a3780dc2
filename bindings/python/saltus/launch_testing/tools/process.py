"""Starts processes in the middle of a test."""

from __future__ import annotations

import contextlib
from typing import Any, Callable, Iterator

from saltus.launch.entity import LaunchDescription, ProcessAction
from saltus.launch.events import matches_action
from saltus.launch.events.process import ProcessExited, ProcessStarted, ShutdownProcess
from saltus.launch_testing.io_handler import ActiveIoHandler
from saltus.launch_testing.proc_info_handler import ActiveProcInfoHandler

__all__ = ["ProcessProxy", "launch_process"]


class ProcessProxy:
    """A process of a launch, as a test sees it."""

    def __init__(
        self,
        process_action: ProcessAction,
        proc_info: ActiveProcInfoHandler,
        proc_output: ActiveIoHandler,
        *,
        output_filter: Callable[[str], str] | None = None,
    ) -> None:
        for value, kind in (
            (process_action, ProcessAction),
            (proc_info, ActiveProcInfoHandler),
            (proc_output, ActiveIoHandler),
        ):
            if not isinstance(value, kind):
                raise TypeError(f"expected a {kind.__name__}, found {value!r}")
        if output_filter is not None and not callable(output_filter):
            raise TypeError(f"expected a function as output_filter, found {output_filter!r}")
        self._action, self._proc_info, self._proc_output = process_action, proc_info, proc_output
        self._filter = output_filter

    def wait_for_shutdown(self, timeout: float | None = None) -> bool:
        """Waits until the process has ended, for at most ``timeout`` seconds. Returns whether it has."""
        with self._proc_info.proc_event:
            return self._proc_info.proc_event.wait_for(lambda: self.terminated, timeout=timeout)

    def wait_for_output(
        self, condition: Callable[[str], Any] | None = None, timeout: float | None = None
    ) -> ConditionResult:
        """Waits until a condition of the whole output holds while the process runs, for at most ``timeout`` seconds.

        The result is true if it holds, and shows the output that was checked last.
        """
        if condition is not None and not callable(condition):
            raise TypeError(f"expected a function as condition, found {condition!r}")
        checked: str | None = None
        has_held = False

        def is_over() -> bool:
            nonlocal checked, has_held
            if self.running:
                checked = self.output
                has_held = condition is None or bool(condition(checked))
            # A process that has ended writes nothing more.
            return has_held or self.terminated

        with self._proc_output.io_event:
            self._proc_output.io_event.wait_for(is_over, timeout=timeout)
        return ConditionResult(has_held, checked)

    @property
    def target_process_action(self) -> ProcessAction:
        """The action that has started the process."""
        return self._action

    def _text(self, is_wanted: Callable[[Any], bool]) -> str:
        events = self._proc_output[self._action]
        text = "".join(event.text.decode(errors="replace") for event in events if is_wanted(event))
        return text if self._filter is None else self._filter(text)

    @property
    def stderr(self) -> str:
        """The filtered standard error."""
        return self._text(lambda event: event.from_stderr)

    @property
    def stdout(self) -> str:
        """The filtered standard output."""
        return self._text(lambda event: event.from_stdout)

    @property
    def output(self) -> str:
        """The filtered standard output and standard error, in the order in which they were written."""
        return self._text(lambda event: True)

    def _is_last(self, kind: type) -> bool:
        return self._action in self._proc_info.processes() and isinstance(self._proc_info[self._action], kind)

    @property
    def running(self) -> bool:
        """Whether the process was started and has not ended."""
        return self._is_last(ProcessStarted)

    @property
    def terminated(self) -> bool:
        """Whether the process has ended."""
        return self._is_last(ProcessExited)

    @property
    def exit_code(self) -> int:
        """The exit code. Raises ``AttributeError`` while the process runs, and ``KeyError`` before it was started."""
        code: int = self._proc_info[self._action].returncode
        return code


class ConditionResult:
    """Whether a condition holds, with the output that was checked last, for the message of an assertion."""

    def __init__(self, is_true: bool, output: str | None) -> None:
        self._is_true, self._output = is_true, output

    def __bool__(self) -> bool:
        return self._is_true

    def __repr__(self) -> str:
        return f"<{self._is_true}, with the output {self._output!r}>"


@contextlib.contextmanager
def launch_process(
    launch_service: Any, process_action: ProcessAction, proc_info: Any, proc_output: Any, **kwargs: Any
) -> Iterator[ProcessProxy]:
    """Starts a process in a launch that runs. At the end of a ``with`` statement the process is told to end.

    ``launch_service`` is the argument of the test with this name. The other arguments are those of :class:`ProcessProxy`.
    """
    process = ProcessProxy(process_action, proc_info, proc_output, **kwargs)
    launch_service.include_launch_description(LaunchDescription([process_action]))
    try:
        yield process
    finally:
        # The process has also ended if the launch has, which then takes no events.
        if not process.terminated:
            with contextlib.suppress(RuntimeError):
                launch_service.emit_event(ShutdownProcess(process_matcher=matches_action(process_action)))
