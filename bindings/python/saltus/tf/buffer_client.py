"""Looks up transforms in the buffer of another process, with the class of ROS 2's ``tf2_ros``."""

from __future__ import annotations

import threading
from time import monotonic
from typing import Any

from saltus.action import ActionClient, GoalStatus
from saltus.callback_groups import ReentrantCallbackGroup
from saltus.duration import Duration
from saltus.exceptions import (
    CallError,
    ConnectivityException,
    ExtrapolationException,
    InvalidArgumentException,
    LookupException,
    TransformException,
)  # fmt: skip
from saltus.msgs.geometry_msgs.msg import TransformStamped
from saltus.msgs.tf2_msgs.action import LookupTransform
from saltus.msgs.tf2_msgs.msg import TF2Error
from saltus.node import Node
from saltus.task import Future
from saltus.tf.core import TimeoutException, nanoseconds, time_message
from saltus.tf.interface import BufferInterface

__all__ = ["BufferClient"]

#: The exceptions of the errors in results. The server uses them too.
EXCEPTIONS: dict[int, type[TransformException]] = {
    TF2Error.LOOKUP_ERROR: LookupException,
    TF2Error.CONNECTIVITY_ERROR: ConnectivityException,
    TF2Error.EXTRAPOLATION_ERROR: ExtrapolationException,
    TF2Error.INVALID_ARGUMENT_ERROR: InvalidArgumentException,
    TF2Error.TIMEOUT_ERROR: TimeoutException,
    TF2Error.TRANSFORM_ERROR: TransformException,
}


class BufferClient(BufferInterface):
    """Looks up transforms with the action of a :class:`BufferServer`. Another thread must spin the node.

    A lookup takes at most its timeout and ``timeout_padding``. ``check_frequency`` has no effect, because nothing is
    polled.
    """

    def __init__(
        self,
        node: Node,
        ns: str,
        check_frequency: float = 10.0,
        timeout_padding: Duration = Duration(seconds=2.0),
    ) -> None:
        super().__init__()
        self.node, self.check_frequency, self.timeout_padding = node, check_frequency, timeout_padding
        # Reentrant, so that a callback of the node may wait for a transform, if the executor has several threads.
        self.action_client = ActionClient(node, LookupTransform, ns, callback_group=ReentrantCallbackGroup())

    def lookup_transform(
        self, target_frame: str, source_frame: str, time: Any, timeout: Duration = Duration()
    ) -> TransformStamped:
        """Returns the transform from one frame to another one at a time, after at most ``timeout``."""
        goal = LookupTransform.Goal(target_frame=target_frame, source_frame=source_frame)
        goal.source_time, goal.timeout = time_message(nanoseconds(time)), timeout.to_msg()
        return self._lookup(goal, timeout)

    def lookup_transform_full(
        self,
        target_frame: str,
        target_time: Any,
        source_frame: str,
        source_time: Any,
        fixed_frame: str,
        timeout: Duration = Duration(),
    ) -> TransformStamped:
        """Returns the transform from where a frame was at one time to where another one is at another time."""
        goal = LookupTransform.Goal(target_frame=target_frame, source_frame=source_frame, fixed_frame=fixed_frame)
        goal.source_time = time_message(nanoseconds(source_time))
        goal.target_time = time_message(nanoseconds(target_time))
        goal.timeout, goal.advanced = timeout.to_msg(), True
        return self._lookup(goal, timeout)

    def can_transform(self, target_frame: str, source_frame: str, time: Any, timeout: Duration = Duration()) -> bool:
        """Returns whether there is a transform, after at most ``timeout``."""
        try:
            self.lookup_transform(target_frame, source_frame, time, timeout)
        except TransformException:
            return False
        return True

    def can_transform_full(
        self,
        target_frame: str,
        target_time: Any,
        source_frame: str,
        source_time: Any,
        fixed_frame: str,
        timeout: Duration = Duration(),
    ) -> bool:
        """Returns whether there is a transform across two times, after at most ``timeout``."""
        try:
            self.lookup_transform_full(target_frame, target_time, source_frame, source_time, fixed_frame, timeout)
        except TransformException:
            return False
        return True

    def _lookup(self, goal: Any, timeout: Duration) -> TransformStamped:
        if not self.action_client.server_is_ready():
            raise TimeoutException("The BufferServer is not ready.")
        end = monotonic() + (timeout.nanoseconds + self.timeout_padding.nanoseconds) / 1e9
        sent = self.action_client.send_goal_async(goal)
        try:
            handle = _result(sent, end)
        except TimeoutException:
            # If the server accepts the goal later, no one waits for it.
            sent.add_done_callback(_cancel)
            raise
        if not handle.accepted:
            raise TimeoutException("The BufferServer did not accept the LookupTransform goal.")
        try:
            response = _result(handle.get_result_async(), end)
        except TimeoutException:
            handle.cancel_goal_async()
            raise
        error = response.result.error
        if error.error != TF2Error.NO_ERROR:
            raise EXCEPTIONS.get(error.error, TransformException)(error.error_string)
        if response.status != GoalStatus.STATUS_SUCCEEDED:
            # The server of ROS 2 aborts a goal without an error when its timeout has expired.
            raise TimeoutException("The BufferServer ended the LookupTransform goal without a transform.")
        return response.result.transform

    def destroy(self) -> None:
        """Closes the client."""
        self.action_client.destroy()


def _cancel(sent: Future[Any]) -> None:
    """Cancels a goal that was accepted."""
    handle = None if sent.cancelled() or sent.exception() else sent.result()
    if handle is not None and handle.accepted:
        handle.cancel_goal_async()


def _result(future: Future[Any], end: float) -> Any:
    """Waits for the result of a future until a time of the monotonic clock.

    Raises a :class:`TransformException` if there is none: the server may be closed or die at any time.
    """
    done = threading.Event()
    future.add_done_callback(lambda _: done.set())
    if not done.wait(max(end - monotonic(), 0.0)):
        raise TimeoutException("The BufferServer did not answer the LookupTransform goal within the timeout.")
    try:
        return future.result()
    except CallError as error:
        raise TransformException(f"The BufferServer did not answer the LookupTransform goal: {error}") from error
