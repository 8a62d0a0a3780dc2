"""The one-shot timer benchmark on Saltus: a `transitions` machine in a node, and a client that records its timeouts.

Follows "Timers" of bench/peers/README.md.
"""

import importlib.metadata

import oneshot
import saltus
import transitions
from saltus.executors import SingleThreadedExecutor
from saltus.transitions import MachineClient, MachineNode
from transitions.extensions.states import Timeout, add_state_features


@add_state_features(Timeout)
class Machine(transitions.Machine):
    """A machine with timed states."""


def main():
    given = oneshot.arguments()
    seconds = given.timeout_us / 1e6
    states = [
        {"name": "active", "timeout": seconds, "on_timeout": "timeout"},
        {"name": "inactive", "on_enter": "activate"},
    ]
    machine = Machine(states=states, initial="inactive", queued=True)
    machine.add_transition("timeout", "active", "inactive")
    machine.add_transition("activate", "inactive", "active")
    saltus.init()
    node = MachineNode(machine=machine)
    node.get_logger().set_level(saltus.logging.LoggingSeverity.WARN)
    recorder = oneshot.TimeoutRecorder(given)
    client = MachineClient(on_event=lambda event: event == "timeout" and recorder.record())
    if not client.wait_for_machine(10.0):
        raise SystemExit("the machine was not found in time")
    executor = SingleThreadedExecutor(wait_strategy=given.wait, spin_tail=given.tail_us / 1e6)
    for one in (node, client):
        executor.add_node(one)
    client.trigger("activate")
    while not recorder.is_full:
        executor.spin_once(timeout_sec=5.0)
    recorder.report(importlib.metadata.version("saltus"))


main()
