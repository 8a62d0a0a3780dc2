"""Assertions about the output and the exit codes of processes."""

from __future__ import annotations

import contextlib
from typing import Any, Iterable, Iterator, Sequence

from saltus.launch_testing.text import build_text_match, remove_ansi_escape_sequences
from saltus.launch_testing.util import NO_CMD_ARGS, resolveProcesses

__all__ = [
    "EXIT_OK", "EXIT_SIGINT", "EXIT_SIGKILL", "EXIT_SIGQUIT", "EXIT_SIGSEGV", "NO_CMD_ARGS", "SequentialTextChecker",
    "assertDefaultStream", "assertExitCodes", "assertInStderr", "assertInStdout", "assertInStream",
    "assertSequentialStdout",
]  # fmt: skip

#: The exit code of a process that has ended by itself and without an error.
EXIT_OK = 0
#: The exit codes of a shell whose program was ended by a signal. The code of a process itself is then the negative signal.
EXIT_SIGINT, EXIT_SIGQUIT, EXIT_SIGKILL, EXIT_SIGSEGV = 130, 131, 137, 139

#: The number of lines before and after the last match in an error.
_NEARBY = 2


def assertExitCodes(
    proc_info: Any,
    allowable_exit_codes: Iterable[int] = (EXIT_OK,),
    process: Any = None,
    cmd_args: Any = None,
    *,
    strict_proc_matching: bool = True,
) -> None:
    """Raises ``AssertionError`` if a process has another exit code, or still runs. By default all processes are checked.

    For the last arguments see :func:`saltus.launch_testing.util.resolveProcesses`.
    """
    allowed = list(allowable_exit_codes)
    for code in allowed:
        assert isinstance(code, int), f"expected an integer as exit code, found {code!r}"
    found = resolveProcesses(proc_info, process=process, cmd_args=cmd_args, strict_proc_matching=strict_proc_matching)
    for event in [proc_info[action] for action in found]:
        found_code = getattr(event, "returncode", None)
        assert found_code is not None, f"Proc {event.process_name} has not exited"
        assert found_code in allowed, (
            f"Proc {event.process_name} exited with code {found_code}, expected one of {allowed}"
        )


def assertInStream(
    proc_output: Any,
    expected_output: Any,
    process: Any,
    cmd_args: Any = None,
    *,
    output_filter: Any = None,
    strict_proc_matching: bool = True,
    strip_ansi_escape_sequences: bool = True,
    stream: str = "stderr",
) -> None:
    """Raises ``AssertionError`` if a stream of a process does not have an output.

    The output is a text, a regular expression, or a list of both. The stream is ``stdout`` or ``stderr``. For ``process``,
    ``cmd_args`` and ``strict_proc_matching`` see :func:`saltus.launch_testing.util.resolveProcesses`.
    """
    if stream not in ("stdout", "stderr"):
        raise ValueError(f"expected the stream 'stdout' or 'stderr', found {stream!r}")
    if output_filter is not None and not callable(output_filter):
        raise ValueError(f"expected a function as output_filter, found {output_filter!r}")
    found = resolveProcesses(proc_output, process=process, cmd_args=cmd_args, strict_proc_matching=strict_proc_matching)
    matches = build_text_match(expected_output)
    for action in found:
        text = _text_of(proc_output[action], stream)
        if strip_ansi_escape_sequences:
            text = remove_ansi_escape_sequences(text)
        if matches(text if output_filter is None else output_filter(text)) is not None:
            return
    names = ", ".join(sorted(action.process_details["name"] for action in found))
    raise AssertionError(f"Did not find '{expected_output}' in the {stream} of any of the processes: {names}")


def _text_of(events: Iterable[Any], stream: str) -> str:
    wanted = (event for event in events if (event.from_stdout if stream == "stdout" else event.from_stderr))
    return "".join(event.text.decode(errors="replace") for event in wanted)


def assertInStdout(proc_output: Any, expected_output: Any, process: Any, cmd_args: Any = None, **options: Any) -> None:
    """Raises ``AssertionError`` if the standard output of a process does not have an output: :func:`assertInStream`."""
    assertInStream(proc_output, expected_output, process, cmd_args, stream="stdout", **options)


def assertInStderr(proc_output: Any, expected_output: Any, process: Any, cmd_args: Any = None, **options: Any) -> None:
    """Raises ``AssertionError`` if the standard error of a process does not have an output: :func:`assertInStream`."""
    assertInStream(proc_output, expected_output, process, cmd_args, stream="stderr", **options)


def assertDefaultStream() -> str:
    """Returns the stream that :func:`assertInStream` searches by default."""
    return "stderr"


class SequentialTextChecker:
    """Searches for texts one after the other. A search begins where the last text that was found ends."""

    def __init__(self, output: Sequence[str]) -> None:
        self._text = "".join(output)
        self._index = 0

    def assertInText(self, msg: str) -> None:
        """Raises ``AssertionError`` if a text does not follow. The next search then begins at the same place."""
        index = self._text.find(msg, self._index)
        if index < 0:
            raise AssertionError(
                f"'{msg}' not found after the last match. The lines around that are:\n{self.get_nearby_lines()}"
            )
        self._index = index + len(msg)

    def assertInStdout(self, msg: str) -> None:
        """The same as :meth:`assertInText`."""
        self.assertInText(msg)

    def get_nearby_lines(self) -> str:
        """Returns the lines around the place where the next search begins."""
        lines = self._text.splitlines()
        # At the end of a line, the next search is for the line behind it.
        is_at_end = self._text.startswith("\n", self._index)
        number = self._text.count("\n", 0, self._index + is_at_end)
        return "\n".join(lines[max(0, number - _NEARBY) : number + _NEARBY + 1])


@contextlib.contextmanager
def assertSequentialStdout(proc_output: Any, process: Any, cmd_args: Any = None) -> Iterator[SequentialTextChecker]:
    """Returns a checker for the output of one process, both streams in the order in which they were written."""
    (action, *_) = resolveProcesses(proc_output, process=process, cmd_args=cmd_args)
    yield SequentialTextChecker([event.text.decode(errors="replace") for event in proc_output[action]])
