"""The descriptions of processes in `saltus.launch` have ROS 2's getters, and are evaluated without a launcher."""

import os

import pytest
from launching import dry_run
from saltus.launch import LaunchContext
from saltus.launch.actions import ExecuteLocal, ExecuteProcess, LogInfo, Shutdown, TimerAction
from saltus.launch.executable import Executable
from saltus.launch.ros.actions import Node
from saltus.launch.substitution import perform_substitutions
from saltus.launch.substitutions import LaunchConfiguration, TextSubstitution


@pytest.fixture
def context():
    """A context with some variables."""
    context = LaunchContext()
    context.launch_configurations.update(word="a b", number="1")
    return context


def text(parts):
    """Returns the value of substitutions that need no variables."""
    return perform_substitutions(LaunchContext(), parts)


def test_a_description_is_evaluated(context):
    word = LaunchConfiguration("word")
    program = Executable(
        cmd=["/bin/ls", [word, "c"]], cwd=["/", "tmp"], env={"A": word, "B": 2}, additional_env={"B": True}
    )
    program.prepare(context, None)
    assert program.final_cmd == ["/bin/ls", "a bc"]
    assert program.final_name.rpartition("-")[0] == "ls"
    assert (program.final_cwd, program.final_env) == ("/tmp", {"A": "a b", "B": "true"})


def test_each_process_has_a_number_and_the_environment_of_the_context(context):
    first, second = (Executable(cmd=["ls"], name="mine", arguments=["-l"]) for _ in range(2))
    for program in (first, second):
        program.prepare(context, None)
    numbers = [int(program.final_name.rpartition("-")[2]) for program in (first, second)]
    assert numbers[1] == numbers[0] + 1 and first.final_name.startswith("mine-")
    assert first.final_env == dict(os.environ) and first.final_cmd == ["ls", "-l"]


@pytest.mark.parametrize(
    ("variables", "own", "expected"),
    [
        ({}, None, []),
        ({"launch-prefix": "gdb -ex 'r x'"}, None, ["gdb", "-ex", "r x"]),
        ({"launch-prefix": "gdb", "launch-prefix-filter": "ls|cat"}, None, ["gdb"]),
        ({"launch-prefix": "gdb", "launch-prefix-filter": "cat"}, None, []),
        ({"launch-prefix": "gdb", "launch-prefix-filter": "cat"}, "time", ["time"]),
    ],
)
def test_a_prefix_is_for_the_programs_that_match_a_filter(context, variables, own, expected):
    context.launch_configurations.update(variables)
    program = Executable(cmd=["/bin/ls"], prefix=own)
    program.prepare(context, None)
    assert program.final_cmd == [*expected, "/bin/ls"]


def test_an_action_has_the_details_of_its_description(context):
    for action in (
        ExecuteProcess(cmd=["ls"], cwd="/"),
        ExecuteLocal(process_description=Executable(cmd=["ls"], cwd="/")),
    ):
        assert action.process_details is None
        action.prepare(context)
        assert action.process_details["cmd"] == ["ls"] and action.process_details["cwd"] == "/"
    named = ExecuteProcess(cmd=["ls"])
    named.prepare(context)
    assert named.name == named.process_details["name"]
    with pytest.raises(TypeError, match="can't be given both"):
        ExecuteLocal(process_description=Executable(cmd=["ls"]), name="a")


def test_the_arguments_of_a_process_can_be_read():
    action = ExecuteProcess(
        cmd=["ls", TextSubstitution(text="-l")], name="mine", cwd="/", prefix="time", additional_env={"A": "1"}, shell=True,
        output="log", sigterm_timeout=7.0, sigkill_timeout="4",
    )  # fmt: skip
    assert [text(word) for word in action.cmd] == ["ls", "-l"]
    assert [text(part) for part in (action.name, action.cwd, action.prefix, action.output)] == [
        "mine",
        "/",
        "time",
        "log",
    ]
    assert [[text(part) for part in pair] for pair in action.additional_env] == [["A", "1"]]
    assert (action.env, action.shell, action.emulate_tty) == (None, True, False)
    assert (text(action.sigterm_timeout), text(action.sigkill_timeout)) == ("7.0", "4")
    assert isinstance(Node(executable="a", exec_name="b").name, list)


def test_the_actions_after_the_end_of_a_process_are_its_parts():
    follows = [LogInfo(msg="")]
    assert ExecuteProcess(cmd=["ls"], on_exit=follows).get_sub_entities() == follows
    assert ExecuteProcess(cmd=["ls"], on_exit=lambda event, context: follows).get_sub_entities() == []
    assert len(ExecuteProcess(cmd=["ls"], on_exit=Shutdown()).get_sub_entities()) == 1


def test_the_period_of_a_timer_is_a_number_or_a_text():
    assert TimerAction(period=5, actions=[]).period == 5.0
    assert isinstance(TimerAction(period=LaunchConfiguration("a"), actions=[]).period, list)


def test_a_described_program_is_in_the_plan(environment, tmp_path):
    code = """from launch.descriptions import Executable
return LaunchDescription([
    ExecuteLocal(process_description=Executable(cmd=["true", "-x"], name="mine", additional_env={"A": "1"})),
])"""
    plan = dry_run(environment, tmp_path, code)
    assert "process mine" in plan and "true -x" in plan, plan
