"""The base of all executors: it waits for nodes and decides which callback runs next."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections import deque
from contextlib import suppress
from typing import Any, Callable, Coroutine

from saltus import _native
from saltus._ready import ReadyQueue
from saltus.context import Context
from saltus.exceptions import (
    ConditionReachedException,
    ExternalShutdownException,
    InvalidHandle,
    ShutdownException,
    TimeoutException,
)
from saltus.task import Future, Task
from saltus.utilities import get_default_context

monotonic = _native.monotonic_now
#: How long a wait lasts while callback groups hold entities back, in nanoseconds. After it the entities are checked
#: again.
_HELD_BACK = 5_000_000


def deadline_after(timeout_sec: float | None) -> int | None:
    if timeout_sec is None or timeout_sec < 0:
        return None
    return monotonic() + int(timeout_sec * 1e9)


class _Spin(threading.local):
    """The innermost spin of a thread: a callback may spin an executor again."""

    #: What the spin is about to run: an entity that may have begun execution in its group, or the task made from it.
    current: Any = None
    #: Whether the thread runs a handler of a :class:`saltus.executors.MultiThreadedExecutor`.
    is_in_handler = False


class Executor:
    """Waits for the callbacks of its nodes, and runs them. A derived class decides on which thread a callback runs.

    ``wait_strategy`` is ``"adaptive"`` (polls for a short time before it sleeps, if a message is expected soon),
    ``"block"`` or ``"spin"`` (never sleeps). The executor wakes ``spin_tail`` seconds before a timer is due, and does
    not sleep again until then. So timers are on time, and each call costs that much CPU time.
    """

    #: A future calls the methods of this class directly, not by an executor.
    _is_called_directly = True

    def __init__(
        self, *, context: Context | None = None, wait_strategy: str = "adaptive", spin_tail: float = 0.0
    ) -> None:
        self._context = get_default_context() if context is None else context
        self._wait_set = _native.WaitSet(self._context.handle, wait_strategy, spin_tail)
        self._nodes: list[Any] = []
        #: The ids of the native nodes. A program may add a proxy of a node, which is another object.
        self._natives: set[int] = set()
        self._ready = ReadyQueue()
        self._tasks: deque[Task] = deque()
        self._lock = threading.RLock()
        self._is_shutdown = False
        self._failed: BaseException | None = None
        self._spin = _Spin()
        self._context.on_shutdown(self.wake)

    @property
    def context(self) -> Context:
        """The context of its nodes."""
        return self._context

    def __enter__(self) -> Executor:
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()

    def add_node(self, node: Any) -> bool:
        """Adds a node. Returns false if the executor had the node already."""
        with self._lock:
            if self._is_shutdown:
                raise ShutdownException()
            native = node._saltus_native
            if id(native) in self._natives:
                return False
            self._wait_set.add_node(native)
            self._natives.add(id(native))
            self._nodes.append(node)
        node.executor = self
        return True

    def remove_node(self, node: Any) -> None:
        """Removes a node."""
        with self._lock:
            native = node._saltus_native
            if id(native) not in self._natives:
                return
            self._natives.remove(id(native))
            self._nodes = [other for other in self._nodes if other._saltus_native is not native]
            # They keep the node alive. The next executor of the node marks them again.
            self._ready.forget(lambda entity: entity._node._saltus_native is native)
            self._wait_set.remove_node(native)

    def get_nodes(self) -> list[Any]:
        """Returns its nodes."""
        return list(self._nodes)

    def _has_node(self, node: Any) -> bool:
        return id(node._saltus_native) in self._natives

    def _mark_again(self) -> None:
        """After an exception, marks everything again that is waiting in the nodes.

        A signal handler may have raised the exception between any two instructions: after an entity was marked and
        before it ran, or before its group was notified of the end of the callback. (The data that was taken at that
        moment may still be lost, and so may a task or coroutine between two steps.)
        """
        current, self._spin.current = self._spin.current, None
        if isinstance(current, Task):
            # The task may have been passed on already. A task that runs or has ended does nothing when it is called.
            self._run_soon(current)
        elif current is not None:
            current.callback_group.ending_execution(current)
        with self._lock:
            self._ready.forget(lambda entity: False)
            for node in self._nodes:
                self._wait_set.remove_node(node._saltus_native)
                with suppress(InvalidHandle):
                    self._wait_set.add_node(node._saltus_native)

    def wake(self) -> None:
        """Wakes the executor, so that it polls for work again."""
        self._wait_set.wake()

    def create_task(self, callback: Callable[..., Any] | Coroutine[Any, Any, Any], *args: Any, **kwargs: Any) -> Task:
        """Makes the executor run a function or a coroutine. Returns a task, which is a future of the result."""
        task: Task[Any] = Task(callback, args, kwargs, executor=self)
        self._run_soon(task)
        return task

    def _run_soon(self, task: Task) -> None:
        self._tasks.append(task)
        self.wake()

    def shutdown(self, timeout_sec: float | None = None) -> bool:
        """Shuts the executor down.

        Waits for running callbacks for at most ``timeout_sec``. Returns whether all callbacks have ended.
        """
        with self._lock:
            was_shutdown, self._is_shutdown = self._is_shutdown, True
        if was_shutdown:
            return self._wait_for_callbacks(timeout_sec)
        self.wake()
        ended = self._wait_for_callbacks(timeout_sec)
        with self._lock:
            for node in list(self._nodes):
                self.remove_node(node)
        return ended

    def _wait_for_callbacks(self, timeout_sec: float | None) -> bool:
        return True

    def spin(self) -> None:
        """Runs callbacks until the context is shut down."""
        while self._context.ok() and not self._is_shutdown:
            self.spin_once()

    def spin_until_future_complete(self, future: Future, timeout_sec: float | None = None) -> None:
        """Runs callbacks until a future is done, for at most ``timeout_sec``."""
        deadline = deadline_after(timeout_sec)
        future.add_done_callback(self._wake_for)
        try:
            while self._context.ok() and not future.done() and not future.cancelled() and not self._is_shutdown:
                left = None if deadline is None else max(deadline - monotonic(), 0) / 1e9
                self.spin_once_until_future_complete(future, left)
                if deadline is not None and monotonic() >= deadline:
                    return
        finally:
            future.remove_done_callback(self._wake_for)

    def _wake_for(self, _: Future) -> None:
        self.wake()

    def spin_once(self, timeout_sec: float | None = None) -> None:
        """Waits until a callback is ready, for at most ``timeout_sec``, and runs it.

        ``None`` waits for ever, and 0 does not wait.
        """
        self._within_spin(lambda: self._spin_once_impl(timeout_sec))

    def _within_spin(self, work: Callable[[], None]) -> None:
        """Calls ``work``, which spins the executor. A callback of another spin may call this; see ``_mark_again``."""
        outer, self._spin.current = self._spin.current, None
        try:
            work()
        except BaseException:
            self._mark_again()
            raise
        finally:
            self._spin.current = outer

    def spin_once_until_future_complete(self, future: Future, timeout_sec: float | None = None) -> None:
        """Same as ``spin_once``, but also returns when the future is done."""
        future.add_done_callback(self._wake_for)
        try:
            self._within_spin(lambda: self._spin_once_impl(timeout_sec, lambda: future.done() or future.cancelled()))
        finally:
            future.remove_done_callback(self._wake_for)

    def _spin_once_impl(
        self, timeout_sec: float | None = None, wait_condition: Callable[[], bool] = lambda: False
    ) -> None:
        raise NotImplementedError

    def wait_for_ready_callbacks(
        self,
        timeout_sec: float | None = None,
        nodes: list[Any] | None = None,
        condition: Callable[[], bool] = lambda: False,
    ) -> tuple[Task, Any, Any]:
        """Waits until a callback is ready. Returns its handler, its entity and its node.

        An executor that is written by a program calls this, and decides where and when it calls the handler.

        Raises ``TimeoutException``, ``ShutdownException``, ``ExternalShutdownException`` or
        ``ConditionReachedException``.
        """
        deadline = deadline_after(timeout_sec)
        while True:
            task = self._next_task()
            if task is not None:
                return task, None, None
            entity = self._next_entity(deadline, condition)
            if entity is not None:
                handler = self._make_handler(entity)
                if handler is not None:
                    return handler, entity, entity._node

    def _next_task(self) -> Task | None:
        try:
            return self._tasks.popleft()
        except IndexError:
            return None

    def _next_entity(self, deadline: int | None, condition: Callable[[], bool]) -> Any:
        """Returns an entity that is ready and may run, or ``None`` if there are tasks to run first."""
        while True:
            if self._is_shutdown:
                raise ShutdownException()
            if self._ready:
                entity = self._runnable()
                if entity is not None:
                    return entity
            if condition():
                raise ConditionReachedException()
            batch = self._wait_set.wait(self._until(deadline))
            if batch:
                self._add_ready(batch)
            elif self._tasks:
                return None
            elif not self._context.ok():
                self._context._was_interrupted()
                raise ExternalShutdownException()
            elif deadline is not None and monotonic() >= deadline:
                raise TimeoutException()

    def _until(self, deadline: int | None) -> int | None:
        """Returns the latest time at which the wait must end.

        While a group holds entities back, this is soon: the end of a callback may not wake the wait.
        """
        if not self._ready:
            return deadline
        soon = monotonic() + _HELD_BACK
        return soon if deadline is None else min(soon, deadline)

    def _add_ready(self, batch: list[Any]) -> None:
        if len(batch) > 1:
            batch.sort(key=_rank)
        for entity in batch:
            # It may be queued already, if its node was removed and added again.
            self._ready.add(entity)

    def _runnable(self) -> Any:
        """Returns the first ready entity that may run in its group."""
        return self._ready.take(self._is_present)

    def _is_present(self, entity: Any) -> bool:
        """Returns whether an entity and its node still exist, and belong to this executor."""
        return entity._is_open and id(entity._node._saltus_native) in self._natives

    def _make_handler(self, entity: Any) -> Task | None:
        """Returns the task that runs an entity's callback, or ``None`` if the entity has nothing to run after all."""
        began = False
        taken = None
        self._spin.current = entity
        try:
            began = entity.callback_group.beginning_execution(entity)
            if not began:
                self._spin.current = None
                self._ready.add(entity)
                return None
            taken = entity._take()
        finally:
            if began and taken is None:
                entity.callback_group.ending_execution(entity)
                self._spin.current = None
        if taken is None:
            return None

        def call() -> None:
            ended = True
            try:
                result = entity._run(taken)
                if result is not None and inspect.isawaitable(result):
                    ended = False
                    self.create_task(self._finish(entity, result)).add_done_callback(self._note_failure)
            except InvalidHandle:
                _raise_if_open(entity)
            finally:
                if ended:
                    entity.callback_group.ending_execution(entity)

        handler: Task[Any] = Task(call, executor=self)
        self._spin.current = handler
        return handler

    async def _finish(self, entity: Any, coroutine: Any) -> None:
        """Runs the rest of a callback that awaits something. Its group stays occupied until the end."""
        try:
            await coroutine
        except InvalidHandle:
            _raise_if_open(entity)
        finally:
            entity.callback_group.ending_execution(entity)

    def _note_failure(self, task: Future) -> None:
        """Stores an exception of a task, so that the spin raises it.

        An exception that ends the program is not stored: the task has raised it already.
        """
        error = task.exception()
        if isinstance(error, Exception):
            self._failed = error
            self.wake()

    def _raise_failure(self) -> None:
        if self._failed is not None:
            error, self._failed = self._failed, None
            try:
                raise error
            finally:
                # The traceback refers to this frame.
                del error

    def can_execute(self, entity: Any) -> bool:
        """Returns whether a callback of an entity may begin now."""
        return entity.callback_group.can_execute(entity)

    async def spin_async(self) -> None:
        """Runs callbacks within a running asyncio loop, until the context is shut down.

        The asyncio loop waits for the executor's file descriptor, so that nothing is polled::

            executor.add_node(node)
            asyncio.create_task(executor.spin_async())
        """
        loop = asyncio.get_running_loop()
        is_ready = asyncio.Event()
        descriptor = self._wait_set.fileno()
        loop.add_reader(descriptor, is_ready.set)
        try:
            while self._context.ok() and not self._is_shutdown:
                is_ready.clear()
                longest = self._wait_set.arm()
                if longest != 0 and not self._tasks:
                    try:
                        await asyncio.wait_for(is_ready.wait(), longest)
                    except asyncio.TimeoutError:
                        pass
                try:
                    self.spin_once(0)
                except (TimeoutException, ExternalShutdownException, ShutdownException):
                    pass
                await asyncio.sleep(0)
        finally:
            loop.remove_reader(descriptor)


def _raise_if_open(entity: Any) -> None:
    """Raises the present exception, unless the entity or its node was destroyed while the callback ran.

    Then the callback may have used what belongs to the node, such as a publisher.
    """
    if entity._is_open and entity._node._saltus_is_open:
        raise


def _rank(entity: Any) -> int:
    return entity._rank
