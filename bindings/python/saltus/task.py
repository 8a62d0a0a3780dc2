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
    """Whether this thread runs a step of a :class:`Task`, which knows what to do with a future that is awaited."""

    is_on = False


_stepping = _Stepping()


def _in_loop(future: Future) -> asyncio.Future[None]:
    """A future of the asyncio loop that runs, which is done when another one is."""
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
    """Something that will be known later. ``await`` it in a coroutine that an executor runs.

    >>> future = Future()
    >>> future.set_result(5)
    >>> future.done(), future.result()
    (True, 5)
    """

    # Of the class, too, for one that is interrupted before it has its own, and collected.
    _exception: BaseException | None = None
    _exception_fetched = False

    def __init__(self, *, executor: Any = None) -> None:
        self._done = False
        self._cancelled = False
        self._result: Any = None
        self._callbacks: list[Callable[[Future], None]] = []
        self._lock = threading.Lock()
        self._executor: Callable[[], Any] = weakref.ref(executor) if executor is not None else _ignore

    def __del__(self) -> None:
        if self._exception is not None and not self._exception_fetched:
            print(
                f"The following exception was never retrieved: {self._exception}", file=sys.stderr
            )

    def __await__(self) -> Generator[Any, None, Any]:
        while not self._done and not self._cancelled:
            if _stepping.is_on:
                yield self
            else:
                yield from _in_loop(self).__await__()
        return self.result()

    def cancel(self) -> None:
        """Gives it up, unless it is done."""
        with self._lock:
            if not self._done:
                self._cancelled = True
        self._run_callbacks()

    def cancelled(self) -> bool:
        """Whether it was given up."""
        return self._cancelled

    def done(self) -> bool:
        """Whether the result, or an exception, is there."""
        return self._done

    def result(self) -> Any:
        """The result, or ``None`` if it is not there yet; raises the exception if there is one."""
        if self._exception is not None:
            self._exception_fetched = True
            raise self._exception
        return self._result

    def exception(self) -> BaseException | None:
        """The exception, or ``None``."""
        self._exception_fetched = True
        return self._exception

    def set_result(self, result: Any) -> None:
        """Completes it."""
        with self._lock:
            self._result = result
            self._done = True
            self._cancelled = False
        self._run_callbacks()

    def set_exception(self, exception: BaseException) -> None:
        """Completes it with an exception."""
        with self._lock:
            self._exception = exception
            self._exception_fetched = False
            self._done = True
            self._cancelled = False
        self._run_callbacks()

    def add_done_callback(self, callback: Callable[[Future], None]) -> None:
        """Calls back with the future once it is done: now, if it is. On the executor, if it has one."""
        with self._lock:
            if not self._done:
                self._callbacks.append(callback)
                return
        self._run(callback)

    def remove_done_callback(self, callback: Callable[[Future], None]) -> bool:
        """Takes a callback away. Whether it was there."""
        with self._lock:
            if callback in self._callbacks:
                self._callbacks.remove(callback)
                return True
        return False

    def _set_executor(self, executor: Any) -> None:
        self._executor = weakref.ref(executor)

    def _run(self, callback: Callable[[Future], None]) -> None:
        executor = self._executor()
        # A coroutine that waits for this goes on by itself, and an executor that does is woken.
        at_once = getattr(getattr(callback, "__self__", None), "_hears_at_once", False)
        if executor is not None and not at_once:
            executor.create_task(callback, self)
            return
        try:
            callback(self)
        except Exception as error:
            warnings.warn(f"Unhandled exception in done callback: {error}", RuntimeWarning, stacklevel=2)

    def _run_callbacks(self) -> None:
        # One by one: if one is interrupted, the others wait for the next time.
        while True:
            with self._lock:
                if not self._callbacks:
                    return
                callback = self._callbacks.pop(0)
            self._run(callback)


class _Step:
    """One step of a task, on this thread, maybe within a step of another."""

    __slots__ = ("is_within", "thread")

    def __init__(self) -> None:
        self.is_within = _stepping.is_on
        self.thread = threading.get_ident()


class Task(Future[T]):
    """A call or coroutine that an executor runs; calling the task runs it, as far as it gets."""

    _hears_at_once = True

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
        #: The step that runs, if one does. As in a callback group, one instruction begins it and says which.
        self._running: dict[str, _Step] = {}

    def __call__(self) -> None:
        """Runs it until it ends or waits for something; then it comes back by itself."""
        step = _Step()
        awaited: Any = self
        try:
            if self._running.setdefault("step", step) is not step or self._done:
                return
            awaited = self._advance(step)
        except BaseException as error:
            if self._is_waiting():
                # Not the coroutine has raised this, but a signal handler around it.
                raise
            if self._done:
                self._run_callbacks()
                raise
            self.set_exception(error)
            self._forget()
            if not isinstance(error, Exception):
                # What ends a program is not kept for whoever asks.
                self._exception_fetched = True
                raise
        finally:
            _stepping.is_on = step.is_within
            if self._running.get("step") is step:
                self._running.clear()
        # Not before it can run again: what it waits for may be there already.
        if isinstance(awaited, Future) and awaited is not self:
            awaited.add_done_callback(self._resume)
        elif awaited is not self:
            self._resume()

    def _advance(self, step: _Step) -> Any:
        """One step. What it waits for, or itself if it is over."""
        if self._cancelled:
            self._close()
            return self
        if self._is_coroutine:
            try:
                _stepping.is_on = True
                return self._handler.send(None)
            except StopIteration as end:
                result = end.value
            finally:
                _stepping.is_on = step.is_within
        else:
            result = self._handler(*self._args, **self._kwargs)
        self.set_result(result)
        self._forget()
        return self

    def _is_waiting(self) -> bool:
        """Whether it is a coroutine that has not begun, or not ended."""
        return self._is_coroutine and self._handler is not None and self._handler.cr_frame is not None

    def _resume(self, _: Any = None) -> None:
        executor = self._executor()
        if executor is not None:
            executor._run_soon(self)

    def _close(self) -> None:
        if self._is_coroutine:
            self._handler.close()
        self._forget()

    def _forget(self) -> None:
        # What it closes over may be large.
        self._handler, self._args, self._kwargs = None, (), {}

    def _give_up_step(self) -> None:
        """Has it run again though a step on this thread seems to run: an exception ended that between instructions."""
        step = self._running.get("step")
        if step is not None and step.thread == threading.get_ident():
            _stepping.is_on = step.is_within
            self._running.clear()

    def executing(self) -> bool:
        """Whether it runs now."""
        return bool(self._running)

    def cancel(self) -> None:
        """Gives it up; a coroutine that waits is closed."""
        super().cancel()
        if not self._done:
            self._resume()
