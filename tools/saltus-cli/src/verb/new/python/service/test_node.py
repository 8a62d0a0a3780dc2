"""Tests that the service answers."""

import saltus
from @name@.node import AddNode
from saltus.msgs.example_interfaces.srv import AddTwoInts


def test_the_service_adds_two_numbers(domain):
    node = AddNode()
    client = node.create_client(AddTwoInts, "add_two_ints")
    assert client.wait_for_service(timeout_sec=10)
    future = client.call_async(AddTwoInts.Request(a=2, b=40))
    saltus.spin_until_future_complete(node, future, timeout_sec=10)
    assert future.done() and future.result().sum == 42
