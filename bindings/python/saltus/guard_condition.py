"""Guard conditions: callbacks that the program triggers."""

from __future__ import annotations

from typing import Any, Callable

from saltus._entity import Entity
from saltus.exceptions import InvalidHandle


class GuardCondition(Entity):
    """Runs its callback soon after a thread has triggered it. Created by ``node.create_guard_condition()``."""

    _rank = 3

    def __init__(self, node: Any, native: Any, callback: Callable[[], Any], callback_group: Any) -> None:
        self.callback = callback
        super().__init__(node, native, callback_group)

    def trigger(self) -> None:
        """Makes the callback run. Several triggers before the callback runs make it run once.

        Raises ``InvalidHandle`` if the guard condition was destroyed.
        """
        if not self._is_open:
            raise InvalidHandle("the guard condition was destroyed")
        self._native.trigger()

    def _take(self) -> Any:
        return self._native.take() or None

    def _run(self, taken: Any) -> Any:
        return self.callback()

    def _close(self) -> None:
        self._is_open = False

    def destroy(self) -> None:
        """Destroys the guard condition."""
        self._node.destroy_guard_condition(self)
