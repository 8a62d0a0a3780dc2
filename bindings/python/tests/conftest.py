"""Fixtures. Every test has its own domain folder. At its end the folder must be empty."""

import os
import pathlib
import subprocess
import sys
import tempfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]


@pytest.fixture(autouse=True)
def domain(monkeypatch):
    """A folder in shared memory that only the test uses."""
    with tempfile.TemporaryDirectory(dir="/dev/shm", prefix="saltus-pytest-") as folder:
        monkeypatch.setenv("SALTUS_SHM_DIR", folder)
        yield folder


@pytest.fixture
def saltus():
    """The package, initialized for the test."""
    import saltus

    saltus.init(args=[])
    yield saltus
    saltus.try_shutdown()


@pytest.fixture
def node(saltus):
    """A node of the test."""
    node = saltus.Node("node")
    yield node
    node.destroy_node()


def start(code, *arguments, **options):
    """Starts a Python process that runs the code."""
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **options}
    return subprocess.Popen([sys.executable, "-u", "-c", code, *arguments], env=os.environ.copy(), **options)


def run(code, *arguments, timeout=60):
    """Runs the code in a Python process. Returns its exit code, its output and its error output."""
    process = start(code, *arguments)
    try:
        out, err = process.communicate(timeout=timeout)
    finally:
        process.kill()
    return process.returncode, out, err
