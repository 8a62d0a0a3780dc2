"""Matches texts and lines with what is expected.

An expectation is a text, a regular expression, or a list of both that must be found one after the other. A match is the
range of the characters or lines that were found, or ``None``.
"""

from __future__ import annotations

import re
from typing import Any, Callable, Iterable, Optional, Sequence

__all__ = ["build_line_match", "build_text_match", "normalize_lineseps", "remove_ansi_escape_sequences"]

_Range = Optional[tuple[int, int]]
#: Searches in a text or in lines, from an index on.
_Match = Callable[..., _Range]

#: Sequences that begin with ESC: those with parameters (CSI), titles and links (OSC), and short ones.
_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]*[0-Z\\^-~])")


def remove_ansi_escape_sequences(text: str) -> str:
    """Returns a text without the sequences that set colors or move the cursor of a terminal."""
    return _ANSI.sub("", text)


def normalize_lineseps(lines: str) -> str:
    r"""Returns a text with ``\n`` at the ends of lines. A terminal writes ``\r\n``."""
    return lines.replace("\r\n", "\n")


def build_text_match(expected_text: Any, *, strict: bool = False) -> _Match:
    """Returns a function that matches a text. With ``strict``, the text must begin with what is expected.

    A single text must then be equal. Raises ``ValueError`` if the expectation is of another kind.
    """
    if isinstance(expected_text, str):
        find = _equal_text(expected_text) if strict else _part_of_text(expected_text)
    elif isinstance(expected_text, re.Pattern):
        find = _pattern_in_text(expected_text.match if strict else expected_text.search)
    elif isinstance(expected_text, Iterable):
        find = _sequence([build_text_match(one) for one in expected_text], strict)
    else:
        raise ValueError(f"expected a text, a regular expression or a list of both, found {expected_text!r}")
    return lambda actual_text, start=0: find(normalize_lineseps(actual_text), start)


def build_line_match(expected_lines: Any, *, strict: bool = False) -> _Match:
    """Returns a function that matches a list of lines.

    With ``strict``, a list must match all lines from the first one on without a gap, and a single text or expression must
    match each line. Raises ``ValueError`` if the expectation is of another kind.
    """
    if isinstance(expected_lines, str):
        return _each_line(expected_lines.__eq__) if strict else _some_line(lambda line: expected_lines in line)
    if isinstance(expected_lines, re.Pattern):
        return _each_line(expected_lines.match) if strict else _some_line(expected_lines.match)
    if isinstance(expected_lines, Iterable):
        return _sequence([build_line_match(one) for one in expected_lines], strict)
    raise ValueError(f"expected a text, a regular expression or a list of both, found {expected_lines!r}")


def _equal_text(expected: str) -> _Match:
    return lambda actual, start: (start, len(actual)) if actual[start:] == expected else None


def _part_of_text(expected: str) -> _Match:
    def find(actual: str, start: int) -> _Range:
        index = actual.find(expected, start)
        return None if index < 0 else (index, index + len(expected))

    return find


def _pattern_in_text(search: Callable[[str, int], re.Match[str] | None]) -> _Match:
    def find(actual: str, start: int) -> _Range:
        found = search(actual, start)
        return None if found is None else found.span()

    return find


def _each_line(matches: Callable[[str], Any]) -> _Match:
    def find(lines: Sequence[str], start: int = 0) -> _Range:
        return (start, len(lines)) if all(matches(line) for line in lines[start:]) else None

    return find


def _some_line(matches: Callable[[str], Any]) -> _Match:
    def find(lines: Sequence[str], start: int = 0) -> _Range:
        found = (index for index in range(start, len(lines)) if matches(lines[index]))
        index = next(found, None)
        return None if index is None else (index, index + 1)

    return find


def _sequence(parts: list[_Match], is_strict: bool) -> _Match:
    """Returns a function that finds parts in their order. If it is strict, each part begins where the one before ends."""

    def find(actual: Any, start: int = 0) -> _Range:
        first, end = None, start
        for part in parts:
            found = part(actual, end)
            if found is None or is_strict and found[0] != end:
                return None
            first = found[0] if first is None else first
            end = found[1]
        return (start if first is None else first, end)

    return find
