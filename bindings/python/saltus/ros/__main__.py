"""``python -m saltus.ros program.py arguments…`` or ``python -m saltus.ros -m module arguments…``"""

from __future__ import annotations

import os
import runpy
import sys

import saltus.ros  # noqa: F401 - finds rclpy and the interfaces

_USAGE = """usage: python -m saltus.ros PROGRAM.py [ARGUMENTS…]
       python -m saltus.ros -m MODULE [ARGUMENTS…]

Runs a Python program that was written for ROS 2. No ROS installation is needed.

Your own interfaces are found in the folders of SALTUS_INTERFACE_PATH. Each folder contains
<package>/{msg,srv,action}/<Name>.{msg,srv,action}."""


def main() -> None:
    """Runs the program as if Python had started it directly."""
    arguments = sys.argv[1:]
    if not arguments or arguments[0] in ("-h", "--help"):
        print(_USAGE)
        sys.exit(0 if arguments else 2)
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
