"""What a lifecycle node activates and deactivates."""

from __future__ import annotations

import enum
import functools
from typing import Any, Callable, NamedTuple


class TransitionCallbackReturn(enum.Enum):
    """What a callback of a transition returns."""

    #: The node reaches the state that was requested.
    SUCCESS = 97
    #: The node returns to the state in which it was.
    FAILURE = 98
    #: Something is wrong: ``on_error`` is called.
    ERROR = 99

    def to_label(self) -> str:
        """Returns the label of the transition that this result causes."""
        return f"transition_{self.name.lower()}"


class LifecycleState(NamedTuple):
    """A state of a lifecycle node."""

    label: str
    state_id: int


class ManagedEntity:
    """Something that takes part in the transitions of its node.

    Added with ``node.add_managed_entity()``. The callbacks do nothing and succeed.
    """

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Called when the node is configured. ``state`` is the state before the transition."""
        return TransitionCallbackReturn.SUCCESS

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Called when the node is cleaned up."""
        return TransitionCallbackReturn.SUCCESS

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Called when the node is shut down."""
        return TransitionCallbackReturn.SUCCESS

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Called when the node is activated."""
        return TransitionCallbackReturn.SUCCESS

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Called when the node is deactivated."""
        return TransitionCallbackReturn.SUCCESS

    def on_error(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Called when a callback of the node has failed with an error."""
        return TransitionCallbackReturn.SUCCESS


class SimpleManagedEntity(ManagedEntity):
    """A managed entity that only notes whether it is activated."""

    def __init__(self) -> None:
        self._enabled = False

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Notes that the entity is activated."""
        self._enabled = True
        return TransitionCallbackReturn.SUCCESS

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Notes that the entity is not activated."""
        self._enabled = False
        return TransitionCallbackReturn.SUCCESS

    @property
    def is_activated(self) -> bool:
        """Whether the entity is activated."""
        return self._enabled

    @staticmethod
    def when_enabled(
        wrapped: Callable[..., None] | None = None, *, when_not_enabled: Callable[..., None] | None = None
    ) -> Any:
        """Decorates a method so that it does nothing, or calls ``when_not_enabled``, if the entity is not activated."""

        def decorator(method: Callable[..., None]) -> Callable[..., None]:
            @functools.wraps(method)
            def only_when_enabled(self: SimpleManagedEntity, *args: Any, **kwargs: Any) -> None:
                if self._enabled:
                    method(self, *args, **kwargs)
                elif when_not_enabled is not None:
                    when_not_enabled()

            return only_when_enabled

        return decorator if wrapped is None else decorator(wrapped)
