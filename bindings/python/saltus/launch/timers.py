"""Actions that are performed later."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Iterable

from saltus.launch.attributes import Actions, Attribute
from saltus.launch.entity import Action, actions_json, normalize
from saltus.launch.frontend.expose import expose_action
from saltus.launch.simple_actions import needs_launcher
from saltus.launch.substitution import Known, SomeSubstitutionsType, bool_text, number_text, parts, text_json

if TYPE_CHECKING:
    from saltus.launch.context import LaunchContext
    from saltus.launch.registry import Registry

__all__ = ["TimerAction", "take_canceled"]


@expose_action("timer")
class TimerAction(Action):
    """Performs actions later."""

    readers = {
        "period": Attribute("period", float),
        "cancel_on_shutdown": Attribute("cancel_on_shutdown", bool, optional=True),
        "actions": Actions(),
    }
    _is_ros = False
    #: The timers that were canceled since the launcher was told last.
    _canceled: ClassVar[list[TimerAction]] = []

    def __init__(
        self,
        *,
        period: float | SomeSubstitutionsType,
        actions: Iterable[Any],
        cancel_on_shutdown: bool | SomeSubstitutionsType = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        #: A number of seconds, or a text with substitutions.
        self.period = float(period) if isinstance(period, (int, float)) else parts(period)
        self.actions = normalize(actions)
        self.cancel_on_shutdown = parts(bool_text(cancel_on_shutdown))

    def cancel(self) -> None:
        """Cancels the timer, also if it has not begun. It has no effect on a timer that has ended."""
        if Known.launcher is not None:
            TimerAction._canceled.append(self)

    def describe_conditional_sub_entities(self) -> list[tuple[str, list[Any]]]:
        return [("the time passes without the timer being canceled", self.actions)]

    def handle(self, context: Any) -> list[Any]:
        """Returns the actions that are performed when the time has passed."""
        return self.actions

    def execute(self, context: LaunchContext) -> Any:
        raise needs_launcher(self)

    def kind(self, registry: Registry) -> dict[str, Any]:
        return {
            "timer": {
                "id": registry.number(self),
                "period": text_json(number_text(self.period), registry),
                "is_ros": self._is_ros,
                "cancel_on_shutdown": text_json(self.cancel_on_shutdown, registry),
                "children": actions_json(self.actions, registry),
            }
        }


class _CancelTimer(Action):
    """Cancels a timer."""

    def __init__(self, timer: TimerAction) -> None:
        super().__init__()
        self._timer = timer

    def kind(self, registry: Registry) -> dict[str, Any]:
        return {"cancel_timer": registry.number(self._timer)}


def take_canceled() -> list[Action]:
    """Returns actions that cancel the timers for which a launch file has called ``cancel``."""
    canceled, TimerAction._canceled = TimerAction._canceled, []
    return [_CancelTimer(timer) for timer in canceled]
