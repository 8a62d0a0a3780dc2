"""The survivor in Python. It prints the same lines as `src/survivor.rs`.

`survivor.py NAME PERIOD_US PEER…`
"""

import collections
import os
import sys
import threading
import time

import numpy
import saltus
from saltus.msgs.saltus_bench_msgs.msg import Payload
from saltus.qos import QoSProfile

DEPTH = 4000
GAP, PULSE, STALL = 200_000_000, 20_000_000, 5_000_000
KEPT = 40
LONG = 20.0


def content(number, size):
    """Returns the content of a message: the number, repeated up to the size."""
    return numpy.frombuffer((number.to_bytes(4, "little") * (-(-size // 4)))[:size], numpy.uint8)


def number_of(message):
    """Returns the number of a message, or None if the content does not match the number."""
    number = message.sequence_number
    is_right = len(message.data) == message.data_size and (message.data == content(number, message.data_size)).all()
    return number if is_right else None


def size_of_message(number):
    """Returns a size that is mostly small and sometimes large. The same large size is not returned again soon."""
    return 300_000 + number % 977 * 1000 if number % 101 == 0 else 16 << (number % 11)


class Peer:
    """The messages that were received from a peer."""

    def __init__(self, survivor, name):
        self.survivor, self.name = survivor, name
        self.next = None
        self.received = self.missing = self.corrupt = self.last_at = 0
        self.gaps = []
        profile = QoSProfile(depth=DEPTH)
        self.subscription = survivor.node.create_subscription(Payload, f"numbered/{name}", self.record, profile)

    def record(self, message):
        now = time.monotonic_ns()
        self.received += 1
        if self.last_at and now - self.last_at > GAP:
            self.gaps.append((self.last_at, now))
        self.last_at = now
        number = number_of(message)
        if number is None:
            self.corrupt += 1
            return
        expected, self.next = number if self.next is None else self.next, number + 1
        if number >= expected:
            self.missing += number - expected
        else:
            self.corrupt += 1
        if number % 7 == 0 and len(self.survivor.kept) < KEPT:
            self.survivor.kept.append((now + number % 500 * 1_000_000, number, message))


class Survivor:
    def __init__(self, name, period_us, peers):
        self.node = saltus.create_node(name)
        self.publisher = self.node.create_publisher(Payload, f"numbered/{name}", 10)
        self.kept, self.kept_corrupt = collections.deque(), 0
        self.corrupt_from_victims = 0
        self.from_victims = self.node.create_subscription(Payload, "from_victims", self.on_victim_message, 5)
        self.peers = [Peer(self, peer) for peer in peers]
        self.sent = self.failed = 0
        self.failing = []
        assert self.publisher.wait_for_subscriptions(len(peers), LONG)
        assert all(peer.subscription.wait_for_publishers(1, LONG) for peer in self.peers)
        self.timer = self.node.create_timer(period_us / 1e6, self.publish_next)

    def publish_next(self):
        now, number = time.monotonic_ns(), self.sent + 1
        size = size_of_message(number)
        try:
            self.publisher.publish(Payload(sequence_number=number, data_size=size, data=content(number, size)))
            self.sent = number
        except MemoryError as error:
            print(error, file=sys.stderr)
            self.failed += 1
            self.failing.append((now, time.monotonic_ns()))
        self.drop_old(now)

    def on_victim_message(self, message):
        self.corrupt_from_victims += int(len(message.data) > 0 and (message.data != message.data[0]).any())

    def drop_old(self, now):
        while self.kept and self.kept[0][0] <= now:
            _, number, message = self.kept.popleft()
            self.kept_corrupt += int(number_of(message) != number)

    def report(self):
        self.drop_old(float("inf"))
        for peer in self.peers:
            _, losses = peer.subscription.statistics()
            overflow, memory = losses.get("queue overflow", 0), losses.get("out of shared memory", 0)
            print(
                f"from {peer.name} received={peer.received} missing={peer.missing} corrupt={peer.corrupt}"
                f" last={(peer.next or 1) - 1} overflow={overflow} memory={memory} all={sum(losses.values())}"
            )
            for start, end in peer.gaps:
                print("gap", peer.name, start, end)
        for start, end in self.failing:
            print("failing", start, end)
        received, losses = self.from_victims.statistics()
        print(f"victims received={received} corrupt={self.corrupt_from_victims + losses.get('memory corrupt', 0)}")
        print(f"kept corrupt={self.kept_corrupt}")


def watch_for_stalls(stalls):
    """Records when no thread of this process ran, or the kernel counted that its main thread waited for a CPU."""
    waits = os.open(f"/proc/self/task/{os.getpid()}/schedstat", os.O_RDONLY)
    before, waited_before = time.monotonic_ns(), int(os.pread(waits, 128, 0).split()[1])
    while True:
        time.sleep(PULSE / 1e9)
        now, waited = time.monotonic_ns(), int(os.pread(waits, 128, 0).split()[1])
        lost = max(waited - waited_before, now - before - PULSE)
        if lost >= STALL:
            stalls.append((now - lost, now))
        before, waited_before = now, waited


def main(name, period_us, *peers):
    stalls, commands = [], collections.deque()
    threading.Thread(target=watch_for_stalls, args=(stalls,), daemon=True).start()
    saltus.init(args=[])
    survivor = Survivor(name, int(period_us), peers)
    read = threading.Thread(target=read_commands, args=(commands,), daemon=True)
    read.start()
    print("ready", flush=True)
    deadline = None
    while True:
        saltus.spin_once(survivor.node, timeout_sec=0.02)
        while commands:
            words = commands.popleft()
            if words == ["stop"]:
                survivor.timer.cancel()
                print(f"sent={survivor.sent} failed={survivor.failed}", flush=True)
            elif words[0] == "drain":
                last = dict(word.split("=") for word in words[1:])
                deadline = time.monotonic() + LONG
            else:
                raise SystemExit(f"no such command: {words}")
        if deadline is None:
            if not read.is_alive():
                return
            continue
        is_drained = all((peer.next or 0) > int(last.get(peer.name, 0)) for peer in survivor.peers)
        if is_drained or time.monotonic() >= deadline:
            break
    survivor.report()
    for start, end in stalls:
        print("stall", start, end)
    print("done", flush=True)


def read_commands(commands):
    for line in sys.stdin:
        commands.append(line.split())


if __name__ == "__main__":
    main(*sys.argv[1:])
