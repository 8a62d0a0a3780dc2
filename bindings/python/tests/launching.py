"""Runs ``saltus launch`` for tests."""

import pathlib
import re
import signal
import subprocess
import sys
import threading

from conftest import ROOT

COMMAND = pathlib.Path(sys.executable).with_name("saltus")
#: Launch files, each in three forms.
PAIRS = ROOT / "crates" / "system" / "saltus-launch-file" / "tests" / "pairs"


def launch(environment, *words):
    """Runs ``saltus launch``. Returns its output."""
    done = subprocess.run(
        [COMMAND, "launch", *words], env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def dry_run(environment, tmp_path, code, *arguments):
    """Returns the plan of a launch file with this code in ``generate_launch_description``."""
    return launch(environment, write(tmp_path, code), "--dry-run", *arguments)


def plan(environment, folder, name, form):
    """Returns the plan of a file, without the lines of the launch files and the names of its forms."""
    text = launch(environment, folder / f"{name}.launch.{form}", "--dry-run")
    lines = [re.sub(r"  \(\w+\.launch\.\w+:\d+\)$", "", line) for line in text.splitlines()]
    # The name that no other launch has, and the folder of its logs, differ.
    text = re.sub(r"node_\w+_\d+_\d+|launch-\d+-\d+-\d+", "UNIQUE", "\n".join(lines))
    return text.replace(f".launch.{form}", "")


def write(tmp_path, code):
    """Writes a launch file with this code in ``generate_launch_description``."""
    file = tmp_path / "robot.launch.py"
    head = (
        "from launch import *\nfrom launch.actions import *\nfrom launch.conditions import *\n"
        "from launch.event_handlers import *\nfrom launch.events import matches_action\n"
        "from launch.events.process import *\nfrom launch.launch_description_sources import *\n"
        "from launch.substitutions import *\nfrom launch_ros.actions import *\n\n\n"
        "def generate_launch_description():\n"
    )
    file.write_text(head + "".join(f"    {line}\n" for line in code.splitlines()))
    return file


def logged(text):
    """Returns the messages in a plan."""
    return re.findall('log "(.*)"', text)


def error_of(environment, tmp_path, code):
    """Returns the error of a launch file with this code."""
    file = write(tmp_path, code)
    done = subprocess.run([COMMAND, "launch", file, "-p"], env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1, done.stdout
    return done.stderr


class LoggedProcess:
    """A process whose output is read. It is killed at the end of a ``with`` statement."""

    def __init__(self, command, **options):
        self._process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options
        )
        self.log = ""
        # A line that never comes must not stop the tests.
        self._limit = threading.Timer(60.0, self._process.kill)
        self._limit.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._limit.cancel()
        self._process.kill()
        self._process.communicate()

    def wait_for(self, text):
        """Waits for a line with a text. Returns what follows in this line."""
        for line in self._process.stdout:
            self.log += line
            if text in line:
                return line.split(text, 1)[1].strip()
        raise AssertionError(f"{text!r} is missing in\n{self.log}")


class Launched(LoggedProcess):
    """A launch that runs."""

    def __init__(self, environment, file):
        super().__init__([COMMAND, "launch", file], env=environment)

    def interrupt(self):
        """Ends the launch as Ctrl-C does. Returns its exit status."""
        self._process.send_signal(signal.SIGINT)
        self.log += self._process.communicate(timeout=20)[0]
        return self._process.returncode
