"""Tests that the action computes a result."""

import saltus
from @name@.node import FibonacciNode
from saltus.action import ActionClient
from saltus.msgs.example_interfaces.action import Fibonacci


def test_the_action_computes_fibonacci_numbers(domain):
    node = FibonacciNode()
    client = ActionClient(node, Fibonacci, "fibonacci")
    assert client.wait_for_server(timeout_sec=10)
    sent = client.send_goal_async(Fibonacci.Goal(order=5))
    saltus.spin_until_future_complete(node, sent, timeout_sec=10)
    result = sent.result().get_result_async()
    saltus.spin_until_future_complete(node, result, timeout_sec=10)
    assert result.done() and result.result().result.sequence.tolist() == [0, 1, 1, 2, 3, 5]
