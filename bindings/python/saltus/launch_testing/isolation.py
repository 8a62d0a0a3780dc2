"""Domains that only one run of tests uses."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pathlib
import shutil
import tempfile
from typing import Iterator

#: The environment variable with the folder of the shared memory of all domains.
_VARIABLE = "SALTUS_SHM_DIR"

#: A memory file system.
_MEMORY = "/dev/shm"

#: The beginning of the names of the folders.
_PREFIX = "saltus-launch-test-"


@contextlib.contextmanager
def own_domain() -> Iterator[None]:
    """Lets this program and the processes that it starts use domains of their own during a ``with`` statement.

    They have a folder of shared memory of their own. So no domain number can be that of another run. The folder of a run that
    was killed is removed by the next run.
    """
    before = os.environ.get(_VARIABLE)
    _remove_abandoned()
    folder, lock = _locked_folder()
    os.environ[_VARIABLE] = folder
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(_VARIABLE, None)
        else:
            os.environ[_VARIABLE] = before
        # The test may have nodes that still use it.
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def _locked_folder() -> tuple[str, int]:
    """Creates a folder. Returns its path, and a descriptor that locks it."""
    while True:
        folder = tempfile.mkdtemp(prefix=_PREFIX, dir=_MEMORY)
        # Another run may remove the folder before it is locked.
        with contextlib.suppress(FileNotFoundError):
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            fcntl.flock(lock, fcntl.LOCK_EX)
            if os.path.isdir(folder):
                return folder, lock
            os.close(lock)


def _remove_abandoned() -> None:
    """Removes the folders that nobody has locked. Folders of other users stay."""
    for folder in pathlib.Path(_MEMORY).glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(lock)
