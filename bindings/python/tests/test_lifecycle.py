"""Lifecycle nodes, used from their own program. The conformance suite tests what other nodes see."""

import pytest
from saltus.exceptions import LifecycleError
from saltus.lifecycle import (
    LifecycleNode,
    LifecycleNodeMixin,
    LifecyclePublisher,
    LifecycleState,
    ManagedEntity,
    SimpleManagedEntity,
    TransitionCallbackReturn,
)
from saltus.msgs.lifecycle_msgs.msg import State
from saltus.msgs.std_msgs.msg import UInt64

SUCCESS, FAILURE, ERROR = TransitionCallbackReturn


@pytest.fixture
def managed(saltus):
    """A lifecycle node."""
    with LifecycleNode("managed") as node:
        yield node


def state(node):
    return node._state_machine.current_state


def test_the_node_triggers_its_own_transitions(managed):
    assert state(managed) == (State.PRIMARY_STATE_UNCONFIGURED, "unconfigured")
    assert managed.trigger_configure() is SUCCESS
    assert managed.trigger_activate() is SUCCESS
    assert state(managed) == (State.PRIMARY_STATE_ACTIVE, "active")
    assert managed.trigger_deactivate() is SUCCESS
    assert managed.trigger_cleanup() is SUCCESS
    assert managed.trigger_shutdown() is SUCCESS
    assert state(managed) == (State.PRIMARY_STATE_FINALIZED, "finalized")


def test_a_transition_that_is_not_possible_is_an_error(managed):
    assert managed.trigger_activate() is ERROR
    managed.trigger_shutdown()
    with pytest.raises(LifecycleError, match="finalized"):
        managed.trigger_shutdown()


def test_managed_entities_are_called_until_one_fails(managed):
    called = []

    class Entity(ManagedEntity):
        def __init__(self, name, result):
            self.name, self.result = name, result

        def on_configure(self, state):
            called.append((self.name, state))
            return self.result

    before = LifecycleState(label="unconfigured", state_id=1)
    managed.add_managed_entity(Entity("first", SUCCESS))
    managed.add_managed_entity(Entity("second", FAILURE))
    managed.add_managed_entity(Entity("third", SUCCESS))
    assert managed.trigger_configure() is FAILURE
    assert called == [("first", before), ("second", before)]
    with pytest.raises(TypeError, match="ManagedEntity"):
        managed.add_managed_entity("no entity")


@pytest.mark.parametrize("wrong", [None, True, "SUCCESS"])
def test_a_callback_that_returns_something_else_is_an_error(saltus, wrong):
    class Wrong(LifecycleNode):
        def on_configure(self, state):
            return wrong

    with Wrong("wrong") as node:
        assert node.trigger_configure() is ERROR
        assert state(node)[1] == "unconfigured"


def test_a_publisher_drops_messages_until_it_is_activated(saltus, managed):
    received = []
    publisher = managed.create_lifecycle_publisher(UInt64, "numbers", 10)
    assert isinstance(publisher, LifecyclePublisher)
    managed.create_subscription(UInt64, "numbers", lambda message: received.append(message.data), 10)
    assert publisher.wait_for_subscriptions(1, 10.0)
    managed.trigger_configure()
    publisher.publish(UInt64(data=1))
    assert (publisher.is_activated, publisher.dropped) == (False, 1)
    managed.trigger_activate()
    publisher.publish(UInt64(data=2))
    assert (publisher.is_activated, publisher.dropped) == (True, 1)
    managed.trigger_deactivate()
    publisher.publish(UInt64(data=3))
    saltus.spin_once(managed, timeout_sec=10.0)
    assert (received, publisher.dropped) == ([2], 2)
    assert managed.destroy_lifecycle_publisher(publisher)
    assert managed.trigger_activate() is SUCCESS


def test_a_node_without_communication_has_no_services(saltus):
    with LifecycleNode("silent", enable_communication_interface=False) as node:
        assert not [one for one in node.services if "state" in one.service_name]
        assert node.trigger_configure() is SUCCESS


def test_the_mixin_needs_a_node(saltus):
    with pytest.raises(RuntimeError, match="Node"):
        LifecycleNodeMixin()


def test_when_enabled_calls_a_method_only_of_an_activated_entity():
    done = []

    class Entity(SimpleManagedEntity):
        @SimpleManagedEntity.when_enabled
        def one(self):
            done.append("one")

        @SimpleManagedEntity.when_enabled(when_not_enabled=lambda: done.append("not enabled"))
        def two(self):
            done.append("two")

    entity, before = Entity(), LifecycleState(label="inactive", state_id=2)
    entity.one()
    entity.two()
    entity.on_activate(before)
    entity.one()
    entity.two()
    assert done == ["not enabled", "one", "two"]


def test_a_stored_method_and_a_loan_follow_the_state(managed):
    publisher = managed.create_lifecycle_publisher(UInt64, "numbers", 10)
    stored = publisher.publish
    assert (stored(UInt64(data=1)), publisher.loan(UInt64()), publisher.dropped) == (None, None, 2)
    managed.trigger_configure()
    managed.trigger_activate()
    stored(UInt64(data=2))
    assert (publisher.statistics()[0], publisher.dropped) == (1, 2)
    later = managed.create_lifecycle_publisher(UInt64, "more", 10)
    assert later.is_activated
    managed.trigger_shutdown()
    assert not (publisher.is_activated or later.is_activated)


def test_a_node_that_is_destroyed_in_its_callback_reaches_its_state(saltus):
    class Last(LifecycleNode):
        def on_shutdown(self, state):
            self.destroy_node()
            return SUCCESS

    node = Last("last")
    assert node.trigger_shutdown() is SUCCESS
    assert state(node)[1] == "finalized"
