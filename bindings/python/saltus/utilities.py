"""The default context, and the command line."""

from __future__ import annotations

import sys
import threading

from saltus import _native
from saltus.context import Context
from saltus.signals import SignalHandlerOptions

_lock = threading.Lock()
_default: Context | None = None
#: Of the next ``init()`` of the default context that does not say.
_signal_options = SignalHandlerOptions.ALL


def get_default_context(*, shutting_down: bool = False) -> Context:
    """The context that everything is made in that is not told another."""
    global _default
    with _lock:
        if _default is None:
            _default = Context()
        context = _default
        if shutting_down:
            _default = None
        return context


def _forget_default_context() -> None:
    global _default, _lock
    # Another thread of the parent may have held it.
    _lock = threading.Lock()
    _default = None


def ok(*, context: Context | None = None) -> bool:
    """Whether a context is initialized and not shut down."""
    return (context or get_default_context()).ok()


def shutdown(*, context: Context | None = None, uninstall_handlers: bool | None = None) -> None:
    """Ends a context; see :func:`saltus.shutdown`."""
    import saltus

    saltus.shutdown(context=context, uninstall_handlers=uninstall_handlers)


def try_shutdown(*, context: Context | None = None, uninstall_handlers: bool | None = None) -> None:
    """Ends a context, unless it is over."""
    if ok(context=context):
        shutdown(context=context, uninstall_handlers=uninstall_handlers)


def remove_ros_args(args: list[str] | None = None) -> list[str]:
    """The arguments of a command line that are not for ROS.

    >>> remove_ros_args(["prog", "-v", "--ros-args", "-r", "a:=b"])
    ['prog', '-v']
    """
    return _native.remove_ros_args(list(sys.argv if args is None else args))


def timeout_sec_to_nsec(timeout_sec: float | None) -> int:
    """Seconds as nanoseconds; -1 for no end."""
    return -1 if timeout_sec is None or timeout_sec < 0 else int(timeout_sec * 1e9)


def get_rmw_implementation_identifier() -> str:
    """The name of what messages go over."""
    return "saltus"


def get_available_rmw_implementations() -> set[str]:
    """The names of everything that messages can go over."""
    return {"saltus"}
