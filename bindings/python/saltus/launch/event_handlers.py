"""What is done when something has happened."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable

from saltus.launch.entity import Action, LaunchDescriptionEntity, ProcessAction, actions_json, normalize
from saltus.launch.events import Event, ExecutionComplete, IncludeLaunchDescription, Shutdown
from saltus.launch.events.process import ProcessExited, ProcessIO, ProcessStarted
from saltus.launch.substitution import Known

if TYPE_CHECKING:
    from saltus.launch.context import LaunchContext
    from saltus.launch.registry import Registry

__all__ = [
    "BaseEventHandler", "EventHandler", "OnActionEventBase", "OnExecutionComplete", "OnIncludeLaunchDescription",
    "OnProcessExit", "OnProcessIO", "OnProcessStart", "OnShutdown", "event_named",
]  # fmt: skip


class BaseEventHandler:
    """Does something if an event matches."""

    #: The name of the event for the launcher.
    trigger: Any = "any"

    def __init__(self, *, matcher: Callable[[Event], bool], handle_once: bool = False) -> None:
        self._matcher, self._handle_once = matcher, handle_once

    @property
    def handle_once(self) -> bool:
        """Whether the handler is removed when it has handled an event."""
        return self._handle_once

    @property
    def handler_description(self) -> str:
        """What the handler does, for the user."""
        return repr(self)

    @property
    def matcher_description(self) -> str:
        """Which events the handler is for, for the user."""
        return repr(self._matcher)

    def describe(self) -> tuple[str, list[LaunchDescriptionEntity]]:
        """Returns a description for the user, and the actions that are known."""
        text = f"{type(self).__name__}(matcher='{self.matcher_description}', handler='{self.handler_description}')"
        return text, []

    def matches(self, event: Event) -> bool:
        """Returns whether the handler is for an event."""
        return self._matcher(event)

    def handle(self, event: Event, context: LaunchContext) -> Any:
        """Makes the event a local value. Removes the handler, if it is for one event only."""
        context.extend_locals({"event": event})
        if self.handle_once:
            context.unregister_event_handler(self)
        return None

    def to_json(self, registry: Registry) -> dict[str, Any]:
        """Returns the handler for the launcher. It calls ``matches`` and ``handle`` when an event is there."""
        number = registry.number(self)
        return {
            "id": number, "trigger": self.trigger, "target": None, "once": False, "reaction": {"python": number},
        }  # fmt: skip


class EventHandler(BaseEventHandler):
    """Performs actions if an event matches."""

    def __init__(self, *, matcher: Callable[[Event], bool], entities: Any = None, handle_once: bool = False) -> None:
        super().__init__(matcher=matcher, handle_once=handle_once)
        self._entities = entities

    @property
    def entities(self) -> Any:
        """The actions."""
        return self._entities

    def describe(self) -> tuple[str, list[LaunchDescriptionEntity]]:
        return super().describe()[0], [] if callable(self._entities) else normalize(self._entities)

    def handle(self, event: Event, context: LaunchContext) -> Any:
        """Returns the actions for an event."""
        super().handle(event, context)
        return self._entities(event, context) if callable(self._entities) else self._entities


class _KnownHandler(EventHandler):
    """A handler of the events of one class. The launcher knows by the name of the event which ones these are."""

    event_class: type[Event]
    #: Whether the launcher knows by the name and the target alone that the handler is for an event.
    _is_known = True

    def target(self, registry: Registry) -> dict[str, Any] | None:
        """Returns the process for which the handler is, for the launcher; ``None`` if it is for all."""
        return None

    def matches(self, event: Event) -> bool:
        return isinstance(event, self.event_class) and super().matches(event)

    def to_json(self, registry: Registry) -> dict[str, Any]:
        handler = super().to_json(registry)
        handler["target"] = self.target(registry)
        # A matcher and a function are called when the event is there. Only then is it known whether the handler is for it.
        if self._is_known and not callable(self._entities):
            handler["once"] = self.handle_once
            handler["reaction"] = {"actions": actions_json(self._entities, registry)}
        return handler


class OnActionEventBase(_KnownHandler):
    """The base of handlers for the events of an action."""

    def __init__(
        self,
        *,
        action_matcher: Any = None,
        on_event: Any,
        target_event_cls: type[Event],
        target_action_cls: type[Action],
        **kwargs: Any,
    ) -> None:
        if action_matcher is not None and not callable(action_matcher):
            if not isinstance(action_matcher, target_action_cls):
                raise TypeError(f"expected a {target_action_cls.__name__} or a function, found {action_matcher!r}")
        super().__init__(matcher=self._is_for_action, entities=_entities(on_event), **kwargs)
        self.event_class = target_event_cls
        self._target_action = action_matcher

    def _is_for_action(self, event: Any) -> bool:
        target = self._target_action
        if target is None:
            return True
        return bool(callable(target) and target(event.action)) or event.action is target

    def target(self, registry: Registry) -> dict[str, Any] | None:
        target = self._target_action
        if target is None:
            return None
        return {"python" if callable(target) else "action": registry.number(target)}


def _entities(on_event: Any) -> Any:
    """Returns a function as it is, and actions as a list."""
    return on_event if callable(on_event) else normalize(on_event)


class _OnProcess(OnActionEventBase):
    """The base of handlers for the events of a process."""

    _event: type[Event]

    def __init__(self, *, target_action: Any = None, on_event: Any, **kwargs: Any) -> None:
        super().__init__(
            action_matcher=target_action,
            on_event=on_event,
            target_event_cls=self._event,
            target_action_cls=ProcessAction,
            **kwargs,
        )


class OnProcessStart(_OnProcess):
    """Performs actions when a process was started."""

    trigger = "process_started"
    _event = ProcessStarted

    def __init__(self, *, target_action: Any = None, on_start: Any, **kwargs: Any) -> None:
        super().__init__(target_action=target_action, on_event=on_start, **kwargs)


class OnProcessExit(_OnProcess):
    """Performs actions when a process has ended."""

    trigger = "process_exited"
    _event = ProcessExited

    def __init__(self, *, target_action: Any = None, on_exit: Any, **kwargs: Any) -> None:
        super().__init__(target_action=target_action, on_event=on_exit, **kwargs)


class OnProcessIO(_OnProcess):
    """Calls functions with what a process has written."""

    trigger = "process_output"
    _event = ProcessIO

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


class OnExecutionComplete(OnActionEventBase):
    """Performs actions when an action has ended. In a launch, only processes have this event."""

    trigger = "completed"

    def __init__(self, *, target_action: Any = None, on_completion: Any, **kwargs: Any) -> None:
        is_of_other = isinstance(target_action, Action) and not isinstance(target_action, ProcessAction)
        if is_of_other and Known.launcher is not None:
            raise TypeError("OnExecutionComplete is called only for processes")
        super().__init__(
            action_matcher=target_action,
            on_event=on_completion,
            target_event_cls=ExecutionComplete,
            target_action_cls=Action,
            **kwargs,
        )


class OnShutdown(_KnownHandler):
    """Performs actions when the launch ends."""

    trigger = "shutdown"
    event_class = Shutdown

    def __init__(self, *, on_shutdown: Any, **kwargs: Any) -> None:
        if not callable(on_shutdown):
            normalize(on_shutdown)
        super().__init__(matcher=lambda event: True, entities=on_shutdown, **kwargs)


class OnIncludeLaunchDescription(EventHandler):
    """Performs the launch description that an event contains."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(matcher=lambda event: isinstance(event, IncludeLaunchDescription), **kwargs)

    def handle(self, event: Any, context: LaunchContext) -> Any:
        super().handle(event, context)
        return event.launch_description


def event_named(event_name: str) -> Callable[[Event], bool]:
    """Returns a matcher for the events with a name."""
    return lambda event: event.name == event_name
