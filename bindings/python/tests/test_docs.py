"""The examples in the documents run."""

import re
import signal

from conftest import ROOT, run, start
from saltus.msgs.example_interfaces.msg import String


def examples(document):
    return re.findall(r"^```python\n(.*?)^```", (ROOT / document).read_text(), re.M | re.S)


def test_the_example_of_the_readme_runs():
    (example,) = examples("README.md")
    assert run(example) == (0, "(480, 640, 3) 127.0\n", "")


def test_the_example_of_machines_runs(saltus):
    (example,) = examples("docs/machines.md")
    process = start(example)
    try:
        with saltus.create_node("looking") as node:
            heard = []
            states = node.create_subscription(String, "/machine/state", heard.append, 10)
            trigger = node.create_publisher(String, "/machine/trigger", 10)
            assert trigger.wait_for_subscriptions(1, 30.0) and states.wait_for_publishers(1, 30.0)
            trigger.publish(String(data="close"))
            while not heard:
                saltus.spin_once(node, timeout_sec=30.0)
        assert heard[0].data == "closing"
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
    finally:
        process.kill()
    assert err.endswith("KeyboardInterrupt\n")
