"""The node publishes."""

import saltus
from @name@.node import StatusNode
from @messages@ import @message@


def test_the_node_publishes_its_status():
    # The test has a domain of its own, so that it receives nothing from other processes.
    with saltus.init(args=[], domain_id=102):
        node = StatusNode()
        heard = saltus.Future()
        node.create_subscription(@message@, "status", lambda message: heard.done() or heard.set_result(message), 10)
        saltus.spin_until_future_complete(node, heard, timeout_sec=10)
        assert heard.done() and heard.result().@field@
