"""Nodes with a lifecycle."""

from __future__ import annotations

import threading
import traceback
from typing import Any, TypeVar

from saltus import _native
from saltus._interfaces import class_of
from saltus.callback_groups import CallbackGroup, ReentrantCallbackGroup
from saltus.event_handler import PublisherEventCallbacks
from saltus.exceptions import LifecycleError
from saltus.lifecycle.managed_entity import LifecycleState, ManagedEntity, TransitionCallbackReturn
from saltus.lifecycle.publisher import LifecyclePublisher
from saltus.node import Node
from saltus.publisher import Publisher
from saltus.qos import QoSProfile

MsgT = TypeVar("MsgT")

CONFIGURE, CLEANUP, ACTIVATE, DEACTIVATE = 1, 2, 3, 4

#: The callback of each state in which one runs.
CALLBACKS = {
    "configuring": "on_configure",
    "cleaningup": "on_cleanup",
    "shuttingdown": "on_shutdown",
    "activating": "on_activate",
    "deactivating": "on_deactivate",
    "errorprocessing": "on_error",
}


class LifecycleNodeMixin(ManagedEntity):
    """Gives a class that is derived from :class:`saltus.Node` a lifecycle.

    Override ``on_configure``, ``on_activate`` and so on. Call the method of the base class in ``on_activate`` and in
    ``on_deactivate``, because it activates and deactivates the publishers.
    """

    def __init__(
        self, *, enable_communication_interface: bool = True, callback_group: CallbackGroup | None = None
    ) -> None:
        if not isinstance(self, Node):
            raise RuntimeError("a class with LifecycleNodeMixin must also be derived from Node")
        # Programs for rclpy read the state from this attribute, because there is no method for it.
        self._state_machine = _native.StateMachine()
        self._saltus_managed: dict[ManagedEntity, None] = {}
        # Steps are published in the order in which they happen. A signal handler may request a transition meanwhile.
        self._saltus_step_lock = threading.RLock()
        self._saltus_transition_event: Publisher[Any] | None = None
        if enable_communication_interface:
            self.__offer_services(self, callback_group)

    def trigger_configure(self) -> TransitionCallbackReturn:
        """Configures the node. Returns the result of the callback; ``ERROR`` if that is not possible."""
        return self.__change_state(CONFIGURE)

    def trigger_cleanup(self) -> TransitionCallbackReturn:
        """Cleans the node up. Returns the result of the callback; ``ERROR`` if that is not possible."""
        return self.__change_state(CLEANUP)

    def trigger_activate(self) -> TransitionCallbackReturn:
        """Activates the node. Returns the result of the callback; ``ERROR`` if that is not possible."""
        return self.__change_state(ACTIVATE)

    def trigger_deactivate(self) -> TransitionCallbackReturn:
        """Deactivates the node. Returns the result of the callback; ``ERROR`` if that is not possible."""
        return self.__change_state(DEACTIVATE)

    def trigger_shutdown(self) -> TransitionCallbackReturn:
        """Shuts the node down. Raises an exception if that is not possible in the current state."""
        transition = self._state_machine.transition_by_label("shutdown")
        if transition is None:
            raise LifecycleError(f"a shutdown is not possible in the state '{self._state_machine.current_state[1]}'")
        return self.__change_state(transition)

    def add_managed_entity(self, entity: ManagedEntity) -> None:
        """Makes an entity take part in the transitions of the node."""
        if not isinstance(entity, ManagedEntity):
            raise TypeError(f"expected a ManagedEntity, found {entity!r}")
        self._saltus_managed[entity] = None

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Called when the node is configured. Calls the managed entities. ``state`` is the state before."""
        return self.__call_entities("on_configure", state)

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Called when the node is cleaned up. Calls the managed entities."""
        return self.__call_entities("on_cleanup", state)

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Called when the node is shut down. Calls the managed entities."""
        return self.__call_entities("on_shutdown", state)

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Called when the node is activated. Calls the managed entities: publishers publish from now on."""
        return self.__call_entities("on_activate", state)

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Called when the node is deactivated. Calls the managed entities: publishers drop messages from now on."""
        return self.__call_entities("on_deactivate", state)

    def on_error(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Called when another callback has failed with an error or an exception. Calls the managed entities.

        If it succeeds, the node is unconfigured and can be configured again. Otherwise it is finalized.
        """
        return self.__call_entities("on_error", state)

    def create_lifecycle_publisher(
        self,
        msg_type: type[MsgT],
        topic: str,
        qos_profile: QoSProfile | int,
        *,
        callback_group: CallbackGroup | None = None,
        event_callbacks: PublisherEventCallbacks | None = None,
        qos_overriding_options: Any = None,
        publisher_class: None = None,
    ) -> LifecyclePublisher[MsgT]:
        """Creates a publisher that publishes only while the node is active."""
        if publisher_class is not None:
            raise TypeError("create_lifecycle_publisher() takes no publisher_class")
        publisher = self.create_publisher(  # type: ignore[attr-defined] # of the class Node
            msg_type, topic, qos_profile, callback_group=callback_group, event_callbacks=event_callbacks,
            qos_overriding_options=qos_overriding_options, publisher_class=LifecyclePublisher,
        )  # fmt: skip
        publisher._set_activated(self._state_machine.current_state[1] == "active")
        self.add_managed_entity(publisher)
        return publisher

    def destroy_lifecycle_publisher(self, publisher: LifecyclePublisher[Any]) -> bool:
        """Closes a publisher of the node. Returns whether it was one."""
        self._saltus_managed.pop(publisher, None)
        return self.destroy_publisher(publisher)  # type: ignore[attr-defined] # of the class Node

    def __call_entities(self, name: str, state: LifecycleState) -> TransitionCallbackReturn:
        for entity in list(self._saltus_managed):
            result = getattr(entity, name)(state)
            if not isinstance(result, TransitionCallbackReturn):
                raise TypeError(f"{name}() of {entity!r} returned {result!r}, which is not a TransitionCallbackReturn")
            if result is not TransitionCallbackReturn.SUCCESS:
                return result
        return TransitionCallbackReturn.SUCCESS

    def __change_state(self, transition: int) -> TransitionCallbackReturn:
        try:
            begun = self.__step(self._state_machine.begin, transition)
        except ValueError as error:
            self.__log_error(f"Unable to start transition {transition}: {error}")
            return TransitionCallbackReturn.ERROR
        before = LifecycleState(state_id=begun[2], label=begun[3])
        result = self.__run_callback(begun[5], before)
        state = self.__end_transition(result)
        if state == "errorprocessing":
            self.__end_transition(self.__run_callback(state, before))
        return result

    def __end_transition(self, result: TransitionCallbackReturn) -> str:
        """Ends a transition. Publishers publish afterwards only if the node is active. Returns the new state."""
        state = self.__step(self._state_machine.end, result.to_label())[5]
        for entity in list(self._saltus_managed):
            if isinstance(entity, LifecyclePublisher):
                entity._set_activated(state == "active")
        return state

    def __step(self, change: Any, argument: Any) -> tuple[int, str, int, str, int, str]:
        """Changes the state and publishes the step. Returns the step."""
        with self._saltus_step_lock:
            step = change(argument)
            try:
                self.__publish(step)
            except Exception as error:
                # The state has changed, whether others learn of it or not.
                self.__log_error(f"can't publish the transition '{step[1]}': {error}")
        return step

    def __publish(self, step: tuple[int, str, int, str, int, str]) -> None:
        if self._saltus_transition_event is None:
            return
        event = class_of("lifecycle_msgs/msg/TransitionEvent")(
            timestamp=self.get_clock().now().nanoseconds,  # type: ignore[attr-defined] # of the class Node
        )
        (event.transition.id, event.transition.label, event.start_state.id, event.start_state.label,
         event.goal_state.id, event.goal_state.label) = step  # fmt: skip
        self._saltus_transition_event.publish(event)

    def __run_callback(self, state: str, before: LifecycleState) -> TransitionCallbackReturn:
        name = CALLBACKS[state]
        try:
            result = getattr(self, name)(before)
        except Exception:
            self.__log_error(f"{name} raised an exception:\n{traceback.format_exc()}")
            return TransitionCallbackReturn.ERROR
        if not isinstance(result, TransitionCallbackReturn):
            self.__log_error(f"{name} returned {result!r}, which is not a TransitionCallbackReturn")
            return TransitionCallbackReturn.ERROR
        return result

    def __log_error(self, text: str) -> None:
        self.get_logger().error(text)  # type: ignore[attr-defined] # of the class Node

    def __offer_services(self, node: Node, callback_group: CallbackGroup | None) -> None:
        """Opens the services and the topic of the lifecycle.

        Transitions belong to the default callback group of the node. The other services answer during a transition if
        the executor has several threads.
        """
        event = class_of("lifecycle_msgs/msg/TransitionEvent")
        self._saltus_transition_event = node.create_publisher(event, "~/transition_event", 10)
        queries = callback_group or ReentrantCallbackGroup()
        for name, kind, callback, group in (
            ("change_state", "ChangeState", self.__on_change_state, callback_group),
            ("get_state", "GetState", self.__on_get_state, queries),
            ("get_available_states", "GetAvailableStates", self.__on_get_available_states, queries),
            ("get_available_transitions", "GetAvailableTransitions", self.__on_get_available_transitions, queries),
            ("get_transition_graph", "GetAvailableTransitions", self.__on_get_transition_graph, queries),
        ):
            service = class_of(f"lifecycle_msgs/srv/{kind}")
            node.create_service(service, f"~/{name}", callback, callback_group=group)

    def __on_change_state(self, request: Any, response: Any) -> Any:
        transition: int | None = request.transition.id
        if request.transition.label:
            transition = self._state_machine.transition_by_label(request.transition.label)
        if transition is None:
            state = self._state_machine.current_state[1]
            label = request.transition.label
            self.__log_error(f"Unable to start transition '{label}' from current state {state}")
            response.success = False
        else:
            response.success = self.__change_state(transition) is TransitionCallbackReturn.SUCCESS
        return response

    def __on_get_state(self, request: Any, response: Any) -> Any:
        response.current_state.id, response.current_state.label = self._state_machine.current_state
        return response

    def __on_get_available_states(self, request: Any, response: Any) -> Any:
        state = class_of("lifecycle_msgs/msg/State")
        response.available_states = [
            state(id=number, label=label) for number, label in self._state_machine.available_states()
        ]
        return response

    def __on_get_available_transitions(self, request: Any, response: Any) -> Any:
        response.available_transitions = [_description(step) for step in self._state_machine.available_transitions()]
        return response

    def __on_get_transition_graph(self, request: Any, response: Any) -> Any:
        response.available_transitions = [_description(step) for step in self._state_machine.transition_graph()]
        return response


def _description(step: tuple[int, str, int, str, int, str]) -> Any:
    """Returns a transition as a message."""
    message = class_of("lifecycle_msgs/msg/TransitionDescription")()
    (message.transition.id, message.transition.label, message.start_state.id, message.start_state.label,
     message.goal_state.id, message.goal_state.label) = step  # fmt: skip
    return message


class LifecycleNode(LifecycleNodeMixin, Node):
    """A node with a lifecycle. It has the methods of :class:`saltus.Node` and of :class:`LifecycleNodeMixin`."""

    def __init__(self, node_name: str, *, enable_communication_interface: bool = True, **kwargs: Any) -> None:
        Node.__init__(self, node_name, **kwargs)
        LifecycleNodeMixin.__init__(self, enable_communication_interface=enable_communication_interface)
