"""A plugin of pytest for launch tests. It imports the package ``saltus`` only for files that are launch tests.

It does nothing if ROS 2's ``launch_testing`` is installed, whose own plugin runs the tests, unless the program has imported
``saltus.ros``, as with ``python -m saltus.ros -m pytest``. It also does nothing in pytest before 7.
"""

from __future__ import annotations

import importlib.util
import pathlib
import sys
from typing import Any

import pytest

#: A file without this name is no launch test.
_ENTRY_POINT = b"generate_test_description"


def _is_active() -> bool:
    if getattr(pytest, "version_tuple", (0,)) < (7,):
        return False
    found = importlib.util.find_spec("launch_testing")
    # A folder with this name that is no package has no origin.
    return "saltus.ros" in sys.modules or found is None or found.origin is None


class _HookSpecifications:
    """The hooks of ROS 2's launch_testing. Its package launch_testing_ros implements one, although it is not called here."""

    @pytest.hookspec(firstresult=True)
    def pytest_launch_collect_makemodule(self, path: Any, parent: Any, entrypoint: Any) -> Any:
        """Returns the module of a launch test."""


class _Hooks:
    """The hooks of this plugin, if it is active."""

    def pytest_addoption(self, parser: Any) -> None:
        group = parser.getgroup("launch tests")
        group.addoption(
            "--launch-args", action="append", nargs="*", default=[], help="arguments of launches, such as robot:=arm"
        )
        group.addoption(
            "--launch-disable-isolation", action="store_true", help="run launch tests in the domain of ROS_DOMAIN_ID"
        )

    def pytest_configure(self, config: Any) -> None:
        for name in ("launch_test", "rostest"):
            config.addinivalue_line("markers", f"{name}: marks generate_test_description of a launch test")

    def pytest_pycollect_makemodule(self, module_path: pathlib.Path, parent: Any) -> Any:
        if module_path.name == "__init__.py" or _ENTRY_POINT not in module_path.read_bytes():
            return None
        import saltus.ros  # noqa: F401 - the file imports launch_testing
        from saltus.launch_testing.pytest.hooks import LaunchTestModule

        return LaunchTestModule.from_parent(parent, path=module_path)


def _end_rewriting(pluginmanager: Any) -> None:
    """Lets Python load the package ``saltus``, and not pytest.

    Pytest rewrites the assertions of all packages that are installed together with a plugin. If it can't keep the result, it
    does so in each run. The names are private in pytest: without them, only the import takes longer.
    """
    names = getattr(getattr(pluginmanager, "rewrite_hook", None), "_must_rewrite", None)
    if isinstance(names, set):
        names -= {"saltus", "ament_index_python"}


def pytest_addhooks(pluginmanager: Any) -> None:
    """Adds the hooks. Pytest calls this for each plugin before all others."""
    _end_rewriting(pluginmanager)
    if not _is_active():
        return
    hook = getattr(pluginmanager.hook, "pytest_launch_collect_makemodule", None)
    if hook is None or not hook.has_spec():
        pluginmanager.add_hookspecs(_HookSpecifications)
    pluginmanager.register(_Hooks(), "saltus-launch-tests")
