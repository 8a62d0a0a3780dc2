"""What the Python programs of the timer bench share; see "Timers" in bench/peers/README.md."""

import argparse
import array
import os
import time

from pingpong import Usage


def arguments():
    """Parses the arguments of the harness, and puts the process on its CPU."""
    parser = argparse.ArgumentParser()
    for name in ("--timeout-us", "--count", "--tail-us", "--cpu"):
        parser.add_argument(name, type=int, required=True)
    parser.add_argument("--wait", default="adaptive")
    parser.add_argument("--out", required=True)
    given = parser.parse_args()
    if given.cpu >= 0:
        os.sched_setaffinity(0, {given.cpu})
    return given


class Notes:
    """The times at which time-outs were received. There is one more of them than there are intervals."""

    def __init__(self, given):
        self.given, self.times, self.usage = given, array.array("Q"), Usage()

    @property
    def is_full(self):
        return len(self.times) > self.given.count

    def note(self):
        if not self.is_full:
            self.times.append(time.monotonic_ns())

    def report(self, version):
        """Writes the times to a file, and prints the rest."""
        used = self.usage.text()
        with open(self.given.out, "wb") as file:
            self.times.tofile(file)
        print(f"n={len(self.times)} lost=0 {used} version={version}")
