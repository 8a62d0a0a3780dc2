"""Handlers of events for tests."""

from __future__ import annotations

from typing import Any

from saltus.launch.entity import LaunchDescriptionEntity, normalize
from saltus.launch.event_handlers import OnProcessIO

__all__ = ["StdoutReadyListener"]


class StdoutReadyListener(OnProcessIO):
    """Performs actions when a process writes lines to its standard output that contain a text."""

    def __init__(self, *, target_action: Any = None, ready_txt: str, actions: Any) -> None:
        self._ready_text, self._actions = ready_txt, actions
        super().__init__(target_action=target_action, on_stdout=self._on_output)

    def _on_output(self, event: Any) -> Any:
        return self._actions if self._ready_text in event.text.decode(errors="replace") else None

    def describe(self) -> tuple[str, list[LaunchDescriptionEntity]]:
        return super().describe()[0], normalize(self._actions)
