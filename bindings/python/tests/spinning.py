"""Spinning in tests."""

import time

from saltus.exceptions import ExternalShutdownException

#: The time limit for each condition that a test waits for, in seconds.
LONG = 10.0


def spin_until(saltus, nodes, condition):
    """Spins nodes until a condition is true."""
    executor = saltus.SingleThreadedExecutor()
    for node in nodes:
        executor.add_node(node)
    end = time.monotonic() + LONG
    while not condition():
        assert time.monotonic() < end, "the condition did not become true in time"
        executor.spin_once(0.1)
    executor.shutdown()


def spin_quietly(executor):
    """Spins an executor until it or its context is shut down."""
    try:
        executor.spin()
    except ExternalShutdownException:
        pass
