"""The baseline for Python machines in the one-shot timer benchmark: `transitions` alone, with absolute times.

In each interval the machine makes its two transitions. It has no node, no messages and no timed states.
Follows "Timers" of bench/peers/README.md.
"""

import importlib.metadata
import time

import oneshot
import transitions


def main():
    given = oneshot.arguments()
    machine = transitions.Machine(
        states=["active", {"name": "inactive", "on_enter": "activate"}],
        initial="inactive",
        queued=True,
        send_event=True,
    )
    machine.add_transition("timeout", "active", "inactive")
    machine.add_transition("activate", "inactive", "active")
    recorder = oneshot.TimeoutRecorder(given)
    machine.prepare_event = [lambda event: event.event.name == "timeout" and recorder.record()]
    machine.activate()
    due = time.monotonic_ns()
    while not recorder.is_full:
        due += given.timeout_us * 1000
        time.sleep(max(due - time.monotonic_ns(), 0) / 1e9)
        machine.timeout()
    recorder.report(importlib.metadata.version("transitions"))


main()
