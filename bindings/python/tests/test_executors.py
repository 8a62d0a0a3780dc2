"""Executors, and what they run, where rclpy has rules of its own."""

import os
import threading

import pytest
from saltus.action import ActionClient, ActionServer
from saltus.msgs.example_interfaces.action import Fibonacci
from saltus.msgs.std_msgs.msg import String
from saltus.msgs.std_srvs.srv import Empty
from saltus.wait_for_message import wait_for_message

LONG = 10.0


def until(executor, is_so):
    for _ in range(1000):
        if is_so():
            return
        executor.spin_once(LONG)
    raise AssertionError("never so")


def test_a_callback_that_may_take_a_second_argument_is_not_given_one(saltus, node):
    heard = []
    for topic in ("a", "b"):
        node.create_subscription(String, topic, lambda message, topic=topic: heard.append((topic, message.data)), 10)
    node.create_subscription(String, "a", lambda message, info: heard.append(info["publication_sequence_number"]), 10)
    with pytest.raises(RuntimeError, match="must take"):
        node.create_subscription(String, "a", lambda: None, 10)
    for topic in ("a", "b"):
        node.create_publisher(String, topic, 10).publish(String(data=topic.upper()))
    executor = saltus.SingleThreadedExecutor()
    executor.add_node(node)
    until(executor, lambda: len(heard) == 3)
    assert sorted(map(str, heard)) == ["('a', 'A')", "('b', 'B')", "1"]


@pytest.mark.parametrize("where", ["before", "after a spin", "in a callback", "while it is spun"])
def test_a_message_is_waited_for(saltus, node, where):
    publisher = node.create_publisher(String, "news", saltus.QoSProfile(depth=1, durability=saltus.DurabilityPolicy.TRANSIENT_LOCAL))
    publisher.publish(String(data="good"))
    latched = publisher.qos_profile
    found = []

    def wait():
        found.append(wait_for_message(String, node, "news", qos_profile=latched, time_to_wait=LONG))

    if where == "after a spin":
        saltus.spin_once(node, timeout_sec=0)
    if where == "in a callback":
        node.create_timer(0.001, wait)
        saltus.spin_once(node, timeout_sec=LONG)
    elif where == "while it is spun":
        executor = saltus.MultiThreadedExecutor(2)
        executor.add_node(node)
        waiting = threading.Thread(target=wait)
        waiting.start()
        until(executor, lambda: executor.spin_once(0.01) or not waiting.is_alive())
        waiting.join()
        executor.shutdown()
    else:
        wait()
    ((is_there, message),) = found
    assert is_there and message.data == "good"
    assert wait_for_message(String, node, "silence", time_to_wait=0.01) == (False, None)


def test_done_callbacks_run_on_the_executor_that_has_the_node_when_they_are_due(saltus, node):
    node.create_service(Empty, "nothing", lambda request, response: response)
    client = node.create_client(Empty, "nothing")

    def execute(handle):
        handle.publish_feedback(Fibonacci.Feedback(sequence=[1]))
        handle.succeed()
        # Of a goal that has ended nothing is told.
        handle.publish_feedback(Fibonacci.Feedback(sequence=[2]))
        return Fibonacci.Result(sequence=[3])

    ActionServer(node, Fibonacci, "count", execute)
    actions = ActionClient(node, Fibonacci, "count")
    # From now on the node has an executor that nobody spins any more.
    saltus.spin_once(node, timeout_sec=0)
    done, told = [], []
    client.call_async(Empty.Request()).add_done_callback(done.append)
    actions.send_goal_async(Fibonacci.Goal(), told.append).add_done_callback(
        lambda sent: sent.result().get_result_async().add_done_callback(done.append)
    )
    executor = saltus.SingleThreadedExecutor()
    executor.add_node(node)
    until(executor, lambda: len(done) == 2 and told)
    assert [list(one.feedback.sequence) for one in told] == [[1]]
    assert list(done[1].result().result.sequence) == [3]


def test_a_spin_without_time_runs_what_is_ready(saltus, node):
    publisher = node.create_publisher(String, "news", 10)
    heard = []
    node.create_subscription(String, "news", heard.append, 10)
    publisher.publish(String())
    future = saltus.Future()
    for _ in range(3):
        saltus.spin_until_future_complete(node, future, timeout_sec=0)
    assert len(heard) == 1


def test_a_node_that_was_destroyed_leaves_the_graph_though_its_publisher_is_kept(saltus, node):
    gone = saltus.Node("gone")
    kept = [gone.create_publisher(String, "a", 1), gone.create_subscription(String, "a", print, 1), gone.create_client(Empty, "b")]
    assert "gone" in node.get_node_names()
    gone.destroy_node()
    assert node.context.handle.wait_for(lambda: "gone" not in node.get_node_names(), LONG) and kept


def test_an_executor_of_threads_is_shut_down_in_a_flood(saltus, node):
    publisher = node.create_publisher(String, "flood", 10)
    for _ in range(3):
        node.create_subscription(String, "flood", lambda message: publisher.publish(message), 10)
    for _ in range(20):
        executor = saltus.MultiThreadedExecutor(2)
        executor.add_node(node)
        failed = []

        def spin():
            try:
                executor.spin()
            except BaseException as error:
                failed.append(error)

        spinning = threading.Thread(target=spin)
        publisher.publish(String())
        spinning.start()
        executor.shutdown()
        spinning.join(LONG)
        assert not failed and not spinning.is_alive()


def test_a_forked_child_spins_a_node_of_its_own(saltus, node):
    saltus.spin_once(node, timeout_sec=0)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            saltus.init(args=[])
            saltus.spin_once(saltus.Node("child"), timeout_sec=0)
            code = 0
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
