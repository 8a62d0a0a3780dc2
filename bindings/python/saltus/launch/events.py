"""What happens while a launch runs."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, Any, Callable

if TYPE_CHECKING:
    from saltus.launch.registry import Registry

__all__ = [
    "Event", "ExecutionComplete", "IncludeLaunchDescription", "ProcessExited", "ProcessIO", "ProcessStarted",
    "ProcessStderr", "ProcessStdin", "ProcessStdout", "RunningProcessEvent", "Shutdown", "ShutdownProcess",
    "SignalProcess", "TimerEvent", "matches_action", "matches_executable", "matches_name", "matches_pid",
]  # fmt: skip


class Event:
    """Something that has happened, or that is to happen."""

    name = "launch.Event"

    def kind(self, registry: Registry) -> dict[str, Any]:
        """Returns what the launcher does if the event is emitted."""
        raise TypeError(f"an event of the class {type(self).__name__} can't be emitted")


class Shutdown(Event):
    """The launch ends."""

    name = "launch.events.Shutdown"

    def __init__(self, *, reason: Any = "reason not given", due_to_sigint: bool = False) -> None:
        self.reason = reason
        self.due_to_sigint = due_to_sigint

    def kind(self, registry: Registry) -> dict[str, Any]:
        from saltus.launch.substitution import text_json

        return {"shutdown": text_json(self.reason, registry)}


class ExecutionComplete(Event):
    """An action has ended."""

    name = "launch.events.ExecutionComplete"

    def __init__(self, *, action: Any) -> None:
        self.action = action


class IncludeLaunchDescription(Event):
    """A launch description is included."""

    name = "launch.events.IncludeLaunchDescription"

    def __init__(self, launch_description: Any) -> None:
        self.launch_description = launch_description


class TimerEvent(Event):
    """The time of a timer has passed."""

    name = "launch.events.TimerEvent"

    def __init__(self, *, timer_action: Any) -> None:
        self.timer_action = timer_action


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


class Matcher:
    """Which processes an event is for."""

    def __init__(self, of_action: Callable[[Any], bool], target: Callable[[Registry], dict[str, Any]]) -> None:
        self._of_action = of_action
        self.target = target

    def __call__(self, action: Any) -> bool:
        return self._of_action(action)


def matches_action(target_action: Any) -> Matcher:
    """Returns a matcher for the process of an action."""
    return Matcher(lambda action: action is target_action, lambda registry: {"action": registry.number(target_action)})


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


def target_json(matcher: Any, registry: Registry) -> dict[str, Any]:
    """Returns a matcher for the launcher. A function is called for each action."""
    return matcher.target(registry) if isinstance(matcher, Matcher) else {"python": registry.number(matcher)}


class ShutdownProcess(Event):
    """A process is to end."""

    name = "launch.events.process.ShutdownProcess"

    def __init__(self, *, process_matcher: Any) -> None:
        self.process_matcher = process_matcher

    def kind(self, registry: Registry) -> dict[str, Any]:
        return {"end_process": target_json(self.process_matcher, registry)}


class SignalProcess(Event):
    """A process gets a signal."""

    name = "launch.events.process.SignalProcess"

    def __init__(self, *, signal_number: Any, process_matcher: Any) -> None:
        self.signal = signal.Signals[signal_number] if isinstance(signal_number, str) else signal.Signals(signal_number)
        self.signal_name = self.signal.name
        self.process_matcher = process_matcher

    def kind(self, registry: Registry) -> dict[str, Any]:
        target = target_json(self.process_matcher, registry)
        return {"signal_process": {"target": target, "signal": int(self.signal)}}
