"""What happens while a launch runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable

if TYPE_CHECKING:
    from saltus.launch.registry import Registry

__all__ = ["Event", "ExecutionComplete", "IncludeLaunchDescription", "Shutdown", "TimerEvent", "matches_action"]


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


def target_json(matcher: Any, registry: Registry) -> dict[str, Any]:
    """Returns a matcher for the launcher. A function is called for each action."""
    return matcher.target(registry) if isinstance(matcher, Matcher) else {"python": registry.number(matcher)}
