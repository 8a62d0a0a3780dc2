"""ROS 2's Python library on top of Saltus. The names of the modules are those of ``rclpy``.

It differs from :mod:`saltus` in one point: received arrays of numbers are copies (``array.array`` or writable NumPy
arrays), as in ROS 2's message classes.

To run an unmodified program that uses ``import rclpy``, see :mod:`saltus.ros`.
"""

from __future__ import annotations

import importlib
import os
from typing import Any

import saltus
from saltus import (
    Context,
    InitContextManager,
    get_default_context,
    get_global_executor,
    ok,
    shutdown,
    spin,
    spin_once,
    spin_until_future_complete,
    try_shutdown,
)
from saltus._aliases import AliasFinder
from saltus.parameter import Parameter
from saltus.signals import SignalHandlerOptions, install_signal_handlers, uninstall_signal_handlers
from saltus.task import Future
from saltus.utilities import get_available_rmw_implementations, get_rmw_implementation_identifier

#: The modules of rclpy, and the modules of Saltus that implement them.
MODULES = {
    "action": "saltus.action",
    "action.client": "saltus.action.client",
    "action.graph": "saltus.action.graph",
    "action.server": "saltus.action.server",
    "callback_groups": "saltus.callback_groups",
    "client": "saltus.client",
    "clock": "saltus.clock",
    "clock_type": "saltus.clock_type",
    "constants": "saltus.time",
    "context": "saltus.context",
    "duration": "saltus.duration",
    "event_handler": "saltus.event_handler",
    "exceptions": "saltus.exceptions",
    "executors": "saltus.executors",
    "expand_topic_name": "saltus.names",
    "guard_condition": "saltus.guard_condition",
    "handle": "saltus.exceptions",
    "lifecycle.managed_entity": "saltus.lifecycle.managed_entity",
    "lifecycle.publisher": "saltus.lifecycle.publisher",
    "logging": "saltus.logging",
    "parameter": "saltus.parameter",
    "parameter_client": "saltus.parameter_client",
    "publisher": "saltus.publisher",
    "qos": "saltus.qos",
    "qos_event": "saltus.event_handler",
    "serialization": "saltus.serialization",
    "service": "saltus.service",
    "service_introspection": "saltus.service_introspection",
    "signals": "saltus.signals",
    "subscription": "saltus.subscription",
    "task": "saltus.task",
    "time": "saltus.time",
    "timer": "saltus.timer",
    "topic_endpoint_info": "saltus.topic_endpoint_info",
    "topic_or_service_is_hidden": "saltus.names",
    "utilities": "saltus.utilities",
    "validate_full_topic_name": "saltus.names",
    "validate_namespace": "saltus.names",
    "validate_node_name": "saltus.names",
    "validate_parameter_name": "saltus.names",
    "validate_topic_name": "saltus.names",
    "wait_for_message": "saltus.wait_for_message",
    "impl.logging_severity": "saltus.logging_severity",
    "impl.rcutils_logger": "saltus.logging",
}

AliasFinder({f"{__name__}.{module}": target for module, target in MODULES.items()}).install()


#: The ROS distributions whose ``init()`` returns nothing. Documentation tests of programs may depend on that.
_INIT_RETURNS_NOTHING = {"foxy", "galactic", "humble", "iron", "jazzy"}


def init(**options: Any) -> InitContextManager | None:
    """Joins the graph; see :func:`saltus.init`. Returns ``None`` if ``ROS_DISTRO`` is a distribution that does so."""
    manager = saltus.init(**options)
    return None if os.environ.get("ROS_DISTRO") in _INIT_RETURNS_NOTHING else manager


def create_node(node_name: str, **options: Any) -> Any:
    """Creates a node. For its options see :class:`saltus.Node`."""
    from saltus.rclpy.node import Node

    return Node(node_name, **options)


def __getattr__(name: str) -> Any:
    # Programs use `rclpy.qos` after `import rclpy` alone, because rclpy imports the modules that nodes need.
    if name == "node" or name in MODULES and name != "action":
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


__all__ = [
    "Context", "Future", "InitContextManager", "Parameter", "SignalHandlerOptions", "create_node",
    "get_available_rmw_implementations", "get_default_context", "get_global_executor",
    "get_rmw_implementation_identifier", "init", "install_signal_handlers", "ok", "shutdown", "spin", "spin_once",
    "spin_until_future_complete", "try_shutdown", "uninstall_signal_handlers",
]  # fmt: skip
