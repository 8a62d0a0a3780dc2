"""A buffer that others can wait for, with the class of ROS 2's ``tf2_ros``."""

from __future__ import annotations

import threading
from typing import Any, Callable

from saltus.clock import Clock, JumpThreshold, TimeJump
from saltus.duration import Duration
from saltus.logging import get_logger
from saltus.msgs.geometry_msgs.msg import TransformStamped
from saltus.msgs.tf2_msgs.srv import FrameGraph
from saltus.node import Node
from saltus.task import Future
from saltus.tf.core import BufferCore
from saltus.tf.interface import BufferInterface

__all__ = ["Buffer"]


class _Waiting:
    """A future for a transform."""

    def __init__(self, is_there: Callable[[], tuple[bool, str]], lookup: Callable[[], Any]) -> None:
        self.future: Future[Any] = Future()
        self._is_there, self._lookup = is_there, lookup

    def is_decided(self) -> bool:
        """Whether the transform is there, or no longer wanted."""
        return self.future.cancelled() or self._is_there()[0]

    def complete(self) -> None:
        """Gives the transform to the future."""
        if self.future.cancelled():
            return
        try:
            self.future.set_result(self._lookup())
        except Exception as error:
            self.future.set_exception(error)


class Buffer(BufferCore, BufferInterface):
    """The transforms of all frames over the last seconds.

    With a node, the buffer offers the service ``tf2_frames``, and is cleared when the time of the node jumps back.
    """

    def __init__(self, cache_time: Duration | None = None, node: Node | None = None) -> None:
        BufferCore.__init__(self, cache_time)
        BufferInterface.__init__(self)
        self._changed = threading.Condition()
        self._waiting: list[_Waiting] = []
        self.clock = Clock() if node is None else node.get_clock()
        if node is not None:
            self.srv = node.create_service(FrameGraph, "tf2_frames", self._frames)
        backward = JumpThreshold(min_forward=None, min_backward=Duration(nanoseconds=-1), on_clock_change=True)
        self.jump_handle = self.clock.create_jump_callback(backward, post_callback=self.time_jump_callback)

    def _frames(self, request: Any, response: Any) -> Any:
        response.frame_yaml = self.all_frames_as_yaml()
        return response

    def time_jump_callback(self, time_jump: TimeJump) -> None:
        """Clears the buffer, because its transforms are those of another time."""
        get_logger("tf2_buffer").warning("Detected jump back in time. Clearing tf buffer.")
        self.clear()

    def _set(self, stamped: TransformStamped, authority: str, is_static: bool) -> None:
        super()._set(stamped, authority, is_static)
        with self._changed:
            self._changed.notify_all()
            decided = [waiting for waiting in self._waiting if waiting.is_decided()]
            self._waiting = [waiting for waiting in self._waiting if waiting not in decided]
        # Without the lock, because the callbacks of a future may call this buffer.
        for waiting in decided:
            waiting.complete()

    def _wait(self, is_there: Callable[[], tuple[bool, str]], timeout: Duration) -> tuple[bool, str]:
        """Sleeps until a transform is there, or until the timeout."""
        if timeout.nanoseconds > 0:
            with self._changed:
                self._changed.wait_for(lambda: is_there()[0], timeout.nanoseconds / 1e9)
        return is_there()

    def _future(self, is_there: Callable[[], tuple[bool, str]], lookup: Callable[[], Any]) -> Future[Any]:
        """Returns a future that is done when a transform is there."""
        waiting = _Waiting(is_there, lookup)
        with self._changed:
            is_decided = waiting.is_decided()
            if not is_decided:
                self._waiting.append(waiting)
        if is_decided:
            waiting.complete()
        else:
            # One that is cancelled no longer waits.
            waiting.future.add_done_callback(lambda _: self._forget(waiting))
        return waiting.future

    def _forget(self, waiting: _Waiting) -> None:
        with self._changed:
            if waiting in self._waiting:
                self._waiting.remove(waiting)

    def lookup_transform(
        self, target_frame: str, source_frame: str, time: Any, timeout: Duration = Duration()
    ) -> TransformStamped:
        """Returns the transform from one frame to another one at a time; with time 0 at the latest one.

        With a timeout, it waits for the transform. Transforms must be received by another thread meanwhile.
        """
        self.can_transform(target_frame, source_frame, time, timeout)
        return self.lookup_transform_core(target_frame, source_frame, time)

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
        ends = (target_frame, target_time, source_frame, source_time, fixed_frame)
        self.can_transform_full(*ends, timeout)
        return self.lookup_transform_full_core(*ends)

    async def lookup_transform_async(self, target_frame: str, source_frame: str, time: Any) -> TransformStamped:
        """Waits for a transform, and returns it."""
        await self.wait_for_transform_async(target_frame, source_frame, time)
        return self.lookup_transform_core(target_frame, source_frame, time)

    async def lookup_transform_full_async(
        self, target_frame: str, target_time: Any, source_frame: str, source_time: Any, fixed_frame: str
    ) -> TransformStamped:
        """Waits for a transform across two times, and returns it."""
        ends = (target_frame, target_time, source_frame, source_time, fixed_frame)
        await self.wait_for_transform_full_async(*ends)
        return self.lookup_transform_full_core(*ends)

    def can_transform(
        self,
        target_frame: str,
        source_frame: str,
        time: Any,
        timeout: Duration = Duration(),
        return_debug_tuple: bool = False,
    ) -> Any:
        """Returns whether there is a transform, after at most ``timeout``; as a tuple also why not."""
        found = self._wait(lambda: self.can_transform_core(target_frame, source_frame, time), timeout)
        return found if return_debug_tuple else found[0]

    def can_transform_full(
        self,
        target_frame: str,
        target_time: Any,
        source_frame: str,
        source_time: Any,
        fixed_frame: str,
        timeout: Duration = Duration(),
        return_debug_tuple: bool = False,
    ) -> Any:
        """Returns whether there is a transform across two times, after at most ``timeout``; as a tuple also why not."""
        ends = (target_frame, target_time, source_frame, source_time, fixed_frame)
        found = self._wait(lambda: self.can_transform_full_core(*ends), timeout)
        return found if return_debug_tuple else found[0]

    def wait_for_transform_async(self, target_frame: str, source_frame: str, time: Any) -> Future[Any]:
        """Returns a future for a transform."""
        return self._future(
            lambda: self.can_transform_core(target_frame, source_frame, time),
            lambda: self.lookup_transform_core(target_frame, source_frame, time),
        )

    def wait_for_transform_full_async(
        self, target_frame: str, target_time: Any, source_frame: str, source_time: Any, fixed_frame: str
    ) -> Future[Any]:
        """Returns a future for a transform across two times."""
        ends = (target_frame, target_time, source_frame, source_time, fixed_frame)
        return self._future(lambda: self.can_transform_full_core(*ends), lambda: self.lookup_transform_full_core(*ends))
