"""Launch files in Python give the same plans as those in YAML and XML."""

import os
import re
import subprocess
import sys

import pytest
from launching import COMMAND, PAIRS, Launched, dry_run, launch, plan, write


@pytest.mark.parametrize("name", sorted(path.name.split(".")[0] for path in PAIRS.glob("*.launch.py")))
def test_the_three_forms_of_a_file_give_the_same_plan(environment, name):
    python = plan(environment, PAIRS, name, "py")
    assert python == plan(environment, PAIRS, name, "yaml")
    assert python == plan(environment, PAIRS, name, "xml")


def test_a_function_sees_and_sets_variables(environment, tmp_path):
    text = dry_run(
        environment,
        tmp_path,
        """def choose(context, suffix):
    robot = LaunchConfiguration("robot").perform(context) + suffix
    context.launch_configurations["seen"] = robot
    return [ExecuteProcess(cmd=["echo", robot])]

return LaunchDescription([
    DeclareLaunchArgument("robot", default_value="arm"),
    OpaqueFunction(function=choose, args=["!"]),
    LogInfo(msg=["saw ", LaunchConfiguration("seen")]),
])""",
        "robot:=leg",
    )
    assert "command: echo 'leg!'" in text and 'log "saw leg!"' in text


def test_a_substitution_of_the_file_is_performed_when_it_is_needed(environment, tmp_path):
    text = dry_run(
        environment,
        tmp_path,
        """class Upper(Substitution):
    def __init__(self, inner):
        self.inner = inner

    def perform(self, context):
        return context.perform_substitution(self.inner).upper()

return LaunchDescription([
    SetLaunchConfiguration("word", "hello"),
    LogInfo(msg=[Upper(PathJoinSubstitution([Upper(LaunchConfiguration("word")), "b"])), " there"]),
])""",
    )
    assert 'log "HELLO/B there"' in text


def test_a_condition_may_be_a_function(environment, tmp_path):
    text = dry_run(
        environment,
        tmp_path,
        """yes = Condition(predicate=lambda context: context.launch_configurations["a"] == "1")
return LaunchDescription([
    SetLaunchConfiguration("a", "1"),
    LogInfo(msg="yes", condition=yes),
    SetLaunchConfiguration("a", "2"),
    LogInfo(msg="no", condition=yes),
    LogInfo(msg="equal", condition=LaunchConfigurationEquals("a", "2")),
    LogInfo(msg="unset", condition=LaunchConfigurationEquals("b", None)),
    LogInfo(msg="other", condition=LaunchConfigurationNotEquals("a", "2")),
])""",
    )
    assert re.findall('log "(.*)"', text) == ["yes", "equal", "unset"]


def test_handlers_are_called_when_processes_end(environment, tmp_path):
    file = write(
        tmp_path,
        """first = ExecuteProcess(cmd=["sh", "-c", "exit 3"], name="first")

def report(event, context):
    return [LogInfo(msg=f"{event.process_name} has ended with {event.returncode}")]

return LaunchDescription([
    first,
    RegisterEventHandler(OnProcessStart(target_action=first, on_start=[LogInfo(msg="first has started")])),
    RegisterEventHandler(OnProcessExit(target_action=first, on_exit=report)),
    RegisterEventHandler(OnProcessExit(target_action=first, on_exit=[
        LogInfo(msg=["code ", LocalSubstitution("event.returncode")]),
        ExecuteProcess(cmd=["echo", "second"], output="screen"),
    ])),
    RegisterEventHandler(OnShutdown(on_shutdown=[LogInfo(msg=["good bye: ", LocalSubstitution("event.reason")])])),
])""",
    )
    done = subprocess.run(
        [COMMAND, "launch", file], env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 3, done.stdout + done.stderr
    for line in ("first-1 has ended with 3", "code 3", "[echo-2] second", "first has started", "good bye: idle"):
        assert line in done.stdout, done.stdout


def test_errors_name_the_line_of_the_launch_file(environment, tmp_path):
    file = write(tmp_path, "return LaunchDescription([Node(package='demo')])")
    done = subprocess.run([COMMAND, "launch", file], env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and "robot.launch.py:13" in done.stderr, done.stderr


def test_the_plan_names_the_processes_of_handlers(environment, tmp_path):
    text = dry_run(
        environment,
        tmp_path,
        """first = ExecuteProcess(cmd=["true"], name="first")
return LaunchDescription([first, RegisterEventHandler(OnProcessExit(target_action=first, on_exit=[Shutdown()]))])""",
    )
    assert "at the end of process first  (" in text, text


def test_a_function_that_does_not_return_is_ended_with_the_launch(environment, tmp_path):
    code = """import os, time

def block(context):
    print("it waits", flush=True)
    time.sleep(1000)

return LaunchDescription([ExecuteProcess(cmd=["sleep", "1000"]), ACTION])"""
    for action in (
        "OpaqueFunction(function=block)",
        "TimerAction(period=0.0, actions=[OpaqueFunction(function=block)])",
    ):
        file = write(tmp_path, code.replace("ACTION", action))
        with Launched(environment, file) as launched:
            launched.wait_for("it waits")
            assert launched.interrupt() not in (0, None)


def test_a_command_that_does_not_return_is_ended_with_the_launch(environment, tmp_path):
    code = """return LaunchDescription([
    ExecuteProcess(cmd=["sleep", "1000"]),
    TimerAction(period=0.0, actions=[LogInfo(msg=Command("sleep 1001"))]),
])"""
    with Launched(environment, write(tmp_path, code)) as launched:
        launched.wait_for("waiting for a command of the launch file")
        assert launched.interrupt() not in (0, None)
        assert "it was ended, because it did not return in time" in launched.log


def test_a_command_that_writes_too_much_is_ended(environment, tmp_path):
    file = write(tmp_path, 'return LaunchDescription([LogInfo(msg=Command("yes"))])')
    done = subprocess.run([COMMAND, "launch", file], env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and "its output is longer than 64 MiB" in done.stderr, done.stderr


def test_handlers_see_what_other_handlers_have_set(environment, tmp_path):
    code = """from launch_ros.substitutions import Parameter

first, second = ExecuteProcess(cmd=["true"]), ExecuteProcess(cmd=["true"])
return LaunchDescription([
    RegisterEventHandler(OnProcessExit(target_action=first, on_exit=[
        SetLaunchConfiguration("done", "yes"), SetEnvironmentVariable("DONE", "too"), SetParameter("speed", 2), second,
    ])),
    RegisterEventHandler(OnProcessExit(target_action=second, on_exit=[
        LogInfo(msg=["done: ", LaunchConfiguration("done"), ", ", EnvironmentVariable("DONE"), ", ", Parameter("speed")]),
    ])),
    first,
])"""
    assert "[launch.user]: done: yes, too, 2" in launch(environment, write(tmp_path, code))


def test_a_container_that_a_handler_starts_again_gets_its_components(environment, tmp_path):
    code = """def box():
    return ComposableNodeContainer(package="saltus", executable="container", namespace="", name="box", parameters=[])

def load():
    return LoadComposableNodes(target_container="/box", composable_node_descriptions=[
        ComposableNode(package="nav2_map_server", plugin="nav2_map_server::MapServer", name="maps", namespace=""),
    ])

from launch_ros.descriptions import ComposableNode
first = ExecuteProcess(cmd=["true"])
container = box()
return LaunchDescription([
    RegisterEventHandler(OnProcessStart(target_action=container, on_start=[
        EmitEvent(event=ShutdownProcess(process_matcher=matches_action(container))),
    ])),
    RegisterEventHandler(OnProcessExit(target_action=container, on_exit=[box(), load()])),
    container,
])"""
    with Launched(environment, write(tmp_path, code)) as launched:
        launched.wait_for("Loaded node '/maps' in container '/box'")
        assert launched.interrupt() == 0


def test_a_launch_ends_although_its_container_never_loads_components(environment, tmp_path):
    for container, code in (("args: --no-such-flag", 1), ("cwd: /nowhere", 127)):
        file = tmp_path / "robot.launch.yaml"
        file.write_text(
            f"launch:\n- node_container: {{pkg: saltus, exec: container, namespace: '', name: box, {container}}}\n"
            "- load_composable_node:\n    target: /box\n"
            "    composable_node: [{pkg: demo, plugin: 'demo::Talker', namespace: '', name: late}]\n"
            "- executable: {cmd: 'true', name: last, after: /late}\n"
        )
        command = [COMMAND, "launch", file]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
        assert "/late is not loaded, because the process container-1 has ended" in done.stdout, done.stdout
        assert "the process is not started, because container-1 has ended" in done.stdout, done.stdout
        assert done.returncode == code, done.stdout


def test_a_timer_may_go_on_at_the_end(environment, tmp_path):
    code = """return LaunchDescription([
    ExecuteProcess(cmd=["true"], on_exit=Shutdown()),
    TimerAction(period=1.0, cancel_on_shutdown=False, actions=[LogInfo(msg="cleaned")]),
])"""
    assert "[launch.user]: cleaned" in launch(environment, write(tmp_path, code))


def test_the_end_because_of_a_process_may_have_a_condition_and_a_reason(environment, tmp_path):
    code = """def at_end(event, context):
    return [LogInfo(msg=f"{event.reason}: {context.is_shutdown}")]

first, second = (ExecuteProcess(cmd=["true"], on_exit=Shutdown(condition=IfCondition(value), reason="enough"))
                 for value in ("false", "true"))
return LaunchDescription([
    RegisterEventHandler(OnShutdown(on_shutdown=at_end)),
    RegisterEventHandler(OnProcessExit(target_action=first, on_exit=[LogInfo(msg="it goes on"), second])),
    first,
])"""
    log = launch(environment, write(tmp_path, code))
    assert "[launch.user]: it goes on" in log and "[launch.user]: enough: True" in log


def test_files_in_python_find_the_packages_that_the_command_contains(environment, tmp_path):
    code = """from ament_index_python.packages import get_package_share_directory

return LaunchDescription([LogInfo(msg=get_package_share_directory("nav"))])"""
    assert "/share/nav" in dry_run(environment, tmp_path, code)


def test_the_path_of_a_file_in_python_must_be_utf_8(environment, tmp_path):
    folder = tmp_path / os.fsdecode(b"b\xe4r")
    folder.mkdir()
    write(folder, "return LaunchDescription([])")
    command = [COMMAND, "launch", "robot.launch.py"]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and "is not UTF-8; give it another name" in done.stderr, done.stderr


NODE = """#!{python}
import sys

import saltus
from saltus.lifecycle import LifecycleNode, TransitionCallbackReturn
from saltus.node import Node


class Arm(LifecycleNode):
    def on_configure(self, state):
        return TransitionCallbackReturn.FAILURE if "--refuse" in sys.argv else super().on_configure(state)

    def on_activate(self, state):
        print("the arm is active", flush=True)
        self.timer = self.create_timer(0.05, self.fail) if "--fail" in sys.argv else None
        return super().on_activate(state)

    def fail(self):
        self.timer.cancel()
        self.trigger_deactivate()

    def on_deactivate(self, state):
        return TransitionCallbackReturn.ERROR

    def on_error(self, state):
        return TransitionCallbackReturn.SUCCESS


saltus.init()
node = Node("passing") if "--leave" in sys.argv else Arm("arm")
if "--leave" in sys.argv:
    node.create_timer(0.05, lambda: node.destroy_node())
saltus.spin(node)
"""


@pytest.fixture
def program(environment, tmp_path):
    """The path of a program with a lifecycle node."""
    path = tmp_path / "arm"
    path.write_text(NODE.replace("{python}", sys.executable))
    path.chmod(0o755)
    return path


def test_a_lifecycle_node_is_activated_and_its_events_are_handled(environment, tmp_path, program):
    file = write(
        tmp_path,
        f"""from launch_ros.event_handlers import OnStateTransition
from launch_ros.events.lifecycle import ChangeState
from lifecycle_msgs.msg import Transition

arm = LifecycleNode(executable="{program}", name="arm", namespace="", autostart=True, output="screen")

def report(event, context):
    return [LogInfo(msg=f"from {{event.start_state}} to {{event.goal_state}} by {{event.transition}}")]

return LaunchDescription([
    arm,
    RegisterEventHandler(OnStateTransition(target_lifecycle_node=arm, entities=report)),
    RegisterEventHandler(OnStateTransition(target_lifecycle_node=arm, goal_state="active", entities=[
        EmitEvent(event=ChangeState(
            lifecycle_node_matcher=matches_action(arm), transition_id=Transition.TRANSITION_ACTIVE_SHUTDOWN,
        )),
    ])),
])""",
    )
    with Launched(environment, file) as launched:
        for text in ("the arm is active", "from activating to active by transition_success", "to finalized"):
            launched.wait_for(text)
        assert launched.interrupt() == 0


def test_a_lifecycle_node_with_an_error_is_started_again(environment, tmp_path, program):
    file = tmp_path / "robot.launch.yaml"
    node = f'exec: {program}, name: arm, namespace: "", autostart: true, args: --fail, output: screen'
    file.write_text(f"launch:\n- lifecycle_node: {{{node}, restart: {{policy: on-failure, backoff: 0.01}}}}\n")
    with Launched(environment, file) as launched:
        launched.wait_for("the lifecycle node /arm had an error, and is unconfigured now")
        launched.wait_for("restart 1 in 0.0 s")
        launched.wait_for("the arm is active")
        launched.interrupt()


def test_a_lifecycle_node_that_can_not_be_activated_is_not_ready(environment, tmp_path, program):
    file = tmp_path / "robot.launch.yaml"
    node = f'exec: {program}, name: arm, namespace: "", autostart: true, args: --refuse'
    file.write_text(f"launch:\n- lifecycle_node: {{{node}}}\n- executable: {{cmd: echo never, after: /arm}}\n")
    with Launched(environment, file) as launched:
        launched.wait_for("Failed to make transition 'configure' for LifecycleNode '/arm'")
        assert launched.interrupt() == 0
        assert "ready after" not in launched.log and "never" not in launched.log, launched.log


def test_a_node_that_leaves_the_graph_is_reported(environment, tmp_path, program):
    file = tmp_path / "robot.launch.yaml"
    file.write_text(f"launch:\n- node: {{exec: {program}, name: passing, args: --leave}}\n")
    with Launched(environment, file) as launched:
        launched.wait_for("the node /passing has left the graph, but its process goes on")
        launched.interrupt()


@pytest.mark.parametrize("order", ["timer, cancel", "cancel, timer"])
def test_a_timer_can_be_canceled(environment, tmp_path, order):
    code = f"""timer = TimerAction(period=1000.0, actions=[LogInfo(msg="never")])
cancel = OpaqueFunction(function=lambda context: timer.cancel())
return LaunchDescription([{order}])"""
    assert "never" not in launch(environment, write(tmp_path, code))
