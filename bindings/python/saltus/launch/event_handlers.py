"""What is done when something has happened."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable

from saltus.launch.entity import LaunchDescriptionEntity, actions_json, normalize
from saltus.launch.events import Event

if TYPE_CHECKING:
    from saltus.launch.context import LaunchContext
    from saltus.launch.registry import Registry

__all__ = [
    "EventHandler", "OnActionEventBase", "OnExecutionComplete", "OnProcessExit", "OnProcessIO", "OnProcessStart",
    "OnShutdown", "event_named",
]  # fmt: skip


class EventHandler:
    """Performs actions if an event matches."""

    #: The name of the event for the launcher.
    trigger: Any = "any"
    #: Whether the launcher knows by the name and the target alone that the handler is for an event.
    _is_known = False

    def __init__(self, *, matcher: Callable[[Event], bool], entities: Any = None, handle_once: bool = False) -> None:
        self._matcher, self._entities, self.handle_once = matcher, entities, handle_once

    @property
    def entities(self) -> Any:
        """The actions."""
        return self._entities

    def matches(self, event: Event) -> bool:
        """Returns whether the handler is for an event."""
        return self._matcher(event)

    def handle(self, event: Event, context: LaunchContext) -> Any:
        """Returns the actions for an event."""
        return self._entities

    def target(self, registry: Registry) -> dict[str, Any] | None:
        """Returns the process for which the handler is, for the launcher; ``None`` if it is for all."""
        return None

    def to_json(self, registry: Registry) -> dict[str, Any]:
        """Returns the handler for the launcher."""
        # A matcher and a function are called when the event is there. Only then is it known whether the handler is for it.
        is_plain = self._is_known and not callable(self._entities)
        reaction: dict[str, Any] = {"python": registry.number(self)}
        if is_plain:
            reaction = {"actions": actions_json(self._entities, registry)}
        return {
            "id": registry.number(self), "trigger": self.trigger, "target": self.target(registry),
            "once": self.handle_once and is_plain, "reaction": reaction,
        }  # fmt: skip


class OnActionEventBase(EventHandler):
    """The base of handlers for the events of an action."""

    _is_known = True

    def __init__(self, *, target_action: Any = None, on_event: Any, **kwargs: Any) -> None:
        if not callable(on_event):
            on_event = normalize(on_event)
        super().__init__(matcher=self._matches, entities=on_event, **kwargs)
        self._target_action = target_action

    def _matches(self, event: Any) -> bool:
        target = self._target_action
        if target is None:
            return True
        return bool(target(event.action)) if callable(target) else event.action is target

    def target(self, registry: Registry) -> dict[str, Any] | None:
        target = self._target_action
        if target is None:
            return None
        return {"python" if callable(target) else "action": registry.number(target)}

    def handle(self, event: Event, context: LaunchContext) -> Any:
        return self._entities(event, context) if callable(self._entities) else self._entities


class OnProcessStart(OnActionEventBase):
    """Performs actions when a process was started."""

    trigger = "process_started"

    def __init__(self, *, target_action: Any = None, on_start: Any, **kwargs: Any) -> None:
        super().__init__(target_action=target_action, on_event=on_start, **kwargs)


class OnProcessExit(OnActionEventBase):
    """Performs actions when a process has ended."""

    trigger = "process_exited"

    def __init__(self, *, target_action: Any = None, on_exit: Any, **kwargs: Any) -> None:
        super().__init__(target_action=target_action, on_event=on_exit, **kwargs)


class OnExecutionComplete(OnActionEventBase):
    """Performs actions when an action has ended."""

    trigger = "completed"

    def __init__(self, *, target_action: Any = None, on_completion: Any, **kwargs: Any) -> None:
        if isinstance(target_action, LaunchDescriptionEntity) and not hasattr(target_action, "process_details"):
            raise TypeError("OnExecutionComplete is called only for processes")
        super().__init__(target_action=target_action, on_event=on_completion, **kwargs)


class OnProcessIO(OnActionEventBase):
    """Calls functions with what a process has written."""

    trigger = "process_output"

    def __init__(
        self,
        *,
        target_action: Any = None,
        on_stdin: Callable[..., Any] | None = None,
        on_stdout: Callable[..., Any] | None = None,
        on_stderr: Callable[..., Any] | None = None,
        **kwargs: Any,
    ) -> None:
        functions = {0: on_stdin, 1: on_stdout, 2: on_stderr}

        def call(event: Any, context: LaunchContext) -> Any:
            function = functions.get(event.fd)
            return None if function is None else function(event)

        super().__init__(target_action=target_action, on_event=call, **kwargs)


class OnShutdown(EventHandler):
    """Performs actions when the launch ends."""

    _is_known = True
    trigger = "shutdown"

    def __init__(self, *, on_shutdown: Any, **kwargs: Any) -> None:
        entities = on_shutdown if callable(on_shutdown) else normalize(on_shutdown)
        super().__init__(matcher=lambda event: True, entities=entities, **kwargs)

    def handle(self, event: Event, context: LaunchContext) -> Any:
        return self._entities(event, context) if callable(self._entities) else self._entities


def event_named(event_name: str) -> Callable[[Event], bool]:
    """Returns a matcher for the events with a name."""
    return lambda event: event.name == event_name
