"""Actions that emit events, and that register handlers of events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from saltus.launch.attributes import Attribute
from saltus.launch.entity import Action
from saltus.launch.event_handlers import BaseEventHandler
from saltus.launch.events import Event
from saltus.launch.events import Shutdown as ShutdownEvent
from saltus.launch.frontend.expose import expose_action
from saltus.launch.substitution import SomeSubstitutionsType

if TYPE_CHECKING:
    from saltus.launch.context import LaunchContext
    from saltus.launch.registry import Registry

__all__ = ["EmitEvent", "RegisterEventHandler", "Shutdown", "UnregisterEventHandler"]


class EmitEvent(Action):
    """Emits an event."""

    def __init__(self, *, event: Event, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not isinstance(event, Event):
            raise RuntimeError(f"EmitEvent() expected an event instance, got '{event}'.")
        self.event = event

    def execute(self, context: LaunchContext) -> None:
        context.emit_event_sync(self.event)

    def kind(self, registry: Registry) -> dict[str, Any]:
        return self.event.kind(registry)


_NO_REASON = "reason not given"


@expose_action("shutdown")
class Shutdown(EmitEvent):
    """Ends everything."""

    readers = {"reason": Attribute("reason", optional=True)}

    def __init__(self, *, reason: SomeSubstitutionsType = _NO_REASON, **kwargs: Any) -> None:
        super().__init__(event=ShutdownEvent(reason=reason), **kwargs)
        #: Whether it says no more than that everything ends.
        self._is_plain = self.condition is None and reason == _NO_REASON


class _OfHandler(Action):
    """An action with a handler of events."""

    def __init__(self, event_handler: BaseEventHandler, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.event_handler = event_handler


class RegisterEventHandler(_OfHandler):
    """Registers a handler of events."""

    def describe_conditional_sub_entities(self) -> list[tuple[str, list[Any]]]:
        text, entities = self.event_handler.describe()
        return [(text, entities)] if entities else []

    def execute(self, context: LaunchContext) -> None:
        context.register_event_handler(self.event_handler)

    def kind(self, registry: Registry) -> dict[str, Any]:
        return {"handler": self.event_handler.to_json(registry)}


class UnregisterEventHandler(_OfHandler):
    """Removes a handler of events."""

    def execute(self, context: LaunchContext) -> None:
        context.unregister_event_handler(self.event_handler)

    def kind(self, registry: Registry) -> dict[str, Any]:
        return {"remove_handler": registry.number(self.event_handler)}
