"""Entities: the base of all objects that have a callback which an executor runs."""

from __future__ import annotations

import inspect
from typing import Any, Callable


class Entity:
    """An object with a callback that an executor runs.

    The native part marks the entity when it is ready. When its callback group allows it, the executor calls ``_take()``
    and passes the result to ``_run()``. If ``_run()`` returns an awaitable, the callback ends when the awaitable is
    done.
    """

    #: Entities that are ready at the same time run in the order of their ranks, as in ROS 2.
    _rank = 0

    def __init__(self, node: Any, native: Any, callback_group: Any) -> None:
        """Subclasses call this last: from then on, an executor on another thread may run the callback."""
        self._node = node
        self._native = native
        self.callback_group = callback_group
        self._is_open = True
        callback_group.add_entity(self)
        native.set_target(self)

    @property
    def handle(self) -> Any:
        """The native object."""
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
        """Destroys the entity. Same as the ``destroy_…()`` method of the node."""
        self._node._saltus_destroy(self)


def wants_two(callback: Callable[..., Any]) -> bool:
    """Returns whether a callback requires a second argument. As in ROS 2, an optional second argument is not passed.

    Raises ``RuntimeError`` if the callback takes neither one argument nor two.
    """
    try:
        signature = inspect.signature(callback)
    except ValueError:
        # A built-in function without a signature.
        return False
    for count in (1, 2):
        try:
            signature.bind(*range(count))
            return count == 2
        except TypeError:
            pass
    raise RuntimeError("callback must take a message, or a message and its MessageInfo")
