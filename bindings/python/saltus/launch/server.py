"""Answers the requests of the launcher: it runs the functions of launch files in Python.

The launcher writes requests, one on a line in JSON, and reads the answers. While a function of a launch file runs, it may ask
the launcher for the values of texts: then a line with ``perform`` is written, and the launcher answers before it goes on to
wait for the answer to its request. A line with ``event`` may come at any time. It is no answer.
"""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import sys
import threading
import traceback
from typing import Any, Mapping, TextIO

from saltus.launch import actions as launch_actions
from saltus.launch import log_handlers
from saltus.launch.context import LaunchContext
from saltus.launch.entity import Action, actions_json
from saltus.launch.event_handlers import BaseEventHandler
from saltus.launch.events import Event, ExecutionComplete, Shutdown, process
from saltus.launch.inbox import WorkAdded
from saltus.launch.launch_description_sources import get_launch_description_from_python_launch_file
from saltus.launch.logging import LaunchConfig
from saltus.launch.registry import Registry
from saltus.launch.ros.events import lifecycle
from saltus.launch.substitution import Known, SubstitutionFailure
from saltus.launch.substitutions import LaunchLogDir, evaluate_expression
from saltus.launch.timers import take_canceled

#: The version of the requests and answers. The launcher has the same number.
_PROTOCOL = 2

_EVENTS = {
    "process_started": process.ProcessStarted,
    "process_exited": process.ProcessExited,
    "process_output": process.ProcessIO,
    "completed": ExecutionComplete,
    "shutdown": Shutdown,
    "state_changed": lifecycle.StateTransition,
    "work_added": WorkAdded,
}


#: The requests during which the launcher answers no questions.
_WITHOUT_QUESTIONS = ("evaluate", "chooses")


class ServedContext(LaunchContext):
    """A context of the launcher. It collects what a function wants of the launcher: to emit events, to register handlers."""

    def __init__(self, variables: dict[str, str]) -> None:
        super().__init__(argv=[word for word in sys.argv if ":=" in word], noninteractive=True)
        self.launch_configurations = variables
        self.emitted: list[Action] = []

    def emit_event_sync(self, event: Event) -> None:
        self.emitted.append(launch_actions.EmitEvent(event=event))

    def register_event_handler(self, event_handler: BaseEventHandler, append: bool = False) -> None:
        self.emitted.append(launch_actions.RegisterEventHandler(event_handler))

    def unregister_event_handler(self, event_handler: BaseEventHandler) -> None:
        self.emitted.append(launch_actions.UnregisterEventHandler(event_handler))


class ServedLaunchConfig(LaunchConfig):
    """Loggers of launch files write to the screen. The launcher writes the files."""

    def _create_log_dir(self) -> str:
        return super()._create_log_dir() if Known.launcher is None else LaunchLogDir().perform(LaunchContext())

    def get_log_file_handler(self, file_name: str = "launch.log") -> Any:
        return log_handlers.NullHandler()


class Server:
    """Answers the requests of the launcher."""

    def __init__(self, requests: TextIO, answers: TextIO) -> None:
        self._requests, self._answers = requests, answers
        self._answers_lock = threading.Lock()
        self._registry = Registry()
        self._globals: dict[str, Any] = {}

    def run(self) -> None:
        """Answers requests until the launcher closes the standard input."""
        self._write({"protocol": _PROTOCOL})
        while (line := self._requests.readline()) != "":
            self._reply(json.loads(line))

    def _reply(self, request: dict[str, Any]) -> None:
        """Answers a request. A launch file that ends the program must not end this process."""
        try:
            self._write(self._answer(request))
        except (Exception, SystemExit) as error:
            self._write({"error": _text(error)})

    def _write(self, answer: dict[str, Any]) -> None:
        text = json.dumps(answer)
        with self._answers_lock:
            self._answers.write(f"{text}\n")
            self._answers.flush()

    def announce_work(self) -> None:
        """Tells the launcher that this program has work for it. May be called by any thread. The launcher may have ended."""
        with contextlib.suppress(OSError, ValueError):
            self._write({"event": "work_added"})

    def _answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Answers a request. Meanwhile, substitutions may ask the launcher for their values."""
        before = Known.launcher
        Known.launcher = None if request["call"] in _WITHOUT_QUESTIONS else self._perform
        try:
            return self._answer_request(request)
        finally:
            Known.launcher = before

    def _answer_request(self, request: dict[str, Any]) -> dict[str, Any]:
        call = request["call"]
        if call == "evaluate":
            return {"value": evaluate_expression(request["expression"], request["modules"])}
        if call == "chooses":
            matcher, action = self._registry.item(request["object"]), self._registry.item(request["action"])
            return {"value": bool(matcher(action))}
        context = self._context(request["context"])
        value: Any
        if call == "load":
            value = self._load(request["path"], context)
        else:
            item = self._registry.item(request["object"])
            value = {"substitute": self._substitute, "holds": self._holds, "act": self._act}[call](item, context)
        answer = {"value": value, "variables": context.launch_configurations, "environment": dict(os.environ)}
        # The launcher performs actions only of these answers.
        if call in ("load", "act"):
            context.emitted += take_canceled()
        if context.emitted:
            answer["emitted"] = actions_json(context.emitted, self._registry)
        self._globals = context._globals
        return answer

    def _context(self, request: dict[str, Any]) -> ServedContext:
        context = ServedContext(dict(request["variables"]))
        context.is_shutdown = request.get("is_shutdown", False)
        context._globals = self._globals
        if request.get("file") is not None:
            file = request["file"]
            context.extend_locals(
                {"current_launch_file_path": file, "current_launch_file_directory": os.path.dirname(file)}
            )
        if request.get("event") is not None:
            context.extend_locals({"event": self._event(request["event"])})
        set_environment(request["environment"])
        return context

    def _event(self, values: dict[str, Any]) -> Event:
        kind = _EVENTS[values.pop("kind")]
        node = values.pop("node", None)
        if values.get("action") is not None:
            action = values["action"] = self._registry.item(values["action"])
            details = {name: values[name] for name in ("name", "cmd", "cwd", "env", "pid") if name in values}
            if details:
                action.process_details = {**details, "node": node}
                action.return_code = values.get("returncode")
        if isinstance(values.get("text"), str):
            values["text"] = values["text"].encode()
        return kind(**values)

    def _perform(self, context: LaunchContext, text: Known) -> str:
        environment = dict(os.environ)
        # A class of the launch file may call the method of the class from which it is derived.
        call = text.call_json(self._registry)
        self._write({"perform": call, "variables": context.launch_configurations, "environment": environment})
        # The launcher may ask for substitutions of this file that are within the text.
        while True:
            reply = json.loads(self._requests.readline())
            if "call" not in reply:
                break
            self._reply(reply)
        set_environment(environment)
        if "error" in reply:
            raise SubstitutionFailure(reply["error"])
        return str(reply["text"])

    def _load(self, path: str, context: LaunchContext) -> list[Any]:
        return actions_json(get_launch_description_from_python_launch_file(path), self._registry)

    def _substitute(self, item: Any, context: LaunchContext) -> str:
        return str(item.perform(context))

    def _holds(self, item: Any, context: LaunchContext) -> bool:
        return bool(item.evaluate(context))

    def _act(self, item: Any, context: LaunchContext) -> list[Any]:
        """Calls the function of an action, or a handler of events."""
        if not isinstance(item, BaseEventHandler):
            return actions_json(item(context), self._registry)
        if not item.matches(context.locals.event):
            return []
        return actions_json(item.handle(context.locals.event, context), self._registry)


def set_environment(values: Mapping[str, str]) -> None:
    """Makes the environment of this program equal to some values.

    Only the variables that differ are changed: another thread of the program may read the others meanwhile.
    """
    for name in os.environ.keys() - values.keys():
        del os.environ[name]
    for name, value in values.items():
        if os.environ.get(name) != value:
            os.environ[name] = value


def _text(error: BaseException) -> str:
    """Returns the text of an exception with the line of the launch file in which it was raised."""
    own = str(pathlib.Path(__file__).parent)
    frames = traceback.extract_tb(error.__traceback__)
    others = [frame for frame in frames if not frame.filename.startswith((own, "<frozen"))]
    text = f"{type(error).__name__}: {error}" if not isinstance(error, SubstitutionFailure) else str(error)
    return f"{text} ({others[-1].filename}:{others[-1].lineno})" if others else text
