"""Events of processes."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, Any

from saltus.launch.events import Event, Matcher, target_json

if TYPE_CHECKING:
    from saltus.launch.registry import Registry

__all__ = [
    "ProcessExited", "ProcessIO", "ProcessStarted", "ProcessStderr", "ProcessStdin", "ProcessStdout",
    "ProcessTargetedEvent", "RunningProcessEvent", "ShutdownProcess", "SignalProcess", "matches_executable", "matches_name", "matches_pid",
]  # fmt: skip


class RunningProcessEvent(Event):
    """An event of a process."""

    name = "launch.events.process.RunningProcessEvent"

    def __init__(self, *, action: Any, name: str, cmd: list[str], cwd: str | None, env: Any, pid: int) -> None:
        self.action = self.execute_process_action = action
        self.process_name, self.cmd, self.cwd, self.env, self.pid = name, cmd, cwd, env, pid


class ProcessStarted(RunningProcessEvent):
    """A process was started."""

    name = "launch.events.process.ProcessStarted"


class ProcessExited(RunningProcessEvent):
    """A process has ended."""

    name = "launch.events.process.ProcessExited"

    def __init__(self, *, returncode: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.returncode = returncode


class ProcessIO(RunningProcessEvent):
    """A process has written something."""

    name = "launch.events.process.ProcessIO"

    def __init__(self, *, text: bytes, fd: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.text, self.fd = text, fd

    @property
    def from_stdin(self) -> bool:
        """Whether it was written to the standard input."""
        return self.fd == 0

    @property
    def from_stdout(self) -> bool:
        """Whether it was written to the standard output."""
        return self.fd == 1

    @property
    def from_stderr(self) -> bool:
        """Whether it was written to the standard error."""
        return self.fd == 2


class ProcessStdin(ProcessIO):
    """Something was written to the standard input of a process."""

    def __init__(self, *, text: bytes, **kwargs: Any) -> None:
        super().__init__(text=text, fd=0, **kwargs)


class ProcessStdout(ProcessIO):
    """A process has written to its standard output."""

    def __init__(self, *, text: bytes, **kwargs: Any) -> None:
        super().__init__(text=text, fd=1, **kwargs)


class ProcessStderr(ProcessIO):
    """A process has written to its standard error."""

    def __init__(self, *, text: bytes, **kwargs: Any) -> None:
        super().__init__(text=text, fd=2, **kwargs)


def matches_pid(pid: int) -> Matcher:
    """Returns a matcher for the process with a number."""
    return Matcher(lambda action: action.process_details["pid"] == pid, lambda registry: {"pid": pid})


def matches_name(name: str) -> Matcher:
    """Returns a matcher for the process with a name, such as ``talker-1``."""
    return Matcher(lambda action: action.process_details["name"] == name, lambda registry: {"name": name})


def matches_executable(executable: str) -> Matcher:
    """Returns a matcher for processes whose command ends with a text."""
    return Matcher(
        lambda action: action.process_details["cmd"][0].endswith(executable),
        lambda registry: {"program": executable},
    )


class ProcessTargetedEvent(Event):
    """An event for the processes that a function chooses."""

    name = "launch.events.process.ProcessTargetedEvent"

    def __init__(self, *, process_matcher: Any) -> None:
        self.process_matcher = process_matcher


class ShutdownProcess(ProcessTargetedEvent):
    """A process is to end."""

    name = "launch.events.process.ShutdownProcess"

    def kind(self, registry: Registry) -> dict[str, Any]:
        return {"end_process": target_json(self.process_matcher, registry)}


class SignalProcess(ProcessTargetedEvent):
    """A process gets a signal."""

    name = "launch.events.process.SignalProcess"

    def __init__(self, *, signal_number: Any, process_matcher: Any) -> None:
        super().__init__(process_matcher=process_matcher)
        self.signal = signal.Signals[signal_number] if isinstance(signal_number, str) else signal.Signals(signal_number)
        self.signal_name = self.signal.name

    def kind(self, registry: Registry) -> dict[str, Any]:
        target = target_json(self.process_matcher, registry)
        return {"signal_process": {"target": target, "signal": int(self.signal)}}
