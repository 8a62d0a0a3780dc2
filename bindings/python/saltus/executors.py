"""Executors: they wait for nodes and run their callbacks."""

from __future__ import annotations

import inspect
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable

from saltus import _native
from saltus._executor import Executor, _raise_if_open, deadline_after, monotonic
from saltus.context import Context
from saltus.exceptions import (
    ConditionReachedException,
    ExternalShutdownException,
    InvalidHandle,
    ShutdownException,
    TimeoutException,
)
from saltus.task import Future, Task

__all__ = [
    "ConditionReachedException",
    "Executor",
    "ExternalShutdownException",
    "MultiThreadedExecutor",
    "ShutdownException",
    "SingleThreadedExecutor",
    "TimeoutException",
    "placement_of",
]


def placement_of(name: str) -> dict[str, Any]:
    """Returns the placement of the executor with this name, as arguments of :class:`SingleThreadedExecutor`.

    It is read from the file that the environment variable ``SALTUS_PLACEMENT`` names, and the file is checked. Raises
    :class:`saltus.exceptions.PlacementError`.
    """
    cpus, policy, priority, memory_lock = _native.placement(name)
    return {"cpus": cpus, "policy": policy, "priority": priority, "memory_lock": memory_lock}


class SingleThreadedExecutor(Executor):
    """Runs callbacks one by one, on the thread that spins it.

    ``cpus``, ``policy`` (``"other"``, ``"fifo"`` or ``"rr"``) and ``priority`` (1 to 99, for ``"fifo"`` and ``"rr"``)
    are the CPUs and the scheduling policy of that thread. ``memory_lock`` keeps the memory of the process in RAM. They
    are applied when ``spin`` begins.
    """

    def __init__(
        self,
        *,
        context: Context | None = None,
        wait_strategy: str = "adaptive",
        spin_tail: float = 0.0,
        cpus: list[int] | None = None,
        policy: str = "other",
        priority: int = 0,
        memory_lock: bool = False,
    ) -> None:
        super().__init__(context=context, wait_strategy=wait_strategy, spin_tail=spin_tail)
        self._placement = (list(cpus or ()), policy, priority, memory_lock)

    def _place(self) -> None:
        """Applies the CPUs and the scheduling policy to this thread, if they were given."""
        if self._placement != ([], "other", 0, False):
            _native.place_thread(*self._placement)

    def spin(self) -> None:
        self._place()
        self._within_spin(self._spin_passes)

    def _spin_passes(self) -> None:
        while self._context.ok() and not self._is_shutdown:
            self._spin_pass(None)

    def spin_until_future_complete(self, future: Future, timeout_sec: float | None = None) -> None:
        self._place()
        deadline = deadline_after(timeout_sec)
        future.add_done_callback(self._wake_for)
        try:
            self._within_spin(lambda: self._spin_passes_until(future, deadline))
        finally:
            future.remove_done_callback(self._wake_for)

    def _spin_passes_until(self, future: Future, deadline: int | None) -> None:
        while not (future._done or future._cancelled) and self._context.ok() and not self._is_shutdown:
            self._spin_pass(deadline)
            if deadline is not None and monotonic() >= deadline:
                return

    def _spin_pass(self, deadline: int | None) -> None:
        """Runs one pass. A single ready entity is run at once. Several ready entities are queued for later passes."""
        if self._ready or self._tasks:
            self._spin_once_impl(None if deadline is None else (deadline - monotonic()) / 1e9)
            return
        batch = self._wait_set.wait(deadline)
        if len(batch) == 1:
            self._run_entity(batch[0])
        elif batch:
            self._add_ready(batch)
        else:
            # The executor was woken, the deadline has passed, or the context was shut down.
            self._spin_once_impl(0)

    def _spin_once_impl(
        self, timeout_sec: float | None = None, wait_condition: Callable[[], bool] = lambda: False
    ) -> None:
        deadline = deadline_after(timeout_sec)
        try:
            while True:
                if self._tasks:
                    self._run_task()
                    return
                entity = self._next_entity(deadline, wait_condition)
                if entity is not None and self._run_entity(entity):
                    return
        except (ShutdownException, TimeoutException, ConditionReachedException):
            pass

    def _run_task(self) -> None:
        task = self._next_task()
        if task is not None:
            task()
            if task._exception is not None and task.done():
                try:
                    raise task.exception()  # type: ignore[misc]
                finally:
                    # The traceback refers to this frame.
                    del task
        self._raise_failure()

    def _run_entity(self, entity: Any) -> bool:
        group = entity.callback_group
        began = False
        ended = True
        self._spin.current = entity
        try:
            began = group.beginning_execution(entity)
            if not began:
                self._spin.current = None
                self._ready.add(entity)
                return False
            if not entity._is_open:
                return False
            taken = entity._take()
            if taken is None:
                return False
            try:
                result = entity._run(taken)
            except InvalidHandle:
                _raise_if_open(entity)
                return True
            if result is not None and inspect.isawaitable(result):
                task: Task[Any] = Task(self._finish(entity, result), executor=self)
                ended = False
                self._spin.current = None
                task()
                if task._exception is not None:
                    try:
                        raise task.exception()  # type: ignore[misc]
                    finally:
                        # The traceback refers to this frame.
                        del task
        finally:
            if began and ended:
                group.ending_execution(entity)
                self._spin.current = None
        return True


class MultiThreadedExecutor(Executor):
    """Runs callbacks on a pool of threads, as their callback groups allow.

    ``num_threads`` defaults to the number of CPUs, but at least 2.
    """

    def __init__(
        self,
        num_threads: int | None = None,
        *,
        context: Context | None = None,
        wait_strategy: str = "adaptive",
        spin_tail: float = 0.0,
    ) -> None:
        super().__init__(context=context, wait_strategy=wait_strategy, spin_tail=spin_tail)
        if num_threads is None:
            num_threads = max(len(os.sched_getaffinity(0)), 2)
        self._threads = num_threads
        #: One object for each handler that is submitted, or is about to be submitted, and has not ended.
        self._busy: set[object] = set()
        self._pool = ThreadPoolExecutor(num_threads, thread_name_prefix="saltus-executor")

    def _runnable(self) -> Any:
        """Same as in the base class, but returns ``None`` while all threads are busy.

        Messages then stay in the queues of the subscriptions, so that the depths of the queues hold.
        """
        return super()._runnable() if len(self._busy) < self._threads else None

    def _spin_once_impl(
        self, timeout_sec: float | None = None, wait_condition: Callable[[], bool] = lambda: False
    ) -> None:
        try:
            handler, _, _ = self.wait_for_ready_callbacks(timeout_sec, None, self._or_failed(wait_condition))
        except (ExternalShutdownException, ShutdownException, TimeoutException):
            pass
        except ConditionReachedException:
            self._raise_failure()
        else:
            self._submit(handler)
            self._spin.current = None
            self._raise_failure()

    def _submit(self, handler: Task) -> None:
        run = object()
        try:
            self._busy.add(run)
            self._pool.submit(self._run_handler, handler, run)
        except BaseException as error:
            self._busy.discard(run)
            if not isinstance(error, RuntimeError) or not self._is_shutdown:
                raise
            # The executor was shut down meanwhile. The data was taken already, so the handler must run.
            self._run_handler(handler, run)

    def _or_failed(self, condition: Callable[[], bool]) -> Callable[[], bool]:
        return lambda: self._failed is not None or condition()

    def _run_handler(self, handler: Task, run: object) -> None:
        was_in_handler, self._spin.is_in_handler = self._spin.is_in_handler, True
        try:
            handler()
            if handler.done():
                self._note_failure(handler)
        except BaseException as error:  # such as SystemExit, which a task does not keep
            self._failed = error
        finally:
            self._spin.is_in_handler = was_in_handler
            self._busy.discard(run)
            if self._ready or self._failed is not None:
                self.wake()

    def _wait_for_callbacks(self, timeout_sec: float | None) -> bool:
        if self._spin.is_in_handler:
            # A callback can't wait for its own end.
            self._pool.shutdown(wait=False)
            return False
        if timeout_sec is None:
            self._pool.shutdown(wait=True)
            return True
        waiter = threading.Thread(target=self._pool.shutdown, daemon=True)
        waiter.start()
        waiter.join(timeout_sec)
        return not waiter.is_alive()
