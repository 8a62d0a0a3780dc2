"""State machines as nodes."""

import gc
import json
import pathlib
import threading
import time

import pytest
import transitions
import yaml
from saltus import _native
from saltus.msgs.std_srvs.srv import Trigger
from saltus.transitions import MachineClient, MachineNode, from_yaml
from transitions.extensions import HierarchicalMachine
from transitions.extensions.states import Timeout, Volatile, add_state_features

LONG = 10.0
VECTORS = pathlib.Path(__file__).parents[3] / "crates/client/saltus-machine/tests/vectors.yaml"


class Model:
    pass


def matter(**options):
    machine = transitions.Machine(Model(), states=["solid", "liquid", "gas"], initial="solid", **options)
    for name, source, dest in (("melt", "solid", "liquid"), ("freeze", "liquid", "solid")):
        machine.add_transition(name, source, dest)
    machine.add_transition("look", "*", None)
    return machine


def spin_until(saltus, holds, *nodes):
    end = time.monotonic() + LONG
    while not holds():
        assert time.monotonic() < end, "the condition does not hold in time"
        spin(saltus, *nodes)


def described_by(saltus, node):
    future = node.create_client(Trigger, "describe").call_async(Trigger.Request())
    saltus.spin_until_future_complete(node, future, timeout_sec=LONG)
    return future.result()


def spin(saltus, *nodes):
    for node in nodes:
        saltus.spin_once(node, timeout_sec=0.005)


def test_a_trigger_is_received_and_event_and_state_are_published_one_by_one(saltus):
    machine = matter()
    node, client = MachineNode(machine=machine), MachineClient()
    client.trigger("melt")
    spin(saltus, client, node)
    assert machine.model.state == "liquid"
    spin(saltus, client, client)
    assert (list(client.events), list(client.states)) == (["melt"], ["liquid"])
    assert dict(client.get_topic_names_and_types())["/machine/trigger"] == ["example_interfaces/msg/String"]
    client.trigger("look")
    spin(saltus, node, client, client)
    assert (list(client.events), list(client.states)) == (["melt", "look"], ["liquid"])
    node.destroy_node()
    client.destroy_node()


def test_an_invalid_trigger_is_rejected_and_the_machine_continues(saltus, capfd):
    machine = matter()
    node, client = (
        MachineNode(node_name="ice", namespace="kitchen", machine=machine),
        MachineClient(namespace="kitchen"),
    )
    assert client.wait_for_machine(LONG)
    for name in ("freeze", "explode", "__class__", "melt"):
        client.trigger(name)
        spin(saltus, node)
    assert machine.model.state == "liquid"
    err = capfd.readouterr().err
    assert "trigger 'freeze' refused" in err and "trigger 'explode' refused" in err
    node.destroy_node()


def test_an_error_of_the_programs_own_callback_is_raised(saltus):
    machine = matter()
    machine.on_enter_liquid(lambda event: event.model.nothing)
    node, client = MachineNode(machine=machine), MachineClient()
    client.trigger("melt")
    with pytest.raises(AttributeError, match="nothing"):
        spin(saltus, node)
    early = MachineNode(node_name="early", namespace="early")
    other = MachineClient(namespace="early")
    other.trigger("melt")
    spin(saltus, early)
    early.machine = matter(queued=True)
    other.trigger("melt")
    spin(saltus, early)
    assert early.machine.model.state == "liquid"


def test_a_hierarchical_machine_publishes_its_inner_states(saltus):
    states = ["idle", {"name": "busy", "initial": "slow", "children": ["slow", "fast"]}]
    machine = HierarchicalMachine(Model(), states=states, initial="idle")
    machine.add_transition("go", "idle", "busy")
    machine.add_transition("hurry", "busy_slow", "busy_fast")
    node, client = MachineNode(machine=machine), MachineClient()
    for name in ("go", "hurry"):
        client.trigger(name)
        spin(saltus, node, client, client)
    assert list(client.states) == ["busy_slow", "busy_fast"]


@add_state_features(Timeout)
class Timed(transitions.Machine):
    pass


def blinker(period):
    states = [
        {"name": "on", "timeout": period, "on_timeout": "toggle"},
        {"name": "off", "timeout": period, "on_timeout": "toggle"},
        "stopped",
    ]
    machine = Timed(Model(), states=states, initial="stopped")
    machine.add_transition("start", "stopped", "on")
    machine.add_transition("toggle", "on", "off")
    machine.add_transition("toggle", "off", "on")
    machine.add_transition("stop", "*", "stopped")
    return machine


def test_timed_states_end_on_time_even_if_callbacks_are_slow(saltus):
    machine, times = blinker(0.005), []
    node = MachineNode(machine=machine)
    node.get_logger().set_level(40)
    busy = 0.001  # in seconds

    def note(event):
        times.append(time.monotonic_ns())
        end = time.monotonic() + busy
        while time.monotonic() < end:
            pass

    machine.on_exit_on(note)
    machine.on_exit_off(note)
    executor = saltus.SingleThreadedExecutor(spin_tail=0.0005)
    executor.add_node(node)
    began = time.monotonic_ns()

    def late():
        return [at - began - (place + 1) * 5_000_000 for place, at in enumerate(times)]

    machine.model.start()
    # Delays that add up would make each state after the 20th at least 20 ms late. If the machine stops for
    # long, states are late too, but later ones are on time again.
    while len(times) < 41 or min(late()[20:]) >= 5_000_000:
        executor.spin_once(LONG)
        assert time.monotonic_ns() - began < 20_000_000_000
    machine.model.stop()
    stopped = len(times)
    executor.spin_until_future_complete(saltus.Future(), timeout_sec=0.02)
    assert len(times) == stopped and machine.model.state == "stopped"
    # Each state ended when it was due or later, never earlier. The last time is that of the stop.
    assert min(late()[: stopped - 1]) > -500_000
    node.get_logger().set_level(0)


def test_a_one_shot_timer_counts_from_when_the_event_that_started_it_was_due(saltus):
    node = MachineNode()
    dues = []
    second = node.create_one_shot_timer(lambda: dues.append(node._due()))
    first = node.create_one_shot_timer(lambda: (dues.append(node._due()), second.start(0.002)))
    first.start(0.002)
    first.start(0.003)
    while len(dues) < 2:
        saltus.spin_once(node, timeout_sec=LONG)
    assert dues[1] - dues[0] == 2_000_000
    first.start(0.001)
    first.cancel()
    saltus.spin_once(node, timeout_sec=0.01)
    assert len(dues) == 2
    first.destroy()


def test_an_impossible_placement_or_option_of_an_executor_is_an_error(saltus, node):
    from saltus.exceptions import PlacementError

    executor = saltus.SingleThreadedExecutor(cpus=[10_000])
    executor.add_node(node)
    with pytest.raises(PlacementError, match="10000"):
        executor.spin()
    with pytest.raises(ValueError, match="expected 'other', 'fifo' or 'rr'"):
        saltus.SingleThreadedExecutor(policy="soon", priority=1).spin()
    with pytest.raises(ValueError, match="expected 'block', 'adaptive' or 'spin'"):
        saltus.SingleThreadedExecutor(wait_strategy="lazily")


def test_machines_behave_as_in_the_shared_test_vectors():
    vectors = yaml.safe_load(VECTORS.read_text())
    assert len(vectors) > 2
    for vector in vectors:
        machine = from_yaml(json.dumps(vector["machine"]))
        for trigger, expected in vector["steps"]:
            before = machine.state
            if expected == "refused":
                with pytest.raises((transitions.MachineError, AttributeError)):
                    machine.trigger(trigger)
                assert machine.state == before
            else:
                machine.trigger(trigger)
                assert machine.state == expected, (vector["machine"], trigger)


def test_the_error_of_a_wrong_definition_contains_the_position():
    with pytest.raises(ValueError, match="line 2, column 15: .*expected \\[trigger, source, dest\\]"):
        from_yaml("states: [a]\ntransitions: [[go]]")


def test_a_machine_from_text_calls_the_callbacks_of_its_model(saltus):
    class Door:
        opened = 0

        def on_enter_open(self, event):
            self.opened += 1

    text = "{states: [closed, {name: open, timeout: 0.01, on_timeout: close}], transitions: [[open, closed, open], [close, open, closed]]}"
    door = Door()
    machine = from_yaml(text, door)
    node, client = MachineNode(machine=machine), MachineClient()
    door.trigger("open")
    assert (door.opened, door.state) == (1, "open")
    spin_until(saltus, lambda: door.state == "closed", node)
    spin_until(saltus, lambda: list(client.states) == ["open", "closed"], client)


@pytest.mark.parametrize(
    "text",
    [
        "{states: [a, {name: b, timeout: 1.5, on_timeout: back}], transitions: [[go, a, b], [back, b, a], [look, a, null], [same, b, '=']]}",
        "{states: [a, {name: b, initial: c, children: [c, d]}], transitions: [[go, a, b], [on, b_c, b_d], [back, '*', a]]}",
    ],
)
def test_the_description_of_a_machine_equals_its_definition(saltus, text):
    machine = from_yaml(text)
    node = MachineNode(machine=machine)
    machine.trigger("go")
    answer = described_by(saltus, node)
    described = json.loads(answer.message)
    assert answer.success and described.pop("state") == machine.state
    again = from_yaml(json.dumps(described))
    assert machine_triggers(again) == machine_triggers(machine)
    assert described["states"] == json.loads(_native.machine_definition(text))["states"]


def machine_triggers(machine):
    events = (machine.get_transitions(trigger=name) for name in machine.events)
    return {(one.source, one.dest) for transitions_ in events for one in transitions_}


def test_a_machine_that_runs_for_a_long_time_keeps_no_events(saltus):
    machine = from_yaml(
        "{states: [{name: a, on_enter: [on]}, {name: b, timeout: 0.001, on_timeout: back}], transitions: [[on, a, b], [back, b, a]]}"
    )
    node = MachineNode(machine=machine)
    node.get_logger().set_level(saltus.logging.LoggingSeverity.WARN)
    counted, passed = [], []
    machine.after_state_change += [passed.append]
    for _ in range(2):
        passed.clear()
        spin_until(saltus, lambda: len(passed) > 200, node)
        passed.clear()
        gc.collect()
        counted.append(sum(isinstance(one, transitions.EventData) for one in gc.get_objects()))
    assert counted[1] <= counted[0] + 2, counted


def test_the_initial_state_of_a_definition_is_entered_and_timed(saltus):
    node = MachineNode(
        machine=from_yaml(
            "{states: [{name: lit, timeout: 0.01, on_timeout: toggle}, dark], transitions: [[toggle, lit, dark]]}"
        )
    )
    spin_until(saltus, lambda: node.machine.model.state == "dark", node)
    nested = "{states: [{name: busy, initial: slow, children: [{name: slow, timeout: 0.01, on_timeout: go}]}, idle], transitions: [[go, busy, idle]]}"
    node = MachineNode(node_name="nested", namespace="nested", machine=from_yaml(nested))
    assert node.machine.model.state == "busy_slow"
    spin_until(saltus, lambda: node.machine.model.state == "idle", node)


def test_a_timeout_without_a_transition_is_rejected_and_the_node_continues(saltus, capfd):
    node = MachineNode(
        machine=from_yaml(
            "{states: [a, {name: b, timeout: 0.005, on_timeout: melt}], transitions: [[go, a, b], [melt, a, b]]}"
        )
    )
    node.machine.model.trigger("go")
    logged = []
    spin_until(saltus, lambda: logged.append(capfd.readouterr().err) or "refused" in "".join(logged), node)
    assert node.machine.model.state == "b"


def test_other_features_of_timed_states_are_entered_too(saltus):
    @add_state_features(Volatile, Timeout)
    class Machine(transitions.Machine):
        pass

    states = ["a", {"name": "b", "timeout": 0.005, "on_timeout": "back", "volatile": list, "hook": "found"}]
    machine = Machine(
        states=states, transitions=[["go", "a", "b"], ["back", "b", "a"]], initial="a", auto_transitions=False
    )
    node = MachineNode(machine=machine)
    machine.go()
    assert machine.found == []
    assert not any(isinstance(thread, threading.Timer) for thread in threading.enumerate())
    spin_until(saltus, lambda: machine.state == "a", node)
    assert not hasattr(machine, "found")


def test_an_explicit_trigger_that_begins_with_to_is_described(saltus):
    machine = transitions.Machine(states=["home", "away"], initial="home", transitions=[["to_base", "away", "home"]])
    assert json.loads(described_by(saltus, MachineNode(machine=machine)).message)["transitions"] == [
        ["to_base", "away", "home"]
    ]


@pytest.mark.parametrize("initial", ["idle", "busy", ["busy_arm", "busy_leg"]])
def test_a_machine_that_may_be_in_several_states_at_once_is_not_described(saltus, initial):
    states = ["idle", {"name": "busy", "parallel": ["arm", "leg"]}]
    answer = described_by(
        saltus, MachineNode(machine=HierarchicalMachine(states=states, initial=initial, auto_transitions=False))
    )
    assert not answer.success and "in several states at once: " in answer.message
    empty = MachineNode(node_name="empty", namespace="empty")
    assert described_by(saltus, empty).message == "the node has no machine yet"
