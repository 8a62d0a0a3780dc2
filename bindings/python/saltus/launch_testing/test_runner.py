"""Runs launch descriptions and their tests. The lines that are printed are ROS 2's."""

from __future__ import annotations

import threading
import unittest
from typing import Any, Iterable, Sequence

from saltus.launch.actions import IncludeLaunchDescription, OpaqueFunction, TimerAction
from saltus.launch.entity import LaunchDescription
from saltus.launch.event_actions import RegisterEventHandler
from saltus.launch.event_handlers import OnProcessExit, OnProcessIO, OnProcessStart
from saltus.launch.launch_description_sources import LaunchDescriptionSource
from saltus.launch.service import LaunchService
from saltus.launch_testing.arguments import parse_launch_arguments
from saltus.launch_testing.io_handler import ActiveIoHandler
from saltus.launch_testing.loader import TestRun
from saltus.launch_testing.proc_info_handler import ActiveProcInfoHandler
from saltus.launch_testing.test_result import FailResult, SkipResult, TestResult

__all__ = ["LaunchTestRunner"]


class LaunchTestRunner:
    """Runs launches one after the other, each with its tests."""

    def __init__(
        self, test_runs: Sequence[TestRun], launch_file_arguments: Iterable[str] = (), debug: bool = False
    ) -> None:
        self._test_runs = list(test_runs)
        self._arguments, self._debug = list(launch_file_arguments), debug
        #: Whether Ctrl-C has ended a launch. Then the others were not run.
        self.is_interrupted = False

    def generate_preamble(self) -> list[Any]:
        """Returns the actions before each launch description. A class that is derived from this one may have some."""
        return []

    def validate(self) -> None:
        """Raises ``TypeError`` if ``generate_test_description`` has wrong arguments."""
        for run in self._test_runs:
            run.check_arguments()

    def run(self) -> dict[TestRun, unittest.TestResult]:
        """Runs everything. Returns the results of each launch. Must be called on the main thread, which gets the signals."""
        return {run: self._result_of(run) for run in self._test_runs}

    def _result_of(self, run: TestRun) -> unittest.TestResult:
        if self.is_interrupted:
            return FailResult(run, "The tests were interrupted before this launch.")
        if len(self._test_runs) > 1:
            print(f"\nStarting test run {run}", flush=True)
        try:
            launch = _Launch(run, self.generate_preamble(), self._arguments, self._debug)
        except unittest.SkipTest as skip:
            print(f"{run} is skipped: {skip}", flush=True)
            return SkipResult(run, str(skip))
        result = launch.run()
        self.is_interrupted = launch.service.is_interrupted
        return result


class _Service(LaunchService):
    """A launch service for one run."""

    _runs_once = True

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        #: Whether Ctrl-C or another signal has ended the run.
        self.is_interrupted = False

    def _forward(self, number: int, frame: Any) -> None:
        self.is_interrupted = True
        super()._forward(number, frame)


class _Launch:
    """A launch with its tests.

    The launch runs on the main thread, because that thread gets the signals. So the tests that run beside the processes have
    a thread of their own.
    """

    def __init__(self, run: TestRun, preamble: list[Any], arguments: Sequence[str], debug: bool) -> None:
        self._run = run
        self._output, self._processes = ActiveIoHandler(), ActiveProcInfoHandler()
        #: Is set when the tests may start, or when the launch has ended before.
        self._may_go_on = threading.Event()
        #: Is set when the launch description was performed, or when the launch has ended before.
        self._has_begun = threading.Event()
        self._has_launch_ended = False
        self._result: TestResult | None = None
        self.service = _Service(debug=debug)
        description, values = run.normalized_test_description(ready_fn=self._may_go_on.set)
        pairs = parse_launch_arguments(arguments)
        self._bind({**values, **run.param_args}, dict(pairs))
        include = IncludeLaunchDescription(LaunchDescriptionSource(description), launch_arguments=pairs)
        # The first timer ends when the launch description was performed.
        begun = TimerAction(period=0.0, actions=[OpaqueFunction(function=lambda context: self._has_begun.set())])
        self.service.include_launch_description(LaunchDescription([*preamble, *self._recorders(), begun, include]))

    def _recorders(self) -> list[RegisterEventHandler]:
        """Returns the handlers that record the events of processes."""

        def on_start(event: Any, context: Any) -> None:
            self._processes.append(event)
            self._output.track(event.process_name)

        def on_exit(event: Any, context: Any) -> None:
            self._processes.append(event)
            # A condition of the output may also depend on whether the process runs.
            self._output.track(event.process_name)

        handlers = (
            OnProcessStart(on_start=on_start),
            OnProcessExit(on_exit=on_exit),
            OnProcessIO(on_stdout=self._output.append, on_stderr=self._output.append),
        )
        return [RegisterEventHandler(handler) for handler in handlers]

    def _bind(self, values: dict[str, Any], test_args: dict[str, str]) -> None:
        """Gives the tests their values."""
        active = {
            "launch_service": self.service, "proc_info": self._processes, "proc_output": self._output, "test_args": test_args,
        }  # fmt: skip
        ended = {
            "proc_info": self._processes.proc_info_handler, "proc_output": self._output.io_handler, "test_args": test_args,
        }  # fmt: skip
        self._run.bind(self._run.pre_shutdown_tests, active, {**values, **active})
        self._run.bind(self._run.post_shutdown_tests, ended, {**values, **ended})

    def run(self) -> unittest.TestResult:
        """Runs the launch and the tests. Returns the results of all tests."""
        tests = threading.Thread(target=self._run_active_tests, name="launch_testing", daemon=True)
        tests.start()
        try:
            self.service.run(shutdown_when_idle=not self._run.markers.get("keep_alive", False))
        finally:
            self._has_launch_ended = True
            self._may_go_on.set()
            self._has_begun.set()
        result = self._result
        if result is None:
            print("Processes under test stopped before tests completed", flush=True)
            self._print_failed_processes()
            return FailResult(self._run, "Launch stopped before the active tests finished.")
        result.append(_run_tests(self._run.post_shutdown_tests))
        return result

    def _run_active_tests(self) -> None:
        """Runs the tests beside the processes, and then ends the launch."""
        try:
            if not self._may_go_on.wait(self._run.timeout):
                print("Timed out waiting for processes to start up", flush=True)
                return
            # The action that starts the tests is performed before the processes start. They must have been started when the
            # launch ends, also if there are no tests.
            self._has_begun.wait()
            if not self._has_launch_ended:
                self._result = _run_tests(self._run.pre_shutdown_tests)
        finally:
            self.service.shutdown()

    def _print_failed_processes(self) -> None:
        """Prints the output of the processes that have failed, which may say why the launch has ended."""
        for process in self._processes:
            code, name = getattr(process, "returncode", 0), process.process_name
            if code != 0:
                text = "".join(event.text.decode(errors="replace") for event in self._output[name])
                print(
                    f"Process '{name}' exited with {code}\n##### '{name}' output #####\n{text}{'#' * (len(name) + 21)}"
                )


def _run_tests(tests: Any) -> TestResult:
    suite = tests if isinstance(tests, unittest.TestSuite) else unittest.TestSuite(tests)
    result = unittest.TextTestRunner(verbosity=2, resultclass=TestResult).run(suite)
    assert isinstance(result, TestResult), "the runner creates results of the class that it was given"
    return result
