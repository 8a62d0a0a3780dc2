"""Clients of services."""

from __future__ import annotations

import itertools
import threading
from typing import Any, Callable, Generic, Optional, Tuple, TypeVar

from saltus._entity import Entity
from saltus.clock import Clock
from saltus.exceptions import CallError, CallTimeoutError
from saltus.qos import QoSProfile
from saltus.service_introspection import ServiceIntrospectionState
from saltus.task import Future

SrvT = TypeVar("SrvT")
#: A wait without end, in seconds.
_FOR_EVER = 1e9
#: The function that is called with a response, or with an exception.
Then = Callable[[Any, Optional[BaseException]], None]
#: The function that is called with the outcome of a call, and the future of the call, if it has one.
_Call = Tuple[Then, Optional[Future]]


def follow(future: Future, node: Any) -> None:
    """Sets the executor of a future to the current executor of the node, which may have changed since the call.

    That executor runs the callbacks of the future.
    """
    if node.executor is not None:
        future._set_executor(node.executor)


def _complete(future: Future, node: Any) -> Then:
    def then(response: Any, error: BaseException | None) -> None:
        if future.cancelled():
            return
        follow(future, node)
        if error is None:
            future.set_result(response)
        else:
            future.set_exception(error)

    return then


class Client(Entity, Generic[SrvT]):
    """A client of a service; made by ``node.create_client()``."""

    _rank = 4

    def __init__(self, node: Any, native: Any, srv_type: type[SrvT], qos_profile: QoSProfile, group: Any) -> None:
        self.srv_type = srv_type
        self.qos_profile = qos_profile
        self._numbers = itertools.count(1)
        self._pending: dict[int, _Call] = {}
        self._lock = threading.Lock()
        super().__init__(node, native, group)

    @property
    def srv_name(self) -> str:
        """The full name of the service."""
        return self._native.service_name

    @property
    def service_name(self) -> str:
        """The full name of the service."""
        return self._native.service_name

    def call(self, request: Any, timeout_sec: float | None = None) -> Any:
        """Calls the service, and waits for the response on the calling thread. A callback may call this too.

        Raises ``TimeoutError`` if the response does not arrive in time, and :class:`saltus.exceptions.CallError` if
        the call fails for another reason.
        """
        return self._native.call(request, _FOR_EVER if timeout_sec is None or timeout_sec < 0 else timeout_sec)

    def call_async(self, request: Any) -> Future:
        """Calls the service without waiting. Returns a future of the response, which completes while the node is spun.

        If there is no server, or the server is closed, the future has a :class:`saltus.exceptions.CallError`.
        """
        future: Future[Any] = Future(executor=self._node.executor)
        self._call_then(request, _complete(future, self._node), future)
        return future

    def _call_then(self, request: Any, then: Then, future: Future | None = None) -> None:
        """Calls the service, and passes the outcome to ``then``: a response or an exception."""
        number = next(self._numbers)
        with self._lock:
            self._pending[number] = (then, future)
        try:
            self._native.send(request, number)
        except CallError as error:
            self._forget(number)
            then(None, error)
        except BaseException:
            self._forget(number)
            raise

    def _forget(self, number: int) -> _Call | None:
        with self._lock:
            return self._pending.pop(number, None)

    def remove_pending_request(self, future: Future) -> None:
        """Forgets a call. Its future never completes."""
        with self._lock:
            self._pending = {number: call for number, call in self._pending.items() if call[1] is not future}

    def _take(self) -> Any:
        return self._native.take()

    def _run(self, taken: Any) -> None:
        number, response, error = taken
        call = self._forget(number)
        if call is not None:
            call[0](response, error)

    def service_is_ready(self) -> bool:
        """Returns whether a server is connected."""
        return self._native.service_is_ready()

    def wait_for_service(self, timeout_sec: float | None = None) -> bool:
        """Waits until a server is connected, for at most ``timeout_sec``. Returns whether a server is connected."""
        return self._native.wait_for_service(timeout_sec)

    def configure_introspection(
        self, clock: Clock, service_event_qos_profile: QoSProfile, introspection_state: ServiceIntrospectionState
    ) -> None:
        """Sets what is published about the calls of this client. ``clock`` and the profile are ignored."""
        self._native.introspect(int(introspection_state))

    def destroy(self) -> None:
        """Closes the client."""
        self._node.destroy_client(self)

    def _close(self) -> None:
        super()._close()
        with self._lock:
            pending, self._pending = list(self._pending.values()), {}
        for _, future in pending:
            if future is not None:
                future.cancel()


__all__ = ["CallTimeoutError", "Client"]
