"""Runs a Python module that runs tests: python_test.py MODULE [ARGUMENTS...], as python -m MODULE does.

The tests import rclpy and launch. If Python has no rclpy but the package of Saltus, they get those of Saltus.
"""

import importlib
import importlib.util
import os
import runpy
import sys

module = sys.argv.pop(1)
# As with -m: the modules of the current folder, and not those beside this file.
sys.path[0] = os.getcwd()
if importlib.util.find_spec("rclpy") is None and importlib.util.find_spec("saltus") is not None:
    importlib.import_module("saltus.ros")
    if module == "launch_testing.launch_test":
        sys.exit(importlib.import_module("saltus.launch_testing.command").main())
runpy.run_module(module, run_name="__main__", alter_sys=True)
