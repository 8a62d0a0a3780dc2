"""Each class of `launch` and `launch_ros` that launch files use does what it does in ROS 2."""

import importlib
import subprocess

import pytest
from conftest import run
from launching import COMMAND, Launched, dry_run, error_of, launch, logged, write

#: The public names of ROS 2 Jazzy's modules that launch files use.
NAMES = {
    "launch": "Action Condition Event EventHandler InvalidLaunchFileError LaunchContext LaunchDescription "
    "LaunchDescriptionEntity LaunchDescriptionSource LaunchIntrospector LaunchService SomeEntitiesType "
    "SomeEntitiesType_types_tuple SomeSubstitutionsType SomeSubstitutionsType_types_tuple Substitution actions "
    "conditions events frontend logging substitutions",
    "launch.actions": "AppendEnvironmentVariable DeclareLaunchArgument EmitEvent ExecuteLocal ExecuteProcess GroupAction "
    "IncludeLaunchDescription LogInfo OpaqueCoroutine OpaqueFunction PopEnvironment PopLaunchConfigurations "
    "PushEnvironment PushLaunchConfigurations RegisterEventHandler ResetEnvironment ResetLaunchConfigurations "
    "SetEnvironmentVariable SetLaunchConfiguration Shutdown TimerAction UnregisterEventHandler "
    "UnsetEnvironmentVariable UnsetLaunchConfiguration",
    "launch.conditions": "IfCondition InvalidConditionExpressionError LaunchConfigurationEquals "
    "LaunchConfigurationNotEquals UnlessCondition evaluate_condition_expression",
    "launch.event_handlers": "OnExecutionComplete OnIncludeLaunchDescription OnProcessExit OnProcessIO OnProcessStart OnShutdown event_named",
    "launch.descriptions": "Executable",
    "launch.event_handler": "BaseEventHandler EventHandler",
    "launch.events": "ExecutionComplete IncludeLaunchDescription Shutdown TimerEvent matches_action process",
    "launch.events.process": "ProcessExited ProcessIO ProcessStarted ProcessStderr ProcessStdin ProcessStdout "
    "ProcessTargetedEvent RunningProcessEvent ShutdownProcess SignalProcess matches_executable matches_name matches_pid",
    "launch.frontend": "Entity InvalidFrontendLaunchFileError Parser expose expose_action expose_substitution",
    "launch.frontend.expose": "instantiate_action instantiate_substitution",
    "launch.invalid_launch_file_error": "InvalidLaunchFileError",
    "launch.launch_description_sources": "AnyLaunchDescriptionSource FrontendLaunchDescriptionSource "
    "InvalidLaunchFileError InvalidPythonLaunchFileError PythonLaunchDescriptionSource "
    "get_launch_description_from_any_launch_file get_launch_description_from_frontend_launch_file "
    "get_launch_description_from_python_launch_file load_python_launch_file_as_module",
    "launch.logging": "LaunchConfig get_logger get_output_loggers handlers launch_config reset",
    "launch.logging.handlers": "FileHandler Handler RotatingFileHandler StreamHandler",
    "launch.substitutions": "AllSubstitution AndSubstitution AnonName AnySubstitution Command EnvironmentVariable "
    "EqualsSubstitution FileContent FindExecutable IfElseSubstitution LaunchConfiguration LaunchLogDir "
    "LocalSubstitution NotEqualsSubstitution NotSubstitution OrSubstitution PathJoinSubstitution PythonExpression "
    "SubstitutionFailure TextSubstitution ThisLaunchFile ThisLaunchFileDir",
    "launch.utilities": "AsyncSafeSignalManager ensure_argument_type is_a is_a_subclass isclassinstance "
    "normalize_to_list_of_entities normalize_to_list_of_substitutions perform_substitutions "
    "visit_all_entities_and_collect_futures",
    "launch_xml": "Entity Parser",
    "launch_yaml": "Entity Parser",
    "launch_xml.launch_description_sources": "XMLLaunchDescriptionSource",
    "launch_yaml.launch_description_sources": "YAMLLaunchDescriptionSource",
    "launch_ros.actions": "ComposableNodeContainer LifecycleNode LifecycleTransition LoadComposableNodes Node "
    "PushROSNamespace PushRosNamespace ROSTimer RosTimer SetParameter SetParametersFromFile SetROSLogDir SetRemap "
    "SetUseSimTime",
    "launch_ros.descriptions": "ComposableNode Parameter ParameterFile ParameterValue",
    "launch_ros.event_handlers": "OnStateTransition",
    "launch_ros.events.lifecycle": "ChangeState StateTransition matches_node_name",
    "launch_ros.parameter_descriptions": "Parameter ParameterFile ParameterValue",
    "launch_ros.substitutions": "ExecutableInPackage FindPackage FindPackagePrefix FindPackageShare Parameter",
    "launch_ros.utilities": "add_node_name evaluate_parameters get_node_name_count is_namespace_absolute "
    "is_root_namespace make_namespace_absolute normalize_parameters normalize_remap_rule normalize_remap_rules "
    "prefix_namespace to_parameters_list",
    "ament_index_python.packages": "PackageNotFoundError get_package_prefix get_package_share_directory "
    "get_package_share_path get_packages_with_prefixes",
}


def test_the_names_of_ros_2_are_there():
    from saltus.launch import names

    names.install()
    found = {name: importlib.import_module(name) for name in NAMES}
    missing = [f"{name}.{one}" for name, all_ in NAMES.items() for one in all_.split() if not hasattr(found[name], one)]
    assert missing == []


def test_the_environment_and_the_variables_are_pushed_and_popped(environment, tmp_path):
    text = dry_run(
        environment,
        tmp_path,
        """return LaunchDescription([
    SetLaunchConfiguration("a", "outer"), SetEnvironmentVariable("A", "outer"),
    PushLaunchConfigurations(), PushEnvironment(),
    SetLaunchConfiguration("a", "inner"), SetEnvironmentVariable("A", "inner"),
    LogInfo(msg=[LaunchConfiguration("a"), " ", EnvironmentVariable("A")]),
    PopEnvironment(), PopLaunchConfigurations(),
    LogInfo(msg=[LaunchConfiguration("a"), " ", EnvironmentVariable("A")]),
])""",
    )
    assert logged(text) == ["inner inner", "outer outer"]


def test_substitutions_have_their_values(environment, tmp_path):
    (tmp_path / "note.txt").write_text("a note")
    text = dry_run(
        environment,
        tmp_path,
        """from launch_ros.substitutions import FindPackage, FindPackagePrefix, FindPackageShare
from launch.substitutions import PathSubstitution
return LaunchDescription([
    SetLaunchConfiguration("n", "3"),
    LogInfo(msg=PythonExpression(["floor(", LaunchConfiguration("n"), " * 2.5)"])),
    LogInfo(msg=PythonExpression(["os.path.basename('/a/b')"], python_modules=["os"])),
    LogInfo(msg=TextSubstitution(text="plain $(var n)")),
    LogInfo(msg=FileContent([ThisLaunchFileDir(), "/note.txt"])),
    LogInfo(msg=PathSubstitution(ThisLaunchFile()) / "below"),
    LogInfo(msg=FindPackageShare("demo") / "config" / "a.yaml"),
    LogInfo(msg=[FindPackage("demo"), FindPackageShare("demo").find("demo"), FindPackagePrefix("demo").find("demo")]),
])""",
    )
    prefix = f"{tmp_path}/prefix"
    share = f"{prefix}/share/demo"
    want = ["7", "b", "plain $(var n)", "a note", f"{tmp_path}/robot.launch.py/below", f"{share}/config/a.yaml"]
    assert logged(text) == [*want, prefix + share + prefix]


def test_launch_files_of_each_form_are_included(environment, tmp_path):
    (tmp_path / "a.launch.yaml").write_text("launch: [{log: {message: from YAML}}]")
    (tmp_path / "b.launch.xml").write_text('<launch><log message="from XML"/></launch>')
    (tmp_path / "c.launch.py").write_text(
        "from launch import LaunchDescription\nfrom launch.actions import LogInfo\n"
        "def generate_launch_description():\n    return LaunchDescription([LogInfo(msg='from Python')])\n"
    )
    text = dry_run(
        environment,
        tmp_path,
        """from launch_xml.launch_description_sources import XMLLaunchDescriptionSource
from launch_yaml.launch_description_sources import YAMLLaunchDescriptionSource
import os
folder = os.path.dirname(__file__)
own = LaunchDescription([LogInfo(msg=["from this file by ", LaunchConfiguration("name")])])
sources = [
    YAMLLaunchDescriptionSource(f"{folder}/a.launch.yaml"), XMLLaunchDescriptionSource(f"{folder}/b.launch.xml"),
    FrontendLaunchDescriptionSource(f"{folder}/b.launch.xml"), AnyLaunchDescriptionSource(f"{folder}/c.launch.py"),
    LaunchDescriptionSource(get_launch_description_from_python_launch_file(f"{folder}/c.launch.py")),
]
return LaunchDescription([
    *map(IncludeLaunchDescription, sources),
    IncludeLaunchDescription(LaunchDescriptionSource(own), launch_arguments=[("name", "me")]),
])""",
    )
    want = ["from YAML", "from XML", "from XML", "from Python", "from Python", "from this file by me"]
    assert logged(text) == want


def test_classes_of_the_launch_file_are_derived_from_those_of_the_package(environment, tmp_path):
    text = dry_run(
        environment,
        tmp_path,
        """class Greet(Action):
    def execute(self, context):
        return [LogInfo(msg="hello from " + context.launch_configurations["who"])]

class Own(Substitution):
    def perform(self, context):
        return "own " + context.perform_substitution(LaunchConfiguration("who"))

description = LaunchDescription([SetLaunchConfiguration("who", "me"), Greet(), LogInfo(msg=Own())])
description.add_action(LogInfo(msg="never", condition=Condition(predicate=lambda context: False)))
description.add_entity(LogInfo(msg="last", condition=Condition(predicate=lambda context: True)))
assert isinstance(description, LaunchDescriptionEntity)
return description""",
    )
    assert logged(text) == ["hello from me", "own me", "last"]


def test_actions_for_nodes_are_in_the_plan(environment, tmp_path):
    text = dry_run(
        environment,
        tmp_path,
        """return LaunchDescription([
    SetUseSimTime(True),
    ROSTimer(period=2.0, actions=[LogInfo(msg="later")]),
    LifecycleTransition(lifecycle_node_names=["/arm"], transition_ids=[1, 3]),
    ExecuteLocal(cmd=["true"], name="local"),
])""",
    )
    for title in (
        "use_sim_time of the timers: true",
        "after 2 s of the ROS clock",
        "configure, activate /arm",
        "process local",
    ):
        assert title in text, text


def test_handlers_of_each_event_are_called(environment, tmp_path):
    file = write(
        tmp_path,
        """both = "import sys; print('to the output', flush=True); print('to the errors', file=sys.stderr)"
speaker = ExecuteProcess(cmd=["python3", "-c", both], name="speaker")
removed = OnProcessExit(on_exit=[LogInfo(msg="a handler that was removed")])

def text(what):
    return lambda event: [LogInfo(msg=f"{what}: {event.text.decode().strip()} ({type(event).__name__})")]

async def count(context):
    print("the coroutine runs", flush=True)

own = EventHandler(
    matcher=lambda event: isinstance(event, ProcessExited) and event.process_name == "speaker-1",
    entities=[LogInfo(msg="the own handler")], handle_once=True,
)
return LaunchDescription([
    OpaqueCoroutine(coroutine=count),
    RegisterEventHandler(OnProcessIO(target_action=speaker, on_stdout=text("out"), on_stderr=text("err"))),
    RegisterEventHandler(OnExecutionComplete(target_action=speaker, on_completion=[LogInfo(msg="completed")])),
    RegisterEventHandler(removed), UnregisterEventHandler(removed),
    RegisterEventHandler(own),
    RegisterEventHandler(EventHandler(
        matcher=event_named("launch.events.process.ProcessStarted"), entities=[LogInfo(msg="by its name")],
    )),
    speaker,
])""",
    )
    log = launch(environment, file)
    for line in (
        "out: to the output (ProcessIO)",
        "err: to the errors (ProcessIO)",
        "[launch.user]: completed",
        "[launch.user]: the own handler",
        "[launch.user]: by its name",
    ):
        assert line in log, log
    assert "removed" not in log


def test_an_own_handler_gets_the_output_of_processes(environment, tmp_path):
    code = """return LaunchDescription([
    RegisterEventHandler(EventHandler(
        matcher=lambda event: isinstance(event, ProcessIO), entities=[LogInfo(msg="it speaks")], handle_once=True,
    )),
    ExecuteProcess(cmd=["echo", "hello"]),
])"""
    assert "[launch.user]: it speaks" in launch(environment, write(tmp_path, code))


def test_configurations_that_are_popped_include_what_was_set_for_nodes(environment, tmp_path):
    code = """def node(name):
    return Node(package="demo", executable="talker", name=name)

return LaunchDescription([
    PushLaunchConfigurations(), PushROSNamespace("arm"), SetRemap("a", "b"), node("inner"), PopLaunchConfigurations(),
    node("outer"),
    PushLaunchConfigurations(), SetLaunchConfiguration("word", "kept"), ResetLaunchConfigurations({"word": "reset"}),
    LogInfo(msg=LaunchConfiguration("word")), PopLaunchConfigurations(),
    LogInfo(msg=["after: ", LaunchConfiguration("word", default="none")]),
])"""
    text = dry_run(environment, tmp_path, code)
    inner, outer = text.index("/arm/inner"), text.index("/outer")
    assert "a -> b" in text[inner:outer] and "a -> b" not in text[outer:], text
    assert 'log "reset"' in text and 'log "after: none"' in text


@pytest.mark.parametrize(
    "matcher",
    [
        "matches_action(sleeper)",
        'matches_name("sleeper-1")',
        'matches_executable("sleep")',
        "matches_pid(context.locals.event.pid)",
        "lambda action: action is sleeper",
    ],
)
@pytest.mark.parametrize("event", ["ShutdownProcess(", "SignalProcess(signal_number='SIGUSR1', "])
def test_events_are_emitted_for_the_processes_of_a_matcher(environment, tmp_path, matcher, event):
    file = write(
        tmp_path,
        f"""sleeper = ExecuteProcess(cmd=["sleep", "1000"], name="sleeper")
other = ExecuteProcess(cmd=["cat", "/dev/zero"], name="other", output={{"stdout": "log"}})

def end(event, context):
    return [EmitEvent(event={event}process_matcher={matcher}))]

return LaunchDescription([
    sleeper,
    RegisterEventHandler(OnProcessStart(target_action=sleeper, on_start=end)),
    RegisterEventHandler(OnProcessExit(target_action=sleeper, on_exit=[LogInfo(msg=[
        "ended with ", LocalSubstitution("event.returncode"),
    ])])),
])""",
    )
    done = subprocess.run([COMMAND, "launch", file], env=environment, capture_output=True, text=True, timeout=60)
    code = -10 if event.startswith("Signal") else -2
    assert f"ended with {code}" in done.stdout, done.stdout + done.stderr


def test_everything_ends_with_the_event_shutdown(environment, tmp_path):
    file = write(
        tmp_path,
        """from launch.events import Shutdown as ShutdownEvent
return LaunchDescription([
    ExecuteProcess(cmd=["sleep", "1000"]),
    RegisterEventHandler(OnProcessStart(on_start=[EmitEvent(event=ShutdownEvent(reason="it is enough"))])),
])""",
    )
    with Launched(environment, file) as launched:
        launched.wait_for("shutdown requested: it is enough")
        launched.wait_for("process has finished cleanly")


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("LaunchIntrospector()", "use `saltus launch --dry-run FILE`"),
        ("Shutdown(reason=5)", "TypeError"),
        ("EmitEvent(event='a')", "EmitEvent() expected an event instance, got 'a'"),
        ("OpaqueFunction(function=5)", "expected a callable"),
        ("OpaqueCoroutine(coroutine=print)", "expected a coroutine function"),
        ("DeclareLaunchArgument('a', choices=[])", "Provided choices arg is empty"),
        (
            "DeclareLaunchArgument('a', default_value='x', choices=['y'])",
            'default_value "x" is not in provided choices',
        ),
        ("LifecycleTransition(lifecycle_node_names=['a'], transition_ids=[])", "No transition_ids provided."),
        ("IfElseSubstitution('true')", "One of if_value and else_value must be specified"),
        ("Node(package='demo', executable='talker', parameters={'a': 1})", "expected 'parameters' to be one of [list]"),
        ("LogInfo(msg='', condition='true')", "expected 'condition' to be a Condition, but got 'true'"),
        ("ExecuteProcess(cmd=['a'], restart='always')", "expected 'restart' to be a dict, but got 'always'"),
        ("ExecuteProcess(cmd=['a'], restart={'max': 3})", "'restart' needs the key 'policy'"),
        (
            "ExecuteProcess(cmd=['a'], restart={'delay': 1})",
            "'restart' has no key 'delay'; the keys are policy, backoff",
        ),
        ("ExecuteProcess(cmd=['a'], ready={'topic': '/a', 'timout': 5})", "'ready' has no key 'timout'"),
        ("ExecuteProcess(cmd=['a'], ready={'topic': '/a', 'node': '/b'})", "'ready' needs one of the keys node, topic"),
        ("OnExecutionComplete(target_action=LogInfo(msg=''), on_completion=[])", "called only for processes"),
    ],
)
def test_wrong_arguments_are_errors_with_the_line(environment, tmp_path, code, error):
    text = error_of(environment, tmp_path, f"return LaunchDescription([{code}])")
    assert error in text and "robot.launch.py:" in text, text


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("import launch.events\nreturn LaunchDescription([EmitEvent(event=launch.events.TimerEvent(timer_action=None))])",
         "an event of the class TimerEvent can't be emitted"),
        ("from ament_index_python.packages import get_package_prefix\nget_package_prefix('none')",
         "PackageNotFoundError"),
        ("return LaunchDescription([LogInfo(msg='', condition=IfCondition('perhaps'))])",
         "a condition must be true, 1, false or 0, and not `perhaps`"),
        ("raise SubstitutionFailure('no value')", "no value"),
        ("from launch.conditions import evaluate_condition_expression\n"
         "evaluate_condition_expression(LaunchContext(), ['perhaps'])", "InvalidConditionExpressionError"),
        ("LaunchContext().perform_substitution(LaunchConfiguration('a'))", "there is no variable `a`"),
        ("return [5]", "expected an action, found 5"),
        ("return None", "generate_launch_description() of the launch file at"),
        ("return LaunchDescription([ExecuteProcess(cmd=['a'], after='none')])", "there is no process or node `none`"),
        ("import sys\nsys.exit(3)", "SystemExit: 3"),
    ],
)  # fmt: skip
def test_errors_of_launch_files_are_named(environment, tmp_path, code, error):
    assert error in error_of(environment, tmp_path, code)


def test_a_file_without_the_function_is_an_error(environment, tmp_path):
    file = tmp_path / "empty.launch.py"
    file.write_text("")
    done = subprocess.run([COMMAND, "launch", file], env=environment, capture_output=True, text=True, timeout=60)
    want = "does not contain the required function 'generate_launch_description()'"
    assert done.returncode == 1 and want in done.stderr, done.stderr


def test_the_modules_can_be_imported_by_other_programs():
    code = (
        "from saltus.launch import names\nnames.install()\nimport launch\nprint(launch.events.process.ProcessIO.name)"
    )
    assert run(code) == (0, "launch.events.process.ProcessIO\n", "")


def test_a_file_that_does_not_return_ends_with_the_launcher(environment, tmp_path):
    file = write(tmp_path, "import time\nprint('it runs', flush=True)\ntime.sleep(1000)")
    for words in ([file], [file, "--dry-run"]):
        process = subprocess.Popen([COMMAND, "launch", *words], env=environment, stderr=subprocess.PIPE, text=True)
        assert any("it runs" in line for line in process.stderr)
        process.kill()
        # The pipe is closed when all that have it have ended.
        process.communicate(timeout=20)


def test_arguments_are_read_only_if_the_action_is_performed(environment, tmp_path):
    code = """off = IfCondition("false")
return LaunchDescription([
    IncludeLaunchDescription("nowhere.launch.xml", condition=off, launch_arguments={"a": None}.items()),
    GroupAction([], condition=off, launch_configurations={"a": None}),
    ResetLaunchConfigurations({"a": None}, condition=off),
    LogInfo(msg="goes on"),
])"""
    assert logged(dry_run(environment, tmp_path, code)) == ["goes on"]
    on = "return LaunchDescription([IncludeLaunchDescription('a.launch.xml', launch_arguments=[('a', None)])])"
    text = error_of(environment, tmp_path, on)
    assert "found None" in text and "robot.launch.py:" in text, text


def test_a_description_lists_its_arguments(environment, tmp_path):
    (tmp_path / "inner.launch.py").write_text(
        "from launch import LaunchDescription\nfrom launch.actions import DeclareLaunchArgument\n"
        "def generate_launch_description():\n    return LaunchDescription([DeclareLaunchArgument('c')])\n"
    )
    code = """inner = IncludeLaunchDescription(os.path.join(os.path.dirname(__file__), "inner.launch.py"),
                                   launch_arguments=[("c", "3")])
d = LaunchDescription([
    DeclareLaunchArgument("a", default_value="1"),
    GroupAction([DeclareLaunchArgument("b", default_value="2")], condition=IfCondition("true")), inner,
])
found = d.get_launch_arguments()
first = found[0].default_value[0].perform(LaunchContext())
d.add_action(LogInfo(msg=" ".join([first, *(f"{one.name}:{one._conditionally_included}" for one in found)])))
return d"""
    assert logged(dry_run(environment, tmp_path, "import os\n" + code)) == ["1 a:False b:True c:False"]


def test_a_file_performs_substitutions_while_it_loads(environment, tmp_path):
    code = """from launch_ros.substitutions import FindPackageShare
context = LaunchContext()
context.launch_configurations["who"] = "me"
assert EnvironmentVariable("HOME").perform(LaunchContext()) == context.environment["HOME"]
assert IfCondition(EqualsSubstitution("1", "true")).evaluate(LaunchContext())
seen = [LaunchConfiguration("who").perform(context), FindPackageShare("demo").perform(LaunchContext()),
        PythonExpression("1 + 1").perform(context)]
return LaunchDescription([LogInfo(msg=" ".join(seen)), LogInfo(msg=LaunchConfiguration("who", default="nobody"))])"""
    assert logged(dry_run(environment, tmp_path, code)) == [f"me {tmp_path}/prefix/share/demo 2", "nobody"]
