"""Futures, and tasks that an executor runs."""

from __future__ import annotations

import asyncio
import inspect
import sys
import threading
import warnings
import weakref
from typing import Any, Callable, Coroutine, Generator, Generic, TypeVar

T = TypeVar("T")


def _ignore(*_: object) -> None:
    pass


class _Stepping(threading.local):
    """Whether this thread runs a step of a :class:`Task`. Then the task handles a future that the step awaits."""

    is_on = False


_stepping = _Stepping()


def _in_loop(future: Future) -> asyncio.Future[None]:
    """Returns a future of the running asyncio loop. It is done when ``future`` is done."""
    loop = asyncio.get_running_loop()
    done = loop.create_future()

    def set_done() -> None:
        if not done.done():
            done.set_result(None)

    def wake_loop(_: Future) -> None:
        loop.call_soon_threadsafe(set_done)

    future.add_done_callback(wake_loop)
    return done


class Future(Generic[T]):
    """A result that is not known yet. ``await`` it in a coroutine that an executor runs.

    >>> future = Future()
    >>> future.set_result(5)
    >>> future.done(), future.result()
    (True, 5)
    """

    # Ctrl-C may interrupt ``__init__``, and ``__del__`` is called for an unfinished object, too.
    _exception: BaseException | None = None

    def __init__(self, *, executor: Any = None) -> None:
        self._done = False
        self._cancelled = False
        self._result: Any = None
        self._exception = None
        self._exception_fetched = False
        self._callbacks: list[Callable[[Future], None]] = []
        self._lock = threading.Lock()
        self._executor: Callable[[], Any] = weakref.ref(executor) if executor is not None else _ignore

    def __del__(self) -> None:
        if self._exception is not None and not self._exception_fetched:
            print(f"The following exception was never retrieved: {self._exception}", file=sys.stderr)

    def __await__(self) -> Generator[Any, None, Any]:
        while not self._done and not self._cancelled:
            if _stepping.is_on:
                yield self
            else:
                yield from _in_loop(self).__await__()
        try:
            return self.result()
        finally:
            # If there is an exception, its traceback refers to this frame.
            del self

    def cancel(self) -> None:
        """Cancels the future, unless it is done."""
        with self._lock:
            if not self._done:
                self._cancelled = True
        self._run_callbacks()

    def cancelled(self) -> bool:
        """Returns whether the future was cancelled."""
        return self._cancelled

    def done(self) -> bool:
        """Returns whether the future has a result or an exception."""
        return self._done

    def result(self) -> Any:
        """Returns the result, or ``None`` if there is none yet. Raises the exception if the future has one."""
        if self._exception is not None:
            self._exception_fetched = True
            try:
                raise self._exception
            finally:
                # The traceback refers to this frame.
                del self
        return self._result

    def exception(self) -> BaseException | None:
        """Returns the exception, or ``None``."""
        self._exception_fetched = True
        return self._exception

    def set_result(self, result: Any) -> None:
        """Completes the future with a result."""
        with self._lock:
            self._result = result
            self._done = True
            self._cancelled = False
        self._run_callbacks()

    def set_exception(self, exception: BaseException) -> None:
        """Completes the future with an exception."""
        with self._lock:
            self._exception = exception
            self._exception_fetched = False
            self._done = True
            self._cancelled = False
        self._run_callbacks()

    def add_done_callback(self, callback: Callable[[Future], None]) -> None:
        """Registers a callback that is called with the future when it is done or cancelled, or at once if it is already.

        If the future has an executor, the executor calls the callback.
        """
        with self._lock:
            if not self._done and not self._cancelled:
                self._callbacks.append(callback)
                return
        self._run(callback)

    def remove_done_callback(self, callback: Callable[[Future], None]) -> bool:
        """Removes a callback. Returns whether it was registered."""
        with self._lock:
            if callback in self._callbacks:
                self._callbacks.remove(callback)
                return True
        return False

    def _set_executor(self, executor: Any) -> None:
        self._executor = weakref.ref(executor)

    def _run(self, callback: Callable[[Future], None]) -> None:
        executor = self._executor()
        # A callback that resumes a task or wakes an executor is called directly.
        is_direct = getattr(getattr(callback, "__self__", None), "_is_called_directly", False)
        if executor is not None and not is_direct:
            executor.create_task(callback, self)
            return
        try:
            callback(self)
        except Exception as error:
            warnings.warn(f"Unhandled exception in done callback: {error}", RuntimeWarning, stacklevel=2)

    def _run_callbacks(self) -> None:
        with self._lock:
            callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            self._run(callback)


class Task(Future[T]):
    """A function or coroutine that an executor runs. Calling the task runs it until it ends or awaits something."""

    #: A future calls the methods of this class directly, not by an executor.
    _is_called_directly = True

    def __init__(
        self,
        handler: Callable[..., Any] | Coroutine[Any, Any, Any],
        args: Any = None,
        kwargs: Any = None,
        executor: Any = None,
    ) -> None:
        super().__init__(executor=executor)
        if inspect.iscoroutinefunction(handler):
            handler, args, kwargs = handler(*(args or ()), **(kwargs or {})), None, None
        self._handler: Any = handler
        self._args, self._kwargs = args or (), kwargs or {}
        self._is_coroutine = inspect.iscoroutine(handler)
        self._running = threading.Lock()

    def __call__(self) -> None:
        """Runs the task until it ends or awaits something. When it can continue, its executor runs it again."""
        if not self._running.acquire(blocking=False):
            return
        awaited: Any = self
        try:
            if self._done:
                return
            if self._cancelled:
                self._close()
            elif self._is_coroutine:
                _stepping.is_on = True
                try:
                    awaited = self._handler.send(None)
                finally:
                    _stepping.is_on = False
            else:
                self.set_result(self._handler(*self._args, **self._kwargs))
                self._forget()
        except StopIteration as end:
            self.set_result(end.value)
            self._forget()
        except BaseException as error:
            # The traceback begins with this frame, which refers to the task. Without it, the exception does not refer to the task.
            self.set_exception(error.with_traceback(error.__traceback__.tb_next))  # type: ignore[union-attr]
            self._forget()
            if not isinstance(error, Exception):
                # An exception that ends the program is raised here, so nothing has to retrieve it.
                self._exception_fetched = True
                raise
        finally:
            self._running.release()
        # The lock must be released before this, because the awaited future may be done already and resume the task.
        if isinstance(awaited, Future) and awaited is not self:
            awaited.add_done_callback(self._resume)
        elif awaited is not self:
            self._resume()

    def _resume(self, _: Any = None) -> None:
        executor = self._executor()
        if executor is not None:
            executor._run_soon(self)

    def _close(self) -> None:
        # This is called each time that the task is cancelled, and when the awaited future is done.
        if self._is_coroutine and self._handler is not None:
            self._handler.close()
        self._forget()

    def _forget(self) -> None:
        # These may refer to large objects.
        self._handler, self._args, self._kwargs = None, (), {}

    def executing(self) -> bool:
        """Returns whether the task is running."""
        return self._running.locked()

    def cancel(self) -> None:
        """Cancels the task. A coroutine that awaits something is closed."""
        super().cancel()
        if not self._done:
            self._resume()
