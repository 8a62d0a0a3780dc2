"""The loggers of `launch.logging` write to the screen and to files, as those of ROS 2 do."""

import logging
import os
import re

import pytest
from launching import dry_run, launch, write
from saltus.launch import LaunchContext
from saltus.launch import logging as launch_logging
from saltus.launch.actions import LogInfo
from saltus.launch.substitutions import LaunchLogDir

pytestmark = pytest.mark.usefixtures("log_folder")


def content(name="launch.log"):
    """Returns the lines in a file of the launch."""
    path = launch_logging.launch_config.get_log_file_path(name)
    return open(path, encoding="utf-8").read().splitlines() if os.path.exists(path) else []


def test_a_line_goes_to_the_screen_and_to_the_file_of_the_launch(capsys):
    LogInfo(msg="hello").visit(LaunchContext())
    launch_logging.get_logger("launch.user").debug("not shown")
    assert capsys.readouterr() == ("[INFO] [launch.user]: hello\n", "")
    (line,) = content()
    assert re.fullmatch(r"[0-9]+\.[0-9]+ \[INFO\] \[launch.user\]: hello", line)


def test_the_folder_is_created_when_it_is_read_and_has_a_link(log_folder):
    assert list(log_folder.iterdir()) == []
    found = launch_logging.launch_config.log_dir
    assert os.path.dirname(found) == str(log_folder) and os.path.samefile(log_folder / "latest", found)
    assert LaunchLogDir().perform(LaunchContext()) == found
    launch_logging.launch_config.log_dir = None
    assert launch_logging.launch_config.log_dir != found
    assert os.path.samefile(log_folder / "latest", launch_logging.launch_config.log_dir)


def test_the_folder_depends_on_the_environment(log_folder, monkeypatch):
    monkeypatch.setenv("HOME", str(log_folder))
    for variables, expected in (
        ({"ROS_LOG_DIR": "~/a", "ROS_HOME": "/never"}, "a"),
        ({"ROS_LOG_DIR": "", "ROS_HOME": "~/b"}, "b/log"),
        ({"ROS_LOG_DIR": "", "ROS_HOME": ""}, ".ros/log"),
    ):
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        launch_logging.launch_config.log_dir = None
        assert os.path.dirname(launch_logging.launch_config.log_dir) == str(log_folder / expected)


def test_levels_and_formats_are_those_of_the_configuration(capsys, monkeypatch):
    launch_logging.launch_config.level = logging.ERROR
    logger = launch_logging.get_logger("a")
    logger.warning("not shown")
    launch_logging.launch_config.set_screen_format("%(message)s!")
    logger.error("shown")
    monkeypatch.setenv("OVERRIDE_LAUNCH_SCREEN_FORMAT", "{name} {message}")
    launch_logging.launch_config.set_screen_format("default_with_timestamp")
    logger.error("overridden")
    assert capsys.readouterr().out == "shown!\na overridden\n"


def test_wrong_configurations_are_errors():
    config = launch_logging.launch_config
    for wrong in (
        lambda: config.set_screen_format("default", screen_style="%"),
        lambda: config.set_log_format("default_with_timestamp", log_style="{"),
        lambda: setattr(config, "log_dir", "/no/folder"),
        lambda: launch_logging.get_output_loggers("a", "everywhere"),
        lambda: launch_logging.get_output_loggers("a", {"stdin": {"log"}}),
        lambda: launch_logging.get_output_loggers("a", {"stdout": {"paper"}}),
    ):
        with pytest.raises(ValueError):
            wrong()


@pytest.mark.parametrize(
    ("output", "screen", "log", "files"),
    [
        ("screen", ["out", "err"], [], {}),
        ("log", ["err"], ["out", "err"], {}),
        ("both", ["out", "err"], ["out", "err"], {}),
        ("own_log", [], [], {"-stdout": ["out"], "-stderr": ["err"], "": ["out", "err"]}),
        ("full", ["out", "err"], ["out", "err"], {"-stdout": ["out"], "-stderr": ["err"], "": ["out", "err"]}),
        ({"stdout": "screen", "both": {"log"}}, ["out"], ["out", "err"], {}),
    ],
)
def test_the_output_of_a_process_goes_where_it_is_wanted(capsys, output, screen, log, files):
    launch_logging.get_output_loggers("talker-1", "full")
    out, err = launch_logging.get_output_loggers("talker-1", output)
    out.info("out")
    err.info("err")
    assert (out.name, err.name) == ("talker-1-stdout", "talker-1-stderr")
    assert capsys.readouterr().out.splitlines() == screen
    assert [line.split(" ", 1)[1] for line in content()] == log
    assert {
        end: content(f"talker-1{end}.log") for end in ("-stdout", "-stderr", "") if content(f"talker-1{end}.log")
    } == files


def test_a_program_creates_the_handlers_of_files_itself():
    lines = []

    class Collect(launch_logging.handlers.Handler):
        def emit(self, record):
            lines.append(self.format(record))

    launch_logging.launch_config.log_handler_factory = lambda path, encoding=None: Collect()
    out, _ = launch_logging.get_output_loggers("a", "own_log")
    out.info("text")
    assert lines == ["text", "text"]
    with pytest.raises(AttributeError):
        launch_logging.handlers.Formatter  # noqa: B018


def test_loggers_of_a_launch_file_write_to_the_screen_only(environment, tmp_path):
    code = """import launch.logging
launch.logging.get_logger("robot").info("it loads")
return LaunchDescription([LogInfo(msg=launch.logging.launch_config.log_dir), LogInfo(msg=LaunchLogDir())])"""
    file = write(tmp_path, code)
    folders = [line.split(": ")[1] for line in launch(environment, file).splitlines() if "launch.user" in line]
    assert len(folders) == 2 and folders[0] == folders[1]
    assert len([path for path in (tmp_path / "log").iterdir() if not path.is_symlink()]) == 1
    assert "it loads" not in dry_run(environment, tmp_path, code)


def test_a_reset_restores_the_levels_of_loggers():
    root = logging.getLogger()
    before = (root.level, root.propagate)
    launch_logging.get_logger()
    launch_logging.reset()
    assert (root.level, root.propagate) == before
