"""Runs nodes of other implementations of rmw_zenoh's conventions beside Saltus: `run.py [WORD…]`.

A bridge is the router. Each case starts a program of the other implementation and one of Saltus, and checks what they
print. Only cases whose name contains one of the words are run. The programs of Saltus are those of target/debug; the
folder of the peers is target/interop.
"""

import contextlib
import os
import pathlib
import re
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
CLIENT = [str(PEERS / "bin/zenoh_interop")]
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

    def ends_well(self) -> None:
        """Waits until the process ends, and checks its status."""
        try:
            status = self.process.wait(LONG)
        except subprocess.TimeoutExpired:
            raise Failure(f"{self.command}: does not end") from None
        if status != 0:
            raise Failure(f"{self.command}: status {status}: {self.lines[-5:]}")

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

    def peer(self, command: list[str]) -> Program:
        """Starts a program of another implementation, which connects to the bridge."""
        connect = f'mode="peer";connect/endpoints=["tcp/127.0.0.1:{self.port}"];scouting/multicast/enabled=false'
        return self.start(command, ZENOH_CONFIG_OVERRIDE=connect)

    def sdk(self, role: str) -> Program:
        """Starts a node of zenoh-ros2-sdk."""
        return self.start([*SDK, role, self.port])

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
    host.wait_for("^/sdk_talker ", "node", "list")
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


def client_publishes(host: Host) -> None:
    """A message of ros2-client is received."""
    host.peer([*CLIENT, "talker", "--count", "1000"])
    host.saltus("saltus", "topic", "echo", "/chatter", "std_msgs/msg/String").wait_for("^data: ", 5)


def client_subscribes(host: Host) -> None:
    """ros2-client receives messages of Saltus."""
    listener = host.peer([*CLIENT, "listener", "--count", "5", "--timeout", "60"])
    host.saltus("saltus", "topic", "pub", "-r", "20", "/chatter", "std_msgs/msg/String", "data: hello")
    listener.wait_for("message len", 5)
    listener.ends_well()


def client_serves(host: Host) -> None:
    """Saltus calls a server of ros2-client."""
    server = host.peer([*CLIENT, "service-server", "--timeout", "60"])
    host.wait_for("^/add_two_ints$", "service", "list")
    call = ["service", "call", "/add_two_ints", "example_interfaces/srv/AddTwoInts", "{a: 2, b: 40}"]
    host.saltus("saltus", *call).wait_for("sum=42")
    server.wait_for("result of 2 \\+ 40 = 42")
    server.ends_well()


def client_calls(host: Host) -> None:
    """ros2-client calls a server that an rclpy program runs on Saltus."""
    host.script(SCRIPTS / "service.py")
    client = host.peer([*CLIENT, "service-client", "--timeout", "60"])
    client.wait_for("sum=42")
    client.ends_well()


def client_acts(host: Host) -> None:
    """Saltus sends a goal to an action server of ros2-client, with feedback."""
    host.peer([*CLIENT, "action-server", "--timeout", "60"])
    host.wait_for("^/fibonacci$", "action", "list")
    goal = ["action", "send_goal", "/fibonacci", "action_tutorials_interfaces/action/Fibonacci"]
    sent = host.saltus("saltus", *goal, "{order: 5}", "--feedback")
    sent.wait_for("SUCCEEDED")
    sent.wait_for("[Ff]eedback")


def client_sends_goal(host: Host) -> None:
    """ros2-client sends a goal to an action server that an rclpy program runs on Saltus."""
    host.script(HERE / "fibonacci_server.py")
    client = host.peer([*CLIENT, "action-client", "--timeout", "60"])
    client.wait_for("Action Result: \\[0, 1, 1, 2, 3, 5\\]")
    client.ends_well()


def client_has_parameters(host: Host) -> None:
    """Parameters of a node of ros2-client are read and set."""
    host.peer([*CLIENT, "params", "--timeout", "60"]).wait_for("ready")
    host.wait_for("1.0", "param", "get", "/param_holder", "speed")
    host.wait_for("uccess", "param", "set", "/param_holder", "speed", "2.5")
    host.wait_for("2.5", "param", "get", "/param_holder", "speed")


def client_logs(host: Host) -> None:
    """A line of the log of ros2-client is received on /rosout."""
    host.peer([*CLIENT, "rosout", "--timeout", "60"])
    host.saltus("saltus", "topic", "echo", "/rosout").wait_for("rosout interop line")


CASES: dict[str, Callable[[Host], None]] = {
    "sdk: a publisher": sdk_publishes,
    "sdk: a subscription": sdk_subscribes,
    "sdk: a server": sdk_serves,
    "sdk: a client": sdk_calls,
    "ros2-client: a publisher": client_publishes,
    "ros2-client: a subscription": client_subscribes,
    "ros2-client: a server": client_serves,
    "ros2-client: a client": client_calls,
    "ros2-client: an action server": client_acts,
    "ros2-client: an action client": client_sends_goal,
    "ros2-client: parameters": client_has_parameters,
    "ros2-client: the log": client_logs,
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
