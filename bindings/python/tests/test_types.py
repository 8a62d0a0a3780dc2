"""Stubs for type checkers: they are up to date, and match the native module."""

import importlib.util
import os
import pathlib
import subprocess
import sys

TESTS = pathlib.Path(__file__).parent
HOME = pathlib.Path(importlib.util.find_spec("saltus").origin).parent

PROGRAM = """
import saltus
from saltus.msgs.example_interfaces.action import Fibonacci
from saltus.msgs.example_interfaces.srv import AddTwoInts
from saltus.msgs.sensor_msgs.msg import Image, LaserScan
from saltus.msgs.std_msgs.msg import Header

def on_image(message: Image) -> None:
    reveal_type(message.header.stamp.sec)
    reveal_type(message.header.frame_id)
    reveal_type(message.data)

Image(header=Header(frame_id="camera"), height=2, data=b"ab", is_bigendian=0)
AddTwoInts.Request(a=1)
scan = LaserScan()
scan.ranges = [1.0, 2.0]
Fibonacci.Goal(order=5)
scan.angle_min = "wide"
Image(heigth=2)
Fibonacci.Goal(order="many")
with saltus.init(), saltus.create_node("n") as node:
    publisher = node.create_publisher(Image, "camera", 10)
    publisher.publish(Image())
    publisher.publish(scan)
"""


def run(*arguments, cwd):
    command = [sys.executable, "-m", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(HOME.parent)}
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=300)


def stubs_below(folder):
    return {str(path.relative_to(folder)): path.read_text() for path in folder.glob("*/*.pyi")}


def test_the_stubs_of_messages_are_up_to_date(tmp_path):
    # This runs in a separate process, because other tests here add interfaces.
    written = run("saltus._stubs", str(tmp_path), cwd=tmp_path)
    assert written.returncode == 0, written.stderr
    assert stubs_below(HOME / "msgs") == stubs_below(tmp_path), "make stubs"
    assert (HOME / "py.typed").exists()


def test_a_program_is_checked(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    found = run("mypy", "program.py", cwd=tmp_path).stdout
    lines = PROGRAM.split("\n")
    wrong = {lines[int(line.split(":")[1]) - 1].strip() for line in found.splitlines() if " error: " in line}
    assert wrong == {
        'scan.angle_min = "wide"',
        "Image(heigth=2)",
        'Fibonacci.Goal(order="many")',
        "publisher.publish(scan)",
    }, found
    assert found.count('Revealed type is "builtins.int"') == found.count('Revealed type is "builtins.str"') == 1
    assert "array.array[builtins.int]" in found


def test_the_package_is_checked(tmp_path):
    checked = run("mypy", "-p", "saltus", cwd=tmp_path)
    assert checked.returncode == 0, checked.stdout


def test_the_stub_of_the_native_module_matches_it(tmp_path):
    checked = run("mypy.stubtest", "saltus._native", "--allowlist", str(TESTS / "stubtest_allowlist.txt"), cwd=tmp_path)
    assert checked.returncode == 0, checked.stdout
