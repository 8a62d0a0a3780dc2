"""Filters the output of nodes."""

from __future__ import annotations

from typing import Any, Callable, Sequence

from saltus.launch_testing.legacy.output import get_rmw_output_filter
from saltus.launch_testing.tools import output

__all__ = ["basic_output_filter"]


def basic_output_filter(
    filtered_prefixes: Sequence[str] | None = None,
    filtered_patterns: Sequence[Any] | None = None,
    filtered_rmw_implementation: str | None = None,
) -> Callable[[str], str]:
    """Returns a function that removes lines from a text, also those of an RMW implementation.

    For the others see :func:`saltus.launch_testing.tools.basic_output_filter`.
    """
    prefixes = list(output.get_default_filtered_prefixes() if filtered_prefixes is None else filtered_prefixes)
    patterns = list(output.get_default_filtered_patterns() if filtered_patterns is None else filtered_patterns)
    if filtered_rmw_implementation:
        prefixes += [line.decode() for line in get_rmw_output_filter(filtered_rmw_implementation, "prefixes")]
        patterns += [line.decode() for line in get_rmw_output_filter(filtered_rmw_implementation, "patterns")]
    return output.basic_output_filter(prefixes, patterns)
