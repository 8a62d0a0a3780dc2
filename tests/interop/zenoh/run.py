"""Runs nodes of other implementations of rmw_zenoh's conventions beside Saltus: `run.py [WORD…]`.

A bridge is the router. Each case starts a program of the other implementation and one of Saltus, and checks what they
print. Only cases whose name contains one of the words are run. The programs of Saltus are those of target/debug; the
folder of the peers is target/interop.
"""

import contextlib
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
PROGRAMS = ROOT / "target/debug"
PEERS = ROOT / "target/interop"
SDK = [str(PEERS / "venv/bin/python"), str(HERE / "sdk_peer.py")]
CLIENT = str(PROGRAMS / "ros2-client-peer")
HIROZ = str(PROGRAMS / "hiroz-peer")
#: Runs programs for rclpy on Saltus.
RCLPY = [str(ROOT / "target/venv/bin/python"), "-m", "saltus.ros"]
SCRIPTS = ROOT / "tests/interop/ros_scripts/scripts"

#: The longest time that a case waits for a line, in seconds.
LONG = 60.0


class Failure(Exception):
    """A case has failed."""


class Program:
    """A process, and the lines that it prints."""

    def __init__(self, command: list[str], env: dict[str, str]) -> None:
        self.command = " ".join(command)
        self.lines: list[str] = []
        self.process = subprocess.Popen(
            command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self) -> None:
        """Keeps what the process prints."""
        for line in self.process.stdout:
            self.lines.append(line.rstrip())

    def wait_for(self, pattern: str, count: int = 1) -> list[str]:
        """Returns the lines that match, when there are so many."""
        until = time.monotonic() + LONG
        while time.monotonic() < until:
            found = [line for line in self.lines if re.search(pattern, line)]
            if len(found) >= count:
                return found
            if self.process.poll() is not None and not self.reader.is_alive():
                break
            time.sleep(0.02)  # until it may have printed more
        text = "\n    ".join(self.lines[-20:])
        raise Failure(f"{self.command}: no {count} lines with {pattern!r}:\n    {text}")

    def end(self) -> None:
        """Kills the process."""
        self.process.kill()
        self.process.wait()


class Host:
    """A host with a bridge that is the router, and the programs of a case."""

    def __init__(self, stack: contextlib.ExitStack) -> None:
        self.stack = stack
        self.shm = stack.enter_context(tempfile.TemporaryDirectory(dir="/dev/shm", prefix="saltus-interop-"))
        bridge = self.saltus("saltus-bridge", "bridge", "--router", "--listen", "tcp/127.0.0.1:0")
        self.port = bridge.wait_for("listens at")[0].rsplit(":", 1)[1]

    def start(self, command: list[str], **env: str) -> Program:
        """Starts a program that ends with the case."""
        program = Program(command, {**os.environ, "ROS_DOMAIN_ID": "0", **env})
        self.stack.callback(program.end)
        return program

    def saltus(self, name: str, *words: str) -> Program:
        """Starts a program of Saltus."""
        return self.start([str(PROGRAMS / name), *words], SALTUS_SHM_DIR=self.shm)

    def script(self, path: pathlib.Path) -> Program:
        """Starts a program for rclpy."""
        return self.start([*RCLPY, str(path)], SALTUS_SHM_DIR=self.shm)

    def client(self, role: str) -> Program:
        """Starts a node of ros2-client."""
        connect = f'mode="peer";connect/endpoints=["tcp/127.0.0.1:{self.port}"];scouting/multicast/enabled=false'
        return self.start([CLIENT, role], ZENOH_CONFIG_OVERRIDE=connect)

    def sdk(self, role: str) -> Program:
        """Starts a node of zenoh-ros2-sdk."""
        return self.start([*SDK, role, self.port])

    def hiroz(self, role: str) -> Program:
        """Starts a node of hiroz."""
        return self.start([HIROZ, role, self.port])

    def echo(self, topic: str, ty: str, pattern: str, *words: str) -> None:
        """Waits until `saltus topic echo` prints a line that matches."""
        self.saltus("saltus", "topic", "echo", topic, ty, *words).wait_for(pattern)

    def wait_for(self, pattern: str, *words: str) -> None:
        """Repeats a command of `saltus` until it prints a line that matches."""
        until = time.monotonic() + LONG
        while time.monotonic() < until:
            done = subprocess.run(
                [str(PROGRAMS / "saltus"), *words],
                env={**os.environ, "ROS_DOMAIN_ID": "0", "SALTUS_SHM_DIR": self.shm},
                capture_output=True,
                text=True,
                check=False,
            )
            if re.search(pattern, done.stdout, re.MULTILINE):
                return
        raise Failure(f"saltus {' '.join(words)}: no line with {pattern!r}: {done.stdout}{done.stderr}")


def sdk_publishes(host: Host) -> None:
    """A message of the SDK is received, and its node is seen."""
    host.sdk("talker")
    host.saltus("saltus", "topic", "echo", "/chatter", "std_msgs/msg/String").wait_for("data: sdk", 5)
    host.wait_for("^/sdk_talker$", "node", "list")
    host.wait_for("Publisher count: 1", "topic", "info", "/chatter")


def sdk_subscribes(host: Host) -> None:
    """The SDK receives messages of Saltus."""
    listener = host.sdk("listener")
    host.saltus("saltus", "topic", "pub", "-r", "20", "/from_saltus", "std_msgs/msg/String", "data: hello")
    listener.wait_for("heard hello", 5)


def sdk_serves(host: Host) -> None:
    """Saltus calls a server of the SDK."""
    host.sdk("server").wait_for("ready")
    host.wait_for("^/sdk_add$", "service", "list")
    call = ["service", "call", "/sdk_add", "example_interfaces/srv/AddTwoInts", "{a: 2, b: 40}"]
    host.saltus("saltus", *call).wait_for("42")


def sdk_calls(host: Host) -> None:
    """The SDK calls a server of Saltus."""
    host.saltus("subject").wait_for("ready")
    sums = host.sdk("client").wait_for("^sum", 5)
    if sums != [f"sum {100 + a}" for a in range(5)]:
        raise Failure(f"{sums}")


def hears_all(host: Host, prefix: str) -> None:
    """Saltus receives a velocity, a scan and an image of a megabyte."""
    host.echo(f"/{prefix}/twist", "geometry_msgs/msg/Twist", "x: 0.5")
    host.echo(f"/{prefix}/scan", "sensor_msgs/msg/LaserScan", "ranges: .*length: 360", "--no-arr")
    host.echo(f"/{prefix}/image", "sensor_msgs/msg/Image", "data: .*length: 1000000", "--no-arr")


def are_heard(peer: Program) -> None:
    """A peer has received a velocity, a scan and an image of Saltus, with their contents."""
    peer.wait_for("^twist 0.5", 3)
    peer.wait_for("^scan 360 1.5", 3)
    peer.wait_for("^image 1000 7000000", 3)


def calls(host: Host, prefix: str) -> None:
    """Saltus calls a server that adds numbers."""
    host.wait_for(f"^/{prefix}/add$", "service", "list")
    call = ["service", "call", f"/{prefix}/add", "example_interfaces/srv/AddTwoInts", "{a: 2, b: 40}"]
    host.saltus("saltus", *call).wait_for("sum=42")


def has_speed(host: Host, node: str, before: str, after: str) -> None:
    """The parameter of a peer is read and set."""
    host.wait_for(before, "param", "get", node, "speed")
    host.wait_for("uccess", "param", "set", node, "speed", after)
    host.wait_for(after, "param", "get", node, "speed")


def sets_speed(client: Program) -> None:
    """A peer reads and sets the parameter of a node of Saltus."""
    client.wait_for("^speed .*50")
    client.wait_for("^set true")
    client.wait_for("^speed .*80")


def client_publishes(host: Host) -> None:
    """Saltus receives messages of several types from ros2-client, and sees its node."""
    host.client("publisher")
    host.echo("/client/text", "std_msgs/msg/String", "data: from ros2-client")
    hears_all(host, "client")
    host.wait_for("^/client_publisher$", "node", "list")


def client_subscribes(host: Host) -> None:
    """ros2-client receives messages of several types from Saltus."""
    host.script(HERE / "saltus_node.py")
    peer = host.client("subscription")
    peer.wait_for("^text from saltus", 3)
    are_heard(peer)


def client_serves(host: Host) -> None:
    """Saltus calls a server of ros2-client."""
    host.client("server").wait_for("ready")
    calls(host, "client")


def client_calls(host: Host) -> None:
    """ros2-client calls a server that an rclpy program runs on Saltus."""
    host.script(SCRIPTS / "service.py")
    host.client("client").wait_for("^sum 42")


#: The words that send a goal to the server of ros2-client.
GOAL = ["action", "send_goal", "/client/fibonacci", "action_tutorials_interfaces/action/Fibonacci", "--feedback"]


def client_acts(host: Host) -> None:
    """Saltus sends a goal to an action server of ros2-client, with feedback."""
    host.client("action-server").wait_for("ready")
    host.wait_for("^/client/fibonacci$", "action", "list")
    sent = host.saltus("saltus", *GOAL, "{order: 5}")
    sent.wait_for("SUCCEEDED")
    sent.wait_for("[Ff]eedback")


def client_is_canceled(host: Host) -> None:
    """Saltus cancels a goal of ros2-client: Ctrl-C of `action send_goal` does so."""
    host.client("action-server").wait_for("ready")
    host.wait_for("^/client/fibonacci$", "action", "list")
    sent = host.saltus("saltus", *GOAL, "{order: 40}")
    sent.wait_for("[Ff]eedback")
    sent.process.send_signal(signal.SIGINT)
    sent.wait_for("Goal canceled")


def client_sends_goal(host: Host) -> None:
    """ros2-client sends a goal with feedback to an action server that an rclpy program runs on Saltus."""
    host.script(HERE / "fibonacci_server.py")
    client = host.client("action-client")
    client.wait_for("^status 4 result \\[0, 1, 1, 2, 3, 5\\]")
    client.wait_for("^feedback \\[0, 1, 1\\]")


def client_cancels(host: Host) -> None:
    """ros2-client cancels a goal of an action server that an rclpy program runs on Saltus."""
    host.script(HERE / "fibonacci_server.py")
    client = host.client("canceling-client")
    client.wait_for("^canceling 1")
    client.wait_for("^status 5 ")


def client_has_parameters(host: Host) -> None:
    """A parameter of a node of ros2-client is read and set."""
    host.client("parameters").wait_for("ready")
    has_speed(host, "/client_parameters", "1.0", "2.5")


def client_sets_parameters(host: Host) -> None:
    """ros2-client reads and sets a parameter of a node of Saltus."""
    host.script(HERE / "saltus_node.py").wait_for("ready")
    sets_speed(host.client("parameter-client"))


def client_logs(host: Host) -> None:
    """A line of the log of ros2-client is received on /rosout."""
    host.client("log")
    host.saltus("saltus", "topic", "echo", "/rosout").wait_for("a line of ros2-client")


def client_sees(host: Host) -> None:
    """ros2-client sees the nodes and publishers of Saltus."""
    host.script(HERE / "saltus_node.py").wait_for("ready")
    graph = host.client("graph")
    graph.wait_for("^node /holder$")
    graph.wait_for("^publishers of /saltus/scan 1$")


def sdk_publishes_sensors(host: Host) -> None:
    """Saltus receives messages of several types from the SDK."""
    host.sdk("sensors")
    hears_all(host, "sdk")


def sdk_subscribes_sensors(host: Host) -> None:
    """The SDK receives messages of several types from Saltus."""
    host.script(HERE / "saltus_node.py")
    are_heard(host.sdk("sensor_listener"))


def hiroz_publishes(host: Host) -> None:
    """Saltus receives messages of several types from hiroz, and sees its node."""
    host.hiroz("publisher")
    host.echo("/hiroz/text", "std_msgs/msg/String", "data: from hiroz")
    hears_all(host, "hiroz")
    host.wait_for("^/hiroz_publisher$", "node", "list")


def hiroz_subscribes(host: Host) -> None:
    """hiroz receives messages of several types from Saltus."""
    host.script(HERE / "saltus_node.py")
    peer = host.hiroz("subscription")
    peer.wait_for("^text from saltus", 3)
    are_heard(peer)


def hiroz_keeps(host: Host) -> None:
    """A late subscription of Saltus receives what a publisher of hiroz keeps."""
    host.hiroz("latched").wait_for("ready")
    latched = ["--qos-durability", "transient_local", "--qos-reliability", "reliable"]
    host.echo("/hiroz/latched", "std_msgs/msg/String", "^data: kept$", *latched)


def hiroz_comes_late(host: Host) -> None:
    """A late subscription of hiroz receives what a publisher of Saltus keeps, and nothing else."""
    host.script(HERE / "saltus_node.py").wait_for("ready")
    heard = host.hiroz("late").wait_for("^late")
    if heard != ["late kept"]:
        raise Failure(f"{heard}")


def hiroz_serves(host: Host) -> None:
    """Saltus calls a server of hiroz."""
    host.hiroz("server").wait_for("ready")
    calls(host, "hiroz")


def hiroz_calls(host: Host) -> None:
    """hiroz calls a server that an rclpy program runs on Saltus."""
    host.script(SCRIPTS / "service.py")
    host.hiroz("client").wait_for("^sum 42")


def hiroz_sends_a_goal(host: Host) -> None:
    """hiroz sends a goal with feedback to an action server that an rclpy program runs on Saltus.

    Its type `CancelGoal` has another hash than that of ROS 2, so it can cancel no goal, and nobody else can use its servers.
    """
    host.script(HERE / "fibonacci_server.py")
    client = host.hiroz("action-client")
    client.wait_for("^result \\[0, 1, 1, 2, 3, 5\\]")
    client.wait_for("^feedback \\[0, 1, 1\\]")


def hiroz_has_parameters(host: Host) -> None:
    """A parameter of a node of hiroz is read and set."""
    host.hiroz("parameters").wait_for("ready")
    has_speed(host, "/hiroz_parameters", "50", "75")


def hiroz_sets_parameters(host: Host) -> None:
    """hiroz reads and sets a parameter of a node of Saltus."""
    host.script(HERE / "saltus_node.py").wait_for("ready")
    sets_speed(host.hiroz("parameter-client"))


def hiroz_sees(host: Host) -> None:
    """hiroz sees the nodes, topics and services of Saltus."""
    host.script(HERE / "saltus_node.py").wait_for("ready")
    graph = host.hiroz("graph")
    graph.wait_for("^node / holder$")
    graph.wait_for("^topic /saltus/scan sensor_msgs::msg::dds_::LaserScan_$")
    graph.wait_for("^service /holder/get_parameters rcl_interfaces::srv::dds_::GetParameters_$")


CASES: dict[str, Callable[[Host], None]] = {
    "sdk: a publisher": sdk_publishes,
    "sdk: a subscription": sdk_subscribes,
    "sdk: publishers of several types": sdk_publishes_sensors,
    "sdk: subscriptions of several types": sdk_subscribes_sensors,
    "sdk: a server": sdk_serves,
    "sdk: a client": sdk_calls,
    "ros2-client: publishers of several types": client_publishes,
    "ros2-client: subscriptions of several types": client_subscribes,
    "ros2-client: a server": client_serves,
    "ros2-client: a client": client_calls,
    "ros2-client: an action server": client_acts,
    "ros2-client: a canceled goal of its server": client_is_canceled,
    "ros2-client: an action client": client_sends_goal,
    "ros2-client: a goal that its client cancels": client_cancels,
    "ros2-client: parameters": client_has_parameters,
    "ros2-client: a client of parameters": client_sets_parameters,
    "ros2-client: the log": client_logs,
    "ros2-client: the graph": client_sees,
    "hiroz: publishers of several types": hiroz_publishes,
    "hiroz: subscriptions of several types": hiroz_subscribes,
    "hiroz: a transient local publisher": hiroz_keeps,
    "hiroz: a late transient local subscription": hiroz_comes_late,
    "hiroz: a server": hiroz_serves,
    "hiroz: a client": hiroz_calls,
    "hiroz: an action client": hiroz_sends_a_goal,
    "hiroz: parameters": hiroz_has_parameters,
    "hiroz: a client of parameters": hiroz_sets_parameters,
    "hiroz: the graph": hiroz_sees,
}


def chosen(words: list[str]) -> Iterator[tuple[str, Callable[[Host], None]]]:
    """Returns the cases whose name contains a word, or all."""
    for name, case in CASES.items():
        if not words or any(word in name for word in words):
            yield name, case


def main() -> int:
    """Runs the cases. Returns the exit status."""
    passed, count = 0, 0
    for name, case in chosen(sys.argv[1:]):
        count += 1
        begun = time.monotonic()
        try:
            with contextlib.ExitStack() as stack:
                case(Host(stack))
        except Failure as failure:
            print(f"FAILED  {name}\n  {failure}", flush=True)
        else:
            passed += 1
            print(f"ok      {name} ({time.monotonic() - begun:.1f} s)", flush=True)
    print(f"{passed} of {count} cases with other implementations passed")
    return 0 if passed == count and count > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
