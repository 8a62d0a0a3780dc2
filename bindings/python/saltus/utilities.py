"""The default context, and the command line."""

from __future__ import annotations

import os
import sys
import threading
from typing import Callable

from saltus import _native
from saltus.context import Context
from saltus.signals import uninstall_signal_handlers

_lock = threading.Lock()
_default: Context | None = None
#: Functions that are called before the default context is shut down.
_before_default_ends: list[Callable[[], None]] = []


def get_default_context(*, shutting_down: bool = False) -> Context:
    """Returns the default context. It is used by functions and objects that are given no context."""
    global _default
    with _lock:
        if _default is None:
            _default = Context()
        context = _default
        if shutting_down:
            _default = None
        return context


def _forget_default_context() -> None:
    """In a forked child, forgets the default context, because that context belongs to the parent."""
    global _default, _lock
    # Another thread of the parent may have held the lock.
    _lock = threading.Lock()
    _default = None


os.register_at_fork(after_in_child=_forget_default_context)


def ok(*, context: Context | None = None) -> bool:
    """Returns whether a context is initialized and not shut down."""
    return (context or get_default_context()).ok()


def shutdown(*, context: Context | None = None, uninstall_handlers: bool | None = None) -> None:
    """Shuts a context and its executors down. Replaces the default context, so that ``init()`` can be called again."""
    is_default = context is None or context is get_default_context()
    ending = get_default_context(shutting_down=True) if context is None or is_default else context
    if is_default:
        _default_ends()
    try:
        ending.shutdown()
    finally:
        if uninstall_handlers or uninstall_handlers is None and is_default:
            uninstall_signal_handlers()


def _default_ends() -> None:
    for call in _before_default_ends:
        call()


def try_shutdown(*, context: Context | None = None, uninstall_handlers: bool | None = None) -> None:
    """Same as ``shutdown``, but does nothing if the context was shut down already."""
    if ok(context=context):
        shutdown(context=context, uninstall_handlers=uninstall_handlers)
    elif context in (None, get_default_context()) and get_default_context()._native is not None:
        # A signal has shut the default context down. It must be replaced too.
        get_default_context(shutting_down=True)._was_interrupted()
        _default_ends()


def remove_ros_args(args: list[str] | None = None) -> list[str]:
    """Returns the arguments of a command line that are not for ROS.

    >>> remove_ros_args(["prog", "-v", "--ros-args", "-r", "a:=b"])
    ['prog', '-v']
    """
    return _native.remove_ros_args(list(sys.argv if args is None else args))


def timeout_sec_to_nsec(timeout_sec: float | None) -> int:
    """Converts seconds to nanoseconds. -1 means no limit."""
    return -1 if timeout_sec is None or timeout_sec < 0 else int(timeout_sec * 1e9)


def get_rmw_implementation_identifier() -> str:
    """Returns the name of the middleware."""
    return "saltus"


def get_available_rmw_implementations() -> set[str]:
    """Returns the names of all available middlewares."""
    return {"saltus"}
