"""What the threads of the launch and of the tests both use: the records of processes, behind a lock."""

from __future__ import annotations

import threading
from typing import Any, Callable, Iterator, Protocol


class Records(Protocol):
    """The events of processes."""

    def append(self, event: Any) -> None: ...
    def __iter__(self) -> Iterator[Any]: ...
    def processes(self) -> list[Any]: ...
    def process_names(self) -> list[str]: ...
    def __getitem__(self, key: Any) -> Any: ...


def name_of(key: Any) -> str:
    """Returns the name of a process, given the name or the action. Raises ``KeyError`` if it was not started."""
    if isinstance(key, str):
        return key
    if key.process_details is None:
        raise KeyError(f"the process was not started: {key!r}")
    name: str = key.process_details["name"]
    return name


class Synchronized:
    """Records behind a lock. Threads can wait for changes."""

    def __init__(self, records: Records) -> None:
        self._records = records
        self._changed = threading.Condition()

    def append(self, event: Any) -> None:
        """Adds an event. Wakes the threads that wait."""
        with self._changed:
            self._records.append(event)
            self._changed.notify_all()

    def __iter__(self) -> Iterator[Any]:
        with self._changed:
            return iter(list(self._records))

    def processes(self) -> list[Any]:
        """Returns the actions of the processes, each once."""
        with self._changed:
            return self._records.processes()

    def process_names(self) -> list[str]:
        """Returns the names of the processes."""
        with self._changed:
            return self._records.process_names()

    def __getitem__(self, key: Any) -> Any:
        with self._changed:
            return self._records[key]

    def _wait_for(self, condition: Callable[[], bool], timeout: float | None) -> bool:
        """Waits until a condition of the records holds. Returns whether it does. It is checked behind the lock."""
        with self._changed:
            return self._changed.wait_for(condition, timeout=timeout)
