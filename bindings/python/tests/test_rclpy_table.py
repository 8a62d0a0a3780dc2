"""Checks docs/rclpy.md: each symbol exists, and is used in the files that the table names."""

import importlib
import re

import saltus.ros  # noqa: F401 - finds rclpy
from conftest import ROOT

ROW = re.compile(r"^\| `(rclpy\.[\w.]+)` \| [A-Z ]+ \| (.+) \|$", re.M)


def find(symbol):
    words = symbol.split(".")
    for count in range(len(words), 0, -1):
        try:
            found = importlib.import_module(".".join(words[:count]))
        except ModuleNotFoundError:
            continue
        for word in words[count:]:
            found = getattr(found, word)
        return found
    raise AssertionError(f"no {symbol}")


def test_every_symbol_of_the_table_exists_and_is_used_where_it_says():
    rows = ROW.findall((ROOT / "docs/rclpy.md").read_text())
    assert len(rows) > 100
    for symbol, covered in rows:
        find(symbol)
        for name in re.findall(r"`([\w.]+)`", covered):
            folders = (ROOT / "tests/interop/ros_scripts/scripts", ROOT / "bindings/python/tests")
            (path,) = [folder / name for folder in folders if (folder / name).exists()]
            assert re.search(rf"\b{symbol.rpartition('.')[2]}\b", path.read_text()), f"{name} does not use {symbol}"


def test_symbols_of_the_package_are_those_of_its_modules():
    import rclpy

    for below in (
        "context.Context", "parameter.Parameter", "signals.SignalHandlerOptions", "signals.install_signal_handlers",
        "signals.uninstall_signal_handlers", "task.Future",
    ):  # fmt: skip
        assert getattr(rclpy, below.rpartition(".")[2]) is find(f"rclpy.{below}")


def test_every_script_is_part_of_a_case():
    import yaml

    cases = yaml.safe_load((ROOT / "tests/interop/ros_scripts/scripts.yaml").read_text())
    run = {program["run"] for case in cases for program in case["programs"]}
    there = {f"scripts/{path.name}" for path in (ROOT / "tests/interop/ros_scripts/scripts").glob("*.py")}
    assert run == there
