"""Servers of services."""

from __future__ import annotations

import inspect
from typing import Any, Callable, Generic, TypeVar

from saltus._entity import Entity
from saltus.clock import Clock
from saltus.exceptions import ClientGoneError
from saltus.qos import QoSProfile
from saltus.service_introspection import ServiceIntrospectionState

SrvT = TypeVar("SrvT")


class Service(Entity, Generic[SrvT]):
    """A server of a service. Created by ``node.create_service()``.

    ``callback(request, response)`` returns the response. It may be a coroutine. If it raises an exception, or returns
    ``None``, the call of the client fails with :class:`saltus.exceptions.NotAnsweredError`.
    """

    _rank = 5

    def __init__(
        self,
        node: Any,
        native: Any,
        srv_type: type[SrvT],
        callback: Callable[[Any, Any], Any],
        qos_profile: QoSProfile,
        group: Any,
    ) -> None:
        self.srv_type = srv_type
        self.callback = callback
        self.qos_profile = qos_profile
        super().__init__(node, native, group)

    @property
    def srv_name(self) -> str:
        """The full name of the service."""
        return self._native.service_name

    @property
    def service_name(self) -> str:
        """The full name of the service."""
        return self._native.service_name

    def _take(self) -> Any:
        return self._native.take()

    def _run(self, taken: Any) -> Any:
        request, responder = taken
        try:
            response = self.callback(request, self.srv_type.Response())  # type: ignore[attr-defined]
            if inspect.isawaitable(response):
                return self._answer(responder, response)
            self._send(responder, response)
        except BaseException:
            # The exception refers to the responder. So the responder is closed here, and not when the exception is dropped.
            responder.close()
            raise
        return None

    async def _answer(self, responder: Any, response: Any) -> None:
        try:
            self._send(responder, await response)
        finally:
            responder.close()

    def _send(self, responder: Any, response: Any) -> None:
        if response is None:
            self._node.get_logger().warning(
                f"service '{self.service_name}': the callback returned no response, so the call of the client fails"
            )
            responder.close()
            return
        try:
            responder.send(response)
        except ClientGoneError as error:
            self._node.get_logger().debug(f"service '{self.service_name}': {error}")

    def configure_introspection(
        self, clock: Clock, service_event_qos_profile: QoSProfile, introspection_state: ServiceIntrospectionState
    ) -> None:
        """Sets what is published about the calls of this service. ``clock`` and the profile are ignored."""
        self._native.introspect(int(introspection_state))

    def destroy(self) -> None:
        """Closes the server."""
        self._node.destroy_service(self)


class DeferredService(Entity, Generic[SrvT]):
    """A server that may answer its requests later. Created by ``node.create_deferred_service()``.

    ``callback(request, responder)`` may keep the responder. Any thread may call ``responder.send(response)`` at any
    time. If a responder is dropped without a response, the call of the client fails with
    :class:`saltus.exceptions.NotAnsweredError`. If the callback raises an exception, the call fails too, even if the
    program has kept the responder.
    """

    _rank = 5

    def __init__(
        self, node: Any, native: Any, srv_type: type[SrvT], callback: Callable[[Any, Any], Any], group: Any
    ) -> None:
        self.srv_type = srv_type
        self.callback = callback
        super().__init__(node, native, group)

    @property
    def service_name(self) -> str:
        """The full name of the service."""
        return self._native.service_name

    def _take(self) -> Any:
        return self._native.take()

    def _run(self, taken: Any) -> Any:
        responder = taken[1]
        try:
            called = self.callback(*taken)
        except BaseException:
            responder.close()
            raise
        return self._wait(responder, called) if inspect.isawaitable(called) else called

    async def _wait(self, responder: Any, called: Any) -> None:
        try:
            await called
        except BaseException:
            responder.close()
            raise
