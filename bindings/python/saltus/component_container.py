"""The program that runs components in Python: in a container, or one alone. ``saltus`` starts it.

Its words are those of the program for components in Rust: ``container single``, ``container mt [THREADS]``,
``container isolated``, ``alone PACKAGE PLUGIN``.
"""

from __future__ import annotations

import os
import sys

import saltus
from saltus.components import ComponentManager, LoadError, find_component
from saltus.exceptions import ExternalShutdownException

#: The name of the node of a container, if the user has chosen no other one.
_NAME = "ComponentManager"


def main(words: list[str]) -> None:
    """Runs the program. The words after those of the role are arguments for ROS."""
    saltus.init(args=words)
    try:
        if words[:1] == ["alone"] and len(words) >= 3:
            _run_alone(words[1], words[2])
        elif words[:1] == ["container"] and len(words) >= 2:
            _run_container(words[1], words[2:])
        else:
            sys.exit(f"saltus: `{' '.join(words)}` is not a role of this program, which `saltus` starts")
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    except LoadError as error:
        sys.exit(f"saltus: {error}")
    finally:
        saltus.try_shutdown()


def _run_alone(package: str, plugin: str) -> None:
    node = find_component(package, plugin)()
    saltus.spin(node)


def _run_container(kind: str, words: list[str]) -> None:
    node = saltus.Node(_NAME)
    executor: saltus.Executor
    if kind == "mt":
        threads = int(words[0]) if words and words[0].isdecimal() else None
        executor = saltus.MultiThreadedExecutor(num_threads=threads or os.cpu_count())
    else:
        executor = saltus.SingleThreadedExecutor()
    manager = ComponentManager(node, executor, isolated=kind == "isolated")
    executor.add_node(node)
    try:
        executor.spin()
    finally:
        manager.close()


if __name__ == "__main__":
    main(sys.argv[1:])
