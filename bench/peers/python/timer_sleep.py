"""The Python baseline of the one-shot timer benchmark: `time.sleep` until absolute times, without a machine.

Follows "Timers" of bench/peers/README.md.
"""

import platform
import time

import oneshot


def main():
    given = oneshot.arguments()
    recorder = oneshot.TimeoutRecorder(given)
    due = time.monotonic_ns()
    while not recorder.is_full:
        due += given.timeout_us * 1000
        time.sleep(max(due - time.monotonic_ns(), 0) / 1e9)
        recorder.record()
    recorder.report(platform.python_version())


main()
