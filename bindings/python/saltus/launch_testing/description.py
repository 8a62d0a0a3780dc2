"""Decorators of ``generate_test_description`` and of the classes of tests."""

from __future__ import annotations

import functools
from typing import Any, Callable, Iterable, Iterator, TypeVar

_Class = TypeVar("_Class", bound=type)
_Function = Callable[..., Any]


def parametrize(argnames: str, argvalues: Iterable[Any]) -> Callable[[_Function], _Function]:
    """Runs the tests once for each value of some arguments of ``generate_test_description``.

    The names are separated by commas. With several names, each value is a tuple.
    """
    names = [name.strip() for name in argnames.split(",") if name.strip()]
    values = [value if isinstance(value, tuple) else (value,) for value in argvalues]
    if not values:
        raise ValueError(f"there are no values for {argnames!r}, so no test would run")
    for value in values:
        if len(value) != len(names):
            raise ValueError(f"expected {len(names)} values for {argnames!r}, found {value!r}")

    def decorate(function: _Function) -> _Function:
        @functools.wraps(function)
        def each() -> Iterator[tuple[_Function, dict[str, Any]]]:
            for value in values:
                arguments = dict(zip(names, value))
                # Other decorators may have marked this function after it was made. Each run has their marks.
                yield functools.update_wrapper(functools.partial(function, **arguments), each), arguments

        each.__dict__["__parametrized__"] = True
        return each

    return decorate


def post_shutdown_test() -> Callable[[_Class], _Class]:
    """Makes the tests of a class run after the processes have ended."""

    def decorate(test_class: _Class) -> _Class:
        setattr(test_class, "__post_shutdown_test__", True)
        return test_class

    return decorate


def ready_to_test_action_timeout(timeout: float) -> Callable[[_Function], _Function]:
    """Sets the longest time until ``ReadyToTest`` is performed, in seconds. Without it the limit is 15 seconds."""

    def decorate(function: _Function) -> _Function:
        function.__dict__["__ready_to_test_action_timeout__"] = timeout
        return function

    return decorate
