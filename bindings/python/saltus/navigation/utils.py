"""Finds and ends processes by their names.

Source: ``nav2_simple_commander.utils``, whose functions these are.
"""

from __future__ import annotations

import os
import signal
from pathlib import Path

__all__ = ["find_os_processes", "kill_os_processes", "kill_process"]


def find_os_processes(name: str) -> list[tuple[str, str]]:
    """Returns the ids and the command lines of the processes whose command line contains ``name``."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
        except OSError:
            # It has ended meanwhile, or belongs to somebody else.
            continue
        if name in command and int(folder.name) != os.getpid():
            found.append((folder.name, command))
    return found


def kill_process(pid: str) -> None:
    """Ends a process with ``SIGKILL``."""
    os.kill(int(pid), signal.SIGKILL)


def kill_os_processes(name: str) -> None:
    """Ends the processes whose command line contains ``name``."""
    for pid, _ in find_os_processes(name):
        kill_process(pid)
