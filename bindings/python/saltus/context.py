"""Contexts: a context is a process as a participant of the graph."""

from __future__ import annotations

import sys
import threading
import weakref
from typing import Any, Callable

from saltus import _native
from saltus.exceptions import NotInitializedException
from saltus.signals import SignalHandlerOptions, signal_bits


class Context:
    """A participant of the graph. It joins with ``init()`` and leaves with ``shutdown()``. A node belongs to a context.

    Most programs use the default context, which ``saltus.init()`` initializes. Use ``Context()`` if a process needs
    several contexts.
    """

    def __init__(self) -> None:
        self._native: Any = None
        self._lock = threading.RLock()
        self._callbacks: list[Callable[[], Callable[[], None] | None]] = []
        self._prune_at = 64
        self._is_shut_down = False

    def init(
        self,
        args: list[str] | None = None,
        *,
        initialize_logging: bool = True,
        domain_id: int | None = None,
        signals: SignalHandlerOptions = SignalHandlerOptions.NO,
    ) -> None:
        """Joins the graph of a domain. The default is the domain of ``ROS_DOMAIN_ID``."""
        with self._lock:
            if self._native is not None:
                raise RuntimeError("Context.init() must only be called once")
            arguments = sys.argv if args is None else ["", *args]
            self._native = _native.Context(list(arguments), domain_id, signal_bits(signals))

    @property
    def handle(self) -> Any:
        """The native context. Raises ``NotInitializedException`` if ``init()`` was not called."""
        if self._native is None:
            raise NotInitializedException("cannot use the context")
        return self._native

    def ok(self) -> bool:
        """Returns whether the context is initialized and not shut down."""
        return self._native is not None and self._native.is_ok()

    def get_domain_id(self) -> int:
        """Returns the domain id of the context."""
        return self.handle.domain_id

    def _shut_down(self) -> None:
        self._is_shut_down = True
        self._native.shut_down()
        for callback in self._take_callbacks():
            callback()

    def _take_callbacks(self) -> list[Callable[[], None]]:
        callbacks, self._callbacks = self._callbacks, []
        alive = (callback() for callback in callbacks)
        return [callback for callback in alive if callback is not None]

    def shutdown(self) -> None:
        """Shuts the context down and ends its executors.

        Raises ``RuntimeError`` if it was called before, but not if a signal has shut the context down.
        """
        with self._lock:
            if self._native is None or self._is_shut_down:
                raise RuntimeError("Context must be initialized before it can be shutdown")
            self._shut_down()

    def try_shutdown(self) -> None:
        """Shuts the context down, unless it was shut down before."""
        with self._lock:
            if self.ok():
                self._shut_down()

    def on_shutdown(self, callback: Callable[[], None]) -> None:
        """Registers a callback that is called when the context is shut down, if the callback still exists then."""
        if not callable(callback):
            raise TypeError(f"callback should be a callable, got {type(callback)}")
        with self._lock:
            if not self.ok():
                callback()
                return
            self._prune_callbacks()
            reference: Any = weakref.WeakMethod if hasattr(callback, "__self__") else weakref.ref
            try:
                self._callbacks.append(reference(callback))
            except TypeError:
                # A method of a built-in class can't be referred to weakly.
                self._callbacks.append(lambda: callback)

    def _prune_callbacks(self) -> None:
        """Removes callbacks that no longer exist, if the list is long. Each sleep of a clock adds a callback."""
        if len(self._callbacks) >= self._prune_at:
            self._callbacks = [callback for callback in self._callbacks if callback() is not None]
            self._prune_at = 2 * len(self._callbacks) + 64

    def _was_interrupted(self) -> bool:
        """Returns whether a signal has shut the context down. If so, calls the shutdown callbacks."""
        if self._native is None or self._native.is_ok():
            return False
        for callback in self._take_callbacks():
            callback()
        return True

    def __enter__(self) -> Context:
        return self

    def __exit__(self, *_: object) -> None:
        self.try_shutdown()
