"""Parameters: declaration, setting, descriptions and events. Also the callbacks of parameters and clocks."""

import gc
import sys
import threading
import weakref

import numpy as np
import pytest
from saltus.clock import JumpThreshold
from saltus.exceptions import (
    InvalidParameterException,
    InvalidParameterTypeException,
    InvalidParameterValueException,
    ParameterAlreadyDeclaredException,
    ParameterNotDeclaredException,
    ParameterUninitializedException,
)
from saltus.msgs.rcl_interfaces.msg import (
    FloatingPointRange,
    IntegerRange,
    ParameterDescriptor,
    ParameterEvent,
    SetParametersResult,
)
from saltus.msgs.rcl_interfaces.srv import SetParameters
from saltus.parameter import Parameter
from spinning import LONG, spin_until


def test_parameters_are_declared_set_described_and_reported(saltus, node):
    calls = []

    def on_set(parameters):
        calls.append(("on_set", [one.name for one in parameters]))
        is_bad = any(one.value == 13 for one in parameters)
        return SetParametersResult(successful=not is_bad, reason="thirteen" if is_bad else "")

    def pre_set(parameters):
        return [*parameters, Parameter("also", value=1)] if parameters[0].name == "rate" else parameters

    def post_set(parameters):
        calls.append(("post_set", {one.name: one.value for one in parameters}))

    assert node.declare_parameter("also", 0).value == 0
    limits = ParameterDescriptor(floating_point_range=[FloatingPointRange(from_value=0.0, to_value=9.0)])
    assert node.declare_parameter("rate", 2.5, limits).value == 2.5
    node.declare_parameters("arm", [("a", [1, 2]), ("b", "x"), ("c",), ("d", Parameter.Type.STRING_ARRAY)])
    node.add_on_set_parameters_callback(on_set)
    node.add_pre_set_parameters_callback(pre_set)
    node.add_post_set_parameters_callback(post_set)
    assert node.set_parameters([Parameter("rate", value=3.0)])[0].successful
    assert calls == [("on_set", ["rate", "also"]), ("post_set", {"rate": 3.0, "also": 1})]
    assert node.set_parameters([Parameter("also", value=13)])[0].reason == "thirteen"
    assert not node.set_parameters([Parameter("rate", value="fast")])[0].successful
    assert not node.set_parameters_atomically([Parameter("rate", value=10.0)]).successful
    node.remove_pre_set_parameters_callback(pre_set)
    node.remove_on_set_parameters_callback(on_set)
    node.remove_post_set_parameters_callback(post_set)
    assert node.set_parameters([Parameter("also", value=13)])[0].successful
    assert {name: one.value for name, one in node.get_parameters_by_prefix("arm").items()} == {
        "a": [1, 2], "b": "x", "c": None,
    }  # fmt: skip
    assert node.describe_parameter("rate").floating_point_range[0].to_value == 9.0
    assert node.list_parameters(["arm"], 0).names == ["arm.a", "arm.b", "arm.c", "arm.d"]
    assert node.get_parameter_or("nothing", Parameter("x", value=1)).value == 1
    assert node.get_parameter_types(["rate", "arm.d"]) == [Parameter.Type.DOUBLE, Parameter.Type.NOT_SET]
    for error, work in (
        (ParameterNotDeclaredException, lambda: node.get_parameter("nothing")),
        (ParameterNotDeclaredException, lambda: node.set_parameters([Parameter("nothing", value=1)])),
        (ParameterAlreadyDeclaredException, lambda: node.declare_parameter("rate", 1.0)),
        (ParameterUninitializedException, lambda: node.get_parameter("arm.d")),
    ):
        with pytest.raises(error):
            work()
    node.undeclare_parameter("also")
    assert not node.has_parameter("also")


def test_parameters_come_from_the_command_line_and_from_the_program(saltus):
    arguments = ["--ros-args", "-r", "__node:=other", "-r", "a:=b", "-p", "rate:=5.0", "-p", "names:=[a, b]"]
    node = saltus.Node(
        "node", namespace="robot", cli_args=arguments, parameter_overrides=[Parameter("own", value=7)],
        automatically_declare_parameters_from_overrides=True,
    )  # fmt: skip
    assert node.get_fully_qualified_name() == "/robot/other"
    assert node.resolve_topic_name("a") == "/robot/b" and node.resolve_topic_name("a", only_expand=True) == "/robot/a"
    values = node.get_parameters(["rate", "names", "own"])
    assert [one.value for one in values] == [5.0, ["a", "b"], 7]
    strict = saltus.Node("strict", parameter_overrides=[Parameter("rate", value="fast")])
    with pytest.raises(InvalidParameterTypeException):
        strict.declare_parameter("rate", 1.0)
    free = saltus.Node("free", allow_undeclared_parameters=True)
    assert free.set_parameters([Parameter("any", value=1)])[0].successful
    assert free.get_parameter("nothing").type_ is Parameter.Type.NOT_SET


@pytest.mark.parametrize("value", [{"a": 1}, {1, 2}, frozenset(), {}, b"ab", np.float32(1.0), object()])
def test_a_value_of_an_unsupported_type_is_rejected(node, value):
    with pytest.raises(TypeError, match="neither bool, int"):
        node.declare_parameter("wrong", value)
    assert not node.has_parameter("wrong")


def test_a_node_is_garbage_collected_even_if_its_parameter_callback_refers_to_it(saltus):
    class Robot(saltus.Node):
        def __init__(self):
            super().__init__("robot")
            self.declare_parameter("speed", 1)
            self.add_on_set_parameters_callback(self.on_set)

        def on_set(self, _):
            return SetParametersResult(successful=True)

    robot = weakref.ref(Robot())
    gc.collect()
    assert robot() is None


def test_an_object_is_garbage_collected_even_if_its_clock_callback_refers_to_it(saltus, node):
    class Watcher:
        def __init__(self):
            change = JumpThreshold(min_forward=None, min_backward=None, on_clock_change=True)
            self.handle = node.get_clock().create_jump_callback(change, post_callback=self.jumped)

        def jumped(self, _):
            called.append(1)

    called = []
    watcher = Watcher()
    gc.collect()
    set_use_sim_time(node, True)
    assert called == [1]
    gone = weakref.ref(watcher)
    del watcher
    gc.collect()
    assert gone() is None
    set_use_sim_time(node, False)
    assert called == [1]


def test_an_unregistered_clock_callback_is_released(node):
    def jumped(_):
        pass

    change = JumpThreshold(min_forward=None, min_backward=None, on_clock_change=True)
    handle = node.get_clock().create_jump_callback(change, post_callback=jumped)
    handle.unregister()
    gone = weakref.ref(jumped)
    del jumped
    gc.collect()
    assert gone() is None


class RemoteParameters:
    """Sets a parameter of a node from another node, and spins both nodes. The callback belongs to the first node."""

    def __init__(self, saltus, node, callback):
        node.declare_parameter("speed", 1)
        node.add_on_set_parameters_callback(callback)
        self.other = saltus.Node("other")
        self.executor = saltus.SingleThreadedExecutor()
        self.executor.add_node(node)
        self.executor.add_node(self.other)
        self.client = self.other.create_client(SetParameters, "/node/set_parameters")
        assert self.client.wait_for_service(LONG)

    def set(self, name, value):
        called = self.client.call_async(
            SetParameters.Request(parameters=[Parameter(name, value=value).to_parameter_msg()])
        )
        self.executor.spin_until_future_complete(called, LONG)
        return called


def set_use_sim_time(node, to):
    assert node.set_parameters([Parameter("use_sim_time", value=to)])[0].successful


def test_a_guard_condition_that_a_callback_triggers_runs_on_its_own_executor(saltus, node):
    elsewhere = saltus.Node("elsewhere")
    ran_on, ran = [], threading.Event()

    def run():
        ran_on.append(threading.current_thread().name)
        ran.set()

    guard = elsewhere.create_guard_condition(run)
    executor = saltus.SingleThreadedExecutor()
    executor.add_node(elsewhere)
    thread = threading.Thread(target=executor.spin, name="elsewhere")
    thread.start()

    def on_set(_):
        guard.trigger()
        return SetParametersResult(successful=True)

    # The callback runs within a pass of another executor: first as a parameter callback, then as a clock callback.
    setting = RemoteParameters(saltus, node, on_set)
    assert setting.set("speed", 2).result().results[0].successful
    assert ran.wait(LONG)
    ran.clear()
    node.remove_on_set_parameters_callback(on_set)
    change = JumpThreshold(min_forward=None, min_backward=None, on_clock_change=True)
    with node.get_clock().create_jump_callback(change, post_callback=lambda _: guard.trigger()):
        assert setting.set("use_sim_time", True).result().results[0].successful
        assert ran.wait(LONG)
    assert set(ran_on) == {"elsewhere"}
    executor.shutdown()
    thread.join()


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt()], ids=["SystemExit", "KeyboardInterrupt"])
def test_an_exception_that_ends_a_program_is_raised_by_the_native_call(error, saltus, node):
    def end(_):
        raise error

    setting = RemoteParameters(saltus, node, end)
    change = JumpThreshold(min_forward=None, min_backward=None, on_clock_change=True)
    for work in (
        lambda: setting.set("speed", 2),
        lambda: node.set_parameters([Parameter("speed", value=3)]),
        lambda: node.declare_parameter("height", 1),
    ):
        with pytest.raises(type(error)):
            work()
    assert node.get_parameter("speed").value == 1 and not node.has_parameter("height")
    node.remove_on_set_parameters_callback(end)
    with node.get_clock().create_jump_callback(change, post_callback=end):
        for work in (lambda: setting.set("use_sim_time", True), lambda: set_use_sim_time(node, False)):
            with pytest.raises(type(error)):
                work()
    # The exception was raised only once.
    assert setting.set("speed", 4).result().results[0].successful


def test_an_exception_that_ends_a_program_is_not_raised_by_a_call_within_the_next_callback(saltus, node):
    """Two callbacks run in one pass. The exception of the first callback is not raised in the second."""
    second = []

    def end(_):
        raise KeyboardInterrupt

    def go_on(_):
        second.append(other.set_parameters([Parameter("height", value=2)])[0].successful)

    other = saltus.Node("another")
    other.declare_parameter("height", 1)
    change = JumpThreshold(min_forward=None, min_backward=None, on_clock_change=True)
    clock = node.get_clock()
    with clock.create_jump_callback(change, post_callback=end), clock.create_jump_callback(change, post_callback=go_on):
        with pytest.raises(KeyboardInterrupt):
            set_use_sim_time(node, True)
    assert second == [True]


def test_an_error_in_a_parameter_callback_is_reported_to_the_caller_and_in_the_node(saltus, node, monkeypatch):
    reported = []
    monkeypatch.setattr(sys, "unraisablehook", lambda what: reported.append(what.exc_value))
    result = RemoteParameters(saltus, node, lambda _: 1 / 0).set("speed", 2).result().results[0]
    assert not result.successful and "ZeroDivisionError" in result.reason
    assert [type(one) for one in reported] == [ZeroDivisionError]


@pytest.mark.parametrize("name", ["float.param..", ".x", "a b", "a:b", "ä", "wheel[0]", "a-b", "x/y"])
def test_every_parameter_name_but_the_empty_one_is_accepted(node, name):
    assert node.declare_parameter(name, 1).name == name
    assert node.set_parameters([Parameter(name, value=2)])[0].successful
    assert name in node.list_parameters([], 0).names
    with pytest.raises(InvalidParameterException):
        node.declare_parameter("", 1)


#: For each parameter of the sweep: values that are refused, as they are written and as Python has them.
REFUSED = {
    "rate": [("0.0", 0.0), ("-1.0", -1.0), ("1e308", 1e308), (".inf", float("inf")), (".nan", float("nan"))],
    "count": [("0", 0), ("-1", -1), ("9223372036854775807", 2**63 - 1)],
}


def declare_swept(node):
    """Declares a number of each kind with a range."""
    rate = ParameterDescriptor(floating_point_range=[FloatingPointRange(from_value=0.1, to_value=100.0)])
    node.declare_parameter("rate", 2.0, rate)
    count = ParameterDescriptor(integer_range=[IntegerRange(from_value=1, to_value=10)])
    node.declare_parameter("count", 2, count)


@pytest.mark.parametrize("name", REFUSED)
def test_a_number_outside_its_range_is_refused_before_the_start_and_while_the_node_runs(saltus, tmp_path, name):
    file = tmp_path / "parameters.yaml"
    for text, value in REFUSED[name]:
        file.write_text(f"swept:\n  ros__parameters:\n    {name}: {text}\n")
        for words, place in (
            (["-p", f"{name}:={text}"], f"-p {name}:={text}"),
            (["--params-file", str(file)], f"{file}, line 3"),
        ):
            with saltus.Node("swept", cli_args=["--ros-args", *words]) as node:
                with pytest.raises(InvalidParameterValueException) as refused:
                    declare_swept(node)
                assert place in str(refused.value)
        with saltus.Node("swept") as node:
            declare_swept(node)
            before = node.get_parameter(name).value
            result = node.set_parameters([Parameter(name, value=value)])[0]
            assert not result.successful and "is not in the range" in result.reason
            assert node.get_parameter(name).value == before, "nothing is clamped"


def test_a_node_without_the_publisher_of_parameter_events(saltus, node):
    told = []

    def note(event):
        told.extend((event.node, one.name) for one in event.new_parameters if one.name == "number")

    # The nodes of a context share a publisher, which is opened for its first subscription.
    subscription = node.create_subscription(ParameterEvent, "/parameter_events", note, 10)
    assert subscription.wait_for_publishers(1, LONG)
    nodes = [saltus.Node("silent", start_parameter_event_publisher=False), saltus.Node("telling")]
    for one in nodes:
        one.declare_parameter("number", 1)
    spin_until(saltus, [node], lambda: told)
    assert told == [("/telling", "number")]
    for one in nodes:
        one.destroy_node()
