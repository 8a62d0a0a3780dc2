"""The signals that shut contexts down."""

from __future__ import annotations

from enum import IntEnum

from saltus import _native

__all__ = ["SignalHandlerOptions", "install_signal_handlers", "uninstall_signal_handlers"]


class SignalHandlerOptions(IntEnum):
    """The signals that shut a context down."""

    NO = 0
    SIGINT = 1
    SIGTERM = 2
    ALL = 3


#: The signals for the next ``init()`` of the default context, unless ``init()`` is given other signals.
_requested = SignalHandlerOptions.ALL


def requested_signals() -> SignalHandlerOptions:
    """Returns the signals that shut the default context down, unless ``init()`` is given other signals."""
    return _requested


def signal_bits(options: SignalHandlerOptions) -> int:
    """Returns the signals as bits: bit 0 is SIGINT, bit 1 is SIGTERM."""
    return int(options)


def install_signal_handlers(options: SignalHandlerOptions = SignalHandlerOptions.ALL) -> None:
    """Sets the signals for the next ``init()``. Has no effect before that, because the handlers belong to contexts."""
    global _requested
    _requested = SignalHandlerOptions(options)


def uninstall_signal_handlers() -> None:
    """Restores the signal actions from before the first context."""
    _native.restore_signals()
