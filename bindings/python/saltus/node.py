"""Nodes."""

from __future__ import annotations

import weakref
from typing import Any, Callable, Iterator, TypeVar

from saltus import _native
from saltus._interfaces import class_of
from saltus._node_graph import HIDDEN_NODE_PREFIX as HIDDEN_NODE_PREFIX
from saltus._node_graph import NodeGraph
from saltus._node_graph import NodeNameNonExistentError as NodeNameNonExistentError
from saltus._node_parameters import NodeParameters
from saltus.callback_groups import CallbackGroup, MutuallyExclusiveCallbackGroup
from saltus.client import Client
from saltus.clock import Clock, ROSClock
from saltus.context import Context
from saltus.event_handler import PublisherEventCallbacks, SubscriptionEventCallbacks
from saltus.exceptions import (
    InvalidHandle,
    InvalidParameterTypeException,
    InvalidParameterValueException,
    NotInitializedException,
    NoTypeSupportImportedException,
)
from saltus.guard_condition import GuardCondition
from saltus.logging import RcutilsLogger
from saltus.parameter import Parameter
from saltus.publisher import Publisher
from saltus.qos import QoSProfile, qos_profile_services_default
from saltus.service import DeferredService, Service
from saltus.subscription import Subscription
from saltus.timer import Rate, Timer
from saltus.utilities import get_default_context

MsgT = TypeVar("MsgT")


def _support(message_type: Any) -> Any:
    """Returns the type support of a message, service or action class."""
    support = getattr(message_type, "_TYPE_SUPPORT", None)
    if not isinstance(support, _native.TypeSupport):
        raise NoTypeSupportImportedException(
            f"{message_type!r} is not a message, service or action class of Saltus: "
            "import it from saltus.msgs, or by its own name after `import saltus.ros`"
        )
    return support


def _check_callable(callback: Any) -> None:
    if not callable(callback):
        raise TypeError(f"{callback!r} is not a callable object")


def _message_support(message_type: Any) -> Any:
    """Returns the type support of a message class. Raises an exception for any other class."""
    support = _support(message_type)
    if not issubclass(message_type, _native.Message):
        raise NoTypeSupportImportedException(f"{message_type!r} is not a message class")
    return support


def _profile(qos_profile: QoSProfile | int) -> QoSProfile:
    if isinstance(qos_profile, QoSProfile):
        return qos_profile
    if not isinstance(qos_profile, int) or isinstance(qos_profile, bool):
        raise TypeError("Expected QoSProfile or int, but received {!r}".format(type(qos_profile)))
    if qos_profile < 0:
        raise ValueError("history depth must be greater than or equal to zero")
    return QoSProfile(depth=qos_profile)


class Node(NodeParameters, NodeGraph):
    """A participant of the graph with a name.

    It has publishers, subscriptions, services, clients, timers and parameters.

    ::

        saltus.init()
        node = saltus.Node("listener")
        node.create_subscription(String, "chatter", lambda message: print(message.data), 10)
        saltus.spin(node)
    """

    #: Whether received arrays of numbers are copies, as in ROS 2, or read-only NumPy arrays over shared memory.
    _copies_arrays = False

    def __init__(
        self,
        node_name: str,
        *,
        context: Context | None = None,
        cli_args: list[str] | None = None,
        namespace: str | None = None,
        use_global_arguments: bool = True,
        enable_rosout: bool = True,
        start_parameter_services: bool = True,
        parameter_overrides: list[Parameter] | None = None,
        allow_undeclared_parameters: bool = False,
        automatically_declare_parameters_from_overrides: bool = False,
        enable_logger_service: bool = False,
        start_parameter_event_publisher: bool | None = None,
    ) -> None:
        self._context = get_default_context() if context is None else context
        if not self._context.ok():
            raise NotInitializedException("cannot create node")
        overrides = [(one.name, one.value) for one in parameter_overrides or []]
        self._saltus_native = _native.Node(
            self._context.handle, node_name, namespace or "", cli_args, use_global_arguments, overrides,
            start_parameter_services, allow_undeclared_parameters, automatically_declare_parameters_from_overrides,
            start_parameter_event_publisher,
        )  # fmt: skip
        self.__name, self.__namespace, logger = self._saltus_native.names()
        self._logger = RcutilsLogger(logger, self._saltus_native if enable_rosout else None)
        self._clock = ROSClock(_native_clock=self._saltus_native.clock())
        self._default_callback_group = MutuallyExclusiveCallbackGroup()
        self.__executor: weakref.ReferenceType[Any] | None = None
        self._saltus_is_open = True
        self._saltus_entities: list[Any] = []
        self._saltus_callbacks = {}
        if enable_logger_service:
            self.__offer_logger_services()

    def __enter__(self) -> Node:
        return self

    def __exit__(self, *_: object) -> None:
        self.destroy_node()

    def __repr__(self) -> str:
        return f"{type(self).__name__}('{self.get_fully_qualified_name()}')"

    @property
    def context(self) -> Context:
        """The context of the node."""
        return self._context

    @property
    def handle(self) -> Any:
        """The native node."""
        if not self._saltus_native.is_open:
            raise InvalidHandle("the node was destroyed")
        return self._saltus_native

    @property
    def executor(self) -> Any:
        """The executor that spins the node, or ``None``. The node keeps only a weak reference to it."""
        return self.__executor() if self.__executor is not None else None

    @executor.setter
    def executor(self, new_executor: Any) -> None:
        current = self.executor
        if current is new_executor:
            return
        if current is not None:
            current.remove_node(self)
        self.__executor = None
        if new_executor is not None:
            self.__executor = weakref.ref(new_executor)
            new_executor.add_node(self)

    @property
    def default_callback_group(self) -> CallbackGroup:
        """The callback group of callbacks that are given no group. It is mutually exclusive."""
        return self._default_callback_group

    def __of(self, kind: type) -> Iterator[Any]:
        yield from (entity for entity in list(self._saltus_entities) if isinstance(entity, kind))

    @property
    def publishers(self) -> Iterator[Publisher[Any]]:
        """The publishers of the node."""
        return self.__of(Publisher)

    @property
    def subscriptions(self) -> Iterator[Subscription[Any]]:
        """The subscriptions of the node."""
        return self.__of(Subscription)

    @property
    def clients(self) -> Iterator[Client[Any]]:
        """The clients of the node."""
        return self.__of(Client)

    @property
    def services(self) -> Iterator[Service[Any]]:
        """The servers of the node."""
        return self.__of(Service)

    @property
    def timers(self) -> Iterator[Timer]:
        """The timers of the node."""
        return self.__of(Timer)

    @property
    def guards(self) -> Iterator[GuardCondition]:
        """The guard conditions of the node."""
        return self.__of(GuardCondition)

    def get_name(self) -> str:
        """Returns the name of the node, without its namespace."""
        return self.__name

    def get_namespace(self) -> str:
        """Returns the namespace of the node, with a leading ``/``."""
        return self.__namespace

    def get_fully_qualified_name(self) -> str:
        """Returns the namespace and the name of the node."""
        return f"{self.__namespace.rstrip('/')}/{self.__name}"

    def get_logger(self) -> RcutilsLogger:
        """Returns the logger of the node. It logs to the console and to ``/rosout``."""
        return self._logger

    def get_clock(self) -> Clock:
        """Returns the clock of the node. It shows ROS time."""
        return self._clock

    def resolve_topic_name(self, topic: str, *, only_expand: bool = False) -> str:
        """Returns the full name of a topic, given the name in the program. The user's remappings are applied."""
        if only_expand:
            return _native.expand_name(topic, self.__name, self.__namespace)
        return self.handle.resolve_topic_name(topic)

    def resolve_service_name(self, service: str, *, only_expand: bool = False) -> str:
        """Returns the full name of a service, given the name in the program. The user's remappings are applied."""
        if only_expand:
            return _native.expand_name(service, self.__name, self.__namespace)
        return self.handle.resolve_service_name(service)

    def create_publisher(
        self,
        msg_type: type[MsgT],
        topic: str,
        qos_profile: QoSProfile | int,
        *,
        callback_group: CallbackGroup | None = None,
        event_callbacks: PublisherEventCallbacks | None = None,
        qos_overriding_options: Any = None,
        publisher_class: type[Publisher[Any]] = Publisher,
    ) -> Publisher[MsgT]:
        """Creates a publisher. ``qos_profile`` may be a number: the depth."""
        native = self.handle.publisher(_message_support(msg_type), topic, _profile(qos_profile)._profile())
        group = callback_group or self._default_callback_group
        handlers = event_callbacks.create_event_handlers(group, native, self) if event_callbacks else []
        publisher = publisher_class(self, native, msg_type, handlers)
        self._saltus_entities.append(publisher)
        return publisher

    def create_subscription(
        self,
        msg_type: type[MsgT],
        topic: str,
        callback: Callable[..., Any],
        qos_profile: QoSProfile | int,
        *,
        callback_group: CallbackGroup | None = None,
        event_callbacks: SubscriptionEventCallbacks | None = None,
        qos_overriding_options: Any = None,
        raw: bool = False,
        borrow_limit: int | None = None,
    ) -> Subscription[MsgT]:
        """Creates a subscription. The callback gets each message, or with ``raw`` the bytes of the message.

        A field of a received message is decoded when it is first read. Arrays of numbers are read-only NumPy arrays
        over shared memory. That memory is kept for as long as the array exists.

        The subscription may keep at most ``borrow_limit`` messages (default: 16) in the memory of their publishers.
        Further messages are copied when they are taken.
        """
        profile = _profile(qos_profile)._profile()
        support = _message_support(msg_type)
        native = self.handle.subscription(support, topic, profile, self._copies_arrays, borrow_limit)
        group = callback_group or self._default_callback_group
        handlers = event_callbacks.create_event_handlers(group, native, self) if event_callbacks else []
        subscription = Subscription(self, native, msg_type, callback, group, handlers, raw)
        self._saltus_entities.append(subscription)
        return subscription

    def __open_service(self, end: str, srv_type: Any, name: str, qos_profile: QoSProfile | int) -> Any:
        if not hasattr(srv_type, "Request"):
            raise NoTypeSupportImportedException(f"{srv_type!r} is not a service class")
        types = tuple(map(_support, (srv_type, srv_type.Request, srv_type.Response, srv_type.Event)))
        return getattr(self.handle, end)(types, name, _profile(qos_profile)._profile(), self._copies_arrays)

    def create_client(
        self,
        srv_type: Any,
        srv_name: str,
        *,
        qos_profile: QoSProfile = qos_profile_services_default,
        callback_group: CallbackGroup | None = None,
    ) -> Client[Any]:
        """Creates a client of a service."""
        native = self.__open_service("client", srv_type, srv_name, qos_profile)
        client = Client(self, native, srv_type, qos_profile, callback_group or self._default_callback_group)
        self._saltus_entities.append(client)
        return client

    def create_service(
        self,
        srv_type: Any,
        srv_name: str,
        callback: Callable[[Any, Any], Any],
        *,
        qos_profile: QoSProfile = qos_profile_services_default,
        callback_group: CallbackGroup | None = None,
    ) -> Service[Any]:
        """Creates a server. ``callback(request, response)`` returns the response. It may be a coroutine."""
        _check_callable(callback)
        native = self.__open_service("server", srv_type, srv_name, qos_profile)
        group = callback_group or self._default_callback_group
        service = Service(self, native, srv_type, callback, qos_profile, group)
        self._saltus_entities.append(service)
        return service

    def create_deferred_service(
        self,
        srv_type: Any,
        srv_name: str,
        callback: Callable[[Any, Any], Any],
        *,
        qos_profile: QoSProfile = qos_profile_services_default,
        callback_group: CallbackGroup | None = None,
    ) -> DeferredService[Any]:
        """Creates a server whose ``callback(request, responder)`` may answer later; see :class:`DeferredService`."""
        _check_callable(callback)
        native = self.__open_service("server", srv_type, srv_name, qos_profile)
        service = DeferredService(self, native, srv_type, callback, callback_group or self._default_callback_group)
        self._saltus_entities.append(service)
        return service

    def create_timer(
        self,
        timer_period_sec: float,
        callback: Callable[..., Any] | None,
        callback_group: CallbackGroup | None = None,
        clock: Clock | None = None,
        autostart: bool = True,
    ) -> Timer:
        """Creates a timer that calls the callback once per period. Without ``clock`` it uses the node's clock."""
        clock = clock or self._clock
        # A negative period becomes 0, which the native module rejects.
        period = max(int(float(timer_period_sec) * 1e9), 0)
        native = self.handle.timer(period, clock._native)
        timer = Timer(self, native, callback, callback_group or self._default_callback_group, clock)
        if not autostart:
            timer.cancel()
        self._saltus_entities.append(timer)
        return timer

    def create_guard_condition(
        self, callback: Callable[[], Any], callback_group: CallbackGroup | None = None
    ) -> GuardCondition:
        """Creates a guard condition. Its ``trigger()`` makes the callback run."""
        group = callback_group or self._default_callback_group
        guard = GuardCondition(self, self.handle.guard(), callback, group)
        self._saltus_entities.append(guard)
        return guard

    def create_rate(self, frequency: float, clock: Clock | None = None) -> Rate:
        """Creates a rate of ``frequency`` Hz. The thread that uses it must not be the thread that spins the node."""
        if frequency <= 0:
            raise ValueError("frequency must be > 0")
        # The timer has a group of its own, so that no other callback delays it.
        timer = self.create_timer(1.0 / frequency, None, MutuallyExclusiveCallbackGroup(), clock)
        return Rate(timer, context=self._context)

    def _saltus_add(self, entity: Any) -> None:
        self._saltus_entities.append(entity)

    def _saltus_destroy(self, entity: Any) -> bool:
        if entity not in self._saltus_entities:
            return False
        self._saltus_entities.remove(entity)
        entity._close()
        return True

    def destroy_publisher(self, publisher: Publisher[Any]) -> bool:
        """Closes a publisher of the node. Returns whether it was one."""
        return self._saltus_destroy(publisher)

    def destroy_subscription(self, subscription: Subscription[Any]) -> bool:
        """Closes a subscription of the node. Returns whether it was one."""
        return self._saltus_destroy(subscription)

    def destroy_client(self, client: Client[Any]) -> bool:
        """Closes a client of the node. Returns whether it was one."""
        return self._saltus_destroy(client)

    def destroy_service(self, service: Service[Any]) -> bool:
        """Closes a server of the node. Returns whether it was one."""
        return self._saltus_destroy(service)

    def destroy_timer(self, timer: Timer) -> bool:
        """Stops a timer of the node permanently. Returns whether it was one."""
        return self._saltus_destroy(timer)

    def destroy_guard_condition(self, guard: GuardCondition) -> bool:
        """Destroys a guard condition of the node. Returns whether it was one."""
        return self._saltus_destroy(guard)

    def destroy_rate(self, rate: Rate) -> bool:
        """Ends a rate of the node. Returns whether it was one."""
        if rate._timer not in self._saltus_entities:
            return False
        rate.destroy()
        return True

    def destroy_node(self) -> None:
        """Leaves the graph, and closes everything that was made from the node. It can't be used afterwards."""
        self._saltus_is_open = False
        self.executor = None
        for entity in list(self._saltus_entities):
            entity.destroy() if hasattr(entity, "destroy") else self._saltus_destroy(entity)
        for callbacks in self._saltus_callbacks.values():
            for _, handle, _ in callbacks:
                handle.close()
        self._saltus_callbacks.clear()
        self._saltus_native.close()

    def __offer_logger_services(self) -> None:
        """Makes the services ``~/get_logger_levels`` and ``~/set_logger_levels``."""
        from saltus.logging import get_logger_level, set_logger_level

        level = class_of("rcl_interfaces/msg/LoggerLevel")
        result = class_of("rcl_interfaces/msg/SetLoggerLevelsResult")

        def get(request: Any, response: Any) -> Any:
            response.levels = [level(name=name, level=int(get_logger_level(name))) for name in request.names]
            return response

        def set_(request: Any, response: Any) -> Any:
            for one in request.levels:
                try:
                    set_logger_level(one.name, one.level)
                    response.results.append(result(successful=True))
                except ValueError as error:
                    response.results.append(result(successful=False, reason=str(error)))
            return response

        self.create_service(class_of("rcl_interfaces/srv/GetLoggerLevels"), "~/get_logger_levels", get)
        self.create_service(class_of("rcl_interfaces/srv/SetLoggerLevels"), "~/set_logger_levels", set_)


__all__ = [
    "HIDDEN_NODE_PREFIX", "InvalidParameterTypeException", "InvalidParameterValueException", "Node",
    "NodeNameNonExistentError",
]  # fmt: skip
