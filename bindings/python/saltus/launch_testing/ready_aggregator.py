"""Waits for several parts of a test to be ready."""

from __future__ import annotations

import threading
from typing import Any, Callable

__all__ = ["ReadyAggregator"]


class ReadyAggregator:
    """Calls a function once, when :meth:`ready_fn` was called a number of times. It may be called from any thread."""

    def __init__(self, ready_fn: Callable[[], Any], num_to_aggregate: int) -> None:
        self._function, self._missing = ready_fn, num_to_aggregate
        self._lock = threading.Lock()

    def ready_fn(self) -> None:
        """Notes that a part is ready."""
        with self._lock:
            self._missing -= 1
            is_last = self._missing == 0
        if is_last:
            self._function()
