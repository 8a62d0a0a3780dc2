"""Programs that start a launch themselves: ``LaunchService``."""

from __future__ import annotations

import asyncio
import contextlib
import os
import pathlib
import select
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import tempfile
import threading
from typing import Any, Coroutine, Generator, Iterable, Iterator

from saltus.launch.actions import EmitEvent, RegisterEventHandler, TimerAction
from saltus.launch.context import LaunchContext
from saltus.launch.entity import LaunchDescription, LaunchDescriptionEntity, actions_json
from saltus.launch.events import Event, IncludeLaunchDescription
from saltus.launch.inbox import Inbox
from saltus.launch.server import ServedContext, Server, set_environment

__all__ = ["LaunchIntrospector", "LaunchService"]

#: The environment variable with the path of the socket at which this program waits for the launcher.
_SERVER = "SALTUS_LAUNCH_SERVER"

#: The name of the file that stands for the descriptions of a program.
_FILE = "program.launch.py"

#: A time that no launch lasts, in seconds. A timer for it keeps a launch running that has no processes.
_FOR_EVER = 1e9

#: The exit status of a launch that SIGINT ended before its processes started.
_INTERRUPTED = 128 + signal.SIGINT

#: One launch at a time runs in a program: the environment belongs to the whole program.
_running = threading.Lock()


class _Served(Server):
    """Answers the requests of a launcher. Its first launch file is a description of this program."""

    def __init__(self, connection: socket.socket, description: LaunchDescription) -> None:
        # Two streams, because one that is read and written must not be used by two threads.
        requests = connection.makefile("r", encoding="utf-8", newline="\n")
        answers = connection.makefile("w", encoding="utf-8", newline="\n")
        super().__init__(requests, answers)
        self._description: LaunchDescription | None = description
        #: What the last function saw.
        self.context: LaunchContext | None = None

    def _context(self, request: dict[str, Any]) -> ServedContext:
        context = super()._context(request)
        self.context = context
        return context

    def _load(self, path: str, context: LaunchContext) -> list[Any]:
        if self._description is None:
            return super()._load(path, context)
        description, self._description = self._description, None
        return actions_json(description, self._registry)


class _Nothing(Coroutine[Any, Any, None]):
    """A coroutine that is done at once. Unlike others, it need not be awaited."""

    def send(self, value: Any) -> Any:
        raise StopIteration

    def throw(self, *error: Any) -> Any:
        raise error[0]

    def close(self) -> None:
        pass

    def __await__(self) -> Generator[Any, Any, None]:
        yield from ()


class LaunchService:
    """Runs launch descriptions in this program::

        service = LaunchService()
        service.include_launch_description(LaunchDescription([Node(package="demo", executable="talker")]))
        sys.exit(service.run())

    ``saltus launch`` starts and ends the processes; the functions of the descriptions run here. Ctrl-C ends everything. If
    this program dies, all processes end.
    """

    #: Whether a service has one run. After it, the service takes nothing more.
    _runs_once = False

    def __init__(self, *, argv: Iterable[str] | None = None, noninteractive: bool = False, debug: bool = False) -> None:
        self._argv, self._debug = list(argv or []), debug
        self._entities: list[Any] = []
        self._context = LaunchContext(argv=self._argv, noninteractive=noninteractive)
        self._launcher: subprocess.Popen[bytes] | None = None
        #: Takes work during a run; ``None`` if there is no run.
        self._inbox: Inbox | None = None
        self._inbox_lock = threading.Lock()
        self._has_ended = False
        self._has_shut_down = False
        self._is_async = False

    @property
    def context(self) -> LaunchContext:
        """The context of the last function that ran, or an empty one."""
        return self._context

    def include_launch_description(self, launch_description: LaunchDescription) -> None:
        """Adds a description, before the run or during it, from any thread.

        During the run it returns when the launch has begun to perform the description. Raises ``RuntimeError`` if the launch
        ends. A function of the launch must not wait for a thread that calls this.
        """
        if not isinstance(launch_description, LaunchDescriptionEntity):
            raise TypeError(f"expected a LaunchDescription, got {launch_description!r}")
        self._add(launch_description)

    def emit_event(self, event: Event) -> None:
        """Emits an event at the start of the run, or now if the launch runs. May be called by any thread.

        Raises ``TypeError`` for an event that can't be emitted, and ``RuntimeError`` if the launch has ended meanwhile.
        """
        if isinstance(event, IncludeLaunchDescription):
            return self.include_launch_description(event.launch_description)
        action = EmitEvent(event=event)
        if type(event).kind is Event.kind:
            raise TypeError(f"an event of the class {type(event).__name__} can't be emitted")
        return self._add(action)

    def _add(self, entity: Any) -> None:
        with self._inbox_lock:
            if self._has_ended:
                raise RuntimeError("the launch has ended")
            inbox = self._inbox
            if inbox is None:
                self._entities.append(entity)
                return
        inbox.put(entity)

    def shutdown(self, force_sync: bool = False) -> Coroutine[Any, Any, None] | None:
        """Ends the run as Ctrl-C does, from any thread. Does nothing if there is none. The run then returns 0.

        If :meth:`run_async` is running, it returns a coroutine, unless ``force_sync`` is set, because programs for ROS 2 await
        it. The end begins without that, too.
        """
        self._has_shut_down = True
        self._send(signal.SIGINT)
        return _Nothing() if self._is_async and not force_sync else None

    def _send(self, number: int) -> None:
        launcher = self._launcher
        if launcher is not None:
            launcher.send_signal(number)

    def run(self, *, shutdown_when_idle: bool = True) -> int:
        """Runs until all processes have ended, or until a shutdown. Returns the exit status of ``saltus launch``.

        Without ``shutdown_when_idle`` it also runs while there are no processes. Must be called on the main thread, which
        gets the signals.
        """
        if threading.current_thread() is not threading.main_thread():
            raise RuntimeError("LaunchService.run() must be called on the main thread: use run_async() on others")
        self._has_shut_down = False
        with self._forwarded():
            return self._serve(shutdown_when_idle)

    async def run_async(self, *, shutdown_when_idle: bool = True) -> int:
        """Runs like :meth:`run`, on a thread of its own. If it is canceled, the launch ends first."""
        self._has_shut_down = False
        running = asyncio.get_running_loop().run_in_executor(None, self._serve, shutdown_when_idle)
        was_async, self._is_async = self._is_async, True
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            self.shutdown()
            await running
            raise
        finally:
            self._is_async = was_async

    @contextlib.contextmanager
    def _forwarded(self) -> Iterator[None]:
        """Sends the signals that end a launch on to the launcher, which has a session of its own."""
        numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT)
        before = {number: signal.signal(number, self._forward) for number in numbers}
        try:
            yield
        finally:
            for number, handler in before.items():
                # Python does not know a handler that was set in C.
                signal.signal(number, handler or signal.SIG_DFL)

    def _forward(self, number: int, _: Any) -> None:
        launcher = self._launcher
        if launcher is None or launcher.poll() is not None:
            # The launcher has ended, and a function of the launch goes on.
            raise KeyboardInterrupt
        launcher.send_signal(number)

    def _serve(self, shutdown_when_idle: bool) -> int:
        if not _running.acquire(blocking=False):
            raise RuntimeError("a launch of this program runs already")
        environment = dict(os.environ)
        inbox = Inbox(self._has_launcher_ended)
        try:
            with self._inbox_lock:
                self._inbox = inbox
                # It is registered last, so that what it returns sees the variables of the descriptions.
                entities = [*self._entities, RegisterEventHandler(inbox)]
            if not shutdown_when_idle:
                entities.append(TimerAction(period=_FOR_EVER, actions=[]))
            status = self._run_launcher(LaunchDescription(entities), inbox)
            return 0 if self._has_shut_down and status == _INTERRUPTED else status
        finally:
            with self._inbox_lock:
                self._inbox, self._has_ended = None, self._runs_once
            inbox.close()
            self._launcher = None
            set_environment(environment)
            _running.release()

    def _has_launcher_ended(self) -> bool:
        launcher = self._launcher
        return launcher is not None and launcher.poll() is not None

    def _run_launcher(self, description: LaunchDescription, inbox: Inbox) -> int:
        """Runs the launcher, and answers its requests. Returns its exit status."""
        with (
            tempfile.TemporaryDirectory(prefix="saltus-launch-") as folder,
            socket.socket(socket.AF_UNIX) as listener,
        ):
            listener.bind(os.path.join(folder, "socket"))
            listener.listen(1)
            with self._start(pathlib.Path(folder)) as self._launcher:
                try:
                    if self._has_shut_down:
                        # The run was canceled before the launcher was started.
                        self._send(signal.SIGINT)
                    self._answer(self._launcher, listener, description, inbox)
                    return self._launcher.wait()
                except BaseException:
                    # The processes end also if a function raises a KeyboardInterrupt.
                    self._send(signal.SIGINT)
                    raise

    def _start(self, folder: pathlib.Path) -> subprocess.Popen[bytes]:
        """Starts the launcher."""
        file = folder / _FILE
        file.write_text('"""The launch descriptions of a program."""\n', encoding="utf-8")
        options = ["--no-table", *(["--debug"] if self._debug else [])]
        arguments = [argument for argument in self._argv if ":=" in argument]
        command = [_program(), "launch", *options, str(file), *arguments]
        environment = {**os.environ, _SERVER: str(folder / "socket")}
        return subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, start_new_session=True)

    def _answer(
        self, launcher: subprocess.Popen[bytes], listener: socket.socket, description: LaunchDescription, inbox: Inbox
    ) -> None:
        """Answers the requests of the launcher until it ends."""
        if not _connects(launcher, listener):
            return
        connection, _ = listener.accept()
        with connection:
            server = _Served(connection, description)
            inbox.connect(server.announce_work)
            with contextlib.suppress(OSError):
                server.run()
            # No work is taken any more. The last processes may need some time to end.
            inbox.close()
            self._context = server.context or self._context


def _connects(launcher: subprocess.Popen[bytes], listener: socket.socket) -> bool:
    """Waits until the launcher connects, or has ended. Returns whether it connects."""
    ended = os.pidfd_open(launcher.pid)
    try:
        ready, _, _ = select.select([listener, ended], [], [])
    finally:
        os.close(ended)
    return listener in ready


def _program() -> str:
    """Returns the path of the command ``saltus``: that of this package, or the one in ``PATH``."""
    own = os.path.join(sysconfig.get_path("scripts"), "saltus")
    found = own if os.access(own, os.X_OK) else shutil.which("saltus")
    if found is None:
        raise FileNotFoundError(f"the command `saltus` is neither beside {sys.executable} nor in PATH")
    return found


class LaunchIntrospector:
    """Exists so that launch files can be imported that are also programs; see ``saltus launch --dry-run``."""

    def __init__(self) -> None:
        raise NotImplementedError("there is no LaunchIntrospector: use `saltus launch --dry-run FILE`")
