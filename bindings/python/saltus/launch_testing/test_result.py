"""The results of the tests of one launch."""

from __future__ import annotations

import time
import unittest
from typing import Any

__all__ = ["FailResult", "SkipResult", "TestResult"]


class TestResult(unittest.TextTestResult):
    """The results of tests, with the tests themselves and their times."""

    # It is no class of tests for pytest.
    __test__ = False

    def __init__(self, stream: Any = None, descriptions: Any = None, verbosity: Any = None, **options: Any) -> None:
        super().__init__(stream, descriptions, verbosity, **options)
        self._began: dict[unittest.TestCase, float] = {}
        self._times: dict[unittest.TestCase, float] = {}

    @property
    def testCases(self) -> list[unittest.TestCase]:
        """The tests that were begun."""
        return list(self._times)

    @property
    def testTimes(self) -> dict[unittest.TestCase, float]:
        """The time that each test took, in seconds."""
        return dict(self._times)

    def startTest(self, test: unittest.TestCase) -> None:
        self._began[test], self._times[test] = time.monotonic(), 0.0
        super().startTest(test)

    def stopTest(self, test: unittest.TestCase) -> None:
        self._times[test] = time.monotonic() - self._began[test]
        super().stopTest(test)

    def append(self, results: Any) -> None:
        """Adds the results of other tests."""
        self.failures += results.failures
        self.errors += results.errors
        self.skipped += results.skipped
        self.expectedFailures += results.expectedFailures
        self.unexpectedSuccesses += results.unexpectedSuccesses
        self.testsRun += results.testsRun
        self._times.update(results.testTimes)


class _LaunchOnly(unittest.TestCase):
    """Stands for a launch without tests in its results."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name

    def runTest(self) -> None:
        """Is never called: the result is known."""

    def id(self) -> str:
        return f"{self._name}.launch"


class _Unrun(unittest.TestResult):
    """The results of tests that were not run."""

    def __init__(self, test_run: Any) -> None:
        super().__init__()
        self._cases: list[unittest.TestCase] = list(test_run.all_cases()) or [_LaunchOnly(str(test_run))]
        self.testsRun = len(self._cases)

    @property
    def testCases(self) -> list[unittest.TestCase]:
        """The tests that were not run."""
        return self._cases

    @property
    def testTimes(self) -> dict[unittest.TestCase, float]:
        """The time of each test: 0."""
        return dict.fromkeys(self._cases, 0.0)


class FailResult(_Unrun):
    """The failure of all tests of a launch that has ended before its tests."""

    def __init__(self, test_run: Any, message: str) -> None:
        super().__init__(test_run)
        self.failures = [(case, message) for case in self._cases]

    def wasSuccessful(self) -> bool:
        return False


class SkipResult(_Unrun):
    """All tests of a launch are skipped, because ``generate_test_description`` is."""

    def __init__(self, test_run: Any, skip_reason: str = "") -> None:
        super().__init__(test_run)
        self.skipped = [(case, skip_reason) for case in self._cases]
