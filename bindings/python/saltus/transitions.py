"""State machines of the `transitions` package (PyPI) as nodes.

A :class:`MachineNode` publishes the events of a machine on ``machine/event`` (the names of triggers) and its states on
``machine/state`` (the state after each change). It receives triggers on ``machine/trigger``. A :class:`MachineClient`
publishes triggers and receives events and states. All three topics have the type ``example_interfaces/msg/String``::

    machine = transitions.Machine(model, states=["solid", "liquid"], initial="solid")
    machine.add_transition("melt", "solid", "liquid")
    saltus.init()
    saltus.spin(MachineNode(machine=machine))

Timed states (states with the ``Timeout`` feature of ``transitions``) end exactly on time. A timer of the node ends
them. The timeout counts from when the state was *due*: from the deadline whose timeout led to the state, not from when
that timeout was processed. So in a chain of timed states delays do not add up.
"""

from __future__ import annotations

import contextlib
import json
import types
from collections import deque
from typing import Any, Callable, Iterator

import saltus.node
from saltus import _native
from saltus.clock import Clock, ClockType
from saltus.msgs.example_interfaces.msg import String
from saltus.msgs.std_srvs.srv import Trigger
from saltus.qos import QoSPresetProfiles

try:
    import transitions
    from transitions.extensions import HierarchicalMachine
    from transitions.extensions.nesting import NestedEventData
    from transitions.extensions.states import Timeout, add_state_features
except ModuleNotFoundError as error:
    raise ModuleNotFoundError("saltus.transitions needs the package transitions: pip install transitions") from error

__all__ = ["MachineClient", "MachineNode", "OneShotTimer", "from_yaml"]

DEFAULT_QOS = QoSPresetProfiles.SYSTEM_DEFAULT.value
#: The period of timers that are meant to expire once, in seconds.
_FOR_EVER = 1e9


def from_yaml(text: str, model: Any = None) -> Any:
    """Creates a machine from a definition as text.

    ``model`` is an object of the program whose state the machine changes.

    The text is YAML with the arguments of ``transitions.Machine``. ``saltus machine run`` runs the same text without
    Python. A timed state has ``timeout`` in seconds and ``on_timeout``. ``on_enter`` and ``on_timeout`` name triggers,
    or callbacks of the model. Triggers are queued. A node enters the initial state when its ``machine`` is set::

        machine = from_yaml("{states: [solid, liquid], transitions: [[melt, solid, liquid]]}")

    Raises ``ValueError`` if the text is wrong. The message of the exception gives the position.
    """
    definition = json.loads(_native.machine_definition(text))
    is_nested = any("children" in state for state in definition["states"])
    base = HierarchicalMachine if is_nested else transitions.Machine
    kind = add_state_features(Timeout)(type("Machine", (base,), {"enters_initial": True}))
    return kind(
        **({} if model is None else {"model": model}),
        name=definition["name"],
        states=definition["states"],
        initial=definition["initial"],
        transitions=definition["transitions"],
        auto_transitions=False,
        queued=True,
        send_event=True,
    )


class OneShotTimer:
    """Calls a callback once, at a given time. Created by :meth:`MachineNode.create_one_shot_timer`."""

    def __init__(self, node: MachineNode, callback: Callable[[], Any]) -> None:
        self._node, self._callback, self._at = node, callback, 0
        self._timer = node.create_timer(_FOR_EVER, self._fire, clock=node._timing_clock, autostart=False)

    def start(self, timeout_sec: float) -> None:
        """Makes the callback run ``timeout_sec`` after the current event was due. Replaces an earlier start."""
        after = int(timeout_sec * 1e9)
        self._at = self._node._due() + after
        self._timer._native.reset_at(self._at)

    def cancel(self) -> None:
        """Cancels the call."""
        self._timer.cancel()

    def _fire(self) -> Any:
        # `_at` may be wrong: simulated time may have begun, or gone back, since it was set.
        due = self._timer._native.last_due()
        self._timer.cancel()
        with self._node._as_of(self._at if due is None else due):
            return self._callback()

    def destroy(self) -> None:
        """Destroys the timer."""
        self._timer.destroy()


class MachineNode(saltus.node.Node):
    """A node that runs a machine. The machine may be set later: ``node.machine = machine``.

    All machines of ``transitions`` can be used, except asynchronous ones: flat or hierarchical, queued or not, with one
    model or several. The node sets the machine's ``send_event``, so its callbacks get an ``EventData``. A trigger that
    is unknown, or not allowed in the current state, is ignored and logged as a warning.
    """

    def __init__(
        self, *, node_name: str = "node", namespace: str = "machine", machine: Any = None, **options: Any
    ) -> None:
        super().__init__(node_name, namespace=namespace, **options)
        is_simulated = self.get_clock().ros_time_is_active  # type: ignore[attr-defined]
        self._timing_clock = self.get_clock() if is_simulated else Clock(clock_type=ClockType.STEADY_TIME)
        self._as_of_ns: int | None = None
        self._machine: Any = None
        self._one_shot_timers: dict[tuple[int, int], OneShotTimer] = {}
        self.state_publisher = self.create_publisher(String, "state", DEFAULT_QOS)
        self.event_publisher = self.create_publisher(String, "event", DEFAULT_QOS)
        self.create_subscription(String, "trigger", self._on_trigger, DEFAULT_QOS)
        self.create_service(Trigger, "describe", self._describe)
        if machine is not None:
            self.machine = machine

    @property
    def machine(self) -> Any:
        """The machine, or ``None`` if it was not set yet."""
        return self._machine

    @machine.setter
    def machine(self, machine: Any) -> None:
        self._machine = machine
        machine.send_event = True
        machine.prepare_event += [self._publish_event]
        machine.after_state_change += [self._publish_state]
        for state in _all_states(machine):
            if isinstance(state, Timeout) and state.timeout > 0:
                self._time_state(state)
        if getattr(machine, "enters_initial", False):
            for model in machine.models:
                self._enter_initial(model)

    def create_one_shot_timer(self, callback: Callable[[], Any]) -> OneShotTimer:
        """Creates a timer that runs once. After ``timer.start(seconds)`` it calls the callback once, at an exact time.

        In a callback of another such timer or of a timed state, the time counts from when that callback was due.
        """
        return OneShotTimer(self, callback)

    def _due(self) -> int:
        """Returns when the current event was due, as a time of the clock of deadlines."""
        return self._timing_clock._native.now() if self._as_of_ns is None else self._as_of_ns

    @contextlib.contextmanager
    def _as_of(self, at: int) -> Iterator[None]:
        before, self._as_of_ns = self._as_of_ns, at
        try:
            yield
        finally:
            self._as_of_ns = before

    def _time_state(self, state: Any) -> None:
        """Makes this node time a state with its own timers. Otherwise, ``Timeout`` starts a thread for each timeout."""

        def enter(this: Any, event_data: Any) -> Any:
            timeout = this.timeout
            self._timer_of(this, event_data).start(timeout)
            # Without a timeout the feature starts no thread. The method is called for the other features of the state.
            this.timeout = 0
            try:
                return type(this).enter(this, event_data)
            finally:
                this.timeout = timeout

        def leave(this: Any, event_data: Any) -> Any:
            running = self._one_shot_timers.get((id(this), id(event_data.model)))
            if running is not None:
                running.cancel()
            return type(this).exit(this, event_data)

        state.enter, state.exit = types.MethodType(enter, state), types.MethodType(leave, state)

    def _timer_of(self, state: Any, event_data: Any) -> OneShotTimer:
        key = (id(state), id(event_data.model))
        found = self._one_shot_timers.get(key)
        if found is None:
            found = self._one_shot_timers[key] = self.create_one_shot_timer(lambda: None)
        # Callbacks get the event that led to this state.
        found._callback = lambda: self._time_out(state, event_data)
        return found

    def _time_out(self, state: Any, event_data: Any) -> None:
        try:
            state._process_timeout(event_data)
        except transitions.MachineError as error:
            self.get_logger().warning(f"the timeout of '{state.name}' was refused: {error}")

    def _enter_initial(self, model: Any) -> None:
        """Enters the initial state, and the states that contain it, as if an event had led to it."""
        machine = self._machine
        name = _text(getattr(model, machine.model_attribute))
        separator = getattr(machine.state_cls, "separator", None)
        path = name.split(separator) if separator else [name]
        for depth in range(1, len(path) + 1):
            state = machine.get_state(path[:depth] if separator else name)
            kind = NestedEventData if separator else transitions.EventData
            event_data = kind(state, None, machine, model, (), {})
            if separator:
                state.scoped_enter(event_data, path[: depth - 1])
            else:
                state.enter(event_data)

    def _on_trigger(self, message: Any) -> None:
        if self._machine is None:
            self.get_logger().warning(f"trigger '{message.data}' refused: the node has no machine yet")
            return
        for model in self._machine.models:
            try:
                model.trigger(message.data)
            except (transitions.MachineError, AttributeError) as error:
                # An AttributeError that the program's own callbacks raise must not be caught.
                if isinstance(error, AttributeError) and message.data in self._machine.events:
                    raise
                self.get_logger().warning(f"trigger '{message.data}' refused: {error}")

    def _describe(self, _request: Any, response: Any) -> Any:
        if self._machine is None:
            response.message = "the node has no machine yet"
            return response
        try:
            response.success, response.message = True, json.dumps(_definition_of(self._machine))
        except _SeveralAtOnce as error:
            response.success, response.message = False, str(error)
        return response

    def _publish_event(self, event_data: Any) -> None:
        _drop_earlier_events(event_data)
        name = event_data.event.name
        self.get_logger().info(f"Event: {name}")
        self.event_publisher.publish(String(data=name))

    def _publish_state(self, event_data: Any) -> None:
        state = _text(getattr(event_data.model, self._machine.model_attribute))
        self.get_logger().info(f"State: {state}")
        # A transition without a destination is internal: the state has not changed.
        if event_data.transition.dest:
            self.state_publisher.publish(String(data=state))


class _SeveralAtOnce(Exception):
    """A machine may be in several states at once. It can't be described, because the form allows only one state."""


def _one(state: Any) -> str:
    if isinstance(state, (list, tuple)):
        raise _SeveralAtOnce(f"the machine may be in several states at once: {_text(state)}")
    return _text(state)


def _definition_of(machine: Any) -> dict[str, Any]:
    """Returns the definition of the machine and its current state, in the form of :func:`from_yaml`."""
    separator = getattr(machine.state_cls, "separator", "_")

    def name(state: Any) -> Any:
        return state and _one(state).replace(separator, "_")

    names = getattr(machine, "get_nested_state_names", lambda: machine.states)()
    automatic = {f"to_{name}" for name in names} if machine.auto_transitions else set()
    triggers = [trigger for trigger in machine.events if trigger not in automatic]
    return {
        "name": machine.name.removesuffix(": ") or "machine",
        "initial": name(machine.initial),
        "state": name(getattr(machine.models[0], machine.model_attribute)) if machine.models else name(machine.initial),
        "states": [_description_of(machine, short, state) for short, state in machine.states.items()],
        "transitions": [
            [trigger, name(one.source), name(one.dest)]
            for trigger in triggers
            for one in machine.get_transitions(trigger=trigger)
        ],
    }


def _description_of(machine: Any, short: str, state: Any) -> dict[str, Any]:
    described: dict[str, Any] = {"name": short}
    if getattr(state, "timeout", 0):
        triggers = [name for name in state.on_timeout if name in machine.events]
        described.update(timeout=state.timeout, on_timeout=(triggers or ["timeout"])[0])
    if entered := [name for name in state.on_enter if isinstance(name, str) and name in machine.events]:
        described["on_enter"] = entered
    if initial := getattr(state, "initial", None):
        described["initial"] = _one(initial)
    if inner := getattr(state, "states", None):
        described["children"] = [_description_of(machine, name, one) for name, one in inner.items()]
    return described


def _drop_earlier_events(event_data: Any) -> None:
    """Drops all events that led to this one, except the last.

    A trigger of a state (``on_enter``, ``on_timeout``) gets the event as its argument. That event has the event before
    it as an argument, and so on. Without this, a machine that runs for ever would keep all of its events.
    """
    for before in event_data.args:
        if isinstance(before, transitions.EventData):
            before.args = tuple(one for one in before.args if not isinstance(one, transitions.EventData))


def _text(state: Any) -> str:
    """Returns the name of a state. For several states at once (a parallel machine), joins the names by ``+``."""
    if isinstance(state, (list, tuple)):
        return "+".join(_text(one) for one in state)
    return getattr(state, "name", None) or str(state)


def _all_states(holder: Any) -> Iterator[Any]:
    """Yields the states of a machine, including nested states."""
    for state in holder.states.values():
        yield state
        if getattr(state, "states", None):
            yield from _all_states(state)


class MachineClient(saltus.node.Node):
    """Publishes triggers of a machine, and receives its events and states.

    ``events`` and ``states`` contain the last ``history_length`` names. ``on_event`` and ``on_state`` are called with each name.
    """

    def __init__(
        self,
        *,
        node_name: str = "client",
        namespace: str = "machine",
        on_event: Callable[[str], Any] | None = None,
        on_state: Callable[[str], Any] | None = None,
        history_length: int = 1000,
        **options: Any,
    ) -> None:
        super().__init__(node_name, namespace=namespace, **options)
        self.events: deque[str] = deque(maxlen=history_length)
        self.states: deque[str] = deque(maxlen=history_length)
        self.trigger_publisher = self.create_publisher(String, "trigger", DEFAULT_QOS)
        self.create_subscription(String, "event", self._record(self.events, on_event), DEFAULT_QOS)
        self.create_subscription(String, "state", self._record(self.states, on_state), DEFAULT_QOS)

    @staticmethod
    def _record(names: deque[str], then: Callable[[str], Any] | None) -> Callable[[Any], None]:
        def receive(message: Any) -> None:
            names.append(message.data)
            if then is not None:
                then(message.data)

        return receive

    def trigger(self, name: str) -> None:
        """Publishes a trigger of the machine."""
        self.trigger_publisher.publish(String(data=name))

    def wait_for_machine(self, timeout_sec: float | None = None) -> bool:
        """Waits until a machine is connected, for at most ``timeout_sec``. Returns whether a machine is connected."""
        return self.trigger_publisher.wait_for_subscriptions(1, timeout_sec)
