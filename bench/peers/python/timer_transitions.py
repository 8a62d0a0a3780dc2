"""The floor of Python machines in the one-shot timer bench: `transitions` alone, on a grid of absolute times.

The machine goes through the two transitions of an interval. It has no node, no messages and no timed states.
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
    notes = oneshot.Notes(given)
    machine.prepare_event = [lambda event: event.event.name == "timeout" and notes.note()]
    machine.activate()
    due = time.monotonic_ns()
    while not notes.is_full:
        due += given.timeout_us * 1000
        time.sleep(max(due - time.monotonic_ns(), 0) / 1e9)
        machine.timeout()
    notes.report(importlib.metadata.version("transitions"))


main()
