"""Action clients: they send goals and wait for the results."""

from __future__ import annotations

import inspect
import itertools
import threading
import uuid
import weakref
from typing import Any, Callable

from saltus._interfaces import class_of, parts_of
from saltus.action.server import GoalStatus
from saltus.client import follow
from saltus.qos import (
    QoSProfile,
    qos_profile_action_status_default,
    qos_profile_default,
    qos_profile_services_default,
)
from saltus.task import Future

#: The largest number of messages that are delivered before a result. A fast server must not delay it for ever.
_MOST_FEEDBACK = 1000


class ClientGoalHandle:
    """A goal that was sent, and that the server has accepted or rejected."""

    def __init__(self, action_client: ActionClient, goal_id: Any, response: Any) -> None:
        self._action_client = action_client
        self._goal_id = goal_id
        self._response = response
        self._status = GoalStatus.STATUS_UNKNOWN

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ClientGoalHandle) and self._goal_id == other._goal_id

    def __hash__(self) -> int:
        return hash(bytes(self._goal_id.uuid))

    def __repr__(self) -> str:
        return (
            f"ClientGoalHandle <id={bytes(self._goal_id.uuid).hex()}, accepted={self.accepted}, status={self.status}>"
        )

    @property
    def goal_id(self) -> Any:
        """The id of the goal: a ``unique_identifier_msgs/msg/UUID``."""
        return self._goal_id

    @property
    def stamp(self) -> Any:
        """When the goal was accepted: a ``builtin_interfaces/msg/Time``."""
        return self._response.stamp

    @property
    def accepted(self) -> bool:
        """Whether the server accepted the goal."""
        return self._response.accepted

    @property
    def status(self) -> int:
        """The last state of the goal that the client knows: a constant of ``action_msgs/msg/GoalStatus``."""
        return self._status

    def cancel_goal(self) -> Any:
        """Requests that the goal is cancelled, and waits for the response. Another thread must spin the node."""
        return _wait(self.cancel_goal_async())

    def cancel_goal_async(self) -> Future:
        """Requests that the goal is cancelled. Returns a future of the ``action_msgs/srv/CancelGoal`` response."""
        return self._action_client._cancel_goal_async(self)

    def get_result(self) -> Any:
        """Waits for the result. Another thread must spin the node."""
        return _wait(self.get_result_async())

    def get_result_async(self) -> Future:
        """Requests the result. Returns a future of the response, which has ``status`` and ``result``."""
        return self._action_client._get_result_async(self)


def _wait(future: Future) -> Any:
    done = threading.Event()
    future.add_done_callback(lambda _: done.set())
    # The wait has a timeout so that Ctrl-C can end it. On some systems a wait without a timeout can't be interrupted.
    while not done.wait(0.1):
        pass
    return future.result()


class _Feedback:
    """The feedback of one goal. It is held back until the callbacks for the acceptance of the goal have been called."""

    def __init__(self, callback: Callable[[Any], Any]) -> None:
        self._callback = callback
        self._held: list[Any] | None = []
        self._lock = threading.Lock()

    def receive(self, message: Any) -> Any:
        with self._lock:
            if self._held is not None:
                self._held.append(message)
                return None
        return self._callback(message)

    def release(self, accepted: Future) -> None:
        with self._lock:
            held, self._held = self._held or [], None
        for message in held:
            result = self._callback(message)
            executor = accepted._executor()
            if inspect.iscoroutine(result) and executor is not None:
                executor.create_task(result)


class ActionClient:
    """Sends goals to an action server::

    client = ActionClient(node, Fibonacci, "fibonacci")
    client.wait_for_server()
    handle = await client.send_goal_async(Fibonacci.Goal(order=5))
    response = await handle.get_result_async()
    """

    def __init__(
        self,
        node: Any,
        action_type: Any,
        action_name: str,
        *,
        callback_group: Any = None,
        goal_service_qos_profile: QoSProfile = qos_profile_services_default,
        result_service_qos_profile: QoSProfile = qos_profile_services_default,
        cancel_service_qos_profile: QoSProfile = qos_profile_services_default,
        feedback_sub_qos_profile: QoSProfile = qos_profile_default,
        status_sub_qos_profile: QoSProfile = qos_profile_action_status_default,
    ) -> None:
        self._node, self._action_type, self._action_name = node, action_type, action_name
        parts = parts_of(action_type)
        name = node.resolve_service_name(action_name) + "/_action"
        group = callback_group or node.default_callback_group

        def client(service: Any, part: str, profile: QoSProfile) -> Any:
            return node.create_client(service, f"{name}/{part}", qos_profile=profile, callback_group=group)

        self._send_goal = client(parts.SendGoalService, "send_goal", goal_service_qos_profile)
        self._cancel_goal = client(parts.CancelGoalService, "cancel_goal", cancel_service_qos_profile)
        self._get_result = client(parts.GetResultService, "get_result", result_service_qos_profile)
        self._feedback = node.create_subscription(
            parts.FeedbackMessage, f"{name}/feedback", self._on_feedback, feedback_sub_qos_profile, callback_group=group
        )
        self._status = node.create_subscription(
            parts.GoalStatusMessage, f"{name}/status", self._on_status, status_sub_qos_profile, callback_group=group
        )
        self._parts = [self._send_goal, self._cancel_goal, self._get_result, self._feedback, self._status]
        self._goals: weakref.WeakValueDictionary[bytes, ClientGoalHandle] = weakref.WeakValueDictionary()
        self._goals_feedback: dict[bytes, _Feedback] = {}
        node._saltus_add(self)

    def __enter__(self) -> ActionClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.destroy()

    @property
    def action_name(self) -> str:
        """The name that the client was created with."""
        return self._action_name

    def server_is_ready(self) -> bool:
        """Returns whether an action server is connected."""
        clients = (self._send_goal, self._cancel_goal, self._get_result)
        topics = (self._feedback, self._status)
        return all(one.service_is_ready() for one in clients) and all(one.get_publisher_count() for one in topics)

    def wait_for_server(self, timeout_sec: float | None = None) -> bool:
        """Waits until an action server is connected, for at most ``timeout_sec``. Returns whether one is connected."""
        timeout = None if timeout_sec is None or timeout_sec < 0 else timeout_sec
        return self._node.context.handle.wait_for(self.server_is_ready, timeout)

    def send_goal(self, goal: Any, *, feedback_callback: Any = None, goal_uuid: Any = None) -> Any:
        """Sends a goal and waits for its result. Another thread must spin the node.

        Returns the response with ``status`` and ``result``, or ``None`` if the goal was rejected.
        """
        handle = _wait(self.send_goal_async(goal, feedback_callback, goal_uuid))
        return handle.get_result() if handle.accepted else None

    def send_goal_async(
        self, goal: Any, feedback_callback: Callable[[Any], Any] | None = None, goal_uuid: Any = None
    ) -> Future:
        """Sends a goal. Returns a future of a :class:`ClientGoalHandle`; its ``accepted`` is the decision."""
        if not isinstance(goal, self._action_type.Goal):
            raise TypeError(f"Expected {self._action_type.Goal}, got {type(goal)}")
        goal_id = goal_uuid or _new_id()
        key = bytes(goal_id.uuid)
        if key in self._goals:
            raise RuntimeError(f"goal id {key.hex()} is in use already")
        if feedback_callback is not None:
            self._goals_feedback[key] = _Feedback(feedback_callback)
        future: Future[Any] = Future(executor=self._node.executor)

        def then(response: Any, error: BaseException | None) -> None:
            follow(future, self._node)
            if error is not None:
                self._goals_feedback.pop(key, None)
                future.set_exception(error)
                return
            handle = ClientGoalHandle(self, goal_id, response)
            feedback = self._goals_feedback.get(key)
            if response.accepted:
                self._goals[key] = handle
            else:
                self._goals_feedback.pop(key, None)
            future.set_result(handle)
            if feedback is not None:
                future.add_done_callback(feedback.release)

        request = self._action_type.Impl.SendGoalService.Request(goal_id=goal_id, goal=goal)
        self._send_goal._call_then(request, then)
        return future

    def _cancel_goal_async(self, handle: ClientGoalHandle) -> Future:
        request = self._action_type.Impl.CancelGoalService.Request()
        request.goal_info.goal_id = handle.goal_id
        return self._cancel_goal.call_async(request)

    def _get_result_async(self, handle: ClientGoalHandle) -> Future:
        future: Future[Any] = Future(executor=self._node.executor)
        key = bytes(handle.goal_id.uuid)

        def then(response: Any, error: BaseException | None) -> None:
            follow(future, self._node)
            if error is not None:
                self._goals_feedback.pop(key, None)
                future.set_exception(error)
                return
            handle._status = response.status
            try:
                self._deliver_feedback()
            finally:
                self._goals_feedback.pop(key, None)
                future.set_result(response)

        request = self._action_type.Impl.GetResultService.Request(goal_id=handle.goal_id)
        self._get_result._call_then(request, then)
        return future

    def _deliver_feedback(self) -> None:
        """Calls the feedback callbacks with the messages that were received before a result. Raises the first exception of a
        callback, when all messages are delivered."""
        failed: BaseException | None = None
        for taken in itertools.islice(iter(self._feedback._native.take_unmarked, None), _MOST_FEEDBACK):
            try:
                result = self._feedback._run(taken)
            except Exception as error:
                failed = failed or error
                continue
            executor = self._node.executor
            if inspect.iscoroutine(result) and executor is not None:
                executor.create_task(result)
        if failed is not None:
            raise failed

    def _on_feedback(self, message: Any) -> Any:
        feedback = self._goals_feedback.get(bytes(message.goal_id.uuid))
        return feedback.receive(message) if feedback is not None else None

    def _on_status(self, message: Any) -> None:
        for one in message.status_list:
            key = bytes(one.goal_info.goal_id.uuid)
            handle = self._goals.get(key)
            if handle is None:
                continue
            # This message may arrive after the result. The state in the result is the final one.
            if handle._status < GoalStatus.STATUS_SUCCEEDED:
                handle._status = one.status
            if handle._status >= GoalStatus.STATUS_SUCCEEDED:
                self._goals.pop(key, None)

    def destroy(self) -> None:
        """Closes the client. The server continues to execute its goals."""
        self._node._saltus_destroy(self)

    def _close(self) -> None:
        for part in self._parts:
            part.destroy()


def _new_id() -> Any:
    return class_of("unique_identifier_msgs/msg/UUID")(uuid=uuid.uuid4().bytes)


__all__ = ["ActionClient", "ClientGoalHandle"]
