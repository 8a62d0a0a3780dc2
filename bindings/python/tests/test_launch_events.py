"""A context of `saltus.launch` holds events and handlers, and handlers know their events, without a launcher."""

import asyncio
import threading

import pytest
from saltus.launch import Action, EventHandler, LaunchContext, LaunchDescription
from saltus.launch.actions import (
    EmitEvent,
    ExecuteProcess,
    LogInfo,
    RegisterEventHandler,
    Shutdown,
    UnregisterEventHandler,
)
from saltus.launch.event_handlers import (
    BaseEventHandler,
    OnExecutionComplete,
    OnIncludeLaunchDescription,
    OnProcessExit,
    OnProcessIO,
    OnProcessStart,
    OnShutdown,
)
from saltus.launch.events import Event, ExecutionComplete, IncludeLaunchDescription
from saltus.launch.events import Shutdown as ShutdownEvent
from saltus.launch.events.process import ProcessExited, ProcessIO, ProcessStarted
from saltus.launch.ros.actions import LifecycleNode
from saltus.launch.ros.event_handlers import OnStateTransition
from saltus.launch.ros.events.lifecycle import StateTransition

PROCESS = ExecuteProcess(cmd=["true"])
OTHER = ExecuteProcess(cmd=["true"])


def of_process(kind, action=PROCESS, **more):
    """Returns an event of a process."""
    return kind(action=action, name="true-1", cmd=["true"], cwd=None, env=None, pid=1, **more)


EVENTS = [
    of_process(ProcessStarted),
    of_process(ProcessExited, returncode=0),
    of_process(ProcessIO, text=b"text", fd=1),
    ExecutionComplete(action=PROCESS),
    ShutdownEvent(),
    IncludeLaunchDescription(LaunchDescription()),
]


@pytest.mark.parametrize(
    ("handler", "index"),
    [
        (OnProcessStart(on_start=[]), 0),
        (OnProcessExit(target_action=PROCESS, on_exit=[]), 1),
        (OnProcessIO(target_action=lambda action: action is PROCESS), 2),
        (OnExecutionComplete(target_action=PROCESS, on_completion=[]), 3),
        (OnShutdown(on_shutdown=[]), 4),
        (OnIncludeLaunchDescription(), 5),
    ],
)
def test_a_handler_is_for_events_of_one_class(handler, index):
    assert [handler.matches(event) for event in EVENTS] == [place == index for place in range(len(EVENTS))]


def test_a_handler_is_for_the_events_of_its_action():
    for target in (PROCESS, lambda action: action is PROCESS):
        handler = OnProcessStart(target_action=target, on_start=[])
        assert handler.matches(of_process(ProcessStarted))
        assert not handler.matches(of_process(ProcessStarted, OTHER))


def test_a_handler_of_a_lifecycle_node_is_for_the_states_that_it_wants():
    node = LifecycleNode(package="demo", executable="talker", name="a", namespace="")
    handler = OnStateTransition(target_lifecycle_node=node, goal_state="active", entities=[])
    event = {"transition": "activate", "start_state": "inactive"}
    assert handler.matches(StateTransition(action=node, goal_state="active", **event))
    assert not handler.matches(StateTransition(action=node, goal_state="finalized", **event))
    assert not handler.matches(StateTransition(action=OTHER, goal_state="active", **event))


@pytest.mark.parametrize(
    "create",
    [
        lambda: OnProcessExit(target_action=LogInfo(msg=""), on_exit=[]),
        lambda: OnProcessStart(on_start="text"),
        lambda: OnExecutionComplete(target_action="text", on_completion=[]),
        lambda: OnExecutionComplete(on_completion="text"),
        lambda: OnShutdown(on_shutdown=5),
    ],
)
def test_a_wrong_target_or_reaction_is_an_error(create):
    with pytest.raises(TypeError):
        create()


def test_a_handler_returns_its_actions_and_makes_the_event_a_local_value():
    action, context = LogInfo(msg=""), LaunchContext()
    assert OnProcessExit(on_exit=action).handle(EVENTS[1], context) == [action]
    assert context.locals.event is EVENTS[1]
    assert OnShutdown(on_shutdown=action).handle(EVENTS[4], context) is action
    assert OnProcessIO(on_stdout=lambda event: [event.text]).handle(EVENTS[2], context) == [b"text"]
    assert OnIncludeLaunchDescription().handle(EVENTS[5], context) is EVENTS[5].launch_description
    assert OnProcessStart(on_start=lambda event, context: (event, context)).handle(EVENTS[0], context)[1] is context


def test_a_handler_for_one_event_is_removed():
    context, handler = LaunchContext(), EventHandler(matcher=lambda event: True, handle_once=True)
    context.register_event_handler(handler)
    handler.handle(Event(), context)
    assert not context.would_handle_event(Event())
    with pytest.raises(ValueError):
        handler.handle(Event(), context)


def test_the_last_handler_is_the_first_in_the_context():
    context, handlers = LaunchContext(), [EventHandler(matcher=lambda event: False) for _ in range(3)]
    context.register_event_handler(handlers[0])
    RegisterEventHandler(handlers[1]).visit(context)
    context.register_event_handler(handlers[2], append=True)
    assert list(context._event_handlers) == [handlers[1], handlers[0], handlers[2]]
    UnregisterEventHandler(handlers[1]).visit(context)
    with pytest.raises(ValueError):
        UnregisterEventHandler(handlers[1]).visit(context)


def test_events_are_queued():
    context, event = LaunchContext(), Event()
    Shutdown(reason="enough").visit(context)
    EmitEvent(event=event).visit(context)
    asyncio.run(context.emit_event(event))
    queue = context._event_queue
    assert queue.qsize() == 3 and queue.get_nowait().reason == "enough" and queue.get_nowait() is event


def test_the_end_of_an_action_is_an_event_if_a_handler_is_for_it():
    context, action = LaunchContext(), Action()
    action.visit(context)
    assert context._event_queue.empty()
    context.register_event_handler(OnExecutionComplete(target_action=action, on_completion=[]))
    action.visit(context)
    assert context._event_queue.get_nowait().action is action


def test_the_end_of_an_action_with_a_future_is_an_event_when_the_future_is_done():
    class Waits(Action):
        def get_asyncio_future(self):
            return future

    async def run():
        action = Waits()
        context.register_event_handler(OnExecutionComplete(target_action=action, on_completion=[]))
        action.visit(context)
        assert context._event_queue.empty()
        future.set_result(None)
        await asyncio.sleep(0)
        assert context._event_queue.get_nowait().action is action

    loop = asyncio.new_event_loop()
    context, future = LaunchContext(), loop.create_future()
    loop.run_until_complete(run())
    loop.close()


def test_local_values_are_pushed_and_popped():
    context = LaunchContext()
    context.extend_globals({"b": 1})
    context.extend_locals({"a": 1})
    context._push_locals()
    context.extend_locals({"a": 2})
    assert context.get_locals_as_dict() == {"a": 2, "b": 1}
    context._pop_locals()
    assert (context.locals.a, context.locals.b) == (1, 1) and context.get_globals_as_dict() == {"b": 1}
    assert context.asyncio_loop is None


def test_handlers_are_described_with_their_actions():
    action = LogInfo(msg="")
    handler = EventHandler(matcher=lambda event: True, entities=[action])
    text, entities = handler.describe()
    assert text.startswith("EventHandler(matcher='<function") and entities == [action]
    assert RegisterEventHandler(handler).describe_conditional_sub_entities() == [(text, [action])]
    empty = BaseEventHandler(matcher=lambda event: True)
    assert RegisterEventHandler(empty).describe_conditional_sub_entities() == []


def test_a_context_can_be_created_on_any_thread():
    contexts = []
    thread = threading.Thread(target=lambda: contexts.append(LaunchContext()))
    thread.start()
    thread.join()
    contexts[0].emit_event_sync(Event())
    assert contexts[0]._event_queue.qsize() == 1
