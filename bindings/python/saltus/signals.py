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


#: Of the next ``init()`` of the default context that does not say.
_requested = SignalHandlerOptions.ALL


def requested_signals() -> SignalHandlerOptions:
    """The signals that end the default context, unless ``init()`` says otherwise."""
    return _requested


def signal_bits(options: SignalHandlerOptions) -> int:
    """A bit for SIGINT and one for SIGTERM."""
    return int(options)


def install_signal_handlers(options: SignalHandlerOptions = SignalHandlerOptions.ALL) -> None:
    """Takes effect with the next ``init()``: it is contexts that signals shut down."""
    global _requested
    _requested = SignalHandlerOptions(options)


def uninstall_signal_handlers() -> None:
    """Puts back what signals did before."""
    _native.restore_signals()
