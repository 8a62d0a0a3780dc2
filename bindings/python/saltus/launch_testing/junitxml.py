"""Writes results of tests as JUnit XML."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from typing import Any, Iterable

__all__ = ["unittestCaseToXml", "unittestResultToXml", "unittestResultsToXml"]

#: The characters that XML does not allow, such as the ESC of colors.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def unittestResultsToXml(
    *, name: str = "launch_test", test_results: dict[Any, Any] | None = None
) -> ET.ElementTree[Any]:
    """Returns a document with the results of several launches: a suite for each."""
    results = {} if test_results is None else test_results
    root = ET.Element("testsuites", {"name": _clean(name), **_counts(results.values())})
    root.extend(unittestResultToXml(str(key), result) for key, result in results.items())
    return ET.ElementTree(root)


def unittestResultToXml(name: str, test_result: Any) -> ET.Element:
    """Returns the element ``testsuite`` of the results of one launch."""
    skipped = str(len(test_result.skipped))
    suite = ET.Element("testsuite", {"name": _clean(name), **_counts([test_result]), "skipped": skipped})
    suite.extend(unittestCaseToXml(test_result, case) for case in test_result.testCases)
    return suite


def _counts(results: Iterable[Any]) -> dict[str, str]:
    each = list(results)
    seconds = sum(sum(result.testTimes.values()) for result in each)
    return {
        "tests": str(sum(result.testsRun for result in each)),
        "failures": str(sum(len(result.failures) + len(result.unexpectedSuccesses) for result in each)),
        "errors": str(sum(len(result.errors) for result in each)),
        "time": f"{seconds:.3f}",
    }


def unittestCaseToXml(test_result: Any, test_case: Any) -> ET.Element:
    """Returns the element ``testcase`` of a test, with what has failed in it."""
    # The values of a parametrized launch are behind the name. They may have dots.
    name, bracket, values = test_case.id().partition("[")
    class_name, _, method = name.rpartition(".")
    seconds = test_result.testTimes.get(test_case, 0.0)
    attributes = {"classname": class_name, "name": method + bracket + values, "time": f"{seconds:.3f}"}
    element = ET.Element("testcase", {key: _clean(value) for key, value in attributes.items()})
    failures = [*test_result.failures, *((case, "Unexpected success") for case in test_result.unexpectedSuccesses)]
    for tag, faults in (("failure", failures), ("error", test_result.errors), ("skipped", test_result.skipped)):
        # A part of a test (`subTest`) belongs to its test.
        own = [text for case, text in faults if getattr(case, "test_case", case) is test_case]
        element.extend(ET.Element(tag, {"message": _clean(text)}) for text in own)
    return element


def _clean(text: str) -> str:
    return _FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text)
