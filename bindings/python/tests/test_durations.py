"""The durations of callbacks, as the command shows them."""

import json
import pathlib
import subprocess
import sys
import time

import pytest
from saltus.callback_groups import ReentrantCallbackGroup
from saltus.msgs.std_msgs.msg import String
from saltus.task import Future
from spinning import LONG

COMMAND = pathlib.Path(sys.executable).with_name("saltus")

#: How long a callback takes, in seconds. It sleeps, because this time is what the test measures.
TIME = 0.03


def function(message):
    time.sleep(TIME)


def with_info(message, info):
    time.sleep(TIME)


def durations(topic):
    """Returns how many callbacks of the node have returned, and their times, as the command prints them."""
    command = [COMMAND, "node", "info", "/node", "--json"]
    info = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    found = [one["callback"] for one in info["connections"] if one["topic"] == f"/{topic}"]
    return found[0] if found else {"count": 0}


@pytest.mark.parametrize("executor_class", ["SingleThreadedExecutor", "MultiThreadedExecutor"])
@pytest.mark.parametrize("kind", ["function", "info", "raw", "coroutine"])
def test_the_time_until_a_callback_returns_is_counted(saltus, node, kind, executor_class):
    executor = getattr(saltus, executor_class)()
    executor.add_node(node)

    async def coroutine(message):
        future = Future(executor=executor)
        timer = node.create_timer(TIME, lambda: future.set_result(None), callback_group=ReentrantCallbackGroup())
        await future
        timer.cancel()

    callback = {"info": with_info, "coroutine": coroutine}.get(kind, function)
    node.create_subscription(String, "chatter", callback, 10, raw=kind == "raw")
    node.create_publisher(String, "chatter", 10).publish(String(data="a"))
    end = time.monotonic() + LONG
    while (found := durations("chatter"))["count"] == 0:
        assert time.monotonic() < end
        executor.spin_once(0.1)
    executor.shutdown()
    assert found["count"] == 1 and found["max_ns"] >= TIME * 1e9, found


def test_a_callback_that_raises_an_exception_is_not_counted(saltus, node):
    def callback(message):
        raise ValueError

    node.create_subscription(String, "chatter", callback, 10)
    node.create_publisher(String, "chatter", 10).publish(String(data="a"))
    with pytest.raises(ValueError):
        saltus.spin_once(node, timeout_sec=LONG)
    assert durations("chatter")["count"] == 0
