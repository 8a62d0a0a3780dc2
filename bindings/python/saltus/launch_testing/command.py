"""The command ``launch_test``: runs the launch tests of a file."""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import pathlib
import sys
from typing import Any

import saltus.ros  # noqa: F401 - finds launch, rclpy and the interfaces
from saltus.launch_testing.arguments import parse_launch_arguments, print_arguments_of_launch_description
from saltus.launch_testing.isolation import own_domain
from saltus.launch_testing.junitxml import unittestResultsToXml
from saltus.launch_testing.loader import LoadTestsFromPythonModule, TestRun
from saltus.launch_testing.test_runner import LaunchTestRunner

__all__ = ["main"]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="launch_test", description="Runs the launch tests of a file.")
    add = parser.add_argument
    add("launch_test_file", type=pathlib.Path, help="the file with generate_test_description")
    add("launch_arguments", nargs="*", help="arguments, such as robot:=arm; the last value of a name counts")
    add("-s", "--show-args", "--show-arguments", action="store_true", help="only print the arguments of the launch")
    add("--junit-xml", metavar="PATH", help="write the results to a file, as JUnit XML")
    add("--package-name", metavar="NAME", help="the package of the file, for the names in the results")
    add("--disable-isolation", action="store_true", help="use the domain of ROS_DOMAIN_ID, and not one of the own")
    add("-v", "--verbose", action="store_true", help="print what the launcher does")
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Runs the command. Returns its exit code: 0 if all tests have passed, 1 if not, and 2 if they can't be run."""
    parser = _parser()
    # Arguments of the launch may also follow the options.
    options = parser.parse_intermixed_args(arguments)
    file: pathlib.Path = options.launch_test_file
    if file.suffix != ".py" or not file.is_file():
        parser.error(f"there is no file {file}, or it is no Python file")
    module = _load(file, options.package_name or file.stem)
    if not hasattr(module, "generate_test_description"):
        parser.error(f"{file} has no function generate_test_description")
    name = f"{options.package_name or file.stem}.{file.stem}"
    runs = LoadTestsFromPythonModule(module, name=f"{name}.launch_tests")
    runner = LaunchTestRunner(runs, options.launch_arguments, options.verbose)
    try:
        parse_launch_arguments(options.launch_arguments)
        runner.validate()
    except (TypeError, ValueError) as error:
        parser.error(str(error))
    if options.show_args:
        return _show_arguments(runs)
    with contextlib.nullcontext() if options.disable_isolation else own_domain():
        results = runner.run()
    if options.junit_xml:
        document = unittestResultsToXml(name=name, test_results=results)
        document.write(options.junit_xml, encoding="utf-8", xml_declaration=True)
    return 0 if all(result.wasSuccessful() for result in results.values()) else 1


def _load(file: pathlib.Path, name: str) -> Any:
    """Runs a file as a module."""
    spec = importlib.util.spec_from_file_location(name, file.resolve())
    assert spec is not None and spec.loader is not None, "the name ends with .py"
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _show_arguments(runs: list[TestRun]) -> int:
    # The launches of a parametrized description usually declare the same arguments.
    print_arguments_of_launch_description(launch_description=runs[0].get_launch_description())
    return 0


if __name__ == "__main__":
    sys.exit(main())
