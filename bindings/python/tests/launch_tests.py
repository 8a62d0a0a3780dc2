"""Runs `launch_test` and pytest with launch tests."""

import os
import pathlib
import select
import signal
import subprocess
import sys
import textwrap
import xml.etree.ElementTree as ET

from launching import LoggedProcess

COMMAND = pathlib.Path(sys.executable).with_name("launch_test")

_HEAD = """
import os, signal, sys, threading, unittest
import pytest
import launch_testing, launch_testing.markers
from launch import LaunchDescription
from launch.actions import *
from launch.event_handlers import *
from launch.substitutions import *
from launch_testing.actions import GTest, PyTest, ReadyToTest
from launch_testing.asserts import *
from launch_testing.event_handlers import StdoutReadyListener
from launch_testing.util import KeepAliveProc


def shell(script, **options):
    return ExecuteProcess(cmd=["sh", "-c", script], output="screen", **options)
"""


def write(folder, description, tests="", marks="", arguments="", name="robot_test.py"):
    """Writes a launch test. The description is the code of a function, and the tests are classes."""
    file = folder / name
    body = textwrap.indent(textwrap.dedent(description).strip(), "    ")
    head = f"@pytest.mark.launch_test\n{marks}\ndef generate_test_description({arguments}):\n{body}\n"
    file.write_text(f"{_HEAD}\n\n{head}\n\n{textwrap.dedent(tests)}")
    return file


def run(file, *words, command=(COMMAND,)):
    """Runs a launch test to its end. Returns its exit code and its whole output."""
    done = subprocess.run(
        [*command, file, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120, check=False
    )
    return done.returncode, done.stdout


def run_in_pytest(file, *words):
    """Runs a launch test in a pytest of its own. Returns its exit code and its whole output."""
    return run(file, *words, command=pytest_command(file.parent))


def pytest_command(folder):
    """Returns the command of a pytest that has no configuration but that of a folder."""
    options = ["-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", folder, "--confcutdir", folder]
    return [sys.executable, "-m", "pytest", *options]


def suites(path):
    """Returns what a file with JUnit XML says of each launch: its name, its numbers, and the faults of its tests."""
    found = []
    for suite in ET.parse(path).getroot():
        numbers = tuple(int(suite.get(key)) for key in ("tests", "failures", "errors", "skipped"))
        cases = {case.get("name"): [fault.tag for fault in case] for case in suite}
        found.append((suite.get("name"), numbers, cases))
    return found


class Running(LoggedProcess):
    """A launch test that runs."""

    def __init__(self, file, *words, command=(COMMAND,)):
        super().__init__([*command, file, *words], stdin=subprocess.PIPE)

    def interrupt(self):
        """Sends SIGINT, as Ctrl-C does."""
        self._process.send_signal(signal.SIGINT)

    def kill(self):
        """Ends it without its knowledge, and waits for its end."""
        self._process.kill()
        self._process.wait()

    def finish(self, line=""):
        """Writes to the standard input, and waits for the end. Returns the exit code."""
        self.log += self._process.communicate(line, timeout=60)[0]
        return self._process.returncode


def wait_for_end(pid):
    """Waits until a process has ended."""
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        assert select.select([process], [], [], 30.0)[0], f"the process {pid} goes on"
    finally:
        os.close(process)
