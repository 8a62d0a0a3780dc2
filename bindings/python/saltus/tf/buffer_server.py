"""Looks up transforms for other processes, as ROS 2's ``tf2_ros::BufferServer``."""

from __future__ import annotations

from typing import Any

from saltus.action import ActionServer, CancelResponse, GoalResponse, ServerGoalHandle
from saltus.callback_groups import ReentrantCallbackGroup
from saltus.clock import Clock
from saltus.clock_type import ClockType
from saltus.duration import Duration
from saltus.exceptions import TransformException
from saltus.msgs.tf2_msgs.action import LookupTransform
from saltus.msgs.tf2_msgs.msg import TF2Error
from saltus.node import Node
from saltus.tf.buffer import Buffer
from saltus.tf.buffer_client import EXCEPTIONS
from saltus.time import Time

__all__ = ["BufferServer"]

#: How many lookups wait at most. More are not accepted.
MOST_WAITING = 1000


class BufferServer:
    """Looks up transforms in a buffer for each :class:`BufferClient` with the same ``ns``.

    A lookup waits for its transform without a thread, until its timeout or until it is cancelled.
    """

    def __init__(self, buffer: Buffer, node: Node, ns: str) -> None:
        self._buffer, self._node = buffer, node
        self._group, self._clock = ReentrantCallbackGroup(), Clock(clock_type=ClockType.STEADY_TIME)
        #: The lookups that wait.
        self._waiting: set[Any] = set()
        self.action_server = ActionServer(
            node,
            LookupTransform,
            ns,
            self._execute,
            callback_group=self._group,
            goal_callback=lambda _: GoalResponse.ACCEPT if len(self._waiting) < MOST_WAITING else GoalResponse.REJECT,
            cancel_callback=lambda _: CancelResponse.ACCEPT,
        )

    async def _execute(self, goal_handle: ServerGoalHandle) -> Any:
        goal, result = goal_handle.request, LookupTransform.Result()
        try:
            await self._wait(goal_handle)
            if goal_handle.is_cancel_requested:
                goal_handle.canceled()
                return result
            result.transform = self._lookup(goal)
        except TransformException as error:
            codes = [code for code, exception in EXCEPTIONS.items() if isinstance(error, exception)]
            result.error = TF2Error(error=codes[0], error_string=str(error))
            goal_handle.abort()
            return result
        goal_handle.succeed()
        return result

    async def _wait(self, goal_handle: ServerGoalHandle) -> None:
        """Waits until the transform is there or the goal is cancelled, for at most the timeout of the goal."""
        goal = goal_handle.request
        seconds = Duration.from_msg(goal.timeout).nanoseconds / 1e9
        if seconds <= 0.0:
            return
        ends = _ends(goal)
        future = (
            self._buffer.wait_for_transform_full_async(*ends)
            if goal.advanced
            else self._buffer.wait_for_transform_async(ends[0], ends[2], ends[3])
        )
        self._waiting.add(future)
        goal_handle._on_canceling(future.cancel)
        timer = self._node.create_timer(seconds, future.cancel, self._group, self._clock)
        try:
            await future
        finally:
            self._waiting.discard(future)
            self._node.destroy_timer(timer)

    def _lookup(self, goal: Any) -> Any:
        ends = _ends(goal)
        if goal.advanced:
            return self._buffer.lookup_transform_full(*ends)
        return self._buffer.lookup_transform(ends[0], ends[2], ends[3])

    def destroy(self) -> None:
        """Ends the lookups that wait, and closes the server. Their clients get a :class:`TransformException`."""
        for future in list(self._waiting):
            future.cancel()
        self.action_server.destroy()


def _ends(goal: Any) -> tuple[str, Time, str, Time, str]:
    """Returns the arguments of a lookup across two times."""
    target_time, source_time = Time.from_msg(goal.target_time), Time.from_msg(goal.source_time)
    return goal.target_frame, target_time, goal.source_frame, source_time, goal.fixed_frame
