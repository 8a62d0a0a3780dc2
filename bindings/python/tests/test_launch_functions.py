"""The functions and classes of a launch file may use the objects of `launch` themselves, while `saltus launch` runs it."""

import os

from launching import dry_run, launch, write
from saltus.launch import server
from test_launch_classes import error_of, logged


def test_a_function_performs_actions_itself(environment, tmp_path):
    code = """def perform(context):
    SetLaunchConfiguration("a", "set").execute(context)
    GroupAction([], scoped=False, launch_configurations={"b": "in the group"}).visit(context)[0].visit(context)
    SetEnvironmentVariable("A", "also set").visit(context)

return LaunchDescription([
    OpaqueFunction(function=perform),
    LogInfo(msg=[LaunchConfiguration("a"), " ", LaunchConfiguration("b"), " ", EnvironmentVariable("A")]),
])"""
    assert logged(dry_run(environment, tmp_path, code)) == ["set in the group also set"]


def test_a_function_registers_and_removes_handlers_and_emits_events(environment, tmp_path):
    code = """first = OnProcessExit(on_exit=[LogInfo(msg="the first handler")])
second = OnProcessExit(on_exit=lambda event, context: [LogInfo(msg="the second handler")], handle_once=True)

def perform(context):
    RegisterEventHandler(first).visit(context)
    context.register_event_handler(second)
    UnregisterEventHandler(first).visit(context)

return LaunchDescription([
    OpaqueFunction(function=perform), ExecuteProcess(cmd=["true"]),
    RegisterEventHandler(OnProcessExit(on_exit=[ExecuteProcess(cmd=["echo", "again"])], handle_once=True)),
])"""
    log = launch(environment, write(tmp_path, code))
    assert "the first handler" not in log and log.count("[launch.user]: the second handler") == 1, log


def test_a_class_derived_from_an_action_of_the_package_has_no_execute_of_its_own(environment, tmp_path):
    code = """class Own(LogInfo):
    def execute(self, context):
        return None

return LaunchDescription([Own(msg="")])"""
    assert "Own: an action of this package can't have another `execute`" in error_of(environment, tmp_path, code)


def test_a_substitution_performs_the_one_from_which_it_is_derived(environment, tmp_path):
    code = """class Upper(LaunchConfiguration):
    def perform(self, context):
        return super().perform(context).upper()

return LaunchDescription([SetLaunchConfiguration("a", "text"), LogInfo(msg=Upper("a"))])"""
    assert logged(dry_run(environment, tmp_path, code)) == ["TEXT"]


def test_a_function_can_not_set_what_the_launcher_gives_to_all_nodes(environment, tmp_path):
    code = (
        """return LaunchDescription([OpaqueFunction(function=lambda context: SetParameter("a", 1).visit(context))])"""
    )
    assert "return it, and the launcher performs it" in error_of(environment, tmp_path, code)


def test_only_variables_that_differ_are_changed(monkeypatch):
    # Tests read the environment on another thread while the launcher calls functions.
    class Environment(dict):
        changed = []

        def __setitem__(self, name, value):
            self.changed.append(name)
            super().__setitem__(name, value)

        def __delitem__(self, name):
            self.changed.append(name)
            super().__delitem__(name)

    environment = Environment(kept="1", changed="1", removed="1")
    with monkeypatch.context() as patch:
        patch.setattr(os, "environ", environment)
        server.set_environment({"kept": "1", "changed": "2", "new": "3"})
    assert environment == {"kept": "1", "changed": "2", "new": "3"}
    assert sorted(environment.changed) == ["changed", "new", "removed"]
