"""The items of launch tests in pytest. The plugin ``saltus_pytest`` creates them.

There are no hooks here: ROS 2's ``launch_testing`` registers the module with this name as a plugin if it is installed, too.
"""

from __future__ import annotations

import contextlib
from typing import Any, Iterator

import pytest

from saltus.launch_testing.isolation import own_domain
from saltus.launch_testing.loader import LoadTestsFromPythonModule
from saltus.launch_testing.test_runner import LaunchTestRunner

__all__ = ["LaunchTestFailure", "LaunchTestItem", "LaunchTestModule"]

#: The marks of `generate_test_description`. The second one is that of launch_testing_ros.
_MARKS = ("launch_test", "rostest")


class LaunchTestFailure(Exception):
    """Some tests of a launch test have failed."""

    def __init__(self, results: dict[Any, Any]) -> None:
        super().__init__("some tests of the launch test have failed")
        self.results = results

    def text(self) -> str:
        """Returns the failures, each with the name of its test."""
        results = self.results.values()
        faults = [fault for result in results for fault in [*result.errors, *result.failures]]
        faults += [(case, "Unexpected success") for result in results for case in result.unexpectedSuccesses]
        return "\n".join(f"FAIL: {case.id()}\n{text.rstrip()}\n" for case, text in faults)


class LaunchTestItem(pytest.Item):
    """All launches and tests of a file."""

    #: Runs the launches. A class that is derived from this one may have another.
    runner_cls = LaunchTestRunner

    def __init__(self, *, module: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._module = module

    def runtest(self) -> None:
        """Runs everything. Ctrl-C also ends the other tests of pytest."""
        arguments = [word for words in self.config.getoption("--launch-args") for word in words]
        # An item may be run several times.
        runs = LoadTestsFromPythonModule(self._module, name=self.name)
        runner = self.runner_cls(runs, arguments, self.config.getoption("verbose") > 0)
        runner.validate()
        is_isolated = not self.config.getoption("--launch-disable-isolation")
        with own_domain() if is_isolated else contextlib.nullcontext():
            results = runner.run()
        if runner.is_interrupted:
            raise KeyboardInterrupt
        if not all(result.wasSuccessful() for result in results.values()):
            raise LaunchTestFailure(results)

    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
        if isinstance(excinfo.value, LaunchTestFailure):
            return excinfo.value.text()
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> Any:
        return self.path, 0, f"launch tests: {self.name}"


class LaunchTestModule(pytest.Module):
    """A file that may be a launch test. Otherwise it is a module as any other."""

    def collect(self) -> Iterator[Any]:
        """Returns one item if ``generate_test_description`` is marked as a launch test."""
        description = getattr(self.obj, "generate_test_description", None)
        marks = getattr(description, "pytestmark", [])
        if not any(mark.name in _MARKS for mark in marks):
            yield from super().collect()
            return
        item = LaunchTestItem.from_parent(parent=self, name=self.obj.__name__, module=self.obj)
        for mark in marks:
            item.add_marker(getattr(pytest.mark, mark.name).with_args(*mark.args, **mark.kwargs))
        yield item
