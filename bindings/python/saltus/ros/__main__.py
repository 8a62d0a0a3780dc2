"""``python -m saltus.ros program.py arguments…`` or ``python -m saltus.ros -m module arguments…``"""

from __future__ import annotations

import importlib
import os
import runpy
import sys
from typing import Any

import saltus.ros  # noqa: F401 - finds rclpy and the interfaces

_USAGE = """usage: python -m saltus.ros PROGRAM.py [ARGUMENTS…]
       python -m saltus.ros -m MODULE [ARGUMENTS…]

Runs a Python program that was written for ROS 2. No ROS installation is needed.

Your own interfaces are found in the folders of SALTUS_INTERFACE_PATH. Each folder contains
<package>/{msg,srv,action}/<Name>.{msg,srv,action}."""


class _Import:
    """An object that a process has read when it has imported :mod:`saltus.ros`."""

    def __reduce__(self) -> Any:
        return importlib.import_module, ("saltus.ros",)


def _prepare_children() -> None:
    """Makes the processes that ``multiprocessing`` starts import :mod:`saltus.ros` before the main module of the program."""
    import multiprocessing
    from multiprocessing import spawn

    data_of = spawn.get_preparation_data

    def get_preparation_data(name: str) -> dict[str, Any]:
        return {**data_of(name), "saltus.ros": _Import()}

    spawn.get_preparation_data = get_preparation_data
    # By default a fork server imports the main module, before rclpy can be found.
    multiprocessing.set_forkserver_preload(["saltus.ros"])


def main() -> None:
    """Runs the program as if Python had started it directly."""
    arguments = sys.argv[1:]
    if not arguments or arguments[0] in ("-h", "--help"):
        print(_USAGE)
        sys.exit(0 if arguments else 2)
    _prepare_children()
    if arguments[0] == "-m":
        if len(arguments) < 2:
            print(_USAGE)
            sys.exit(2)
        sys.argv = arguments[1:]
        sys.path[0] = os.getcwd()
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
    else:
        if not os.path.exists(arguments[0]):
            sys.exit(f"python -m saltus.ros: there is no file {arguments[0]}")
        sys.argv = arguments
        sys.path[0] = os.path.dirname(os.path.abspath(arguments[0]))
        runpy.run_path(arguments[0], run_name="__main__")


main()
