"""Nodes: topics, services, timers, parameters, the graph, and executors."""

import re
import threading
import time

import numpy as np
import pytest
from saltus.action import ActionClient, ActionServer
from saltus.callback_groups import CallbackGroup, MutuallyExclusiveCallbackGroup, ReentrantCallbackGroup
from saltus.event_handler import PublisherEventCallbacks, SubscriptionEventCallbacks
from saltus.exceptions import (
    ConditionReachedException,
    InvalidHandle,
    InvalidNodeNameException,
    InvalidServiceNameException,
    InvalidTopicNameException,
    LoanInUseError,
    NoServerError,
    NotInitializedException,
    NoTypeSupportImportedException,
    TimeoutException,
)
from saltus.executors import Executor
from saltus.msgs.example_interfaces.action import Fibonacci
from saltus.msgs.example_interfaces.srv import AddTwoInts
from saltus.msgs.rcl_interfaces.msg import Log, SetParametersResult
from saltus.msgs.rcl_interfaces.srv import GetLoggerLevels
from saltus.msgs.sensor_msgs.msg import Image
from saltus.msgs.std_msgs.msg import Header, String, UInt64
from saltus.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy, qos_profile_sensor_data
from saltus.task import Future
from spinning import LONG, spin_until


def test_endpoints_of_one_process_match_at_once_and_each_spin_runs_one_callback(saltus, node):
    received = []
    publisher = node.create_publisher(String, "chatter", 10)
    other = saltus.Node("other")
    other.create_subscription(String, "chatter", received.append, 10)
    assert publisher.get_subscription_count() == 1
    for word in ("a", "b"):
        publisher.publish(msg=String(data=word))
    for count in (1, 2):
        saltus.spin_once(node, timeout_sec=0)
        saltus.spin_once(other, timeout_sec=0.005)
        assert len(received) == count
    other.destroy_node()
    assert publisher.get_subscription_count() == 0
    other.destroy_node()


def test_a_received_array_is_in_shared_memory_and_stays_valid_while_it_is_used(saltus, node):
    kept = []
    publisher = node.create_publisher(Image, "image", 1)
    node.create_subscription(Image, "image", lambda message: kept.append(message.data), 1)
    for number in range(50):
        publisher.publish(Image(data=np.full(100_000, number, np.uint8)))
        saltus.spin_once(node, timeout_sec=LONG)
    assert [int(data[99_999]) for data in kept] == list(range(50))
    assert not kept[0].flags.writeable and not kept[0].flags.owndata
    with pytest.raises(ValueError):
        kept[0][0] = 1
    node.destroy_node()
    assert kept[7].sum() == 700_000


def test_a_loan_is_written_in_place_and_sent_without_a_copy(saltus, node):
    received = []
    publisher = node.create_publisher(Image, "image", 1)
    node.create_subscription(Image, "image", received.append, 1)
    with publisher.loan(Image(height=2, header=Header(frame_id="map"), step=4), data=8) as image:
        image.data[:] = range(8)
    saltus.spin_once(node, timeout_sec=LONG)
    assert (received[0].data.tolist(), received[0].height, received[0].header.frame_id) == (list(range(8)), 2, "map")
    with pytest.raises(LoanInUseError, match="already published"):
        image.data
    with pytest.raises(LoanInUseError):
        image.publish()
    loan = publisher.loan(Image(), data=8)
    with pytest.raises(AttributeError, match=r"loan\.data\[:\] = "):
        loan.data = bytes(8)
    view = loan.data[2:]
    with pytest.raises(LoanInUseError, match="array 'data', or a view of it, is still in use"):
        loan.publish()
    del view
    loan.publish()
    with pytest.raises(AttributeError, match="no 'height'"):
        loan.height
    for wrong in ({"height": 3}, {"nothing": 1}):
        with pytest.raises(AssertionError):
            publisher.loan(Image(), **wrong)
    with pytest.raises(RuntimeError, match="on purpose"):
        with publisher.loan(Image(), data=8):
            raise RuntimeError("on purpose")
    assert publisher.statistics()[0] == 2


def test_values_that_are_not_messages_are_rejected(saltus, node):
    publisher = node.create_publisher(String, "chatter", 10)
    with pytest.raises(TypeError, match="Expected <class .*String'>, got <class 'int'>"):
        publisher.publish(5)
    with pytest.raises(TypeError):
        publisher.publish(Header())
    with pytest.raises(NoTypeSupportImportedException, match="not a message, service or action class"):
        node.create_publisher(int, "chatter", 10)
    with pytest.raises(InvalidTopicNameException):
        node.create_publisher(String, "chat ter", 10)
    with pytest.raises(TypeError, match="Expected QoSProfile or int"):
        node.create_publisher(String, "chatter", "10")
    publisher.destroy()
    with pytest.raises(InvalidHandle):
        publisher.publish(String())


def test_raw_subscriptions_and_message_info(saltus, node):
    raw, with_info = [], []
    publisher = node.create_publisher(UInt64, "number", 10)
    node.create_subscription(UInt64, "number", raw.append, 10, raw=True)
    node.create_subscription(UInt64, "number", lambda message, info: with_info.append((message, info)), 10)
    publisher.publish(UInt64(data=7))
    publisher.publish(raw_bytes := bytes([0, 1, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0]))
    spin_until(saltus, [node], lambda: len(raw) == 2 and len(with_info) == 2)
    assert raw[1] == raw_bytes
    message, info = with_info[1]
    assert message.data == 8 and info.publication_sequence_number == 2 == info["publication_sequence_number"]
    assert abs(info["source_timestamp"] - time.time_ns()) < 60e9


def test_an_unreadable_message_is_counted_and_skipped(saltus, node, capfd):
    received = []
    publisher = node.create_publisher(String, "chatter", 10)
    subscription = node.create_subscription(String, "chatter", received.append, 10)
    publisher.publish(b"\0\1\0\0\xff\xff\xff\xff")
    publisher.publish(String(data="good"))
    spin_until(saltus, [node], lambda: received)
    assert subscription.statistics() == (2, {"deserialization error": 1})
    assert "can't be read" in capfd.readouterr().err


def test_qos_profiles_are_applied_and_printed(saltus, node):
    latched = QoSProfile(depth=3, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    publisher = node.create_publisher(String, "map", latched)
    for word in "abcd":
        publisher.publish(String(data=word))
    received = []
    node.create_subscription(String, "map", lambda message: received.append(message.data), latched)
    spin_until(saltus, [node], lambda: len(received) == 3)
    assert received == ["b", "c", "d"]
    (info,) = node.get_publishers_info_by_topic("map")
    assert (info.node_name, info.topic_type) == ("node", "std_msgs/msg/String")
    assert info.qos_profile.durability == DurabilityPolicy.TRANSIENT_LOCAL and info.qos_profile.depth == 3
    assert info.topic_type_hash.startswith("RIHS01_")


def test_events_are_reported(saltus, node):
    events = []
    callbacks = PublisherEventCallbacks(
        matched=lambda info: events.append(("matched", info.current_count)),
        incompatible_qos=lambda info: events.append(("qos", info.last_policy_kind.name)),
    )
    profile = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
    publisher = node.create_publisher(String, "chatter", profile, event_callbacks=callbacks)
    lost = []
    subscription = node.create_subscription(
        String, "chatter", lambda _: None, qos_profile_sensor_data,
        event_callbacks=SubscriptionEventCallbacks(message_lost=lambda info: lost.append(info.total_count)),
    )  # fmt: skip
    spin_until(saltus, [node], lambda: ("matched", 1) in events)
    node.create_subscription(String, "chatter", lambda _: None, 1)
    spin_until(saltus, [node], lambda: ("qos", "RELIABILITY") in events)
    node.destroy_subscription(subscription)
    spin_until(saltus, [node], lambda: ("matched", 0) in events)
    assert publisher.get_subscription_count() == 0


def test_groups_determine_which_callbacks_run_at_the_same_time(saltus, node):
    concurrent_calls, exclusive_calls = [], []
    barrier = threading.Barrier(2, timeout=LONG)
    inside = threading.Semaphore(1)

    def concurrent():
        barrier.wait()
        concurrent_calls.append(1)

    def exclusive():
        assert inside.acquire(blocking=False), "two callbacks of a mutually exclusive group run at the same time"
        exclusive_calls.append(1)
        inside.release()

    for group, callback in ((ReentrantCallbackGroup(), concurrent), (MutuallyExclusiveCallbackGroup(), exclusive)):
        for _ in range(2):
            timer = node.create_timer(0.001, callback, callback_group=group)
            assert group.has_entity(timer)
    executor = saltus.MultiThreadedExecutor(4)
    executor.add_node(node)
    end = time.monotonic() + LONG
    while (len(concurrent_calls) < 10 or len(exclusive_calls) < 10) and time.monotonic() < end:
        executor.spin_once(0.1)
    executor.shutdown()
    barrier.abort()
    assert len(concurrent_calls) >= 10 and len(exclusive_calls) >= 10


def test_a_custom_group_can_delay_callbacks(saltus, node):
    class Throttled(CallbackGroup):
        remaining = 1

        def can_execute(self, entity):
            return self.remaining > 0

        def beginning_execution(self, entity):
            self.remaining -= 1
            return self.remaining >= 0

        def ending_execution(self, entity):
            pass

    group, received = Throttled(), []
    node.create_subscription(String, "chatter", received.append, 10, callback_group=group)
    publisher = node.create_publisher(String, "chatter", 10)
    for _ in range(3):
        publisher.publish(String())
    for _ in range(3):
        saltus.spin_once(node, timeout_sec=0.01)
    assert len(received) == 1
    group.remaining = 1
    saltus.spin_once(node, timeout_sec=0.1)
    assert len(received) == 2


def test_a_custom_executor_decides_when_handlers_run(saltus, node):
    class Counting(Executor):
        count = 0

        def spin_once(self, timeout_sec=None):
            try:
                handler, entity, owner = self.wait_for_ready_callbacks(timeout_sec)
            except TimeoutException:
                return
            assert owner is node and entity in node.subscriptions
            handler()
            if handler.exception() is not None:
                raise handler.exception()
            self.count += 1

    received = []
    node.create_subscription(String, "chatter", received.append, 10)
    node.create_publisher(String, "chatter", 10).publish(String())
    executor = Counting()
    assert executor.add_node(node) and not executor.add_node(node) and executor.get_nodes() == [node]
    executor.spin_once(0.1)
    executor.spin_once(0)
    assert (executor.count, len(received)) == (1, 1)
    with pytest.raises(ConditionReachedException):
        executor.wait_for_ready_callbacks(condition=lambda: True)


def test_a_spin_raises_the_exception_of_a_callback_and_the_next_spin_continues(saltus, node):
    received = []

    def fail(message):
        received.append(message.data)
        if message.data == "bad":
            raise KeyError("on purpose")

    node.create_subscription(String, "chatter", fail, 10)
    publisher = node.create_publisher(String, "chatter", 10)
    for make in (saltus.SingleThreadedExecutor, saltus.MultiThreadedExecutor):
        received.clear()
        executor = make()
        executor.add_node(node)
        for word in ("bad", "good"):
            publisher.publish(String(data=word))
        with pytest.raises(KeyError, match="on purpose"):
            end = time.monotonic() + LONG
            while time.monotonic() < end:
                executor.spin_once(0.1)
        end = time.monotonic() + LONG
        while received != ["bad", "good"] and time.monotonic() < end:
            executor.spin_once(0.1)
        assert received == ["bad", "good"]
        executor.shutdown()


def test_tasks_and_futures(saltus, node):
    executor = saltus.SingleThreadedExecutor()
    executor.add_node(node)
    ready = saltus.Future()

    async def wait():
        return await ready * 2

    task, plain = executor.create_task(wait), executor.create_task(lambda x: x + 1, 4)
    executor.spin_until_future_complete(plain, timeout_sec=LONG)
    assert plain.result() == 5 and not task.done() and task.result() is None
    ready.set_result(21)
    executor.spin_until_future_complete(task, timeout_sec=LONG)
    assert task.result() == 42
    cancelled, notified = saltus.Future(), []
    cancelled.add_done_callback(notified.append)
    cancelled.cancel()
    assert cancelled.cancelled() and not cancelled.done() and notified == [cancelled]
    began = time.monotonic()
    executor.spin_until_future_complete(saltus.Future(), timeout_sec=0.02)
    assert 0.02 <= time.monotonic() - began < LONG


def test_a_future_whose_creation_was_interrupted_is_dropped_silently(capfd):
    Future.__new__(Future).__del__()
    assert capfd.readouterr() == ("", "")


def test_graph_queries(saltus, node):
    node.create_publisher(String, "a", 1)
    node.create_subscription(String, "a", lambda _: None, 1)
    node.create_service(AddTwoInts, "add", lambda q, r: r)
    node.create_client(AddTwoInts, "add")
    hidden = saltus.Node("_hidden", start_parameter_services=False)
    assert dict(node.get_topic_names_and_types()) == {
        "/a": ["std_msgs/msg/String"],
        "/parameter_events": ["rcl_interfaces/msg/ParameterEvent"],
        "/rosout": ["rcl_interfaces/msg/Log"],
    }
    assert node.get_node_names() == ["node"] and node.get_node_names_and_namespaces() == [("node", "/")]
    assert ("/add", ["example_interfaces/srv/AddTwoInts"]) in node.get_service_names_and_types()
    assert node.get_publisher_names_and_types_by_node("node", "/")[0] == ("/a", ["std_msgs/msg/String"])
    assert node.get_client_names_and_types_by_node("node", "/")[0][0] == "/add"
    counts = (
        node.count_publishers("a"),
        node.count_subscribers("a"),
        node.count_services("add"),
        node.count_clients("add"),
    )
    assert counts == (1, 1, 1, 1)
    with pytest.raises(Exception, match="there is no node with this name"):
        node.get_subscriber_names_and_types_by_node("nobody", "/")
    assert node.wait_for_node("/node", 0.1) and not node.wait_for_node("nobody", 0.01)
    hidden.destroy_node()


def test_logging_reports_name_and_source_location_and_applies_filters(saltus, node, capfd):
    received = []
    profile = QoSProfile(depth=10, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    node.create_subscription(Log, "/rosout", received.append, profile)
    logger = node.get_logger()
    for number in range(3):
        logger.info(f"always {number}")
        logger.warning(f"once {number}", once=True)
        logger.error(f"seldom {number}", throttle_duration_sec=100)
        logger.fatal(f"later {number}", skip_first=True)
    assert not logger.debug("quiet")
    logger.get_child("part").info("child")
    spin_until(saltus, [node], lambda: len(received) == 8)
    err = capfd.readouterr().err
    assert [err.count(word) for word in ("always", "once", "seldom", "later", "quiet")] == [3, 1, 1, 2, 0]
    assert "[node.part]: child" in err
    assert received[0].file == __file__ and received[0].function.startswith("test_logging") and received[0].line > 0
    logger.set_level(40)
    assert not logger.info("too low")
    logger.set_level(0)
    with pytest.raises(TypeError):
        logger.info("x", often=True)


def test_a_logger_has_its_own_level_or_that_of_an_ancestor(saltus, request):
    from saltus.logging import LoggingSeverity, get_logger_effective_level, get_logger_level, set_logger_level

    request.addfinalizer(lambda: set_logger_level("above", LoggingSeverity.UNSET))
    set_logger_level("above", LoggingSeverity.ERROR)
    assert get_logger_level("above") == LoggingSeverity.ERROR
    assert get_logger_level("above.below") == LoggingSeverity.UNSET
    assert get_logger_effective_level("above.below") == LoggingSeverity.ERROR
    assert get_logger_level("") == LoggingSeverity.INFO

    node = saltus.create_node("leveled", enable_logger_service=True)
    client = node.create_client(GetLoggerLevels, "leveled/get_logger_levels")
    future = client.call_async(GetLoggerLevels.Request(names=["above", "above.below"]))
    spin_until(saltus, [node], future.done)
    assert [(one.name, one.level) for one in future.result().levels] == [("above", 40), ("above.below", 0)]


def test_invalid_names_and_contexts_are_errors(saltus):
    with pytest.raises(InvalidNodeNameException):
        saltus.Node("a b")
    with pytest.raises(RuntimeError):
        saltus.init(args=[])
    saltus.shutdown()
    with pytest.raises(NotInitializedException):
        saltus.Node("node")
    with pytest.raises(RuntimeError):
        saltus.shutdown()
    saltus.try_shutdown()
    with saltus.init(args=["--ros-args", "-r", "__ns:=/robot"]):
        assert saltus.ok() and saltus.Node("node").get_namespace() == "/robot"
    assert not saltus.ok()
    with pytest.raises(RuntimeError, match="unknown ROS argument"):
        saltus.init(args=["--ros-args", "--nonsense"])


def test_two_contexts_are_in_separate_graphs(saltus, node):
    other = saltus.Context()
    other.init([], domain_id=5)
    far = saltus.Node("far", context=other)
    assert far.get_node_names() == ["far"] and node.get_node_names() == ["node"]
    assert other.get_domain_id() == 5
    ended = []

    def end():
        ended.append(True)

    other.on_shutdown(end)
    other.shutdown()
    assert ended == [True] and not other.ok()
    with pytest.raises(NotInitializedException):
        saltus.Node("late", context=other)


def test_a_topic_requires_a_message_class(node):
    for make in (node.create_publisher, lambda ty, *rest: node.create_subscription(ty, rest[0], print, rest[1])):
        with pytest.raises(NoTypeSupportImportedException, match="not a message class"):
            make(AddTwoInts, "topic", 10)


def test_a_derived_node_class_may_use_any_attribute_names(saltus):
    names = (
        "_name _namespace _native _handle _executor _entities _callbacks "
        "_graph _parameter _declare _of _adopt _destroy _endpoints"
    ).split()

    class Robot(saltus.Node):
        def __init__(self):
            super().__init__("robot")
            for name in names:
                setattr(self, name, "own value")

    robot = Robot()
    received = []
    robot.create_timer(1.0, print).destroy()
    robot.declare_parameter("speed", 1)
    robot.add_on_set_parameters_callback(lambda _: SetParametersResult(successful=True))
    robot.create_subscription(String, "news", lambda message: received.append(message.data), 10)
    robot.create_publisher(String, "news", 10).publish(String(data="good"))
    spin_until(saltus, [robot], lambda: received == ["good"])
    assert robot.get_name() == "robot" and robot.get_parameter("speed").value == 1
    assert robot.count_publishers("news") == 1
    robot.destroy_node()
    assert {getattr(robot, name) for name in names} == {"own value"}


def test_error_messages_name_what_is_wrong(node):
    for error, text, make in (
        (
            InvalidServiceNameException,
            "invalid service name `bad name`",
            lambda: node.create_client(AddTwoInts, "bad name"),
        ),
        (InvalidServiceNameException, "invalid service name `a//b`", lambda: ActionClient(node, Fibonacci, "a//b")),
        (
            InvalidTopicNameException,
            "invalid topic name `bad name`",
            lambda: node.create_publisher(String, "bad name", 1),
        ),
        (NoTypeSupportImportedException, "is not an action class", lambda: ActionClient(node, AddTwoInts, "x")),
        (NoTypeSupportImportedException, "is not an action class", lambda: ActionServer(node, String, "x", print)),
        (TypeError, "None is not a callable", lambda: node.create_service(AddTwoInts, "x", None)),
        (NoServerError, "wait_for_service()", lambda: node.create_client(AddTwoInts, "x").call(AddTwoInts.Request())),
        (
            NoServerError,
            "wait_for_server()",
            lambda: ActionClient(node, Fibonacci, "x").send_goal_async(Fibonacci.Goal()).result(),
        ),
    ):
        with pytest.raises(error, match=re.escape(text)):
            make()


def test_a_depth_above_the_queue_limit_is_reduced_with_a_warning(saltus, node):
    received = []
    with pytest.warns(UserWarning, match="at most 65535 messages"):
        node.create_subscription(String, "news", lambda message: received.append(message.data), 10**12)
    (info,) = node.get_subscriptions_info_by_topic("news")
    assert info.qos_profile.depth == 65535
    node.create_publisher(String, "news", 10).publish(String(data="good"))
    spin_until(saltus, [node], lambda: received == ["good"])
