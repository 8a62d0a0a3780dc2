"""Runs the examples in the documentation."""

import os
import re
import signal

from conftest import ROOT, run, start
from launch_tests import COMMAND, run_in_pytest
from launch_tests import run as run_launch_test
from saltus.msgs.builtin_interfaces.msg import Time
from saltus.msgs.example_interfaces.msg import String
from saltus.msgs.lifecycle_msgs.msg import Transition
from saltus.msgs.lifecycle_msgs.srv import ChangeState
from saltus.msgs.sensor_msgs.msg import Image, Imu
from saltus.msgs.std_msgs.msg import Header
from saltus.msgs.std_msgs.msg import String as Text


def examples(document):
    return re.findall(r"^```python\n(.*?)^```", (ROOT / document).read_text(), re.M | re.S)


def test_the_first_example_of_the_readme_runs():
    talker, _ = examples("README.md")
    process = start(talker)
    try:
        assert process.stdout.readline() == "I heard: hello\n"
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
    finally:
        process.kill()
    assert (process.returncode, err) == (0, "")


def test_the_second_example_of_the_readme_runs():
    _, camera = examples("README.md")
    assert run(camera) == (0, "(480, 640, 3) 127.0\n", "")


def test_the_examples_of_calls_run():
    service, action, parameters = examples("docs/calls.md")
    assert run(service) == (0, "42\n", "")
    feedback = "".join(
        f"feedback {numbers}\n" for numbers in ([0, 1, 1], [0, 1, 1, 2], [0, 1, 1, 2, 3], [0, 1, 1, 2, 3, 5])
    )
    assert run(action) == (0, f"{feedback}result [0, 1, 1, 2, 3, 5]\n", "")
    assert run(parameters) == (0, "10.0 1.0\nrate 5.0 False\nmax_speed 3.0 False\nmax_speed 2.0 True\n", "")


def test_the_example_of_qos_runs():
    (example,) = examples("docs/qos.md")
    assert run(example) == (0, "kept for late subscriptions\n", "")


def test_the_example_of_interfaces_runs():
    (example,) = examples("docs/interfaces.md")
    folder = ROOT / "tests/own_types"
    moved = f"import os; os.chdir({str(folder)!r})\n{example}print(Wheel.RIGHT)"
    assert run(moved) == (0, "1\n", "")


def test_the_example_of_components_runs():
    (example,) = examples("docs/components.md")
    moved = f"{example}saltus.init()\nprint(Counter(cli_args=['--ros-args', '-r', '__node:=left']).get_name())"
    assert run(moved) == (0, "left\n", "")


def test_the_example_of_launch_describes_two_nodes():
    example, _, _ = examples("docs/launch.md")
    names = "from saltus.launch import names\nnames.install()\n"
    moved = f"{names}{example}print([type(one).__name__ for one in generate_launch_description().entities])"
    assert run(moved) == (0, "['Node', 'Node']\n", "")


def test_the_example_of_transforms_runs():
    (example,) = examples("docs/tf.md")
    assert run(example) == (0, "2.0\n", "")


def test_the_example_of_filters_runs(saltus):
    (example,) = examples("docs/filters.md")
    process = start(example)
    try:
        with saltus.create_node("sensors") as node:
            publishers = [node.create_publisher(Image, "/image", 10), node.create_publisher(Imu, "/imu", 10)]
            assert all(publisher.wait_for_subscriptions(1, 30.0) for publisher in publishers)
            for sec in range(3):
                for publisher, kind in zip(publishers, (Image, Imu)):
                    publisher.publish(kind(header=Header(stamp=Time(sec=sec))))
        assert process.stdout.readline().count("sec=0,") == 2
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
    finally:
        process.kill()
    assert (process.returncode, err) == (0, "")


def test_the_example_of_lifecycle_runs(saltus):
    (example,) = examples("docs/lifecycle.md")
    process = start(example)
    try:
        with saltus.create_node("looking") as node:
            received = []
            node.create_subscription(Text, "/chatter", received.append, 10)
            change = node.create_client(ChangeState, "/talker/change_state")
            assert change.wait_for_service(30.0)
            for label in ("configure", "activate"):
                request = ChangeState.Request(transition=Transition(label=label))
                assert change.call(request, 30.0).success
            while not received:
                saltus.spin_once(node, timeout_sec=30.0)
        assert received[0].data == "Hello World"
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
    finally:
        process.kill()
    assert (process.returncode, err) == (0, "")


def test_the_example_of_machines_runs(saltus):
    (example,) = examples("docs/machines.md")
    process = start(example)
    try:
        with saltus.create_node("looking") as node:
            received = []
            states = node.create_subscription(String, "/machine/state", received.append, 10)
            trigger = node.create_publisher(String, "/machine/trigger", 10)
            assert trigger.wait_for_subscriptions(1, 30.0) and states.wait_for_publishers(1, 30.0)
            trigger.publish(String(data="close"))
            while not received:
                saltus.spin_once(node, timeout_sec=30.0)
        assert received[0].data == "closing"
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
    finally:
        process.kill()
    assert process.returncode == 0 and "Traceback" not in err, err


def test_the_example_of_a_program_that_starts_a_launch_runs(log_folder):
    _, example, _ = examples("docs/launch.md")
    status, out, err = run(example)
    assert status == 0 and "hello" in out, out + err


def test_the_example_of_a_launch_test_runs(log_folder, monkeypatch):
    _, _, example = examples("docs/launch.md")
    file = log_folder / "my_test.py"
    file.write_text(example)
    monkeypatch.setenv("PATH", os.pathsep.join([str(COMMAND.parent), os.environ["PATH"]]))
    for status, out in (run_launch_test(file), run_in_pytest(file)):
        assert status == 0, out
