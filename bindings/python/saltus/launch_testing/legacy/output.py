"""The expected output of processes, for ``LaunchTestService.add_output_test``. All texts are bytes."""

from __future__ import annotations

import os
import re
from typing import Any, Callable, Iterable, Sequence

from saltus.launch.index import get_resource, has_resource

__all__ = [
    "create_output_lines_filter", "create_output_lines_test", "create_output_regex_test",
    "create_output_test_from_file", "get_default_filtered_patterns", "get_default_filtered_prefixes",
    "get_rmw_output_filter",
]  # fmt: skip

#: The output at the start, a function that adds to it, a function that searches in it, and what must be found.
OutputTest = tuple[bytes, Callable[[bytes, bytes], bytes], Callable[[bytes, Any], bool], list[Any]]


def get_default_filtered_prefixes() -> list[bytes]:
    """Returns the beginnings of lines that filters remove by default."""
    return [b"pid", b"rc"]


def get_default_filtered_patterns() -> list[bytes]:
    """Returns the regular expressions of lines that filters remove by default: none."""
    return []


def get_rmw_output_filter(rmw_implementation: str, filter_type: str) -> list[bytes]:
    """Returns the ``prefixes`` or ``patterns`` that an RMW implementation has registered for its own output."""
    if filter_type not in ("prefixes", "patterns"):
        raise TypeError(f"expected the type 'prefixes' or 'patterns', found {filter_type!r}")
    kind = f"rmw_output_{filter_type}"
    if not has_resource(kind, rmw_implementation):
        return []
    return [line.encode() for line in get_resource(kind, rmw_implementation)[0].splitlines()]


def create_output_lines_filter(
    filtered_prefixes: Sequence[bytes] | None = None,
    filtered_patterns: Sequence[Any] | None = None,
    filtered_rmw_implementation: str | None = None,
) -> Callable[[bytes], bytes]:
    """Returns a function that removes lines: those with a prefix, and those that match an expression."""
    prefixes = list(filtered_prefixes or get_default_filtered_prefixes())
    patterns = list(filtered_patterns or get_default_filtered_patterns())
    if filtered_rmw_implementation:
        prefixes += get_rmw_output_filter(filtered_rmw_implementation, "prefixes")
        patterns += get_rmw_output_filter(filtered_rmw_implementation, "patterns")
    beginnings, expressions = tuple(prefixes), [re.compile(pattern) for pattern in patterns]

    def remove_lines(output: bytes) -> bytes:
        def is_kept(line: bytes) -> bool:
            return not line.startswith(beginnings) and not any(expression.match(line) for expression in expressions)

        return b"".join(line for line in output.splitlines(keepends=True) if is_kept(line))

    return remove_lines


def _joined(output: bytes, more: bytes) -> bytes:
    return output + more


def create_output_lines_test(expected_lines: Iterable[bytes]) -> OutputTest:
    """Returns a test that each text is in a line of the output."""
    return b"", _joined, lambda output, text: any(text in line for line in output.splitlines()), list(expected_lines)


def create_output_regex_test(expected_patterns: Iterable[re.Pattern[bytes]]) -> OutputTest:
    """Returns a test that each regular expression is found in the output."""
    return b"", _joined, lambda output, pattern: pattern.search(output) is not None, list(expected_patterns)


def create_output_test_from_file(output_file: str) -> OutputTest:
    """Returns the test for the lines of ``output_file.txt``, or for the expressions in ``output_file.regex``.

    Raises ``FileNotFoundError`` if there is neither file.
    """
    if os.path.isfile(f"{output_file}.txt"):
        return create_output_lines_test(_lines(f"{output_file}.txt"))
    if os.path.isfile(f"{output_file}.regex"):
        return create_output_regex_test(re.compile(line) for line in _lines(f"{output_file}.regex"))
    raise FileNotFoundError(f"there is neither {output_file}.txt nor {output_file}.regex with the expected output")


def _lines(path: str) -> list[bytes]:
    with open(path, "rb") as file:
        return file.read().splitlines()
