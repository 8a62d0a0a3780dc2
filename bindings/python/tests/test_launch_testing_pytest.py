"""Launch tests run with pytest: the plugin finds them, and leaves all other tests alone."""

import pathlib
import shutil
import subprocess
import sys

import pytest
from conftest import ROOT
from launch_tests import Running, pytest_command, run, run_in_pytest, wait_for_end, write


@pytest.fixture(autouse=True)
def logs(log_folder):
    """The folder of the logs of all launches."""


DESCRIPTION = """
return LaunchDescription([
    DeclareLaunchArgument("word", default_value="hello"),
    ExecuteProcess(cmd=["echo", LaunchConfiguration("word")]), KeepAliveProc(), ReadyToTest(),
])
"""
TESTS = """
class TestActive(unittest.TestCase):
    def test_it_prints(self, proc_output, test_args):
        proc_output.assertWaitFor(test_args.get("word", "hello"), stream="stdout")


@launch_testing.post_shutdown_test()
class TestEnded(unittest.TestCase):
    def test_the_exit_codes(self, proc_info):
        assertExitCodes(proc_info)
"""


def test_a_launch_test_is_one_item(tmp_path):
    file = write(tmp_path, DESCRIPTION, TESTS)
    status, out = run_in_pytest(file, "-v", "--launch-args", "word:=bye")
    assert status == 0 and "robot_test.py::robot_test PASSED" in out and "1 passed" in out, out
    status, out = run_in_pytest(file, "-m", "not launch_test")
    assert status == 5 and "1 deselected" in out, out


def test_the_names_of_the_tests_that_have_failed_are_in_the_report(tmp_path):
    tests = TESTS + "\n    def test_fails(self):\n        self.fail('no robot')\n"
    status, out = run_in_pytest(write(tmp_path, DESCRIPTION, tests))
    assert status == 1 and "FAIL: robot_test.TestEnded.test_fails" in out and "no robot" in out, out
    assert "INTERNALERROR" not in out and "1 failed" in out, out


def test_an_error_in_the_file_is_an_error_of_the_collection(tmp_path):
    file = write(tmp_path, DESCRIPTION, "import no_such_module")
    status, out = run_in_pytest(file)
    assert status == 2 and "No module named 'no_such_module'" in out, out


def test_ctrl_c_ends_all_tests(tmp_path):
    description = 'return LaunchDescription([shell("echo PID $$; exec sleep 1000"), ReadyToTest()])'
    tests = "class TestActive(unittest.TestCase):\n    def test_never_ends(self): threading.Event().wait()\n"
    file = write(tmp_path, description, tests)
    (tmp_path / "test_z.py").write_text("def test_is_not_run():\n    pass\n")
    with Running(tmp_path, "-s", "-v", file, command=pytest_command(tmp_path)) as running:
        pid = int(running.wait_for("] PID "))
        running.interrupt()
        assert running.finish() == 2, running.log
    wait_for_end(pid)
    assert "KeyboardInterrupt" in running.log and "test_is_not_run" not in running.log, running.log


def test_files_without_the_mark_are_tests_as_all_others(tmp_path):
    file = write(tmp_path, "raise AssertionError", "def test_passes():\n    pass\n", name="test_plain.py")
    file.write_text(file.read_text().replace("@pytest.mark.launch_test\n", ""))
    status, out = run_in_pytest(file, "-v")
    assert status == 0 and "test_plain.py::test_passes PASSED" in out, out


def test_other_tests_do_not_import_the_package(tmp_path):
    (tmp_path / "test_plain.py").write_text(
        "import sys\n\n\ndef test_passes():\n    assert 'saltus' not in sys.modules and 'saltus_pytest' in sys.modules\n"
    )
    status, out = run_in_pytest(tmp_path / "test_plain.py", "-W", "error")
    assert status == 0, out


def test_assertions_of_the_package_are_not_rewritten(tmp_path):
    # Pytest would compile the whole package in each run if it can't keep the result.
    (tmp_path / "test_plain.py").write_text(
        "import saltus.time\n\n\ndef test_passes():\n    assert 'pytest' not in type(saltus.time.__loader__).__module__\n"
    )
    status, out = run_in_pytest(tmp_path / "test_plain.py", "-W", "error")
    assert status == 0, out


def test_the_plugin_of_ros_2_has_priority(tmp_path):
    package = tmp_path / "others" / "launch_testing"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    plain = tmp_path / "test_plain.py"
    plain.write_text("def test_passes():\n    pass\n")
    command = [*pytest_command(tmp_path), plain, "--launch-args", "a:=b"]
    for folder, status in ((package.parent, 4), (tmp_path, 0)):
        done = subprocess.run(command, env={"PYTHONPATH": str(folder)}, capture_output=True, text=True, timeout=60)
        assert done.returncode == status, done.stdout + done.stderr


def test_programs_that_have_chosen_saltus_use_its_plugin(tmp_path):
    shutil.copytree(pathlib.Path(__file__).parent / "ros_2_plugins", tmp_path / "others")
    file = write(tmp_path, DESCRIPTION, TESTS)
    (tmp_path / "conftest.py").write_text("import launch_testing.actions\n")
    command = [sys.executable, "-m", "saltus.ros", *pytest_command(tmp_path)[1:], "-W", "error", file]
    done = subprocess.run(
        command, env={"PYTHONPATH": str(tmp_path / "others"), "ROS_LOG_DIR": str(tmp_path)}, capture_output=True, text=True
    )  # fmt: skip
    assert done.returncode == 0 and "1 passed" in done.stdout, done.stdout + done.stderr


def test_cmake_runs_both_kinds_of_tests(tmp_path):
    """The CMake commands for tests in Python run them with this script, which makes rclpy and launch those of Saltus."""
    script = ROOT / "bindings" / "cpp" / "cmake" / "ament_cmake_test" / "python_test.py"
    file = write(tmp_path, DESCRIPTION, TESTS)
    status, out = run(file, "word:=bye", command=(sys.executable, script, "launch_testing.launch_test"))
    assert status == 0 and "test_it_prints" in out, out
    plain = tmp_path / "test_plain.py"
    plain.write_text("import rclpy\ndef test_it():\n    assert not rclpy.ok()\n")
    command = [sys.executable, script, *pytest_command(tmp_path)[2:]]
    status, out = run(plain, command=command)
    assert status == 0 and "1 passed" in out, out
