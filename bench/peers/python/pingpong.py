"""The ping-pong loop that all Python rows of the benchmarks share, whatever transports the messages.

`bench/saltus-bench-pingpong` is the same loop for Rust, and `bench/peers/c/pingpong.h` for C and C++. All follow
`bench/peers/README.md`, so that all rows stamp, check, time and count messages in the same way. If the library calls a
callback with the reply, ping sends the next message in the callback. Otherwise ping waits for the reply.
"""

import argparse
import array
import os
import resource
import struct
import sys
import time

#: The sequence number that ends the exchange.
END = 2**64 - 1
#: How long a reply may take before it counts as lost, in seconds.
REPLY = 1.0
#: One of this number of messages is compared completely, outside the timed part.
WHOLE_EVERY = 100

_now = time.perf_counter_ns
_pack = struct.Struct("<Q").pack_into
_unpack = struct.Struct("<Q").unpack_from


def arguments():
    """Parses the arguments of the harness, and makes the process run on its CPU."""
    parser = argparse.ArgumentParser()
    parser.add_argument("role", choices=["ping", "pong"])
    for name in ("--mode", "--tag", "--out"):
        parser.add_argument(name, required=True)
    for name in ("--size", "--iterations", "--warmup", "--seconds", "--period-us", "--cpu"):
        parser.add_argument(name, type=int, required=True)
    given = parser.parse_args()
    if given.cpu >= 0:
        os.sched_setaffinity(0, {given.cpu})
    return given


class Pace:
    """The times at which round trips start, one per period.

    Times that have passed already are skipped: after a late round trip, the next ones do not start faster.
    """

    def __init__(self, period_us):
        self.period, self.due = period_us * 1000, 0

    def wait(self):
        """Sleeps until the next time. With a period of 0, returns at once."""
        if not self.period:
            return
        now = time.monotonic_ns()
        self.due = self.due + self.period if self.due else now
        if self.due < now:
            self.due += -(-(now - self.due) // self.period) * self.period
        time.sleep((self.due - now) / 1e9)


class Usage:
    """The time, CPU time and context switches of this process since this object was created."""

    def __init__(self):
        self.began, self.before = _now(), resource.getrusage(resource.RUSAGE_SELF)

    def text(self, without=0):
        """Returns the figures as text, without `without` nanoseconds that comparisons took."""
        wall, now = _now() - self.began, resource.getrusage(resource.RUSAGE_SELF)
        cpu = sum(getattr(now, name) - getattr(self.before, name) for name in ("ru_utime", "ru_stime"))
        switches = sum(getattr(now, name) - getattr(self.before, name) for name in ("ru_nvcsw", "ru_nivcsw"))
        return f"wall_ns={wall - without} cpu_ns={max(int(cpu * 1e9) - without, 0)} ctxsw={switches}"


class Ping:
    """Ping. `data` is the data to send. `begin()` stamps it, and `check()` reads the clock for a reply."""

    def __init__(self, given):
        self.given = given
        pattern = bytes((i * 31 >> 2) & 0xFF for i in range(given.size))
        self.data, self.inner = bytearray(pattern), pattern[8:-8]
        self.nanos = array.array("I")
        self.sequence, self.lost, self.compared, self.usage = -1, 0, 0, Usage()
        self.pace = Pace(given.period_us)
        self.last = given.size - 8

    def begin(self):
        """Stamps the next message and reads the clock. Returns False if there is no next message."""
        self.sequence += 1
        if self.sequence >= self.given.warmup:
            if self.sequence == self.given.warmup:
                self.nanos, self.lost, self.compared, self.usage = array.array("I"), 0, 0, Usage()
            done = self.sequence >= self.given.warmup + self.given.iterations
            if done or _now() - self.usage.began > self.given.seconds * 1_000_000_000:
                return False
        self.pace.wait()
        self.began = _now()
        _pack(self.data, 0, self.sequence)
        _pack(self.data, self.last, self.sequence)
        return True

    def check(self, reply):
        """Reads the clock and checks a reply. Returns False if it is not the reply that ping waits for."""
        (first,), (last,) = _unpack(reply, 0), _unpack(reply, len(reply) - 8)
        nanos = _now() - self.began
        if first != self.sequence:
            return False
        if last != self.sequence or len(reply) != self.given.size:
            sys.exit(f"the reply to {self.sequence} has {len(reply)} bytes and ends with {last}")
        self.nanos.append(min(nanos, 2**32 - 1))
        if self.sequence % WHOLE_EVERY == 0:
            began = _now()
            if bytes(reply[8:-8]) != self.inner:
                sys.exit(f"the reply to {self.sequence} differs from the data that was sent")
            self.compared += _now() - began
        return True

    def is_late(self):
        """Returns whether the reply to the last message is late."""
        return _now() - self.began >= REPLY * 1_000_000_000

    def miss(self):
        """Counts the last message as lost."""
        self.lost += 1

    def end(self):
        """Stamps the message that ends the exchange. The caller sends it."""
        self.used, self.began = self.usage.text(self.compared), _now()
        _pack(self.data, 0, END)
        _pack(self.data, self.last, END)

    def report(self, version):
        """Writes the times to a file, and prints the other figures."""
        with open(self.given.out, "wb") as file:
            self.nanos.tofile(file)
        print(f"n={len(self.nanos)} lost={self.lost} {self.used} version={version}")


class Pong:
    """Pong. It counts from the first measured message on, and recognizes the last message."""

    def __init__(self, given):
        self.left, self.usage = given.warmup, Usage()

    def note(self, data):
        """Records a message. Returns whether it must be sent back."""
        if self.left:
            self.left -= 1
            if not self.left:
                self.usage = Usage()
        return _unpack(data, 0)[0] != END

    def report(self):
        """Prints the figures."""
        print(self.usage.text())


def wait_for(holds, what, seconds=10.0):
    """Waits until `holds()` is true. For libraries that have no such wait."""
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            sys.exit(f"{what} was not found in time")
        time.sleep(0.001)


def run_polled(given, version, send, receive):
    """Runs the exchange with a library that is polled. `receive(timeout)` returns a message, or `None`."""
    if given.role == "ping":
        ping = Ping(given)
        while ping.begin():
            send(ping.data)
            while True:
                reply = receive(REPLY)
                if reply is None:
                    ping.miss()
                    break
                if ping.check(reply):
                    break
        ping.end()
        for _ in range(3):
            send(ping.data)
        ping.report(version)
        return
    pong = Pong(given)
    while True:
        data = receive(10.0)
        if data is None or not pong.note(data):
            break
        send(data)
    pong.report()
