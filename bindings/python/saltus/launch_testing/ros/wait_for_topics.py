"""Waits until topics have messages."""

from __future__ import annotations

import collections
import contextlib
import itertools
import os
import threading
from types import TracebackType
from typing import Any, Iterable

from saltus.context import Context
from saltus.exceptions import ExternalShutdownException
from saltus.executors import SingleThreadedExecutor
from saltus.rclpy.node import Node

__all__ = ["WaitForTopics"]

#: The depth of the subscriptions.
_DEPTH = 10

_numbers = itertools.count()


class WaitForTopics:
    """Receives the messages of topics with a node of its own, in a context of its own::

        with WaitForTopics([("chatter", String)], timeout=5.0) as topics:
            print(topics.received_messages("chatter"))

    The ``with`` statement raises ``RuntimeError`` if a topic has no message in time. :meth:`wait` and :meth:`shutdown` do the
    same without it. The last ``messages_received_buffer_length`` messages of each topic are kept.
    """

    def __init__(
        self, topic_tuples: Iterable[tuple[str, Any]], timeout: float = 5.0, messages_received_buffer_length: int = 10
    ) -> None:
        self.topic_tuples, self.timeout = list(topic_tuples), timeout
        self.messages_received_buffer_length = messages_received_buffer_length
        self._changed = threading.Condition()
        self._messages: dict[str, collections.deque[Any]] = {}
        self._context = Context()
        self._context.init([])
        self._node = Node(f"_wait_for_topics_{os.getpid()}_{next(_numbers)}", context=self._context)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self._node)
        self._thread = threading.Thread(target=self._spin, name="wait_for_topics", daemon=True)
        self._thread.start()

    def _spin(self) -> None:
        with contextlib.suppress(ExternalShutdownException):
            self._executor.spin()

    def wait(self) -> bool:
        """Waits for a message of each topic from now on. Returns whether all had one."""
        with self._changed:
            for name, kind in self.topic_tuples:
                is_new = name not in self._messages
                self._messages[name] = collections.deque(maxlen=self.messages_received_buffer_length)
                if is_new:
                    self._subscribe(name, kind)
            return self._changed.wait_for(lambda: not self.topics_not_received(), timeout=self.timeout)

    def _subscribe(self, name: str, kind: Any) -> None:
        def keep(message: Any) -> None:
            with self._changed:
                self._messages[name].append(message)
                self._changed.notify_all()

        self._node.create_subscription(kind, name, keep, _DEPTH)

    def shutdown(self) -> None:
        """Ends the node. The messages are kept."""
        self._context.try_shutdown()
        self._thread.join()
        self._node.destroy_node()

    def topics_received(self) -> set[str]:
        """Returns the names of the topics that had messages."""
        return {name for name, messages in list(self._messages.items()) if messages}

    def topics_not_received(self) -> set[str]:
        """Returns the names of the topics that had no messages."""
        return {name for name, _ in self.topic_tuples} - self.topics_received()

    def received_messages(self, topic_name: str) -> list[Any]:
        """Returns the messages of a topic. Raises ``KeyError`` if it is none of the topics, or before :meth:`wait`."""
        with self._changed:
            if topic_name not in self._messages:
                raise KeyError(f"no messages were received of the topic {topic_name!r}")
            return list(self._messages[topic_name])

    def __enter__(self) -> WaitForTopics:
        if not self.wait():
            missing = self.topics_not_received()
            self.shutdown()
            raise RuntimeError("Did not receive messages on these topics: ", missing)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.shutdown()
