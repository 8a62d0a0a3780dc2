"""Signals of the process, handled in a loop of ``asyncio``."""

from __future__ import annotations

import asyncio
import signal
from types import TracebackType
from typing import Any, Callable

__all__ = ["AsyncSafeSignalManager"]


class AsyncSafeSignalManager:
    """Calls functions in a loop when signals arrive, as long as it is entered (``with``). It can be entered again."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._callbacks: dict[int, Callable[[int], Any]] = {}
        #: The handlers of the signals before this object was entered; ``None`` while it is not.
        self._former: dict[int, Any] | None = None

    def handle(self, signum: int, callback: Callable[[int], Any] | None) -> Callable[[int], Any] | None:
        """Sets the function for a signal, or none with ``None``. Returns the one before."""
        before = self._callbacks.pop(signum, None)
        if callback is not None:
            self._callbacks[signum] = callback
        if self._former is not None:
            if callback is None:
                self._restore(signum)
            else:
                self._install(signum)
        return before

    def __enter__(self) -> AsyncSafeSignalManager:
        self._former = {}
        for signum in self._callbacks:
            self._install(signum)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for signum in list(self._former or {}):
            self._restore(signum)
        self._former = None

    def _install(self, signum: int) -> None:
        if self._former is not None and signum not in self._former:
            self._former[signum] = signal.signal(signum, self._on_signal)

    def _restore(self, signum: int) -> None:
        if self._former is not None and signum in self._former:
            signal.signal(signum, self._former.pop(signum))

    def _on_signal(self, signum: int, frame: Any) -> None:
        self._loop.call_soon_threadsafe(self._call, signum)

    def _call(self, signum: int) -> None:
        callback = self._callbacks.get(signum)
        if callback is not None:
            callback(signum)
