"""State machines as nodes."""

import time

import pytest
import transitions
from saltus.transitions import Client, Node
from transitions.extensions import HierarchicalMachine
from transitions.extensions.states import Timeout, add_state_features

LONG = 10.0


class Model:
    pass


def matter(**options):
    machine = transitions.Machine(Model(), states=["solid", "liquid", "gas"], initial="solid", **options)
    for name, source, dest in (("melt", "solid", "liquid"), ("freeze", "liquid", "solid")):
        machine.add_transition(name, source, dest)
    machine.add_transition("look", "*", None)
    return machine


def spin(saltus, *nodes):
    for node in nodes:
        saltus.spin_once(node, timeout_sec=0.005)


def test_a_trigger_is_taken_and_event_and_state_are_told_one_by_one(saltus):
    machine = matter()
    node, client = Node(machine=machine), Client()
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


def test_a_trigger_that_can_not_be_is_refused_and_the_machine_goes_on(saltus, capfd):
    machine = matter()
    node, client = Node(node_name="ice", namespace="kitchen", machine=machine), Client(namespace="kitchen")
    assert client.wait_for_machine(LONG)
    for name in ("freeze", "explode", "__class__", "melt"):
        client.trigger(name)
        spin(saltus, node)
    assert machine.model.state == "liquid"
    err = capfd.readouterr().err
    assert "trigger 'freeze' refused" in err and "trigger 'explode' refused" in err
    node.destroy_node()


def test_a_program_s_own_error_goes_out(saltus):
    machine = matter()
    machine.on_enter_liquid(lambda event: event.model.nothing)
    node, client = Node(machine=machine), Client()
    client.trigger("melt")
    with pytest.raises(AttributeError, match="nothing"):
        spin(saltus, node)
    early = Node(node_name="early", namespace="early")
    other = Client(namespace="early")
    other.trigger("melt")
    spin(saltus, early)
    early.machine = matter(queued=True)
    other.trigger("melt")
    spin(saltus, early)
    assert early.machine.model.state == "liquid"


def test_a_hierarchical_machine_tells_its_inner_states(saltus):
    states = ["idle", {"name": "busy", "initial": "slow", "children": ["slow", "fast"]}]
    machine = HierarchicalMachine(Model(), states=states, initial="idle")
    machine.add_transition("go", "idle", "busy")
    machine.add_transition("hurry", "busy_slow", "busy_fast")
    node, client = Node(machine=machine), Client()
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


def test_timed_states_keep_to_their_grid_however_slow_the_program_is(saltus):
    machine, times = blinker(0.005), []
    node = Node(machine=machine)
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
    machine.model.start()
    while len(times) < 41:
        executor.spin_once(LONG)
    machine.model.stop()
    stopped = len(times)
    executor.spin_until_future_complete(saltus.Future(), timeout_sec=0.02)
    assert len(times) == stopped and machine.model.state == "stopped"
    # Each was at its point of the grid or later, never earlier; and late by far less than the 40 times 1 ms that
    # would have added up.
    late = [at - began - (place + 1) * 5_000_000 for place, at in enumerate(times[:41])]
    assert min(late) > -500_000
    assert sorted(late)[20] < 5_000_000
    node.get_logger().set_level(0)


def test_deadlines_count_from_what_led_to_them(saltus):
    node = Node()
    dues = []
    second = node.deadline(lambda: dues.append(node._due()))
    first = node.deadline(lambda: (dues.append(node._due()), second.start(0.002)))
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


def test_an_executor_says_where_it_can_not_run(saltus, node):
    from saltus.exceptions import PlacementError

    executor = saltus.SingleThreadedExecutor(cpus=[10_000])
    executor.add_node(node)
    with pytest.raises(PlacementError, match="10000"):
        executor.spin()
    with pytest.raises(ValueError, match="expected 'other', 'fifo' or 'rr'"):
        saltus.SingleThreadedExecutor(policy="soon", priority=1).spin()
    with pytest.raises(ValueError, match="expected 'block', 'adaptive' or 'spin'"):
        saltus.SingleThreadedExecutor(wait_strategy="lazily")
