"""Functions that the Python programs of the timer benchmark share; see "Timers" in bench/peers/README.md."""

import argparse
import array
import os
import time

from pingpong import Usage


def arguments():
    """Parses the arguments of the harness, and makes the process run on its CPU."""
    parser = argparse.ArgumentParser()
    for name in ("--timeout-us", "--count", "--tail-us", "--cpu"):
        parser.add_argument(name, type=int, required=True)
    parser.add_argument("--wait", default="adaptive")
    parser.add_argument("--out", required=True)
    given = parser.parse_args()
    if given.cpu >= 0:
        os.sched_setaffinity(0, {given.cpu})
    return given


class TimeoutRecorder:
    """Records the times at which timeouts are received: one more than the number of intervals."""

    def __init__(self, given):
        self.given, self.times, self.usage = given, array.array("Q"), Usage()

    @property
    def is_full(self):
        return len(self.times) > self.given.count

    def record(self):
        if not self.is_full:
            self.times.append(time.monotonic_ns())

    def report(self, version):
        """Writes the times to a file, and prints the other figures."""
        used = self.usage.text()
        with open(self.given.out, "wb") as file:
            self.times.tofile(file)
        print(f"n={len(self.times)} lost=0 {used} version={version}")
