"""Runs launch files in Python for the launcher: ``python -m saltus.launch.serve``.

The requests come from the standard input, and the answers go to the standard output. What launch files print goes to the
standard error.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

from saltus.launch import logging as launch_logging
from saltus.launch.server import ServedLaunchConfig, Server

#: The number of the request of Linux's `prctl` for a signal when the parent dies.
_PR_SET_PDEATHSIG = 1


def _die_with_parent() -> None:
    """Ends this process when the launcher dies, also if a function of a launch file does not return."""
    parent = os.getppid()
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    # The launcher may have died before.
    if os.getppid() != parent:
        sys.exit(1)


def main() -> None:
    """Serves the launcher that has started this process."""
    _die_with_parent()
    # Launch files may import `rclpy`, and messages such as `lifecycle_msgs.msg.Transition`.
    import saltus.ros  # noqa: F401
    from saltus.launch import index, names

    names.install()
    if bundled := os.environ.pop("SALTUS_BUNDLED_PREFIX", ""):
        index._bundled.append(bundled)
    # `python -m` puts the working directory first, whose modules would hide others.
    if sys.path and sys.path[0] in ("", os.getcwd()):
        del sys.path[0]
    # A launch file must not leave files beside it.
    sys.dont_write_bytecode = True
    sys.argv = ["ros2", "launch", *sys.argv[1:]]
    requests = os.fdopen(os.dup(0), encoding="utf-8")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(2, 1)
    sys.stdin = open(os.devnull, encoding="utf-8")
    # The launcher ends this process without a warning.
    sys.stdout = open(1, "w", encoding="utf-8", buffering=1, closefd=False)
    launch_logging.launch_config = ServedLaunchConfig()
    Server(requests, answers).run()


if __name__ == "__main__":
    main()
