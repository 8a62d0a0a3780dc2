"""Saltus: robotics middleware with the types and names of ROS 2, over zero-copy shared memory.

::

    import saltus
    from saltus.msgs.std_msgs.msg import String

    with saltus.init():
        node = saltus.Node("listener")
        node.create_subscription(String, "chatter", lambda message: print(message.data), 10)
        saltus.spin(node)

It has the classes and functions of ROS 2's ``rclpy``, with the same names. For programs that import ``rclpy``, see
:mod:`saltus.ros`.

PYTEST_DONT_REWRITE: pytest leaves the assertions as they are, although this package has a plugin.
"""

from __future__ import annotations

import os
import sys
import threading
from contextlib import contextmanager, suppress
from typing import Any, Iterator

from saltus import exceptions, interfaces
from saltus.callback_groups import MutuallyExclusiveCallbackGroup, ReentrantCallbackGroup
from saltus.clock import Clock, ClockType
from saltus.context import Context
from saltus.duration import Duration
from saltus.executors import Executor, MultiThreadedExecutor, SingleThreadedExecutor
from saltus.node import Node
from saltus.parameter import Parameter
from saltus.qos import (
    DurabilityPolicy,
    HistoryPolicy,
    LivelinessPolicy,
    QoSPresetProfiles,
    QoSProfile,
    ReliabilityPolicy,
)
from saltus.signals import SignalHandlerOptions, requested_signals
from saltus.task import Future
from saltus.time import Time
from saltus.utilities import _before_default_ends, get_default_context, ok, shutdown, try_shutdown

__all__ = [
    "Clock", "ClockType", "Context", "DurabilityPolicy", "Duration", "Executor", "Future", "HistoryPolicy",
    "LivelinessPolicy", "MultiThreadedExecutor", "MutuallyExclusiveCallbackGroup", "Node", "Parameter",
    "QoSPresetProfiles", "QoSProfile", "ReentrantCallbackGroup", "ReliabilityPolicy", "SignalHandlerOptions",
    "SingleThreadedExecutor", "Time", "create_node", "exceptions", "get_default_context",
    "get_global_executor", "init", "interfaces", "ok", "shutdown", "spin", "spin_once", "spin_until_future_complete",
    "try_shutdown",
]  # fmt: skip

_global_executor: Executor | None = None
_executor_lock = threading.Lock()


class InitContextManager:
    """Shuts a context down at the end of a ``with`` statement."""

    def __init__(self, context: Context) -> None:
        self.context = context

    def __enter__(self) -> InitContextManager:
        return self

    def __exit__(self, *_: object) -> None:
        try_shutdown(context=self.context)


def init(
    *,
    args: list[str] | None = None,
    context: Context | None = None,
    domain_id: int | None = None,
    signal_handler_options: SignalHandlerOptions | None = None,
) -> InitContextManager:
    """Joins the graph. Reads the arguments after ``--ros-args`` from ``args``, or by default from the command line.

    SIGINT and SIGTERM end every spin of the default context, unless ``signal_handler_options`` selects other signals.
    SIGINT also raises ``KeyboardInterrupt``. In a worker process of ``multiprocessing``, SIGTERM ends the process, as
    without Saltus, because a pool uses SIGTERM to end its workers. At the end of a ``with`` statement the context is
    shut down.
    """
    is_default = context is None
    context = get_default_context() if context is None else context
    if signal_handler_options is None:
        signal_handler_options = _default_signals() if is_default else SignalHandlerOptions.NO
    context.init(args, domain_id=domain_id, signals=signal_handler_options)
    return InitContextManager(context)


def _default_signals() -> SignalHandlerOptions:
    process = sys.modules.get("multiprocessing.process")
    is_worker = process is not None and process.parent_process() is not None
    wanted = requested_signals()
    return SignalHandlerOptions(wanted & SignalHandlerOptions.SIGINT) if is_worker else wanted


def create_node(node_name: str, **options: Any) -> Node:
    """Creates a node. For its options see :class:`saltus.Node`."""
    return Node(node_name, **options)


def _forget_global_executor() -> None:
    """In a forked child, forgets the executor of the parent.

    Also replaces the lock, because another thread of the parent may have held it.
    """
    global _global_executor, _executor_lock
    _global_executor, _executor_lock = None, threading.Lock()


def _shut_down_global_executor() -> None:
    global _global_executor
    with _executor_lock:
        executor, _global_executor = _global_executor, None
    if executor is not None:
        executor.shutdown()


os.register_at_fork(after_in_child=_forget_global_executor)
_before_default_ends.append(_shut_down_global_executor)


def get_global_executor() -> Executor:
    """Returns the executor that ``spin`` and similar functions use by default.

    It has one thread and the default context.
    """
    global _global_executor
    with _executor_lock:
        if _global_executor is None or not _global_executor.context.ok():
            _global_executor = SingleThreadedExecutor()
        return _global_executor


@contextmanager
def _added(node: Node, executor: Executor) -> Iterator[None]:
    """Adds a node to an executor during a ``with`` statement. Afterwards the node is where it was before.

    A callback of an executor that spins the node may use it.
    """
    was_there = executor._has_node(node)
    owner = node.executor if not was_there and node.executor is not None and node.executor._has_node(node) else None
    try:
        executor.add_node(node)
        yield
    finally:
        if not was_there:
            executor.remove_node(node)
            # The node may have been destroyed meanwhile, or its executor may have been shut down.
            with suppress(exceptions.InvalidHandle, exceptions.ShutdownException):
                if owner is not None and node.executor is executor:
                    owner.add_node(node)


def spin_once(node: Node, *, executor: Executor | None = None, timeout_sec: float | None = None) -> None:
    """Waits until a node has a ready callback, for at most ``timeout_sec`` seconds, and runs one.

    ``None`` waits without limit, and 0 does not wait.
    """
    executor = get_global_executor() if executor is None else executor
    with _added(node, executor):
        executor.spin_once(timeout_sec=timeout_sec)


def spin(node: Node, executor: Executor | None = None) -> None:
    """Runs a node's callbacks until the context is shut down.

    Raises :class:`saltus.exceptions.ExternalShutdownException` if the context is shut down meanwhile, and
    ``KeyboardInterrupt`` on Ctrl-C.
    """
    executor = get_global_executor() if executor is None else executor
    with _added(node, executor):
        executor.spin()


def spin_until_future_complete(
    node: Node, future: Future, executor: Executor | None = None, timeout_sec: float | None = None
) -> None:
    """Runs a node's callbacks until a future is done, for at most ``timeout_sec`` seconds."""
    executor = get_global_executor() if executor is None else executor
    with _added(node, executor):
        executor.spin_until_future_complete(future, timeout_sec)
