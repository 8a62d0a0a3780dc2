"""Loads the tests of a file, with the launch descriptions for which they run."""

from __future__ import annotations

import functools
import inspect
import unittest
from typing import Any, Callable, Iterable, Iterator

from saltus.launch_testing.actions import ReadyToTest

__all__ = ["LoadTestsFromPythonModule", "PostShutdownTestLoader", "PreShutdownTestLoader", "TestRun"]

#: The longest time until `ReadyToTest` is performed, in seconds.
_DEFAULT_TIMEOUT = 15.0

#: The argument of `generate_test_description` that is a function to call when the tests may start.
_READY_FN = "ready_fn"


class _Suite(unittest.TestSuite):
    """A suite that keeps its tests when they were run, because results name them."""

    _cleanup = False


class _Loader(unittest.TestLoader):
    """Loads the tests that run beside the processes, or those that run when the processes have ended."""

    suiteClass = _Suite

    def __init__(self, is_post_shutdown: bool) -> None:
        super().__init__()
        self._is_post_shutdown = is_post_shutdown

    def loadTestsFromTestCase(self, testCaseClass: type[unittest.TestCase]) -> unittest.TestSuite:
        if getattr(testCaseClass, "__post_shutdown_test__", False) != self._is_post_shutdown:
            return self.suiteClass()
        # Each launch sets other values in the class. So each launch has a class of its own.
        own = type(testCaseClass.__name__, (testCaseClass,), {"__module__": testCaseClass.__module__})
        return super().loadTestsFromTestCase(own)


def PreShutdownTestLoader() -> unittest.TestLoader:
    """Returns a loader for the tests that run beside the processes."""
    return _Loader(False)


def PostShutdownTestLoader() -> unittest.TestLoader:
    """Returns a loader for the tests that run when the processes have ended."""
    return _Loader(True)


class TestRun:
    """A launch description and the tests for it. If the description is parametrized, there is one for each value."""

    # It is no class of tests for pytest.
    __test__ = False

    def __init__(
        self,
        name: str,
        test_description_function: Callable[..., Any],
        param_args: dict[str, Any],
        pre_shutdown_tests: Any,
        post_shutdown_tests: Any,
    ) -> None:
        self.name, self.param_args = name, param_args
        self.pre_shutdown_tests, self.post_shutdown_tests = pre_shutdown_tests, post_shutdown_tests
        self._function = test_description_function
        #: The longest time until ``ReadyToTest`` is performed, in seconds.
        self.timeout: float = getattr(test_description_function, "__ready_to_test_action_timeout__", _DEFAULT_TIMEOUT)
        if param_args:
            for case in self.all_cases():
                _rename(case, self._values())

    @property
    def markers(self) -> dict[str, Any]:
        """The marks of :mod:`saltus.launch_testing.markers`."""
        return dict(getattr(self._function, "__markers__", {}))

    def _parameters(self) -> list[str]:
        return list(inspect.signature(inspect.unwrap(self._function)).parameters)

    def check_arguments(self) -> None:
        """Raises ``TypeError`` if the description has another number of arguments, or arguments with other names."""
        names = self._parameters()
        for name in self.param_args:
            if name not in names:
                raise TypeError(
                    f"Could not find an argument {name!r} of generate_test_description, for which parametrize has values"
                )
        for name in names:
            if name not in self.param_args and name != _READY_FN:
                raise TypeError(
                    f"generate_test_description has unexpected extra argument '{name}': remove it, or give its values "
                    "with launch_testing.parametrize"
                )

    def normalized_test_description(self, *, ready_fn: Callable[[], Any]) -> tuple[Any, dict[str, Any]]:
        """Returns a launch description that calls a function when the tests may start, and the values for the tests.

        Raises ``ValueError`` if nothing can start the tests.
        """
        takes_function = _READY_FN in self._parameters()
        made = self._function(**({_READY_FN: ready_fn} if takes_function else {}))
        description, values = made if isinstance(made, tuple) else (made, {})
        actions = list(_ready_actions(description.entities))
        if not actions and not takes_function:
            raise ValueError(
                "generate_test_description must return a LaunchDescription containing a ReadyToTest action: "
                "add launch_testing.actions.ReadyToTest()"
            )
        for action in actions:
            action.add_callback(ready_fn)
        return description, values

    def get_launch_description(self) -> Any:
        """Returns a launch description for reading. It must not be launched."""
        return self.normalized_test_description(ready_fn=lambda: None)[0]

    def bind(
        self, tests: Any, injected_attributes: dict[str, Any] | None = None, injected_args: dict[str, Any] | None = None
    ) -> None:
        """Gives values to tests: as attributes, and as arguments of the methods that have arguments with these names."""
        cases = list(_cases(tests))
        for test_class in dict.fromkeys(type(case) for case in cases):
            for name, value in (injected_attributes or {}).items():
                setattr(test_class, name, value)
            _bind_methods(test_class, ("setUpClass", "tearDownClass"), injected_args or {})
        for case in cases:
            _bind_methods(case, ("setUp", "tearDown", case._testMethodName), injected_args or {})

    def all_cases(self) -> Iterator[unittest.TestCase]:
        """Returns all tests."""
        yield from _cases(self.pre_shutdown_tests)
        yield from _cases(self.post_shutdown_tests)

    def _values(self) -> str:
        return f"[{', '.join(map(str, self.param_args.values()))}]" if self.param_args else ""

    def __str__(self) -> str:
        return self.name + self._values()


def LoadTestsFromPythonModule(module: Any, *, name: str = "launch_tests") -> list[TestRun]:
    """Returns the test runs of a module. It must have a function ``generate_test_description``."""
    function = module.generate_test_description
    runs = function() if hasattr(function, "__parametrized__") else [(function, {})]
    return [
        TestRun(
            name,
            description,
            values,
            PreShutdownTestLoader().loadTestsFromModule(module),
            PostShutdownTestLoader().loadTestsFromModule(module),
        )
        for description, values in runs
    ]


def _ready_actions(entities: Iterable[Any]) -> Iterator[ReadyToTest]:
    """Returns the actions that start the tests, also those that are performed only under conditions."""
    for entity in entities:
        if isinstance(entity, ReadyToTest):
            yield entity
        yield from _ready_actions(entity.describe_sub_entities())
        for _, conditional in entity.describe_conditional_sub_entities():
            yield from _ready_actions(conditional)


def _cases(tests: Any) -> Iterator[Any]:
    """Returns the tests in suites and lists of tests."""
    if isinstance(tests, unittest.TestCase):
        yield tests
        return
    for one in tests:
        yield from _cases(one)


def _rename(case: Any, suffix: str) -> None:
    """Adds a text to the name of a test."""
    method = getattr(case, case._testMethodName)
    case._testMethodName += suffix
    setattr(case, case._testMethodName, method)


def _bind_methods(owner: Any, names: Iterable[str], values: dict[str, Any]) -> None:
    """Replaces methods by ones that need no arguments with the names of some values."""
    for name in names:
        method = getattr(owner, name)
        parameters = inspect.signature(method).parameters
        own = {key: value for key, value in values.items() if key in parameters}
        if own:
            setattr(owner, name, functools.update_wrapper(functools.partial(method, **own), method))
