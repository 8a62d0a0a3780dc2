"""The floor of Python in the one-shot timer bench: `time.sleep` on a grid of absolute times, without a machine.

Follows "Timers" of bench/peers/README.md.
"""

import platform
import time

import oneshot


def main():
    given = oneshot.arguments()
    notes = oneshot.Notes(given)
    due = time.monotonic_ns()
    while not notes.is_full:
        due += given.timeout_us * 1000
        time.sleep(max(due - time.monotonic_ns(), 0) / 1e9)
        notes.note()
    notes.report(platform.python_version())


main()
