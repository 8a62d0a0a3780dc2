"""Filters the output of processes, and compares it with what is expected."""

from __future__ import annotations

import os
import re
from typing import Any, Callable, Iterable, Sequence

from saltus.launch_testing.text import build_line_match, build_text_match, remove_ansi_escape_sequences

__all__ = [
    "basic_output_filter", "expect_output", "expected_output_from_file", "get_default_filtered_patterns",
    "get_default_filtered_prefixes",
]  # fmt: skip


def get_default_filtered_prefixes() -> list[str]:
    """Returns the beginnings of lines that :func:`basic_output_filter` removes by default."""
    return ["pid", "rc"]


def get_default_filtered_patterns() -> list[str]:
    """Returns the regular expressions of lines that :func:`basic_output_filter` removes by default: none."""
    return []


def basic_output_filter(
    filtered_prefixes: Sequence[str] | None = None, filtered_patterns: Sequence[Any] | None = None
) -> Callable[[str], str]:
    """Returns a function that removes lines from a text: those with a prefix, and those that match an expression."""
    prefixes = tuple(get_default_filtered_prefixes() if filtered_prefixes is None else filtered_prefixes)
    given = get_default_filtered_patterns() if filtered_patterns is None else filtered_patterns
    patterns = [re.compile(pattern) for pattern in given]

    def remove_lines(output: str) -> str:
        def is_kept(line: str) -> bool:
            return not line.startswith(prefixes) and not any(pattern.match(line) for pattern in patterns)

        return "".join(line for line in output.splitlines(keepends=True) if is_kept(line))

    return remove_lines


def expected_output_from_file(path: str, encoding: str | None = None) -> list[Any]:
    """Returns the lines of ``path.txt``, or the regular expressions in the lines of ``path.regex``.

    Raises ``FileNotFoundError`` if there is neither file.
    """
    if os.path.isfile(f"{path}.txt"):
        return list(_lines(f"{path}.txt", encoding))
    if os.path.isfile(f"{path}.regex"):
        return [re.compile(line) for line in _lines(f"{path}.regex", encoding)]
    raise FileNotFoundError(f"there is neither {path}.txt nor {path}.regex with the expected output")


def _lines(path: str, encoding: str | None) -> Iterable[str]:
    with open(path, encoding=encoding) as file:
        return file.read().splitlines()


def expect_output(
    text: str | None = None,
    *,
    lines: Sequence[str] | None = None,
    expected_text: Any = None,
    expected_lines: Any = None,
    strip_ansi_escape_sequences: bool = True,
    strict: bool = False,
) -> bool:
    """Returns whether a text or lines match what is expected; see :mod:`saltus.launch_testing.text`.

    Raises ``ValueError`` unless exactly one of ``text`` and ``lines``, and one of the expectations, is given.
    """
    if (text is None) == (lines is None):
        raise ValueError("give either `text` or `lines`")
    if (expected_text is None) == (expected_lines is None):
        raise ValueError("give either `expected_text` or `expected_lines`")
    whole = text if text is not None else "\n".join(lines or ())
    if strip_ansi_escape_sequences:
        whole = remove_ansi_escape_sequences(whole)
    if expected_text is not None:
        return build_text_match(expected_text, strict=strict)(whole) is not None
    return build_line_match(expected_lines, strict=strict)(whole.splitlines()) is not None
