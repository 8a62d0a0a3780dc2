"""Marks of ``generate_test_description`` and of tests."""

from __future__ import annotations

import functools
import inspect
import time
import unittest
from typing import Any, Callable

_Function = Callable[..., Any]


def keep_alive(test_description: _Function) -> _Function:
    """Keeps the launch of ``generate_test_description`` running while there are no processes, until the tests end."""
    test_description.__dict__.setdefault("__markers__", {})["keep_alive"] = True
    return test_description


def retry_on_failure(*, times: int, delay: float | None = None) -> Callable[[_Function], _Function]:
    """Runs a test again if an assertion fails, at most ``times`` times in all, with ``delay`` seconds in between.

    A failure of the last attempt is a failure of the test. An exception of another kind is never tried again.
    """
    if times < 1:
        raise ValueError(f"expected at least 1 attempt, found {times}")

    def decorate(function: _Function) -> _Function:
        if next(iter(inspect.signature(function).parameters), None) != "self":
            raise TypeError(f"retry_on_failure is for methods of a test: {function.__qualname__} has no `self`")

        @functools.wraps(function)
        def attempts(self: Any, *args: Any, **kwargs: Any) -> Any:
            for _ in range(times - 1):
                attempt = _Attempt(self)
                try:
                    value = function(self, *args, **kwargs)
                except AssertionError:
                    pass
                else:
                    if attempt.has_succeeded():
                        return value
                attempt.forget()
                if delay is not None:
                    # The author of the test has chosen this pause between two attempts, as in ROS 2.
                    time.sleep(delay)
            return function(self, *args, **kwargs)

        return attempts

    return decorate


class _Attempt:
    """An attempt of a test. ``unittest`` notes failures of ``subTest`` at once, so that they must be forgotten."""

    def __init__(self, test: Any) -> None:
        self._outcome = getattr(test, "_outcome", None) if isinstance(test, unittest.TestCase) else None
        self._lengths = [len(faults) for faults in self._faults()]

    def _faults(self) -> list[list[Any]]:
        """Returns the lists of faults. Python 3.11 and later has them in the result, and before in the outcome."""
        result = getattr(self._outcome, "result", None)
        places = [(self._outcome, "errors"), (result, "failures"), (result, "errors")]
        return [faults for owner, name in places if isinstance(faults := getattr(owner, name, None), list)]

    def has_succeeded(self) -> bool:
        """Whether no part of the test has failed."""
        return self._outcome is None or bool(self._outcome.success)

    def forget(self) -> None:
        """Removes the faults since the attempt began."""
        for faults, length in zip(self._faults(), self._lengths):
            del faults[length:]
        if self._outcome is not None:
            self._outcome.success = True
