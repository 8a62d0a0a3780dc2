"""Which signals shut contexts down."""

from __future__ import annotations

from enum import IntEnum

from saltus import _native

__all__ = ["SignalHandlerOptions", "install_signal_handlers", "uninstall_signal_handlers"]


class SignalHandlerOptions(IntEnum):
    """Which signals shut contexts down."""

    NO = 0
    SIGINT = 1
    SIGTERM = 2
    ALL = 3


#: The signals for the next ``init()`` of the default context, unless it is given other ones.
_requested = SignalHandlerOptions.ALL


def requested_signals() -> SignalHandlerOptions:
    """Returns the signals that end the default context, unless ``init()`` says otherwise."""
    return _requested


def signal_bits(options: SignalHandlerOptions) -> int:
    """Returns a bit for SIGINT and one for SIGTERM."""
    return int(options)


def install_signal_handlers(options: SignalHandlerOptions = SignalHandlerOptions.ALL) -> None:
    """Sets the signals for the next ``init()``. Nothing changes before that, because signals shut down contexts."""
    global _requested
    _requested = SignalHandlerOptions(options)


def uninstall_signal_handlers() -> None:
    """Restores the previous actions of the signals."""
    _native.restore_signals()
