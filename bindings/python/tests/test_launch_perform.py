"""A program can perform the actions of `saltus.launch` that need no process, without a launcher."""

import os

import pytest
from saltus.exceptions import InvalidNamespaceException
from saltus.launch import Action, LaunchContext, LaunchDescription, LaunchDescriptionSource
from saltus.launch.actions import (
    AppendEnvironmentVariable,
    DeclareLaunchArgument,
    EmitEvent,
    ExecuteProcess,
    GroupAction,
    IncludeLaunchDescription,
    OpaqueFunction,
    PopEnvironment,
    PopLaunchConfigurations,
    PushEnvironment,
    PushLaunchConfigurations,
    RegisterEventHandler,
    ResetEnvironment,
    ResetLaunchConfigurations,
    SetEnvironmentVariable,
    SetLaunchConfiguration,
    TimerAction,
    UnsetEnvironmentVariable,
    UnsetLaunchConfiguration,
)
from saltus.launch.conditions import IfCondition
from saltus.launch.ros.actions import (
    LifecycleTransition,
    LoadComposableNodes,
    PushROSNamespace,
    SetParameter,
    SetParametersFromFile,
    SetRemap,
    SetROSLogDir,
    SetUseSimTime,
)
from saltus.launch.ros.event_handlers import OnStateTransition
from saltus.launch.ros.events.lifecycle import ChangeState
from saltus.launch.ros.parameters import Parameter, ParameterValue
from saltus.launch.substitutions import LaunchConfiguration, TextSubstitution

NAME = "SALTUS_TEST_PERFORM"


@pytest.fixture
def context(monkeypatch):
    """A context. What it does to the environment ends with the test."""
    monkeypatch.setattr(os, "environ", os.environ.copy())
    return LaunchContext()


def visit(context, *actions):
    """Visits actions and what they return."""
    for action in actions:
        visit(context, *(action.visit(context) or []))


def test_variables_are_set_removed_pushed_and_popped(context):
    values = context.launch_configurations
    visit(context, SetLaunchConfiguration(["a", "b"], "1"), UnsetLaunchConfiguration("none"))
    assert values == {"ab": "1"}
    visit(context, PushLaunchConfigurations(), UnsetLaunchConfiguration("ab"), SetLaunchConfiguration("c", "2"))
    assert context.launch_configurations == {"c": "2"}
    visit(context, PopLaunchConfigurations())
    assert context.launch_configurations == {"ab": "1"}
    with pytest.raises(RuntimeError, match="none were pushed"):
        visit(context, PopLaunchConfigurations())


def test_variables_that_are_kept_are_evaluated_before_the_others_are_removed(context):
    context.launch_configurations.update(a="1", b="2")
    visit(context, ResetLaunchConfigurations({"c": LaunchConfiguration("a")}))
    assert context.launch_configurations == {"c": "1"}


def test_the_environment_is_changed_pushed_and_restored(context):
    visit(context, SetEnvironmentVariable(NAME, "a"), AppendEnvironmentVariable(NAME, "b"))
    visit(context, PushEnvironment(), AppendEnvironmentVariable(NAME, "c", prepend="yes", separator="+"))
    assert context.environment[NAME] == f"c+a{os.pathsep}b"
    visit(context, PopEnvironment())
    assert context.environment[NAME] == f"a{os.pathsep}b"
    visit(context, UnsetEnvironmentVariable(NAME), UnsetEnvironmentVariable(NAME))
    assert NAME not in context.environment
    visit(context, SetEnvironmentVariable(NAME, "d"), ResetEnvironment())
    assert NAME not in context.environment


def test_an_argument_has_its_value_its_default_or_an_error(context):
    visit(context, DeclareLaunchArgument("a", default_value=["x", "y"]))
    assert context.launch_configurations["a"] == "xy"
    with pytest.raises(RuntimeError, match='Required launch argument "b" was not provided.'):
        visit(context, DeclareLaunchArgument("b"))
    with pytest.raises(RuntimeError, match=r"""value "xy" is not valid. Valid options are: \['z'\]"""):
        visit(context, DeclareLaunchArgument("a", choices=["z"]))


def test_the_description_of_an_argument_has_its_choices():
    assert DeclareLaunchArgument("a").description == "no description given"
    assert DeclareLaunchArgument("a", choices=["x"]).description == "One of: ['x']"
    found = DeclareLaunchArgument("a", description="text", choices=["x"]).description
    assert found == "text. Valid choices are: ['x']"


def test_a_group_begins_and_ends_a_scope(context):
    inner = SetLaunchConfiguration("b", LaunchConfiguration("a"))
    group = GroupAction([inner], launch_configurations={"a": "1"})
    assert group.get_sub_entities() is group.visit(context)
    assert [type(action) for action in group.get_sub_entities()] == [
        PushLaunchConfigurations, PushEnvironment, SetLaunchConfiguration, SetLaunchConfiguration, PopEnvironment,
        PopLaunchConfigurations,
    ]  # fmt: skip
    visit(context, group)
    assert context.launch_configurations == {}
    visit(context, GroupAction([inner], scoped=False, launch_configurations={"a": "2"}))
    assert context.launch_configurations == {"a": "2", "b": "2"}


def test_a_group_that_forwards_nothing_keeps_what_is_given(context):
    seen = []
    look = OpaqueFunction(function=lambda context: seen.append(dict(context.launch_configurations)))
    context.launch_configurations.update(a="1", b="2")
    visit(context, GroupAction([look], forwarding=False, launch_configurations={"b": LaunchConfiguration("b")}))
    assert seen == [{"b": "2"}] and context.launch_configurations == {"a": "1", "b": "2"}


def included(*actions, **arguments):
    """Returns an action that includes a description with some actions."""
    return IncludeLaunchDescription(
        LaunchDescriptionSource(LaunchDescription(actions)), launch_arguments=arguments.items()
    )


def test_an_included_description_gets_its_arguments(context, tmp_path):
    visit(context, included(DeclareLaunchArgument("a"), a="1"))
    assert context.launch_configurations == {"a": "1"}
    source = LaunchDescriptionSource(LaunchDescription(), str(tmp_path / "none.py"))
    visit(context, IncludeLaunchDescription(source))
    assert context.locals.current_launch_file_path == str(tmp_path / "none.py")
    assert context.locals.current_launch_file_directory == str(tmp_path / "none.py")


def test_a_required_argument_of_an_included_description_must_be_given(context):
    for required in (
        included(DeclareLaunchArgument("a"), b="1"),
        included(included(DeclareLaunchArgument("a")), b="1"),
    ):
        with pytest.raises(RuntimeError, match=r"missing required argument 'a' .*given: \[b\]"):
            required.visit(context)
    conditional = DeclareLaunchArgument("a", condition=IfCondition("true"))
    reset = [ResetLaunchConfigurations(), included(DeclareLaunchArgument("a"))]
    for fine in (conditional, included(DeclareLaunchArgument("a"), a="1"), *[LaunchDescription(reset)]):
        included(fine).visit(context)


def test_an_action_with_a_condition_is_performed_only_if_it_holds(context):
    visit(context, SetLaunchConfiguration("a", "1", condition=IfCondition("false")))
    assert context.launch_configurations == {}
    assert Action().visit(context) is None and Action().execute(context) is None


def test_only_the_launcher_starts_processes_and_timers(context):
    for action in (
        ExecuteProcess(cmd=["true"]),
        TimerAction(period=1.0, actions=[]),
        SetUseSimTime(True),
        LoadComposableNodes(target_container="a", composable_node_descriptions=[]),
    ):
        with pytest.raises(RuntimeError, match="only `saltus launch` performs"):
            action.visit(context)


def test_namespaces_are_joined_and_checked(context):
    for name, expected in (("", "/"), ("a", "/a"), ("b", "/a/b"), ("/c", "/c")):
        PushROSNamespace(name).execute(context)
        assert context.launch_configurations["ros_namespace"] == expected
    with pytest.raises(InvalidNamespaceException):
        PushROSNamespace("a b").execute(context)


def test_parameters_and_remapping_rules_are_collected_in_a_scope(context):
    PushLaunchConfigurations().execute(context)
    SetParameter("a", [TextSubstitution(text="1")]).execute(context)
    SetParametersFromFile("file.yaml").execute(context)
    PushLaunchConfigurations().execute(context)
    SetParameter(("b", "c"), ParameterValue("1")).execute(context)
    SetRemap("from", ["t", "o"]).execute(context)
    assert context.launch_configurations == {
        "global_params": [("a", 1), "file.yaml", ("bc", "1")],
        "ros_remaps": [("from", "to")],
    }
    PopLaunchConfigurations().execute(context)
    assert context.launch_configurations == {"global_params": [("a", 1), "file.yaml"]}


def test_the_folder_of_logs_is_joined(context):
    context.environment["ROS_LOG_DIR"] = "/log"
    SetROSLogDir("robot").execute(context)
    assert context.environment["ROS_LOG_DIR"] == "/log/robot"
    SetROSLogDir("/other").execute(context)
    assert context.environment["ROS_LOG_DIR"] == "/other"


def test_transitions_are_started_one_after_the_other(context):
    transitions = LifecycleTransition(lifecycle_node_names=["arm"], transition_ids=["1", 3])
    first, second, emit = transitions.execute(context)
    assert isinstance(first, RegisterEventHandler) and isinstance(first.event_handler, OnStateTransition)
    assert (type(emit), type(emit.event), emit.event.transition_id) == (EmitEvent, ChangeState, 1)
    (following,) = first.event_handler.entities
    assert following.event.transition_id == 3 and second.event_handler.entities == []


def test_a_parameter_is_evaluated_by_its_type_or_as_yaml(context):
    parameter = Parameter("a", TextSubstitution(text="[1, 2]"))
    assert isinstance(parameter.name, list) and isinstance(parameter.value, list)
    assert parameter.evaluate(context) == ("a", [1, 2]) == (parameter.name, parameter.value)
    assert ParameterValue(TextSubstitution(text="1"), value_type=str).evaluate(context) == "1"
    assert ParameterValue("1").evaluate(context) == "1"
    with pytest.raises(TypeError):
        ParameterValue("1", value_type=int)
    with pytest.raises(ValueError):
        ParameterValue(TextSubstitution(text="[1, a]")).evaluate(context)
