"""Finds the processes of a launch, and keeps a launch running."""

from __future__ import annotations

from typing import Any

from saltus.launch.entity import ProcessAction
from saltus.launch.processes import ExecuteProcess
from saltus.launch.substitution import literal

__all__ = ["KeepAliveProc", "NO_CMD_ARGS", "NoMatchingProcessException", "resolveProcesses"]

#: Stands for a process without arguments, where arguments select a process.
NO_CMD_ARGS = object()

#: The shell handles the signal, although it has ended the program for which the shell waits. So the exit code is 0.
_WAIT_FOR_SIGNAL = "trap 'exit 0' INT TERM; tail -f /dev/null"


class NoMatchingProcessException(Exception):
    """No process has the name, the arguments or the action that were given."""


def KeepAliveProc() -> ExecuteProcess:
    """Returns a process that does nothing until the launch ends. Then its exit code is 0.

    A launch without processes ends. A test needs this one if all its other processes end by themselves.
    """
    return ExecuteProcess(cmd=["sh", "-c", _WAIT_FOR_SIGNAL], name="keep_alive")


def resolveProcesses(
    info_obj: Any, *, process: Any = None, cmd_args: Any = None, strict_proc_matching: bool = True
) -> list[Any]:
    """Returns the actions of the processes in ``proc_info`` or ``proc_output`` that match. There is at least one.

    ``process`` is an action, a part of the name of a process, or ``None`` for all processes. With a name, ``cmd_args``
    are arguments that the process must have, or ``NO_CMD_ARGS``. Raises :class:`NoMatchingProcessException` if nothing
    matches, and ``LookupError`` if several processes match a name, unless ``strict_proc_matching`` is false.
    """
    if process is None:
        return _all_processes(info_obj)
    if isinstance(process, ProcessAction):
        return _process_of(info_obj, process)
    if isinstance(process, str):
        # One argument may be given without a list.
        arguments = [cmd_args] if isinstance(cmd_args, str) else cmd_args
        return _processes_named(info_obj, process, arguments, strict_proc_matching)
    raise TypeError(f"expected the action or the name of a process, found {process!r}")


def _all_processes(info_obj: Any) -> list[Any]:
    found = list(info_obj.processes())
    if not found:
        raise NoMatchingProcessException("there is no data of any process")
    return found


def _process_of(info_obj: Any, action: ProcessAction) -> list[Any]:
    if action in info_obj.processes():
        return [action]
    raise NoMatchingProcessException(f"there is no data of the process: {describe_process(action)}")


def _processes_named(info_obj: Any, name: str, arguments: Any, is_strict: bool) -> list[Any]:
    known = list(info_obj.processes())
    found = [action for action in known if name in action.process_details["name"] and _has(action, arguments)]
    if len(found) == 1 or found and not is_strict:
        return found
    wanted = f"the name {name!r}" if arguments is None else f"the name {name!r} and the arguments {_text(arguments)}"
    listed = ", ".join(sorted(describe_process(action) for action in known))
    if found:
        raise LookupError(
            f"Found multiple processes with {wanted}: give the whole name, arguments, or strict_proc_matching=False. "
            f"The processes are: {listed}"
        )
    raise NoMatchingProcessException(f"Did not find any process with {wanted}. The processes are: {listed}")


def _has(action: Any, arguments: Any) -> bool:
    own = action.process_details["cmd"][1:]
    if arguments is NO_CMD_ARGS:
        return not own
    return arguments is None or all(argument in own for argument in arguments)


def _text(arguments: Any) -> str:
    return "NO_CMD_ARGS" if arguments is NO_CMD_ARGS else str(list(arguments))


def describe_process(action: Any) -> str:
    """Returns the name and the arguments of a process. Before its start, it is the command, if it is known."""
    details = action.process_details
    if details is not None:
        return " ".join([details["name"], *details["cmd"][1:]])
    words = [literal(word) for word in action.process_description.cmd]
    if any(word is None for word in words):
        return "Unknown: it was not started, and its command has substitutions"
    return " ".join(word or "" for word in words)
