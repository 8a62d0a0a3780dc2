"""Runs the callbacks of a node beside a test."""

from __future__ import annotations

import contextlib
import threading
from typing import Any

from saltus.context import Context
from saltus.exceptions import ExternalShutdownException
from saltus.executors import SingleThreadedExecutor

__all__ = ["MessagePump"]

#: The longest time until the thread ends, in seconds. A callback may be running.
_LONGEST_STOP = 5.0


class MessagePump:
    """Runs the callbacks of a node on a thread, from :meth:`start` to :meth:`stop`."""

    def __init__(self, node: Any, context: Context | None = None) -> None:
        self._node, self._context = node, context
        self._has_stopped = threading.Event()
        self._executor: SingleThreadedExecutor | None = None
        self._thread = threading.Thread(target=self._spin, name="message_pump", daemon=True)

    def start(self) -> None:
        """Starts the thread."""
        self._executor = SingleThreadedExecutor(context=self._context or self._node.context)
        self._executor.add_node(self._node)
        self._thread.start()

    def stop(self) -> None:
        """Ends the thread. Raises ``TimeoutError`` if a callback does not return."""
        self._has_stopped.set()
        if self._executor is not None:
            self._executor.wake()
        self._thread.join(timeout=_LONGEST_STOP)
        if self._thread.is_alive():
            raise TimeoutError(f"a callback of the node has not returned after {_LONGEST_STOP} s")
        if self._executor is not None:
            self._executor.remove_node(self._node)
            self._executor.shutdown()

    def _spin(self) -> None:
        assert self._executor is not None, "start() has set it"
        # The test may shut the context down before it stops this.
        with contextlib.suppress(ExternalShutdownException):
            while not self._has_stopped.is_set():
                self._executor.spin_once(timeout_sec=1.0)
