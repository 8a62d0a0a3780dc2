"""Puts the transforms that others send into a buffer."""

from __future__ import annotations

import threading

from saltus.callback_groups import ReentrantCallbackGroup
from saltus.executors import SingleThreadedExecutor
from saltus.msgs.tf2_msgs.msg import TFMessage
from saltus.node import Node
from saltus.qos import DurabilityPolicy, QoSProfile
from saltus.tf.buffer import Buffer

__all__ = ["TransformListener"]

_AUTHORITY = "default_authority"


class TransformListener:
    """Receives ``/tf`` and ``/tf_static`` into a buffer, until it is unregistered. Its node keeps it.

    With ``spin_thread``, a thread of its own spins the node, so that callbacks may wait for transforms.
    """

    def __init__(
        self,
        buffer: Buffer,
        node: Node,
        *,
        spin_thread: bool = False,
        qos: QoSProfile | int | None = None,
        static_qos: QoSProfile | int | None = None,
    ) -> None:
        self.buffer, self.node = buffer, node
        self.group = ReentrantCallbackGroup()
        late = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self.tf_sub = node.create_subscription(
            TFMessage, "/tf", self.callback, 100 if qos is None else qos, callback_group=self.group
        )
        self.tf_static_sub = node.create_subscription(
            TFMessage,
            "/tf_static",
            self.static_callback,
            late if static_qos is None else static_qos,
            callback_group=self.group,
        )
        if spin_thread:
            self.executor = SingleThreadedExecutor(context=node.context)
            self.executor.add_node(node)
            self.dedicated_listener_thread = threading.Thread(target=self.executor.spin, name="tf", daemon=True)
            self.dedicated_listener_thread.start()

    def unregister(self) -> None:
        """Receives no more transforms."""
        if hasattr(self, "executor"):
            self.executor.shutdown()
            # A callback on this thread may unregister the listener. The thread then ends after this callback.
            if threading.current_thread() is not self.dedicated_listener_thread:
                self.dedicated_listener_thread.join()
            del self.executor
        for name in ("tf_sub", "tf_static_sub"):
            if hasattr(self, name):
                self.node.destroy_subscription(getattr(self, name))
                delattr(self, name)

    def callback(self, data: TFMessage) -> None:
        """Receives transforms that change."""
        for transform in data.transforms:
            self.buffer.set_transform(transform, _AUTHORITY)

    def static_callback(self, data: TFMessage) -> None:
        """Receives transforms that never change."""
        for transform in data.transforms:
            self.buffer.set_transform_static(transform, _AUTHORITY)
