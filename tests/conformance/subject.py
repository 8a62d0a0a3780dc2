"""The subject of the Python package. `README.md` in this folder describes it."""

import importlib
import os
import sys
import threading

import saltus
from saltus.action import ActionClient, ActionServer, CancelResponse, GoalResponse, GoalStatus
from saltus.components import ComponentManager, LoadError
from saltus.event_handler import PublisherEventCallbacks, SubscriptionEventCallbacks
from saltus.exceptions import (
    CallTimeoutError,
    GoalStateError,
    InvalidParameterException,
    InvalidParameterTypeException,
    NoServerError,
    NotAnsweredError,
    ParameterAlreadyDeclaredException,
    ParameterException,
    ParameterImmutableException,
    ParameterNotDeclaredException,
    ParameterUninitializedException,
    ServerGoneError,
)
from saltus.lifecycle import LifecycleNode, TransitionCallbackReturn
from saltus.msgs.example_interfaces.action import Fibonacci
from saltus.msgs.example_interfaces.srv import AddTwoInts
from saltus.msgs.rcl_interfaces.msg import (
    FloatingPointRange,
    IntegerRange,
    ParameterDescriptor,
    SetParametersResult,
)
from saltus.msgs.saltus_conformance_msgs.srv import Command
from saltus.msgs.std_msgs.msg import UInt64
from saltus.msgs.unique_identifier_msgs.msg import UUID

STATES = {
    GoalStatus.STATUS_ACCEPTED: "ACCEPTED",
    GoalStatus.STATUS_EXECUTING: "EXECUTING",
    GoalStatus.STATUS_CANCELING: "CANCELING",
    GoalStatus.STATUS_SUCCEEDED: "SUCCEEDED",
    GoalStatus.STATUS_CANCELED: "CANCELED",
    GoalStatus.STATUS_ABORTED: "ABORTED",
}
#: How long the action server keeps results, in seconds.
RESULT_TIMEOUT = 2.0


class Kept:
    """The goals that only a command of the suite ends."""

    def __init__(self):
        self.goals = {}
        self.changed = threading.Condition()

    def insert(self, handle):
        with self.changed:
            self.goals[bytes(handle.goal_id.uuid)] = handle
            self.changed.notify_all()

    def get(self, key):
        """Returns a goal.

        Waits for it for at most a second, because the callback of a goal that was just accepted may not have run yet.
        """
        with self.changed:
            self.changed.wait_for(lambda: key in self.goals, 1.0)
            return self.goals.get(key)

    def drop(self, key):
        """Removes a goal, or all goals if the key is zero. Returns the removed goals."""
        with self.changed:
            keys = [key] if any(key) else list(self.goals)
            return [self.goals.pop(key) for key in keys if key in self.goals]


def profile(text):
    """Parses `RELIABILITY/DURABILITY/DEPTH/DEADLINE/LIFESPAN`. The times are in milliseconds, and 0 is no time."""
    reliability, durability, depth, deadline, lifespan = text.split("/")
    times = {"deadline": int(deadline), "lifespan": int(lifespan)}
    return saltus.QoSProfile(
        depth=int(depth),
        reliability=saltus.ReliabilityPolicy[reliability.upper()],
        durability=saltus.DurabilityPolicy[durability.upper()],
        **{name: saltus.Duration(nanoseconds=ms * 1_000_000) for name, ms in times.items() if ms},
    )


def copied(value):
    """Returns a copy of a value of a message. The copy is made field by field."""
    if hasattr(value, "get_fields_and_field_types"):
        fields = {name: copied(getattr(value, name)) for name in value.get_fields_and_field_types()}
        return type(value)(**fields)
    return [copied(one) for one in value] if isinstance(value, list) else value


class Endpoint:
    """A publisher or subscription that the suite has opened, and the messages and events that it has received."""

    KINDS = ("matched", "incompatible_qos", "incompatible_type", "deadline", "message_lost")

    def __init__(self, callbacks):
        self.received, self.events, self.changed = [], {}, threading.Condition()
        known = callbacks().__dict__
        self.callbacks = callbacks(**{kind: self.event_callback(kind) for kind in self.KINDS if kind in known})
        self.opened = None

    def event_callback(self, kind):
        def on_event(info):
            total = str(info.total_count)
            with self.changed:
                self.events[kind] = info.last_policy_kind.name if kind == "incompatible_qos" else total
                self.changed.notify_all()

        return on_event

    def on_message(self, message):
        with self.changed:
            self.received.append(message.data)
            self.changed.notify_all()

    def wait(self, holds, seconds):
        with self.changed:
            return self.changed.wait_for(holds, float(seconds))


class Planned(LifecycleNode):
    """A lifecycle node whose callbacks do what the suite has planned."""

    def __init__(self, name):
        super().__init__(name)
        self.outcomes, self.called, self.numbers = {}, [], None

    def planned(self, callback, state):
        self.called.append(f"{callback}:{state.label}")
        outcome = self.outcomes.pop(callback, "success")
        if outcome == "raise":
            raise RuntimeError("as planned")
        return TransitionCallbackReturn[outcome.upper()]

    def on_configure(self, state):
        if self.numbers is None:
            self.numbers = self.create_lifecycle_publisher(UInt64, "~/numbers", 100)
        return self.planned("on_configure", state)

    def on_cleanup(self, state):
        return self.planned("on_cleanup", state)

    def on_activate(self, state):
        super().on_activate(state)
        return self.planned("on_activate", state)

    def on_deactivate(self, state):
        planned = self.planned("on_deactivate", state)
        super().on_deactivate(state)
        return planned

    def on_shutdown(self, state):
        return self.planned("on_shutdown", state)

    def on_error(self, state):
        return self.planned("on_error", state)


class Factor(saltus.Node):
    """Publishes its parameter ``factor`` for late subscriptions."""

    def __init__(self, **options):
        super().__init__("factor", **options)
        factor = self.declare_parameter("factor", 2).value
        qos = saltus.QoSProfile(depth=1, durability=saltus.DurabilityPolicy.TRANSIENT_LOCAL)
        self.create_publisher(UInt64, "factor", qos).publish(UInt64(data=factor))


class Faulty(saltus.Node):
    """Can't be created."""

    def __init__(self, **_options):
        raise RuntimeError("the device is missing")


COMPONENTS = {"suite::Factor": Factor, "suite::Faulty": Faulty}


def find_component(package, plugin):
    if package != "suite":
        raise LoadError("Could not find requested resource in ament index")
    if plugin not in COMPONENTS:
        raise LoadError("Failed to find class with the requested plugin name.")
    return COMPONENTS[plugin]


class Subject(saltus.Node):
    def __init__(self, executor):
        super().__init__("subject")
        self.spinning = executor
        self.lifecycles = {}
        self.containers = []
        self.endpoints = {}
        self.kept = Kept()
        self.ended = {}
        self.held = []
        self.create_service(AddTwoInts, "~/add", self.add)
        self.create_deferred_service(AddTwoInts, "~/hold", self.hold)
        reentrant = saltus.ReentrantCallbackGroup()
        self.server = ActionServer(
            self, Fibonacci, "~/count", self.execute,
            callback_group=reentrant, goal_callback=self.on_goal, cancel_callback=self.on_cancel,
            handle_accepted_callback=self.on_accepted, result_timeout=RESULT_TIMEOUT,
        )  # fmt: skip
        self.declare()
        # Commands wait for other callbacks, and other callbacks wait for commands. So commands have their own group.
        group = saltus.MutuallyExclusiveCallbackGroup()
        self.create_service(Command, "~/command", self.command, callback_group=group)

    @staticmethod
    def add(request, response):
        total = (request.a + request.b + 2**63) % 2**64 - 2**63
        response.sum = total
        return response

    def hold(self, request, responder):
        if request.b == 0:
            self.held.append(responder)
        elif request.b == 2:
            answer = AddTwoInts.Response(sum=request.a)
            threading.Thread(target=responder.send, args=(answer,)).start()

    @staticmethod
    def on_goal(goal):
        return GoalResponse.REJECT if goal.order < 0 else GoalResponse.ACCEPT

    @staticmethod
    def on_cancel(handle):
        return CancelResponse.REJECT if handle.request.order == 13 else CancelResponse.ACCEPT

    def on_accepted(self, handle):
        if handle.request.order > 0:
            handle.execute()
        self.kept.insert(handle)

    async def execute(self, handle):
        """Waits until a command ends the goal."""
        ended = self.ended[bytes(handle.goal_id.uuid)] = saltus.Future()
        return await ended

    def end(self, key):
        ended = self.ended.pop(key, None)
        if ended is not None:
            ended.set_result(Fibonacci.Result())

    def declare(self):
        self.declare_parameter(
            "rate",
            10.0,
            ParameterDescriptor(
                description="how often",
                floating_point_range=[FloatingPointRange(from_value=0.0, to_value=100.0, step=0.5)],
            ),
        )
        whole = [IntegerRange(from_value=0, to_value=10, step=0)]
        self.declare_parameter("count", 5, ParameterDescriptor(integer_range=whole))
        self.declare_parameter("serial", "X1", ParameterDescriptor(read_only=True))
        self.declare_parameter("free", 1, ParameterDescriptor(dynamic_typing=True))
        self.declare_parameter("unset", saltus.Parameter.Type.BOOL)
        self.declare_parameter("arm.joint.name", "elbow")

        def refuse(parameters):
            is_seven = any(one.name == "count" and one.value == 7 for one in parameters)
            return SetParametersResult(successful=not is_seven, reason="seven is not allowed" if is_seven else "")

        self.add_on_set_parameters_callback(refuse)

    def command(self, request, response):
        try:
            response.ok, response.text = self.run(*request.words)
        except Exception as error:
            response.ok, response.text = False, f"{type(error).__name__}: {error}"
        return response

    def run(self, verb, *words):
        return getattr(self, f"do_{verb}")(*words)

    def do_goal(self, text, event):
        key = bytes.fromhex(text)
        if event == "drop":
            if any(key):
                self.kept.get(key)
            for handle in self.kept.drop(key):
                handle.destroy()
                self.end(bytes(handle.goal_id.uuid))
            return True, ""
        handle = self.kept.get(key)
        if handle is None:
            return False, "no such goal"
        try:
            self.act_on(handle, event)
        except GoalStateError:
            return False, STATES[handle.status]
        return True, STATES[handle.status]

    def act_on(self, handle, event):
        if event == "feedback" and not handle.is_active:
            # Raised here because, as in rclpy, publishing raises no error.
            raise GoalStateError("the goal has ended")
        if event == "feedback":
            handle.publish_feedback(Fibonacci.Feedback(sequence=[1]))
        elif event != "execute":
            getattr(handle, event)(Fibonacci.Result(sequence=[1]))
            self.end(bytes(handle.goal_id.uuid))
        elif handle.is_cancel_requested:
            # Raised here because, as in rclpy, the callback would run so that it can end the goal.
            raise GoalStateError("the goal is being cancelled")
        else:
            handle.execute()

    def do_call(self, name, seconds):
        client = self.create_client(AddTwoInts, name)
        try:
            client.wait_for_service(float(seconds))
            return True, str(client.call(AddTwoInts.Request(a=2, b=40), float(seconds)).sum)
        except Exception as error:
            return False, word(error)
        finally:
            client.destroy()

    def do_send_goal(self, name, order, seconds):
        client = ActionClient(self, Fibonacci, name)
        try:
            client.wait_for_server(float(seconds))
            done = self.finished(client.send_goal_async(Fibonacci.Goal(order=int(order))), seconds)
            if not done.accepted:
                return False, "rejected"
            return True, STATES[self.finished(done.get_result_async(), seconds).status].lower()
        except Exception as error:
            return False, word(error)
        finally:
            client.destroy()

    @staticmethod
    def finished(future, seconds):
        """Waits for a future for at most `seconds` seconds. Returns its result."""
        done = threading.Event()
        future.add_done_callback(lambda _: done.set())
        if not done.wait(float(seconds)):
            raise CallTimeoutError("not in time")
        return future.result()

    def do_unknown_result(self, name):
        client = ActionClient(self, Fibonacci, name)
        try:
            client.wait_for_server(10.0)
            request = Fibonacci.Impl.GetResultService.Request(goal_id=UUID(uuid=os.urandom(16)))
            response = client._get_result.call(request, 10.0)
            is_unknown = response.status == GoalStatus.STATUS_UNKNOWN
            return (False, "unknown_goal") if is_unknown else (True, STATES[response.status].lower())
        finally:
            client.destroy()

    def do_declare(self, name):
        return outcome(lambda: self.declare_parameter(name, 1) and "")

    def do_get(self, name):
        return outcome(lambda: str(self.get_parameter(name).value))

    def do_set(self, name, number):
        error = self.handle.set_parameters([(name, 2, int(number))])
        return (True, "") if error is None else (False, word(error))

    def do_undeclare(self, name):
        return outcome(lambda: self.undeclare_parameter(name) or "")

    def do_publisher(self, name, topic, text):
        endpoint = Endpoint(PublisherEventCallbacks)
        endpoint.opened = self.create_publisher(UInt64, topic, profile(text), event_callbacks=endpoint.callbacks)
        return self.keep(name, endpoint)

    def do_subscription(self, name, topic, text):
        endpoint = Endpoint(SubscriptionEventCallbacks)
        endpoint.opened = self.create_subscription(
            UInt64, topic, endpoint.on_message, profile(text), event_callbacks=endpoint.callbacks
        )
        return self.keep(name, endpoint)

    def keep(self, name, endpoint):
        if name in self.endpoints:
            self.endpoints[name].opened.destroy()
        self.endpoints[name] = endpoint
        return True, ""

    def do_send(self, name, first, count):
        publisher = self.endpoints[name].opened
        for number in range(int(first), int(first) + int(count)):
            publisher.publish(UInt64(data=number))
        return True, ""

    def do_received(self, name, count, seconds):
        endpoint = self.endpoints[name]
        holds = endpoint.wait(lambda: len(endpoint.received) >= int(count), seconds)
        return holds, " ".join(map(str, endpoint.received))

    def do_event(self, name, kind, seconds):
        endpoint = self.endpoints[name]
        holds = endpoint.wait(lambda: kind in endpoint.events, seconds)
        return holds, endpoint.events.get(kind, "no event")

    def do_close(self, name):
        self.endpoints.pop(name).opened.destroy()
        return True, ""

    def do_lifecycle(self, name):
        self.lifecycles[name] = Planned(name)
        self.spinning.add_node(self.lifecycles[name])
        return True, ""

    def do_container(self, name):
        node = saltus.Node(name)
        self.containers.append(ComponentManager(node, self.spinning, find=find_component))
        self.spinning.add_node(node)
        return True, ""

    def do_plan(self, name, callback, outcome):
        self.lifecycles[name].outcomes[callback] = outcome
        return True, ""

    def do_callbacks(self, name):
        called, self.lifecycles[name].called = self.lifecycles[name].called, []
        return True, " ".join(called)

    def do_publish_managed(self, name, number):
        numbers = self.lifecycles[name].numbers
        numbers.publish(UInt64(data=int(number)))
        return True, str(numbers.dropped)

    def do_relay(self, kind, source, target):
        package, _, name = kind.split("/")
        cls = getattr(importlib.import_module(f"saltus.msgs.{package}.msg"), name)
        publisher = self.create_publisher(cls, target, 10)
        self.create_subscription(cls, source, lambda message: publisher.publish(copied(message)), 10)
        return True, ""


def outcome(work):
    try:
        return True, work()
    except ParameterException as error:
        return False, word(error)


def word(error):
    words = {
        NoServerError: "no_server",
        ServerGoneError: "server_gone",
        NotAnsweredError: "not_answered",
        CallTimeoutError: "timeout",
        InvalidParameterException: "bad_name",
        ParameterAlreadyDeclaredException: "already_declared",
        ParameterNotDeclaredException: "not_declared",
        ParameterUninitializedException: "not_initialized",
        InvalidParameterTypeException: "type",
        ParameterImmutableException: "read_only",
    }
    for kind, text in words.items():
        if isinstance(error, kind):
            return text
    return "range" if "range" in str(error) else "rejected"


def main():
    saltus.init()
    executor = saltus.MultiThreadedExecutor(2)
    node = Subject(executor)
    executor.add_node(node)

    def shut_down_at_end_of_stdin():
        sys.stdin.read()
        saltus.try_shutdown()

    threading.Thread(target=shut_down_at_end_of_stdin, daemon=True).start()
    print("ready", flush=True)
    try:
        executor.spin()
    finally:
        executor.shutdown()


if __name__ == "__main__":
    main()
