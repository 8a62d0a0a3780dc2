"""Action servers: they accept, execute and end goals, and keep their results."""

from __future__ import annotations

import inspect
import threading
import traceback
from collections import OrderedDict, deque
from contextlib import ExitStack, suppress
from enum import Enum
from typing import Any, Callable

from saltus import _native
from saltus._interfaces import class_of, parts_of
from saltus.clock import Clock, ClockType
from saltus.exceptions import ClientGoneError, GoalStateError, InvalidHandle
from saltus.qos import (
    QoSProfile,
    qos_profile_action_status_default,
    qos_profile_default,
    qos_profile_services_default,
)

#: The states of goals, as constants: ``GoalStatus.STATUS_SUCCEEDED``.
GoalStatus = class_of("action_msgs/msg/GoalStatus")

_ACCEPTED, _EXECUTING, _CANCELING = (
    GoalStatus.STATUS_ACCEPTED, GoalStatus.STATUS_EXECUTING, GoalStatus.STATUS_CANCELING,
)  # fmt: skip
_SUCCEEDED, _CANCELED, _ABORTED = (
    GoalStatus.STATUS_SUCCEEDED, GoalStatus.STATUS_CANCELED, GoalStatus.STATUS_ABORTED,
)  # fmt: skip

#: The state of a goal after an event. The keys are the event and the state before the event.
_TRANSITIONS = {
    "execute": {_ACCEPTED: _EXECUTING},
    "cancel_goal": {_ACCEPTED: _CANCELING, _EXECUTING: _CANCELING},
    "succeed": {_EXECUTING: _SUCCEEDED, _CANCELING: _SUCCEEDED},
    "abort": {_EXECUTING: _ABORTED, _CANCELING: _ABORTED},
    "canceled": {_CANCELING: _CANCELED},
    # The program has dropped the handle of the goal, so it can't end the goal.
    "abandon": {_ACCEPTED: _ABORTED, _EXECUTING: _ABORTED, _CANCELING: _CANCELED},
}


class GoalResponse(Enum):
    """The decision whether a new goal is accepted."""

    REJECT = 1
    ACCEPT = 2


class CancelResponse(Enum):
    """The decision whether a request to cancel a goal is accepted."""

    REJECT = 1
    ACCEPT = 2


class _Goal:
    """The data that the server keeps of a goal. The program has a :class:`ServerGoalHandle` of it."""

    def __init__(self, goal_id: Any, stamp: Any, request: Any) -> None:
        self.id, self.stamp, self.request = goal_id, stamp, request
        self.key = bytes(goal_id.uuid)
        info = class_of("action_msgs/msg/GoalInfo")(goal_id=goal_id, stamp=stamp)
        #: The entry of this goal in the published list of states.
        self.published = GoalStatus(goal_info=info, status=_ACCEPTED)
        self.status = _ACCEPTED
        self.result: Any = None
        self.waiting: list[Any] = []
        #: What is called when the goal is being cancelled.
        self.on_canceling: Callable[[], Any] | None = None
        self.ended_at: int | None = None
        #: Whether the program has begun to execute it.
        self.is_executed = False


class ServerGoalHandle:
    """The handle with which the program executes a goal.

    If the last reference to the handle is dropped before the goal has ended, the goal ends: it is canceled if it was
    being cancelled, and aborted otherwise.
    """

    def __init__(self, action_server: ActionServer, goal: _Goal) -> None:
        self._action_server, self._goal = action_server, goal

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ServerGoalHandle) and self._goal is other._goal

    def __hash__(self) -> int:
        return hash(self._goal.key)

    def __del__(self) -> None:
        goal = getattr(self, "_goal", None)
        if goal is not None and goal.status < _SUCCEEDED:
            self._action_server._abandon(goal)

    @property
    def request(self) -> Any:
        """The goal message that the client sent."""
        return self._goal.request

    @property
    def goal_id(self) -> Any:
        """The id of the goal: a ``unique_identifier_msgs/msg/UUID``."""
        return self._goal.id

    @property
    def status(self) -> int:
        """The state of the goal: a constant of ``action_msgs/msg/GoalStatus``."""
        return self._goal.status

    @property
    def is_active(self) -> bool:
        """Whether the goal has not ended."""
        return self._goal.status < _SUCCEEDED

    @property
    def is_cancel_requested(self) -> bool:
        """Whether the goal is being cancelled."""
        return self._goal.status == _CANCELING

    def _on_canceling(self, callback: Callable[[], Any]) -> None:
        """Calls a function when the goal is being cancelled, or at once if it is already."""
        with self._action_server._lock:
            self._goal.on_canceling = callback
            is_canceling = self.is_cancel_requested
        if is_canceling:
            callback()

    def execute(self, execute_callback: Callable[[ServerGoalHandle], Any] | None = None) -> None:
        """Executes the goal on the executor that spins the node."""
        self._action_server._execute(self, execute_callback)

    def publish_feedback(self, feedback: Any) -> None:
        """Publishes feedback on the goal. Does nothing if the goal has ended."""
        self._action_server._publish_feedback(self._goal, feedback)

    def succeed(self, response: Any = None) -> None:
        """Ends the goal as succeeded. The result is ``response``, or else the return value of the execute callback."""
        self._action_server._end(self._goal, "succeed", response)

    def abort(self, response: Any = None) -> None:
        """Ends the goal as aborted. The result is ``response``, or else the return value of the execute callback."""
        self._action_server._end(self._goal, "abort", response)

    def canceled(self, response: Any = None) -> None:
        """Ends the goal as cancelled. The result is ``response``, or else the return value of the execute callback."""
        self._action_server._end(self._goal, "canceled", response)

    def destroy(self) -> None:
        """Drops the goal. If it has not ended, it ends as if the last reference to the handle was dropped."""
        self._action_server._abandon(self._goal)


def _default_goal_callback(goal_request: Any) -> GoalResponse:
    return GoalResponse.ACCEPT


def _default_cancel_callback(cancel_request: Any) -> CancelResponse:
    return CancelResponse.REJECT


def _default_handle_accepted_callback(goal_handle: ServerGoalHandle) -> None:
    goal_handle.execute()


class ActionServer:
    """A server of an action. ``execute_callback(goal_handle)`` returns the result. It may be a coroutine.

    By default, goals are accepted and requests to cancel them are rejected. ``goal_callback`` and ``cancel_callback``
    change that. Results are kept for ``result_timeout`` seconds.
    """

    def __init__(
        self,
        node: Any,
        action_type: Any,
        action_name: str,
        execute_callback: Callable[[ServerGoalHandle], Any],
        *,
        callback_group: Any = None,
        goal_callback: Callable[[Any], Any] = _default_goal_callback,
        handle_accepted_callback: Callable[[ServerGoalHandle], Any] = _default_handle_accepted_callback,
        cancel_callback: Callable[[ServerGoalHandle], Any] = _default_cancel_callback,
        goal_service_qos_profile: QoSProfile = qos_profile_services_default,
        result_service_qos_profile: QoSProfile = qos_profile_services_default,
        cancel_service_qos_profile: QoSProfile = qos_profile_services_default,
        feedback_pub_qos_profile: QoSProfile = qos_profile_default,
        status_pub_qos_profile: QoSProfile = qos_profile_action_status_default,
        result_timeout: float = 10,
    ) -> None:
        self._node, self._action_type, self._result_timeout = node, action_type, result_timeout
        self._lock = threading.RLock()
        self._goals: OrderedDict[bytes, _Goal] = OrderedDict()
        # Unknown goals that a client wanted to cancel. A request to cancel may be served before the goal, which was sent before it.
        self._early: deque[bytes] = deque(maxlen=64)
        self._logger = node.get_logger().get_child("action_server")
        self.register_handle_accepted_callback(handle_accepted_callback)
        self.register_goal_callback(goal_callback)
        self.register_cancel_callback(cancel_callback)
        self.register_execute_callback(execute_callback)
        parts = parts_of(action_type)
        name = node.resolve_service_name(action_name) + "/_action"
        group = callback_group or node.default_callback_group

        def serve(service: Any, part: str, profile: QoSProfile, callback: Any) -> Any:
            return node.create_deferred_service(
                service, f"{name}/{part}", callback, qos_profile=profile, callback_group=group
            )

        # The topics are created first, so that a client that finds the services finds the topics too.
        self._feedback = node.create_publisher(parts.FeedbackMessage, f"{name}/feedback", feedback_pub_qos_profile)
        self._status = node.create_publisher(parts.GoalStatusMessage, f"{name}/status", status_pub_qos_profile)
        self._timer = node.create_timer(
            min(max(result_timeout, 0.01), 1.0), self._remove_expired, group, Clock(clock_type=ClockType.STEADY_TIME),
            autostart=False,
        )  # fmt: skip
        self._services = [
            serve(parts.GetResultService, "get_result", result_service_qos_profile, self._send_result),
            serve(parts.CancelGoalService, "cancel_goal", cancel_service_qos_profile, self._cancel),
            serve(parts.SendGoalService, "send_goal", goal_service_qos_profile, self._accept),
        ]
        node._saltus_add(self)

    def __enter__(self) -> ActionServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.destroy()

    @staticmethod
    def _callable(callback: Any, what: str) -> Any:
        if not callable(callback):
            raise TypeError(f"Failed to register {what} callback: not callable")
        return callback

    def register_handle_accepted_callback(self, handle_accepted_callback: Any) -> None:
        """Sets the callback that is called with an accepted goal. The callback executes the goal, now or later.

        If it raises an exception before it has called ``execute()``, the goal is aborted.
        """
        default = _default_handle_accepted_callback
        self._on_accepted = self._callable(handle_accepted_callback or default, "handle accepted")

    def register_goal_callback(self, goal_callback: Any) -> None:
        """Sets the callback that accepts or rejects a new goal."""
        self._on_goal = self._callable(goal_callback or _default_goal_callback, "goal")

    def register_cancel_callback(self, cancel_callback: Any) -> None:
        """Sets the callback that accepts or rejects a request to cancel a goal."""
        self._on_cancel = self._callable(cancel_callback or _default_cancel_callback, "cancel")

    def register_execute_callback(self, execute_callback: Any) -> None:
        """Sets the callback that executes goals and returns their results."""
        self._on_execute = self._callable(execute_callback, "execute")

    def _answer(self, responder: Any, response: Any) -> None:
        try:
            responder.send(response)
        except ClientGoneError:
            self._logger.debug("the client of a service of the action was closed before it got the response")
        finally:
            # After an error, such as a value that does not fit its type, the call fails.
            responder.close()

    async def _accept(self, request: Any, responder: Any) -> None:
        """Accepts or rejects a new goal."""
        response = self._action_type.Impl.SendGoalService.Response()
        key = bytes(request.goal_id.uuid)
        is_accepted = False
        if key not in self._goals:
            decided = self._on_goal(request.goal)
            decided = await decided if inspect.isawaitable(decided) else decided
            is_accepted = decided is GoalResponse.ACCEPT
        handle, is_early = None, False
        if is_accepted:
            goal = _Goal(request.goal_id, self._node.get_clock().now().to_msg(), request.goal)
            with self._lock:
                # The same goal may have been sent twice, and accepted while the callback ran.
                is_accepted = self._goals.setdefault(key, goal) is goal
                is_early = key in self._early
                if is_early:
                    self._early.remove(key)
            if is_accepted:
                handle = ServerGoalHandle(self, goal)
                response.stamp = goal.stamp
        response.accepted = is_accepted
        if handle is None:
            self._answer(responder, response)
            return
        try:
            self._answer(responder, response)
            await self._begin(handle, is_early)
        except BaseException:
            if not handle._goal.is_executed:
                self._abandon(handle._goal)
            raise

    async def _begin(self, handle: ServerGoalHandle, is_early: bool) -> None:
        """Passes a new goal to the program."""
        self._publish_status()
        if is_early:
            await self._try_cancel(handle._goal)
        called = self._on_accepted(handle)
        if inspect.isawaitable(called):
            await called

    def _execute(self, handle: ServerGoalHandle, execute_callback: Any) -> None:
        callback = execute_callback or self._on_execute
        # A goal may be cancelled before it is executed. Then it keeps the state "canceling".
        if not handle.is_cancel_requested:
            self._step(handle._goal, "execute")
        self._node.executor.create_task(self._run_goal, callback, handle)
        handle._goal.is_executed = True

    async def _run_goal(self, callback: Any, handle: ServerGoalHandle) -> None:
        result = None
        try:
            called = callback(handle)
            result = await called if inspect.isawaitable(called) else called
            result = self._action_type.Result() if result is None else self._checked(result)
        except Exception as error:
            self._logger.error(f"Error raised in execute callback: {error}")
            traceback.print_exc()
            result = self._action_type.Result()
        except BaseException:
            self._abandon(handle._goal)
            raise
        goal = handle._goal
        if goal.status < _SUCCEEDED:
            self._logger.warning(f"Goal state not set, assuming aborted. Goal ID: {list(goal.key)}")
            self._end(goal, "abort", result)
        else:
            self._set_result(goal, result)

    def _step(self, goal: _Goal, event: str) -> None:
        with self._lock:
            after = _TRANSITIONS[event].get(goal.status)
            if after is None:
                raise GoalStateError(f"can't {event} a goal in state {goal.status}")
            goal.status = goal.published.status = after
            if after >= _SUCCEEDED:
                goal.ended_at = _native.monotonic_now()
                if self._result_timeout >= 0:
                    self._start_timer()
        self._publish_status()

    def _start_timer(self) -> None:
        """Starts the timer that removes results, unless it runs."""
        # A goal may end after its server was closed.
        with suppress(InvalidHandle):
            if self._timer.is_canceled():
                self._timer.reset()

    def _end(self, goal: _Goal, event: str, result: Any) -> None:
        """Ends a goal. If ``result`` is ``None``, the execute callback returns the result later."""
        if result is not None:
            self._checked(result)
        self._step(goal, event)
        if result is not None:
            self._set_result(goal, result)

    def _checked(self, result: Any) -> Any:
        if not isinstance(result, self._action_type.Result):
            raise TypeError(f"Expected {self._action_type.Result}, got {type(result)}")
        return result

    def _abandon(self, goal: _Goal) -> None:
        try:
            self._end(goal, "abandon", self._action_type.Result())
        except GoalStateError:
            # The goal has ended already. It has no result yet if the execute callback was expected to return the
            # result.
            self._set_result(goal, self._action_type.Result())

    def _set_result(self, goal: _Goal, result: Any) -> None:
        response = self._action_type.Impl.GetResultService.Response(status=goal.status, result=result)
        with self._lock:
            if goal.result is not None:
                return
            goal.result = response
            waiting, goal.waiting = goal.waiting, []
        with ExitStack() as stack:
            for responder in waiting:
                stack.callback(self._answer, responder, response)

    def _send_result(self, request: Any, responder: Any) -> None:
        """Sends the result of a goal: at once if the goal has ended, and otherwise when it ends."""
        with self._lock:
            goal = self._goals.get(bytes(request.goal_id.uuid))
            if goal is not None and goal.result is None:
                goal.waiting.append(responder)
                return
        unknown = self._action_type.Impl.GetResultService.Response
        self._answer(responder, unknown(status=GoalStatus.STATUS_UNKNOWN) if goal is None else goal.result)

    async def _cancel(self, request: Any, responder: Any) -> None:
        """Cancels goals: the goal with an id, the goals that were accepted up to a time, both, or all goals."""
        response = self._action_type.Impl.CancelGoalService.Response()
        wanted, code = self._wanted(request.goal_info)
        refused = False
        for goal in wanted:
            is_canceled = await self._try_cancel(goal)
            refused |= is_canceled is False
            if is_canceled:
                response.goals_canceling.append(goal.published.goal_info)
        if refused and not response.goals_canceling:
            code = response.ERROR_REJECTED
        response.return_code = code
        self._answer(responder, response)

    async def _try_cancel(self, goal: _Goal) -> bool | None:
        """Cancels a goal. Returns whether the program accepts that, or ``None`` if the goal has ended meanwhile."""
        decided = self._on_cancel(_NonOwningHandle(self, goal))
        decided = await decided if inspect.isawaitable(decided) else decided
        if decided is not CancelResponse.ACCEPT:
            return False
        try:
            if goal.status != _CANCELING:
                self._step(goal, "cancel_goal")
        except GoalStateError:
            # The goal ended while the callback decided.
            return None
        if goal.on_canceling is not None:
            goal.on_canceling()
        return True

    def _wanted(self, info: Any) -> tuple[list[_Goal], int]:
        response = self._action_type.Impl.CancelGoalService.Response
        key, stamp = bytes(info.goal_id.uuid), (info.stamp.sec, info.stamp.nanosec)
        with self._lock:
            goals = list(self._goals.values())
            named = self._goals.get(key)
            if named is None and any(key) and stamp == (0, 0):
                self._early.append(key)
        active = [goal for goal in goals if goal.status < _SUCCEEDED]
        is_any, is_ever = not any(key), stamp == (0, 0)
        if is_any and is_ever:
            # A goal that is being cancelled already is not cancelled again.
            return [goal for goal in active if goal.status != _CANCELING], response.ERROR_NONE
        if not is_any and is_ever:
            if named is None:
                return [], response.ERROR_UNKNOWN_GOAL_ID
            ended = named.status >= _SUCCEEDED
            return [] if ended else [named], response.ERROR_GOAL_TERMINATED if ended else response.ERROR_NONE
        up_to = [goal for goal in active if (goal.stamp.sec, goal.stamp.nanosec) <= stamp or goal.key == key]
        return up_to, response.ERROR_NONE

    def _publish_feedback(self, goal: _Goal, feedback: Any) -> None:
        if not isinstance(feedback, self._action_type.Feedback):
            raise TypeError(f"Expected {self._action_type.Feedback}, got {type(feedback)}")
        if goal.status >= _SUCCEEDED:
            return
        self._feedback.publish(self._action_type.Impl.FeedbackMessage(goal_id=goal.id, feedback=feedback))

    def _publish_status(self) -> None:
        # A goal may end after its server was closed.
        with self._lock, suppress(InvalidHandle):
            states = [goal.published for goal in self._goals.values()]
            self._status.publish(self._action_type.Impl.GoalStatusMessage(status_list=states))

    def _remove_expired(self) -> None:
        """Removes the goals whose results were kept for ``result_timeout``."""
        now = _native.monotonic_now()
        keep = int(self._result_timeout * 1e9)
        with self._lock:
            for key, goal in list(self._goals.items()):
                if goal.ended_at is not None and goal.result is not None and now - goal.ended_at >= keep:
                    del self._goals[key]
            if not any(goal.ended_at is not None for goal in self._goals.values()):
                # Another thread may have closed the server.
                with suppress(InvalidHandle):
                    self._timer.cancel()

    def destroy(self) -> None:
        """Closes the server. The requests of clients that wait for a result fail."""
        self._node._saltus_destroy(self)

    def _close(self) -> None:
        for service in self._services:
            service.destroy()
        for entity in (self._feedback, self._status, self._timer):
            entity.destroy()
        with self._lock:
            self._goals.clear()


class _NonOwningHandle(ServerGoalHandle):
    """The handle that is passed to the cancel callback. The goal does not end when this handle is dropped."""

    def __del__(self) -> None:
        pass


__all__ = [
    "ActionServer", "CancelResponse", "GoalResponse", "GoalStatus", "ServerGoalHandle",
]  # fmt: skip
