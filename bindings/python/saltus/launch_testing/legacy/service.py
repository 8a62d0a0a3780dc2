"""Launches whose result is that of test processes in them."""

from __future__ import annotations

import enum
from typing import Any, Callable

from saltus.launch.entity import ProcessAction
from saltus.launch.event_actions import RegisterEventHandler, Shutdown
from saltus.launch.event_handlers import OnProcessExit, OnProcessIO, OnShutdown

__all__ = ["LaunchTestService"]


class _State(enum.Enum):
    """The state of a test."""

    ARMED = enum.auto()
    #: The process has ended, and some of the output may still come.
    FINISHED = enum.auto()
    SUCCEEDED = enum.auto()
    FAILED = enum.auto()
    #: Another test has failed first.
    DROPPED = enum.auto()


class LaunchTestService:
    """Adds tests to a launch description, runs it, and returns whether the tests have passed."""

    def __init__(self) -> None:
        self._states: dict[str, _State] = {}
        #: The exit codes of processes that have failed.
        self._failures: list[int] = []
        #: The exit codes other than 0 with which fixtures may end.
        self._allowed: set[int] = set()

    def add_fixture_action(self, launch_description: Any, action: Any, exit_allowed: Any = (0,)) -> Any:
        """Adds an action that the tests need. If it is a process that ends, the launch ends and fails.

        ``exit_allowed`` are the exit codes with which it may end, or ``True`` for all.
        """
        launch_description.add_action(action)
        if isinstance(action, ProcessAction):

            def on_exit(event: Any, context: Any) -> Any:
                is_allowed = exit_allowed if isinstance(exit_allowed, bool) else event.returncode in exit_allowed
                if is_allowed:
                    self._allowed.add(event.returncode)
                elif not context.is_shutdown:
                    self._failures.append(event.returncode or 1)
                    return Shutdown(reason=f"{event.process_name} fixture process died!")
                return None

            _add_handler(launch_description, OnProcessExit(target_action=action, on_exit=on_exit))
        return action

    def add_test_action(self, launch_description: Any, action: Any) -> Any:
        """Adds a process that is a test. The launch ends when all tests have ended, or when one has failed.

        Raises ``TypeError`` for an action that is no process.
        """
        test = f"test_{id(_process(action))}"

        def on_exit(event: Any, context: Any) -> Any:
            if event.returncode == 0:
                return self._succeed(test)
            self._failures.append(event.returncode)
            return self._fail(test, f"{event.process_name} test failed!")

        _add_handler(launch_description, OnProcessExit(target_action=action, on_exit=on_exit))
        launch_description.add_action(action)
        self._arm(test)
        return action

    def add_output_test(
        self,
        launch_description: Any,
        action: Any,
        output_test: Any,
        test_suffix: str = "output",
        output_filter: Callable[[bytes], bytes] | None = None,
        side_effect: str | None = None,
    ) -> Any:
        """Adds a test of the output of a process. For ``output_test`` see :mod:`saltus.launch_testing.legacy.output`.

        With the ``side_effect`` ``"shutdown"``, the launch ends when the test has passed. Raises ``TypeError`` for an action
        that is no process.
        """
        test = f"test_{id(_process(action))}_{test_suffix}"
        output, join, is_in, missing = output_test

        def on_stdout(event: Any) -> Any:
            nonlocal output, missing
            output = join(output, event.text if output_filter is None else output_filter(event.text))
            missing = [one for one in missing if not is_in(output, one)]
            return None if missing else self._succeed(test, side_effect)

        def on_exit(event: Any, context: Any) -> Any:
            return self._finish(test) if missing else None

        def on_shutdown(event: Any, context: Any) -> None:
            if missing:
                self._fail(test, "")

        for handler in (
            OnProcessExit(target_action=action, on_exit=on_exit),
            OnShutdown(on_shutdown=on_shutdown),
            OnProcessIO(target_action=action, on_stdout=on_stdout),
        ):
            _add_handler(launch_description, handler)
        self._arm(test)
        return action

    def run(self, launch_service: Any, *args: Any, **kwargs: Any) -> int:
        """Runs a launch service. Returns 0 if all tests have passed, and otherwise the exit code of the first failure."""
        status: int = launch_service.run(*args, **kwargs)
        # The launch has the exit code of its first process that has failed, also if that one may.
        own = 0 if status in self._allowed else status
        has_failed = _State.FAILED in self._states.values()
        return next(iter(self._failures), own or int(has_failed))

    def _arm(self, test: str) -> None:
        if test in self._states:
            raise ValueError("the action has this test already: give another `test_suffix`")
        self._states[test] = _State.ARMED

    def _is_over(self) -> bool:
        return _State.ARMED not in self._states.values()

    def _finish(self, test: str) -> Any:
        self._states[test] = _State.FINISHED
        return Shutdown(reason="all tests finished") if self._is_over() else None

    def _succeed(self, test: str, side_effect: str | None = None) -> Any:
        self._states[test] = _State.SUCCEEDED
        if self._is_over():
            return Shutdown(reason="all tests finished")
        return Shutdown(reason="shutdown after test") if side_effect == "shutdown" else None

    def _fail(self, test: str, reason: str) -> Any:
        self._states[test] = _State.FAILED
        for other, state in self._states.items():
            if state is _State.ARMED:
                self._states[other] = _State.DROPPED
        return Shutdown(reason=reason)


def _process(action: Any) -> ProcessAction:
    if not isinstance(action, ProcessAction):
        raise TypeError(f"expected an action that starts a process, found {action!r}: its end is not known")
    return action


def _add_handler(launch_description: Any, handler: Any) -> None:
    launch_description.add_action(RegisterEventHandler(handler))
