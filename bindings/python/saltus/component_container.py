"""The program that runs components in Python: in a container, one for a container, or one alone. ``saltus`` starts it.

Its words are those of the program for components in Rust: ``container single``, ``container mt [THREADS]``,
``container isolated THREADS``, ``alone PACKAGE PLUGIN``, ``worker THREADS RESTARTS``.
"""

from __future__ import annotations

import os
import socket
import struct
import sys
import threading
import time

import saltus
from saltus.components import ComponentManager, LoadError, create_component, find_component
from saltus.exceptions import ExternalShutdownException, PlacementError
from saltus.executors import placement_of
from saltus.logging import get_logger
from saltus.serialization import deserialize_message, serialize_message

#: The name of the node of a container, if the user has chosen no other one.
_NAME = "ComponentManager"
#: How long the callbacks may run after the container has ended, in seconds.
_GRACE = 5.0


def main(words: list[str]) -> None:
    """Runs the program. The words after those of the role are arguments for ROS."""
    saltus.init(args=words)
    try:
        if words[:1] == ["alone"] and len(words) >= 3:
            _run_alone(words[1], words[2])
        elif words[:1] == ["worker"] and len(words) >= 2:
            _run_worker(int(words[1]))
        elif words[:1] == ["container"] and len(words) >= 2:
            _run_container(words[1], words[2:])
        else:
            sys.exit(f"saltus: `{' '.join(words)}` is not a role of this program, which `saltus` starts")
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    except (LoadError, PlacementError) as error:
        sys.exit(f"saltus: {error}")
    finally:
        saltus.try_shutdown()


def _run_alone(package: str, plugin: str) -> None:
    node = find_component(package, plugin)()
    executor = _executor_of(node)
    executor.add_node(node)
    executor.spin()


def _executor_of(node: saltus.Node) -> saltus.Executor:
    return saltus.SingleThreadedExecutor(**placement_of(node.get_fully_qualified_name()))


def _run_container(kind: str, words: list[str]) -> None:
    node = saltus.Node(_NAME)
    # It is read in each case, because the whole file of placements is checked before anything starts.
    executor = _executor_of(node)
    threads = int(words[0]) if words and words[0].isdecimal() else None
    if kind == "mt":
        executor = saltus.MultiThreadedExecutor(num_threads=_thread_num(node, threads))
    manager = ComponentManager(node, executor, isolated=threads or 1 if kind == "isolated" else 0)
    executor.add_node(node)
    try:
        executor.spin()
    finally:
        manager.close()


def _thread_num(node: saltus.Node, threads: int | None) -> int:
    """Returns the number of threads of a multi-threaded container: the value of its parameter, as in ROS 2."""
    from saltus.msgs.rcl_interfaces.msg import IntegerRange, ParameterDescriptor

    cpus = os.cpu_count() or 1
    allowed = IntegerRange(from_value=1, to_value=max(cpus, threads or 1), step=0)
    descriptor = ParameterDescriptor(read_only=True, integer_range=[allowed])
    value: int = node.declare_parameter("thread_num", threads or cpus, descriptor).value
    return value


class _Connection:
    """The connection to the container, which is the standard input: numbers, and parts with their lengths."""

    def __init__(self) -> None:
        self._socket = socket.socket(fileno=os.dup(sys.stdin.fileno()))
        # Programs that the component starts must not inherit the connection, whose end tells the container of this end.
        with open(os.devnull, "rb") as nothing:
            os.dup2(nothing.fileno(), sys.stdin.fileno())

    def _read(self, length: int) -> bytes:
        data = bytearray()
        while len(data) < length:
            more = self._socket.recv(min(length - len(data), 1 << 20))
            if not more:
                raise EOFError("the container has ended")
            data += more
        return bytes(data)

    def number(self, kind: str = "<Q") -> int:
        value: int = struct.unpack(kind, self._read(8))[0]
        return value

    def part(self) -> bytes:
        return self._read(self.number())

    def start(self) -> tuple[bytes, list[tuple[str, str, int, bytes]]]:
        """Returns the request, and the messages that an earlier process has published."""
        request = self.part()
        # The path of a library in Rust.
        self.part()
        return request, [self.kept() for _ in range(self.number())]

    def kept(self) -> tuple[str, str, int, bytes]:
        topic, type_name = self.part().decode(), self.part().decode()
        return topic, type_name, self.number("<q"), self.part()

    def answer(self, process: int, response: bytes) -> None:
        self._socket.sendall(struct.pack("<QQ", process, len(response)) + response)

    def end_with(self, context: saltus.Context) -> None:
        """Waits for the end of the container, which sends nothing more. Then ends the process."""
        self._socket.recv(1)
        context.try_shutdown()
        time.sleep(_GRACE)
        os._exit(1)


def _run_worker(threads: int) -> None:
    from saltus.msgs.composition_interfaces.srv import LoadNode

    connection = _Connection()
    context = saltus.get_default_context()
    request, kept = connection.start()
    context.handle.keep_messages(kept)
    threading.Thread(target=connection.end_with, args=(context,), daemon=True).start()
    response = LoadNode.Response()
    try:
        node = create_component(deserialize_message(request, LoadNode.Request), context, get_logger("component"))
        response.success, response.full_node_name = True, node.get_fully_qualified_name()
    except LoadError as error:
        response.error_message = str(error)
    connection.answer(context.handle.process, serialize_message(response))
    if response.success:
        is_single = threads <= 1
        executor = _executor_of(node) if is_single else saltus.MultiThreadedExecutor(num_threads=threads)
        executor.add_node(node)
        executor.spin()


if __name__ == "__main__":
    main(sys.argv[1:])
