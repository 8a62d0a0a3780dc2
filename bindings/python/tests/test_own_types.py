"""A package with its own interfaces. Its Rust program, its Python program and the command exchange messages."""

import os
import pathlib
import shutil
import signal
import subprocess
import sys

import pytest
from conftest import ROOT

PACKAGE = ROOT / "tests" / "own_types"
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
COMMAND = pathlib.Path(sys.executable).with_name("saltus")
SUBJECTS = {"rust": [TARGET / "debug" / "rover"], "python": [sys.executable, "-u", PACKAGE / "rover.py"]}
WHEEL = "front side=1 x=1.5 current=0.5 teeth=[12, 40] speeds=[1.0, 2.5]"


def cargo(folder, *arguments):
    environment = {**os.environ, "CARGO_TARGET_DIR": str(TARGET)}
    command = ["cargo", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600)


@pytest.fixture(scope="module")
def built():
    """Builds the program of the package. Returns its path."""
    done = cargo(PACKAGE, "build")
    assert done.returncode == 0, done.stderr


@pytest.fixture(autouse=True)
def interfaces(monkeypatch):
    """Makes the folder of definitions known to Python and to the command."""
    monkeypatch.setenv("SALTUS_INTERFACE_PATH", str(PACKAGE / "interfaces"))


@pytest.fixture
def started():
    """Returns a function that starts processes. They are ended at the end of the test."""
    processes = []

    def start(*command):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        processes.append(process)
        return process

    yield start
    for process in processes:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)
        assert process.returncode == 0


def output(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_crate_needs_no_dependency_except_saltus(built):
    features = [line.split(":")[0] for line in output(TARGET / "debug" / "features").splitlines()]
    assert features == [
        "topic",
        "in place",
        "quality of service",
        "service",
        "action",
        "parameters",
        "timer",
        "stamps",
        "state machine",
        "graph and log",
    ]


@pytest.mark.parametrize("publisher", SUBJECTS)
@pytest.mark.parametrize("subscriber", SUBJECTS)
def test_messages_are_received(built, started, publisher, subscriber):
    started(*SUBJECTS[publisher], "publish")
    assert output(*SUBJECTS[subscriber], "echo").strip() == WHEEL


@pytest.mark.parametrize("publisher", SUBJECTS)
def test_the_command_prints_messages(built, started, publisher):
    started(*SUBJECTS[publisher], "publish")
    printed = output(COMMAND, "topic", "echo", "--once", "wheels", "rover_msgs/msg/Wheel")
    assert "  - teeth: 40\n    material: brass\n" in printed, printed


@pytest.mark.parametrize("server", SUBJECTS)
@pytest.mark.parametrize("client", SUBJECTS)
def test_services_and_actions_are_served(built, started, server, client):
    assert started(*SUBJECTS[server], "serve").stdout.readline() == "serving\n"
    assert output(*SUBJECTS[client], "call") == "speeds=[1.0, 2.5, 4.0]\n"
    assert output(*SUBJECTS[client], "drive") == "left=1.5\ndriven=6\n"


@pytest.fixture
def copy(tmp_path):
    """A copy of the package. The test may change it."""
    copy = tmp_path / "rover"
    shutil.copytree(PACKAGE, copy)
    manifest = copy / "Cargo.toml"
    manifest.write_text(manifest.read_text().replace("../../crates", str(ROOT / "crates")))
    return copy


def test_the_build_error_of_a_wrong_definition_contains_its_line(copy):
    broken = copy / "interfaces" / "rover_msgs" / "msg" / "Motor.msg"
    broken.write_text("float64 current 0.5\nfloat46 voltage\n")
    done = cargo(copy, "check")
    assert done.returncode != 0
    assert "interfaces/rover_msgs/msg/Motor.msg:2:1: " in done.stderr, done.stderr


def test_a_changed_definition_rebuilds_only_the_crates_that_use_it(copy):
    assert cargo(copy, "check").returncode == 0
    (copy / "interfaces" / "rover_msgs" / "msg" / "Motor.msg").touch()
    done = cargo(copy, "check", "--verbose")
    states = [line.split()[:2] for line in done.stderr.splitlines()]
    assert [name for state, name in states if state in ("Compiling", "Checking")] == ["rover"], done.stderr
    assert ["Fresh", "saltus"] in states, done.stderr
    done = cargo(copy, "check", "--verbose")
    assert ["Fresh", "rover"] in [line.split()[:2] for line in done.stderr.splitlines()], done.stderr
