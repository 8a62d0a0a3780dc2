"""Actions of launch descriptions that are tested."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Callable

from saltus.launch.entity import Action
from saltus.launch.event_actions import EmitEvent, RegisterEventHandler
from saltus.launch.event_handlers import OnProcessExit, OnProcessStart
from saltus.launch.events import matches_action
from saltus.launch.events.process import ShutdownProcess
from saltus.launch.processes import ExecuteProcess
from saltus.launch.substitution import SomeSubstitutionsType
from saltus.launch.timers import TimerAction

if TYPE_CHECKING:
    from saltus.launch.context import LaunchContext
    from saltus.launch.registry import Registry

__all__ = ["GTest", "PyTest", "ReadyToTest", "Test"]


class ReadyToTest(Action):
    """Starts the tests that run beside the processes."""

    def __init__(self) -> None:
        super().__init__()
        self._callbacks: list[Callable[[], Any]] = []

    def add_callback(self, callback: Callable[[], Any]) -> None:
        """Adds a function that is called when the action is performed."""
        self._callbacks.append(callback)

    def execute(self, context: LaunchContext) -> None:
        for callback in self._callbacks:
            callback()


class Test(ExecuteProcess):
    """Starts a process that is a test. It is ended if it runs longer than ``timeout`` seconds."""

    # It is no class of tests for pytest.
    __test__ = False

    def __init__(
        self, *, timeout: float | SomeSubstitutionsType | None = None, kill_timeout: Any = 5.0, **kwargs: Any
    ) -> None:
        kwargs.setdefault("sigkill_timeout", kill_timeout)
        super().__init__(**kwargs)
        self._timeout = timeout

    @property
    def timeout(self) -> float | SomeSubstitutionsType | None:
        """The longest time that the process may run, or ``None``."""
        return self._timeout

    def to_json(self, registry: Registry) -> list[dict[str, Any]]:
        actions = super().to_json(registry)
        if self._timeout is None:
            return actions
        end = EmitEvent(event=ShutdownProcess(process_matcher=matches_action(self)))
        timer = TimerAction(period=self._timeout, actions=[end])

        def cancel(event: Any, context: Any) -> None:
            timer.cancel()

        handlers = (
            OnProcessStart(target_action=self, on_start=[timer]),
            OnProcessExit(target_action=self, on_exit=cancel),
        )
        # The handlers exist only if the process does.
        own = [RegisterEventHandler(handler, condition=self.condition).to_json(registry) for handler in handlers]
        return [*actions, *(action for one in own for action in one)]


class _OfFile(Test):
    """A test that is in a file."""

    def __init__(self, *, path: SomeSubstitutionsType, cmd: list[Any], **kwargs: Any) -> None:
        super().__init__(cmd=cmd, **kwargs)
        self._path = path

    @property
    def path(self) -> SomeSubstitutionsType:
        """The path of the file."""
        return self._path


class GTest(_OfFile):
    """Runs a program with tests of GoogleTest."""

    def __init__(self, *, path: SomeSubstitutionsType, **kwargs: Any) -> None:
        super().__init__(path=path, cmd=[path], **kwargs)


class PyTest(_OfFile):
    """Runs a file with tests of pytest."""

    def __init__(self, *, path: SomeSubstitutionsType, **kwargs: Any) -> None:
        super().__init__(path=path, cmd=[sys.executable, "-m", "pytest", path], **kwargs)
