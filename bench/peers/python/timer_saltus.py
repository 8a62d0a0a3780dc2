"""The one-shot timer bench on Saltus: a machine of `transitions` as a node, and a client that notes its time-outs.

Follows "Timers" of bench/peers/README.md.
"""

import importlib.metadata

import oneshot
import saltus
import transitions
from saltus.executors import SingleThreadedExecutor
from saltus.transitions import Client, Node
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
    node = Node(machine=machine)
    node.get_logger().set_level(saltus.logging.LoggingSeverity.WARN)
    notes = oneshot.Notes(given)
    client = Client(on_event=lambda event: event == "timeout" and notes.note())
    if not client.wait_for_machine(10.0):
        raise SystemExit("the machine did not come")
    executor = SingleThreadedExecutor(wait_strategy=given.wait, spin_tail=given.tail_us / 1e6)
    for one in (node, client):
        executor.add_node(one)
    client.trigger("activate")
    while not notes.is_full:
        executor.spin_once(timeout_sec=5.0)
    notes.report(importlib.metadata.version("saltus"))


main()
