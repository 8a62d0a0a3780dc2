"""Tests that the node publishes."""

import saltus
from @name@.node import StatusNode
from @messages@ import @message@


def test_the_node_publishes_its_status(domain):
    node = StatusNode()
    received = saltus.Future()

    def receive(message):
        if not received.done():
            received.set_result(message)

    node.create_subscription(@message@, "status", receive, 10)
    saltus.spin_until_future_complete(node, received, timeout_sec=10)
    assert received.done() and received.result().@field@ == @first@
