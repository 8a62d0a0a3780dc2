"""Tests that the component publishes."""

import saltus
from @name@.node import Status
from saltus.msgs.std_msgs.msg import String


def test_the_component_publishes_its_status(domain):
    component = Status()
    received = saltus.Future()

    def receive(message):
        if not received.done():
            received.set_result(message.data)

    component.create_subscription(String, "status", receive, 10)
    saltus.spin_until_future_complete(component, received, timeout_sec=10)
    assert received.done() and received.result() == "step 1"
