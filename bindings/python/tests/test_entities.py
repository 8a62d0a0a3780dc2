"""Entities while they are created."""

import pytest
from saltus.event_handler import SubscriptionEventCallbacks
from saltus.msgs.std_msgs.msg import String
from saltus.msgs.std_srvs.srv import Empty
from saltus.subscription import Subscription
from spinning import LONG


@pytest.mark.parametrize("kind", ["message", "event", "timer", "request", "trigger"])
def test_what_comes_while_an_entity_is_created_runs_its_callback(saltus, node, kind):
    """The group stands in for another thread: it spins when the native part is there, but not the whole entity."""
    executor = saltus.SingleThreadedExecutor()
    executor.add_node(node)
    client = node.create_client(Empty, "serve")
    kept = saltus.QoSProfile(depth=1, durability=saltus.DurabilityPolicy.TRANSIENT_LOCAL)
    node.create_publisher(String, "kept", kept).publish(String(data="early"))
    node.create_publisher(String, "volatile", 1)
    called = []

    class SpinsEarly(saltus.ReentrantCallbackGroup):
        def add_entity(self, entity):
            super().add_entity(entity)
            if kind == "request":
                client.call_async(Empty.Request())
            if kind == "trigger":
                entity.handle.trigger()
            if not isinstance(entity, Subscription) or kind == "message":
                executor.spin_once(0.05)

    def note(*values):
        called.append(kind)
        return values[-1] if values else None

    group = SpinsEarly()
    if kind == "message":
        node.create_subscription(String, "kept", lambda message: note(), kept, callback_group=group)
    elif kind == "event":
        events = SubscriptionEventCallbacks(incompatible_qos=lambda info: note())
        node.create_subscription(
            String, "volatile", lambda message: None, kept, callback_group=group, event_callbacks=events
        )
    elif kind == "timer":
        timer = node.create_timer(0.001, lambda: (timer.cancel(), note()), callback_group=group)
    elif kind == "request":
        node.create_service(Empty, "serve", note, callback_group=group)
    else:
        node.create_guard_condition(lambda: note(), callback_group=group)
    for _ in range(100):
        executor.spin_once(0 if called else LONG / 100)
    executor.shutdown()
    assert called == [kind]
