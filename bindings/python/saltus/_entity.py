"""What executors run: the common part of everything that has a callback."""

from __future__ import annotations

import inspect
from typing import Any, Callable


class Entity:
    """Something with a callback, which an executor runs.

    The native part marks it when there is something to do. Then the executor takes what there is with
    ``_take()``, once its callback group lets it, and passes that to ``_run()``; if that returns an awaitable,
    the callback is over when that is.
    """

    #: The order in which an executor runs what is ready at once, as in ROS 2.
    _rank = 0

    def __init__(self, node: Any, native: Any, callback_group: Any) -> None:
        self._node = node
        self._native = native
        self.callback_group = callback_group
        self._is_open = True
        callback_group.add_entity(self)
        native.set_target(self)

    @property
    def handle(self) -> Any:
        """What the native module has of it."""
        return self._native

    def _take(self) -> Any:
        raise NotImplementedError

    def _run(self, taken: Any) -> Any:
        raise NotImplementedError

    def _close(self) -> None:
        self._is_open = False
        self._native.close()

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        self.destroy()

    def destroy(self) -> None:
        """Ends it, as the node's ``destroy_…`` does."""
        self._node._saltus_destroy(self)


def wants_two(callback: Callable[..., Any]) -> bool:
    """Whether a callback must be given a second argument: one that may is given one, as in ROS 2.

    Raises ``RuntimeError`` if it takes neither one nor two.
    """
    try:
        signature = inspect.signature(callback)
    except ValueError:
        # A built-in function that does not say.
        return False
    for count in (1, 2):
        try:
            signature.bind(*range(count))
            return count == 2
        except TypeError:
            pass
    raise RuntimeError("callback must take a message, or a message and its MessageInfo")
