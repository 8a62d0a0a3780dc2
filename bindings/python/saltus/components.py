"""Components: nodes that a container creates by name, and the services with which it loads and unloads them.

A component is a class whose constructor takes the keyword arguments of :class:`saltus.Node` for the settings that the
user has chosen::

    class Talker(saltus.Node):
        def __init__(self, **options):
            super().__init__("talker", **options)

Its plugin name is ``package.module:Class``. ``saltus container --python`` runs a container.
"""

from __future__ import annotations

import gc
import importlib
import os
import pathlib
import sys
import threading
from typing import Any, Callable

from saltus.context import Context
from saltus.executors import Executor, MultiThreadedExecutor, SingleThreadedExecutor, placement_of
from saltus.node import Node
from saltus.parameter import Parameter
from saltus.qos import QoSProfile

#: The depth of the queue of requests to load and to unload, as in ROS 2.
_REQUESTS = 200
#: The word that the index has instead of a library if a component is a Python class.
_PYTHON = "python"
#: The text for a request that comes while the container ends.
_ENDS = "the container ends"
#: The extra arguments that are known, and the value that has an effect or is the default. `None` stands for both.
_EXTRA_ARGUMENTS = {
    "forward_global_arguments": None, "start_parameter_services": None, "use_intra_process_comms": None,
    "use_clock_thread": None, "enable_rosout": None, "start_parameter_event_publisher": None,
    "enable_topic_statistics": False, "enable_logger_service": None,
}  # fmt: skip


class LoadError(Exception):
    """A component can't be loaded. The text is that of ROS 2."""


def find_component(package: str, plugin: str) -> Callable[..., Any]:
    """Returns the class of a component of a package in ``SALTUS_PREFIX_PATH``. Raises :class:`LoadError`."""
    prefix, lines = _index_of(package)
    entries = dict(_entry(line) for line in lines)
    if plugin not in entries:
        raise LoadError("Failed to find class with the requested plugin name.")
    if entries[plugin] != _PYTHON:
        raise LoadError(f"Failed to load library: {plugin} is not a Python class; load it into `saltus container`")
    packages = str(prefix / "lib" / "python")
    if packages not in sys.path:
        sys.path.insert(0, packages)
    module, _, name = plugin.partition(":")
    try:
        found = importlib.import_module(module)
    # A module may raise anything while it is imported.
    except (Exception, SystemExit) as error:
        raise LoadError(f"Failed to load library: {type(error).__name__}: {error}") from error
    component: Callable[..., Any] | None = getattr(found, name, None)
    if component is None:
        raise LoadError("Failed to find class with the requested plugin name.")
    return component


def _index_of(package: str) -> tuple[pathlib.Path, list[str]]:
    """Returns the prefix of a package and the lines of its index."""
    missing = LoadError("Could not find requested resource in ament index")
    if not package or package.startswith(".") or "/" in package or "\0" in package:
        raise missing
    for prefix in filter(None, os.environ.get("SALTUS_PREFIX_PATH", "").split(":")):
        index = pathlib.Path(prefix) / "share/ament_index/resource_index"
        if not (index / "packages" / package).is_file():
            continue
        try:
            text = (index / "saltus_components" / package).read_text(encoding="utf-8")
        except FileNotFoundError:
            raise missing from None
        except (OSError, ValueError):
            raise LoadError("Invalid resource entry") from None
        return pathlib.Path(prefix), [line.strip() for line in text.splitlines() if line.strip()]
    raise missing


def _entry(line: str) -> tuple[str, str]:
    parts = line.split(";")
    if len(parts) != 2 or not all(parts):
        raise LoadError("Invalid resource entry")
    return parts[0], parts[1]


def create_component(request: Any, context: Context, logger: Any) -> Any:
    """Creates the component that a request of ``LoadNode`` names. Returns its node. Raises :class:`LoadError`."""
    component = find_component(request.package_name, request.plugin_name)
    options = _options(request, logger)
    return _construct(component, context, options)


def _construct(component: Callable[..., Any], context: Context, options: dict[str, Any]) -> Any:
    try:
        node = component(context=context, **options)
        if not isinstance(node, Node):
            raise TypeError(f"expected a class that is a node, found {type(node).__name__}")
    # A constructor may raise anything.
    except (Exception, SystemExit) as error:
        raise LoadError(f"Component constructor threw an exception: {error}") from error
    return node


class ComponentManager:
    """Gives a node the services of a container, with ROS 2's types, texts and ids.

    ``executor`` spins the node. It also runs the components, unless ``isolated`` is greater than 0: then each component
    has an executor of its own with this number of threads. ``find`` returns the class of a component.
    """

    def __init__(
        self,
        node: Node,
        executor: Executor,
        *,
        isolated: int = 0,
        find: Callable[[str, str], Callable[..., Any]] = find_component,
    ) -> None:
        from saltus.msgs.composition_interfaces.srv import ListNodes, LoadNode, UnloadNode

        self._node = node
        self._executor = executor
        self._isolated = isolated
        self._find = find
        self._lock = threading.Lock()
        self._last = 0
        #: ``None`` when the container has ended.
        self._loaded: dict[int, _Running] | None = {}
        requests = QoSProfile(depth=_REQUESTS)
        self._services = [
            node.create_service(LoadNode, "~/_container/load_node", self._on_load, qos_profile=requests),
            node.create_service(UnloadNode, "~/_container/unload_node", self._on_unload, qos_profile=requests),
            node.create_service(ListNodes, "~/_container/list_nodes", self._on_list),
        ]

    def load(self, request: Any) -> tuple[int, str]:
        """Loads the component that a request of ``LoadNode`` names. Returns its id and its full name.

        Raises :class:`LoadError`.
        """
        component = self._find(request.package_name, request.plugin_name)
        logger = self._node.get_logger()
        logger.info(f"Found class: {request.plugin_name}")
        options = _options(request, logger)
        with self._lock:
            if self._loaded is None:
                raise LoadError(_ENDS)
            # The id is used up even if the component can't be created.
            self._last += 1
            unique_id = self._last
        logger.info(f"Instantiate class: {request.plugin_name}")
        node = _construct(component, self._node.context, options)
        try:
            running = _Running(node, self._executor, self._isolated)
        # Such as a placement that is not possible, or too many threads.
        except Exception as error:
            node.destroy_node()
            raise LoadError(f"Component constructor threw an exception: {error}") from error
        with self._lock:
            if self._loaded is not None:
                self._loaded[unique_id] = running
                return unique_id, running.name
        # The container has ended while the component was created.
        running.stop()
        running.destroy()
        raise LoadError(_ENDS)

    def unload(self, unique_id: int) -> None:
        """Stops the callbacks of a component and destroys its node. Raises :class:`LoadError` if there is none."""
        with self._lock:
            running = (self._loaded or {}).pop(unique_id, None)
        if running is None:
            raise LoadError(f"No node found with unique_id: {unique_id}")
        running.stop()
        running.destroy()

    def components(self) -> list[tuple[int, str]]:
        """Returns the ids and the full names of the components that are loaded."""
        with self._lock:
            return [(unique_id, running.name) for unique_id, running in sorted((self._loaded or {}).items())]

    def close(self) -> None:
        """Ends the services, and unloads all components."""
        for service in self._services:
            service.destroy()
        with self._lock:
            loaded, self._loaded = self._loaded or {}, None
        # All threads end before the first node is destroyed, because components may use each other.
        for running in loaded.values():
            running.stop()
        for running in loaded.values():
            running.destroy()

    def _on_load(self, request: Any, response: Any) -> Any:
        try:
            response.unique_id, response.full_node_name = self.load(request)
            response.success = True
        except LoadError as error:
            self._node.get_logger().error(str(error))
            response.success, response.error_message = False, str(error)
        if not response.success:
            # A constructor that failed may have left a node, which its own references keep in the graph.
            gc.collect()
        return response

    def _on_unload(self, request: Any, response: Any) -> Any:
        try:
            self.unload(request.unique_id)
            response.success = True
        except LoadError as error:
            self._node.get_logger().warning(str(error))
            response.success, response.error_message = False, str(error)
        return response

    def _on_list(self, _request: Any, response: Any) -> Any:
        components = self.components()
        response.unique_ids = [unique_id for unique_id, _ in components]
        response.full_node_names = [name for _, name in components]
        return response


class _Running:
    """A component that runs, on the executor of the container or on its own."""

    def __init__(self, node: Any, shared: Executor, isolated: int) -> None:
        self._node = node
        self._thread: threading.Thread | None = None
        self._executor: Any = _own_executor(node, isolated) if isolated else shared
        self.name: str = node.get_fully_qualified_name()
        self._executor.add_node(node)
        if isolated:
            self._thread = threading.Thread(target=self._spin, name=node.get_name(), daemon=True)
            self._thread.start()

    def _spin(self) -> None:
        try:
            self._executor.spin()
        # A callback may raise anything. It ends this thread, and not the process.
        except Exception as error:
            if self._node.context.ok():
                text = f"the callbacks of a component do not run any more: {type(error).__name__}: {error}"
                self._node.get_logger().error(text)

    def stop(self) -> None:
        """Stops the callbacks if the component has an executor of its own."""
        if self._thread is not None:
            self._executor.shutdown()
            # A component that unloads itself can't wait for its own thread.
            if self._thread is not threading.current_thread():
                self._thread.join()

    def destroy(self) -> None:
        if self._thread is None:
            self._executor.remove_node(self._node)
        self._node.destroy_node()


def _own_executor(node: Any, threads: int) -> Executor:
    if threads > 1:
        return MultiThreadedExecutor(num_threads=threads, context=node.context)
    return SingleThreadedExecutor(context=node.context, **placement_of(node.get_fully_qualified_name()))


def _options(request: Any, logger: Any) -> dict[str, Any]:
    """Returns the keyword arguments for the node of a component."""
    try:
        return _read_options(request, logger)
    # A parameter may have a type that does not exist.
    except ValueError as error:
        raise LoadError(f"Component constructor threw an exception: {error}") from error


def _read_options(request: Any, logger: Any) -> dict[str, Any]:
    rules = list(request.remap_rules)
    if request.node_name:
        rules.append(f"__node:={request.node_name}")
    if request.node_namespace:
        rules.append(f"__ns:={request.node_namespace}")
    options: dict[str, Any] = {
        "cli_args": ["--ros-args", *(word for rule in rules for word in ("-r", rule))],
        "use_global_arguments": False,
        "parameter_overrides": [Parameter.from_parameter_msg(parameter) for parameter in request.parameters],
    }
    for argument in request.extra_arguments:
        _take_extra_argument(Parameter.from_parameter_msg(argument), options, logger)
    return options


def _take_extra_argument(argument: Parameter, options: dict[str, Any], logger: Any) -> None:
    name, value = argument.name, argument.value
    if not isinstance(value, bool):
        raise LoadError(f"Extra component argument '{name}' must be a boolean")
    if name not in _EXTRA_ARGUMENTS:
        raise LoadError(f"Extra component argument '{name}' is not supported")
    if name == "forward_global_arguments":
        options["use_global_arguments"] = value
        if value:
            text = "with forward_global_arguments, the arguments of the container apply to the component"
            logger.warning(text)
    elif name in (
        "start_parameter_services", "start_parameter_event_publisher", "enable_rosout", "enable_logger_service",
    ):  # fmt: skip
        options[name] = value
    elif _EXTRA_ARGUMENTS[name] not in (None, value):
        logger.warning(f"the extra component argument '{name}' with {str(value).lower()} has no effect")
