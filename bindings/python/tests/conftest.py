"""Fixtures. Every test has its own domain folder. At its end the folder must be empty."""

import os
import pathlib
import subprocess
import sys
import tempfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]

# The packages in Rust that tests build are compiled like the workspace. So what they have in common is compiled once.
os.environ["CARGO_PROFILE_DEV_DEBUG"] = "false"


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


@pytest.fixture
def log_folder(tmp_path, monkeypatch):
    """The folder of the logs of all launches. The loggers of `launch.logging` are as at the start of a program."""
    from saltus.launch import logging

    for stream in ("SCREEN", "LOG"):
        monkeypatch.delenv(f"OVERRIDE_LAUNCH_{stream}_FORMAT", raising=False)
    monkeypatch.setenv("ROS_LOG_DIR", str(tmp_path))
    logging.reset()
    yield tmp_path
    logging.reset()


@pytest.fixture
def environment(tmp_path):
    """The environment of a launch, with an installed package ``demo`` and a program ``xacro``."""
    prefix = tmp_path / "prefix"
    for file in ("share/ament_index/resource_index/packages/demo", "lib/demo/talker", "bin/xacro"):
        path = prefix / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o755)
    python = str(pathlib.Path(sys.executable).parent)
    return {
        "AMENT_PREFIX_PATH": str(prefix),
        "HOME": str(tmp_path),
        "PATH": os.pathsep.join([python, str(prefix / "bin"), "/usr/bin", "/bin"]),
        "ROS_LOG_DIR": str(tmp_path / "log"),
        "SALTUS_SHM_DIR": os.environ["SALTUS_SHM_DIR"],
    }
