"""The tools of launch tests: the comparison of texts, processes by name, old tests, and tools for nodes."""

import re
import subprocess
import sys
import threading

import pytest
from conftest import run
from launching import launch, write
from saltus.launch.events.process import ProcessExited, ProcessStarted, ProcessStderr, ProcessStdout
from saltus.launch.processes import ExecuteProcess
from saltus.launch.substitutions import LaunchConfiguration
from saltus.launch_testing import ActiveIoHandler, ActiveProcInfoHandler, ProcInfoHandler, asserts, tools, util
from saltus.launch_testing.legacy.output import create_output_lines_filter
from saltus.launch_testing.text import build_line_match, build_text_match, remove_ansi_escape_sequences
from spinning import spin_until


def process(name, *words):
    """Returns the action of a process that was started, and the details of its events."""
    action = ExecuteProcess(cmd=["program", *words])
    details = {"action": action, "name": name, "cmd": ["program", *words], "cwd": None, "env": None, "pid": 1}
    action.process_details = details
    return action, details


@pytest.mark.parametrize(
    ("expected", "is_strict", "found"),
    [
        ("b", False, (2, 3)),
        ("b\nc", False, (2, 5)),
        ("x", False, None),
        ("b\nc\n", True, None),
        ("a\nb\nc\n", True, (0, 6)),
        (re.compile("[bc]"), False, (2, 3)),
        (re.compile("[bc]"), True, None),
        (["a", re.compile("c")], False, (0, 5)),
        (["a", "c"], True, None),
        (["a", "\n", "b"], True, (0, 3)),
        (["c", "a"], False, None),
    ],
)
def test_texts_are_found(expected, is_strict, found):
    assert build_text_match(expected, strict=is_strict)("a\r\nb\r\nc\r\n") == found


@pytest.mark.parametrize(
    ("expected", "is_strict", "found"),
    [
        ("b", False, (1, 2)),
        ("ab", True, None),
        (re.compile(".b"), True, (0, 2)),
        (["a", re.compile("cb$")], False, (0, 2)),
        (["c"], True, None),
        (["ab", "cb"], True, (0, 2)),
    ],
)
def test_lines_are_found(expected, is_strict, found):
    lines = ["ab", "cb"] if expected != "b" else ["a", "b"]
    assert build_line_match(expected, strict=is_strict)(lines, 0) == found


def test_expectations_of_another_kind_are_errors():
    for build in (build_text_match, build_line_match):
        with pytest.raises(ValueError, match="found 5"):
            build(5)
    for given in ({}, {"text": "a", "lines": ["a"], "expected_text": "a"}, {"text": "a"}):
        with pytest.raises(ValueError, match="give either"):
            tools.expect_output(**given)


def test_colors_are_removed():
    text = "\x1b[1;31mred\x1b[0m \x1b]0;title\x07\x1b(Bplain\x1b[2K"
    assert remove_ansi_escape_sequences(text) == "red plain"
    assert tools.expect_output(text, expected_text="red plain", strict=True)
    assert not tools.expect_output(lines=[text], expected_lines=["red plain"], strip_ansi_escape_sequences=False)


def test_lines_are_removed_from_the_output():
    keep = tools.basic_output_filter(filtered_patterns=[r"\[debug\]"])
    assert keep("pid 7\n[debug] a\nb\nrc 0\n") == "b\n"
    assert create_output_lines_filter(filtered_patterns=[rb"\[debug\]"])(b"pid 7\n[debug] a\nb\nrc 0\n") == b"b\n"
    with pytest.raises(FileNotFoundError, match="neither /none.txt nor /none.regex"):
        tools.expected_output_from_file("/none")


def test_processes_are_found_by_names_and_arguments():
    info = ProcInfoHandler()
    with pytest.raises(util.NoMatchingProcessException, match="no data of any process"):
        util.resolveProcesses(info)
    plain, with_argument = process("talker-1"), process("talker-2", "--loud")
    for _, details in (plain, with_argument):
        info.append(ProcessStarted(**details))
    assert util.resolveProcesses(info, process="talker", cmd_args=util.NO_CMD_ARGS) == [plain[0]]
    assert util.resolveProcesses(info, process="talker", cmd_args="--loud") == [with_argument[0]]
    assert util.resolveProcesses(info, process=plain[0]) == [plain[0]]
    assert len(util.resolveProcesses(info, process="talker", strict_proc_matching=False)) == 2
    with pytest.raises(LookupError, match="Found multiple processes with the name 'talker': give the whole name"):
        util.resolveProcesses(info, process="talker")
    with pytest.raises(util.NoMatchingProcessException, match="The processes are: talker-1, talker-2 --loud"):
        util.resolveProcesses(info, process="talker", cmd_args=["--quiet"])
    unknown = ExecuteProcess(cmd=["ls", LaunchConfiguration("x")])
    with pytest.raises(util.NoMatchingProcessException, match="its command has substitutions"):
        util.resolveProcesses(info, process=unknown)
    with pytest.raises(TypeError, match="found 5"):
        util.resolveProcesses(info, process=5)


def test_a_thread_waits_for_the_output_and_the_end_of_a_process():
    output, info = ActiveIoHandler(), ActiveProcInfoHandler()
    action, details = process("talker-1")
    proxy = tools.ProcessProxy(action, info, output, output_filter=str.upper)

    def write_and_end():
        info.append(ProcessStarted(**details))
        output.append(ProcessStdout(text=b"one\n", **details))
        output.append(ProcessStderr(text=b"two\n", **details))
        info.append(ProcessExited(returncode=-2, **details))

    thread = threading.Thread(target=write_and_end)
    thread.start()
    output.assertWaitFor(["one"], stream="stdout")
    info.assertWaitForShutdown("talker")
    thread.join()
    assert (proxy.stdout, proxy.stderr, proxy.output, proxy.exit_code) == ("ONE\n", "TWO\n", "ONE\nTWO\n", -2)
    assert proxy.terminated and not proxy.running and not proxy.wait_for_output()
    with pytest.raises(AssertionError, match="exited with code -2, expected one of"):
        asserts.assertExitCodes(info)
    with pytest.raises(AssertionError, match="Did not find 'three' in the stderr"):
        asserts.assertInStderr(output, "three", "talker")
    with pytest.raises(util.NoMatchingProcessException, match="Did not find any process"):
        output.waitFor("one", process="listener", timeout=0.0)


OLD = """
import saltus.ros
from launch import LaunchDescription, LaunchService
from launch.actions import ExecuteProcess, LogInfo
from launch_testing.legacy import LaunchTestService
from launch_testing.legacy.output import create_output_lines_test

def shell(script):
    return ExecuteProcess(cmd=["sh", "-c", script])

description, tests = LaunchDescription(), LaunchTestService()
{code}
service = LaunchService()
service.include_launch_description(description)
print("RESULT", tests.run(service))
"""


@pytest.mark.parametrize(
    ("code", "result"),
    [
        ('tests.add_test_action(description, shell("exit 0"))', 0),
        ('tests.add_test_action(description, shell("exit 5"))', 5),
        ('tests.add_fixture_action(description, shell("exit 4"))\ntests.add_test_action(description, shell("sleep 1000"))', 4),
        ('tests.add_fixture_action(description, shell("exit 4"), [4])\ntests.add_test_action(description, shell("exit 0"))', 0),
        (
            'action = tests.add_fixture_action(description, shell("echo one; echo two; exec sleep 1000"))\n'
            'tests.add_output_test(description, action, create_output_lines_test([b"one", b"two"]))',
            0,
        ),
        (
            'action = tests.add_fixture_action(description, shell("echo one"), True)\n'
            'tests.add_output_test(description, action, create_output_lines_test([b"one", b"two"]))',
            1,
        ),
    ],
)  # fmt: skip
def test_processes_that_are_tests_give_the_result_of_a_launch(log_folder, code, result):
    status, out, err = run(OLD.format(code=code))
    assert status == 0 and f"RESULT {result}\n" in out, out + err


def test_an_action_that_is_no_process_can_not_be_a_test(log_folder):
    _, _, err = run(OLD.format(code="tests.add_test_action(description, LogInfo(msg=''))"))
    assert "TypeError: expected an action that starts a process" in err


def test_messages_of_topics_are_waited_for(saltus, node):
    from saltus.launch_testing.ros import DataRepublisher, MessagePump, WaitForTopics
    from saltus.msgs.std_msgs.msg import String

    publisher = node.create_publisher(String, "talker", 10)
    republisher = DataRepublisher(node, "talker", "changed", String, lambda message: String(data=message.data.upper()))
    timer = node.create_timer(0.01, lambda: publisher.publish(String(data="hello")))
    pump = MessagePump(node)
    pump.start()
    with WaitForTopics(
        [("talker", String), ("changed", String)], timeout=30.0, messages_received_buffer_length=1
    ) as topics:
        assert topics.topics_received() == {"talker", "changed"} and topics.topics_not_received() == set()
        assert [message.data for message in topics.received_messages("changed")] == ["HELLO"]
    pump.stop()
    node.destroy_timer(timer)
    assert republisher.get_num_republished() == republisher.get_num_received() > 0
    with pytest.raises(RuntimeError, match="talker"), WaitForTopics([("talker", String)], timeout=0.0):
        pass
    with pytest.raises(KeyError, match="other"):
        topics.received_messages("other")
    republisher.shutdown()
    # The node can be spun again.
    received = []
    node.create_subscription(String, "talker", received.append, 10)
    publisher.publish(String(data="again"))
    spin_until(saltus, [node], lambda: received)


NAMES = """
import launch_testing
import launch_testing.tools.text, launch_testing.test_runner, launch_testing.io_handler, launch_testing_ros.tools
import launch
launch_testing.util.KeepAliveProc(), launch_testing.asserts.EXIT_OK
assert issubclass(launch_testing.actions.ReadyToTest, launch.Action)
"""


def test_the_modules_have_their_names_where_launch_has(tmp_path, environment):
    for head in ("import saltus.ros\n", "from saltus.launch import names\nnames.install()\n"):
        status, _, err = run(head + NAMES)
        assert status == 0, err
    file = tmp_path / "program.py"
    file.write_text(NAMES)
    done = subprocess.run([sys.executable, "-m", "saltus.ros", file], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    code = "import launch_testing\nreturn LaunchDescription([launch_testing.actions.ReadyToTest()])"
    launch(environment, write(tmp_path, code), "--dry-run")
