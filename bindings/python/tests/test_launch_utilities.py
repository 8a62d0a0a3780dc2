"""The functions of `launch.utilities`, and launch descriptions that are loaded from files, work in any program."""

import asyncio
import signal
import warnings

import pytest
from saltus.launch import Action, LaunchContext, LaunchDescription, LaunchDescriptionSource
from saltus.launch.conditions import LaunchConfigurationEquals, LaunchConfigurationNotEquals
from saltus.launch.errors import InvalidLaunchFileError, InvalidPythonLaunchFileError
from saltus.launch.launch_description_sources import (
    PythonLaunchDescriptionSource,
    get_launch_description_from_any_launch_file,
    get_launch_description_from_python_launch_file,
)
from saltus.launch.utilities import (
    AsyncSafeSignalManager,
    is_a_subclass,
    isclassinstance,
    visit_all_entities_and_collect_futures,
)


def test_classes_and_their_instances_are_derived_from_a_class():
    assert is_a_subclass(True, int) and is_a_subclass(bool, int) and not is_a_subclass(1, float)
    assert isclassinstance(1) and isclassinstance(LaunchDescription())


def test_all_entities_with_a_future_are_found_in_the_order_of_the_visits():
    loop = asyncio.new_event_loop()

    class Waits(Action):
        def __init__(self, *following):
            super().__init__()
            self.following, self.future = following, loop.create_future()

        def execute(self, context):
            return self.following

        def get_asyncio_future(self):
            return self.future

    last, inner = Waits(), Waits()
    first = Waits(LaunchDescription([inner]), Action(), last)
    found = visit_all_entities_and_collect_futures(first, LaunchContext())
    assert found == [(first, first.future), (inner, inner.future), (last, last.future)]
    loop.close()


def test_signals_call_functions_in_the_loop_only_while_the_manager_is_entered():
    calls, former = [], []
    before = signal.signal(signal.SIGUSR1, lambda number, frame: former.append(number))
    loop = asyncio.new_event_loop()

    def send():
        signal.raise_signal(signal.SIGUSR1)
        loop.run_until_complete(asyncio.sleep(0))

    try:
        manager = AsyncSafeSignalManager(loop)
        assert manager.handle(signal.SIGUSR1, calls.append) is None
        for count in (1, 2):
            send()
            with manager:
                send()
            assert (len(calls), len(former)) == (count, count)
        with manager:
            manager.handle(signal.SIGUSR1, None)
            send()
            manager.handle(signal.SIGUSR1, calls.append)
            send()
        assert (len(calls), len(former)) == (3, 3)
    finally:
        signal.signal(signal.SIGUSR1, before)
        loop.close()


def test_a_description_is_loaded_from_a_file_with_any_name(tmp_path):
    file = tmp_path / "launch_file"
    file.write_text("from saltus.launch import LaunchDescription\ngenerate_launch_description = LaunchDescription\n")
    source = PythonLaunchDescriptionSource(str(file))
    assert "python launch file" in source.method and "launch_file" in source.location
    assert source.get_launch_description(LaunchContext()).entities == []
    assert source.location == str(file)
    file.write_text("")
    with pytest.raises(InvalidPythonLaunchFileError):
        get_launch_description_from_python_launch_file(str(file))
    with pytest.raises(FileNotFoundError):
        get_launch_description_from_python_launch_file(str(tmp_path / "none"))


def test_the_name_of_a_file_determines_its_format(tmp_path):
    (tmp_path / "a.launch.xml").write_text("<launch><log message='a'/></launch>")
    (tmp_path / "a.launch.py").write_text(
        "from saltus.launch import LaunchDescription\ngenerate_launch_description = LaunchDescription\n"
    )
    found = {path.name: get_launch_description_from_any_launch_file(str(path)).entities for path in tmp_path.iterdir()}
    assert len(found["a.launch.xml"]) == 1 and found["a.launch.py"] == []
    with pytest.raises(InvalidLaunchFileError, match="there is no file"):
        get_launch_description_from_any_launch_file(str(tmp_path / "none.launch.yaml"))


def test_a_source_has_a_description_and_a_location():
    source = LaunchDescriptionSource(description := LaunchDescription(), ["a", "b"])
    assert source.get_launch_description(LaunchContext()) is description and source.location == "ab"
    with pytest.raises(RuntimeError):
        LaunchDescriptionSource().get_launch_description(LaunchContext())


def test_the_likely_errors_of_a_file_are_listed():
    text = str(InvalidLaunchFileError(".xml", likely_errors=[KeyError("a"), ValueError("b")]))
    assert "'.xml'" in text and "KeyError: 'a'" in text and "ValueError: b" in text
    assert str(InvalidLaunchFileError()) == "the launch file can't be read"


def test_the_conditions_of_variables_are_deprecated():
    context = LaunchContext()
    context.launch_configurations["a"] = "1"
    for kind, holds in ((LaunchConfigurationEquals, True), (LaunchConfigurationNotEquals, False)):
        with pytest.warns(UserWarning, match="deprecated"):
            condition = kind("a", "1")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert condition.evaluate(context) is holds
