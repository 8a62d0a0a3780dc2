//! Actions: the subject as a server and as a client.

use std::{
    sync::mpsc,
    time::{Duration, Instant},
};

use saltus::{
    ActionServer, QoS,
    action::{
        ActionError, ActionNames, CancelOutcome, CancelResponse, ClientGoal, GoalHandle, GoalId, GoalOptions,
        GoalResponse, GoalStatus,
    },
    cdr::{Action, Message, Service},
    msgs::{
        action_msgs::{
            msg::{GoalStatus as StatusMessage, GoalStatusArray},
            srv::CancelGoal,
        },
        example_interfaces::action::{
            Fibonacci, Fibonacci_FeedbackMessage, Fibonacci_Goal, Fibonacci_Result,
        },
    },
};

use crate::case::{Case, Failure, LONG, Suite, expect};

pub(crate) const CASES: &[Case] = &[
    Case { rule: "an action has ROS 2's names and types", run: has_names_and_types },
    Case {
        rule: "legal transitions are made, and illegal ones are rejected",
        run: makes_legal_transitions_only,
    },
    Case { rule: "a rejected goal is not accepted", run: rejects },
    Case { rule: "a goal with the id of an existing goal is rejected", run: rejects_duplicate_ids },
    Case { rule: "a cancellation without an id and a time cancels all goals", run: cancels_all },
    Case { rule: "a cancellation with a time cancels all goals up to that time", run: cancels_up_to_a_time },
    Case { rule: "a cancellation with an id cancels the goal with this id", run: cancels_one },
    Case { rule: "a cancellation with an id and a time cancels both", run: cancels_both },
    Case { rule: "a cancellation that fails returns the reason", run: returns_reasons },
    Case { rule: "a goal is canceled whose cancellation was served first", run: cancels_early },
    Case {
        rule: "a result that is requested early is sent when the goal has ended",
        run: sends_results_later,
    },
    Case { rule: "a result is sent to every client until it has expired", run: removes_expired_results },
    Case { rule: "a goal whose handle is dropped ends", run: ends_dropped_goals },
    Case { rule: "feedback contains the goal's id", run: publishes_feedback },
    Case { rule: "states are published, and late subscriptions receive them too", run: publishes_states },
    Case { rule: "a thousand goals that are sent at once all end", run: ends_many_goals },
    Case { rule: "a client's goal succeeds, is aborted or is canceled", run: sends_goals },
    Case { rule: "a client learns that its goal was rejected", run: learns_of_rejection },
    Case { rule: "a client learns that the server was closed", run: learns_of_closed_server },
    Case { rule: "a client learns that a goal is unknown", run: learns_of_unknown_goal },
];

/// All legal transitions. Every other transition is rejected and changes nothing.
const LEGAL: [(GoalStatus, &str, GoalStatus); 6] = [
    (GoalStatus::Accepted, "execute", GoalStatus::Executing),
    (GoalStatus::Executing, "succeed", GoalStatus::Succeeded),
    (GoalStatus::Executing, "abort", GoalStatus::Aborted),
    (GoalStatus::Canceling, "succeed", GoalStatus::Succeeded),
    (GoalStatus::Canceling, "abort", GoalStatus::Aborted),
    (GoalStatus::Canceling, "canceled", GoalStatus::Canceled),
];
const STATES: [GoalStatus; 6] = [
    GoalStatus::Accepted,
    GoalStatus::Executing,
    GoalStatus::Canceling,
    GoalStatus::Succeeded,
    GoalStatus::Canceled,
    GoalStatus::Aborted,
];

impl Suite {
    fn send(&self, order: i32) -> Result<ClientGoal<Fibonacci>, Failure> {
        Ok(self.count.send_goal(&Fibonacci_Goal { order })?.wait(LONG)?)
    }

    /// Makes the subject apply an event to a goal. Returns whether the event was legal, and the state afterwards.
    fn act(&self, id: GoalId, event: &str) -> Result<(bool, String), Failure> {
        self.run_command(&["goal", &id.to_string(), event])
    }

    fn cancel(&self, id: GoalId) -> Result<CancelOutcome, Failure> {
        Ok(self.count.cancel_goal(id, LONG)?)
    }

    /// Returns a goal that is in a state.
    fn goal_in(&self, state: GoalStatus) -> Result<ClientGoal<Fibonacci>, Failure> {
        let goal = self.send(i32::from(state != GoalStatus::Accepted))?;
        if matches!(state, GoalStatus::Canceling | GoalStatus::Canceled) {
            self.cancel(goal.id())?;
        }
        let last = match state {
            GoalStatus::Succeeded => "succeed",
            GoalStatus::Aborted => "abort",
            GoalStatus::Canceled => "canceled",
            _ => return Ok(goal),
        };
        self.act(goal.id(), last)?;
        Ok(goal)
    }

    /// Ends the goals of earlier cases, so that "all goals" are only the goals of the present case.
    fn end_all(&self) -> Result<(), Failure> {
        self.run_command(&["goal", &GoalId::ZERO.to_string(), "drop"]).map(drop)
    }
}

fn has_names_and_types(suite: &Suite) -> Result<(), Failure> {
    let names = ActionNames::of("/subject/count");
    let graph = suite.node.context().graph();
    type Sent = <Fibonacci as Action>::SendGoal;
    type Got = <Fibonacci as Action>::GetResult;
    for (name, ty) in [
        (&names.send_goal, Sent::TYPE),
        (&names.get_result, Got::TYPE),
        (&names.cancel_goal, CancelGoal::TYPE),
    ] {
        let server = graph.servers.iter().find(|server| server.topic == *name).ok_or_else(|| name.clone())?;
        expect(name, (&*server.type_name, server.type_hash), (ty.name, ty.hash))?;
    }
    let (feedback, status) = (Fibonacci_FeedbackMessage::TYPE_HASH, GoalStatusArray::TYPE_HASH);
    for (name, hash) in [(&names.feedback, feedback), (&names.status, status)] {
        let end = graph
            .endpoints
            .iter()
            .find(|end| end.topic == *name && end.kind == saltus::graph::EndpointKind::Publisher);
        expect(name, end.ok_or_else(|| name.clone())?.type_hash, hash)?;
    }
    let status = graph.endpoints.iter().find(|end| end.topic == names.status).ok_or("no states")?;
    expect("the states' durability", status.qos.durability, saltus::qos::Durability::TransientLocal)
}

fn makes_legal_transitions_only(suite: &Suite) -> Result<(), Failure> {
    for state in STATES {
        for event in ["execute", "succeed", "abort", "canceled"] {
            let goal = suite.goal_in(state)?;
            let legal = LEGAL.iter().find(|(from, by, _)| (*from, *by) == (state, event));
            let after = legal.map_or(state, |(_, _, to)| *to);
            let found = suite.act(goal.id(), event)?;
            expect(
                &format!("{event} of a goal that is {state}"),
                found,
                (legal.is_some(), after.to_string()),
            )?;
        }
        let goal = suite.goal_in(state)?;
        let found = suite.cancel(goal.id())?;
        let expected = match state.is_terminal() {
            true => CancelOutcome::GoalTerminated,
            false => CancelOutcome::Canceling(vec![goal.id()]),
        };
        expect(&format!("cancellation of a goal that is {state}"), found, expected)?;
    }
    suite.end_all()
}

fn rejects(suite: &Suite) -> Result<(), Failure> {
    match suite.count.send_goal(&Fibonacci_Goal { order: -1 })?.wait(LONG) {
        Err(ActionError::Rejected { .. }) => Ok(()),
        other => Err(format!("{other:?}").into()),
    }
}

fn rejects_duplicate_ids(suite: &Suite) -> Result<(), Failure> {
    let id = GoalId::random();
    let send = || suite.count.send_goal_with(&Fibonacci_Goal { order: 1 }, GoalOptions::default().id(id));
    send()?.wait(LONG)?;
    match send()?.wait(LONG) {
        Err(ActionError::Rejected { .. }) => suite.end_all(),
        other => Err(format!("{other:?}").into()),
    }
}

/// Returns three goals, the oldest first.
fn three(suite: &Suite) -> Result<Vec<ClientGoal<Fibonacci>>, Failure> {
    suite.end_all()?;
    (0..3).map(|_| suite.send(1)).collect()
}

fn cancels_all(suite: &Suite) -> Result<(), Failure> {
    let goals = three(suite)?;
    let ids = goals.iter().map(ClientGoal::id).collect();
    expect("what is canceled", suite.count.cancel_all(LONG)?, CancelOutcome::Canceling(ids))?;
    expect("then", suite.count.cancel_all(LONG)?, CancelOutcome::Canceling(Vec::new()))
}

fn cancels_up_to_a_time(suite: &Suite) -> Result<(), Failure> {
    let goals = three(suite)?;
    let ids = vec![goals[0].id(), goals[1].id()];
    let found = suite.count.cancel_before(goals[1].stamp(), LONG)?;
    expect("what is canceled", found, CancelOutcome::Canceling(ids))
}

fn cancels_one(suite: &Suite) -> Result<(), Failure> {
    let goals = three(suite)?;
    let found = suite.cancel(goals[1].id())?;
    expect("what is canceled", found, CancelOutcome::Canceling(vec![goals[1].id()]))?;
    expect("another goal", suite.act(goals[0].id(), "canceled")?, (false, "EXECUTING".into()))
}

fn cancels_both(suite: &Suite) -> Result<(), Failure> {
    let goals = three(suite)?;
    let found = suite.count.cancel_goal_and_before(goals[2].id(), goals[0].stamp(), LONG)?;
    let ids = vec![goals[0].id(), goals[2].id()];
    expect("what is canceled", found, CancelOutcome::Canceling(ids))?;
    suite.end_all()
}

fn returns_reasons(suite: &Suite) -> Result<(), Failure> {
    suite.end_all()?;
    let stubborn = suite.send(13)?;
    expect("a goal that the program refuses", suite.cancel(stubborn.id())?, CancelOutcome::Rejected)?;
    expect("all goals", suite.count.cancel_all(LONG)?, CancelOutcome::Rejected)?;
    expect("an unknown goal", suite.cancel(GoalId::random())?, CancelOutcome::UnknownGoal)?;
    suite.act(stubborn.id(), "succeed")?;
    expect("an ended goal", suite.cancel(stubborn.id())?, CancelOutcome::GoalTerminated)
}

fn cancels_early(suite: &Suite) -> Result<(), Failure> {
    suite.end_all()?;
    let id = GoalId::random();
    expect("an unknown goal", suite.cancel(id)?, CancelOutcome::UnknownGoal)?;
    let options = GoalOptions::default().id(id);
    suite.count.send_goal_with(&Fibonacci_Goal { order: 1 }, options)?.wait(LONG)?;
    expect("the goal", suite.act(id, "canceled")?, (true, "CANCELED".into()))
}

fn sends_results_later(suite: &Suite) -> Result<(), Failure> {
    let goal = suite.send(1)?;
    let (first, second) = (goal.result()?, goal.result()?);
    suite.act(goal.id(), "succeed")?;
    for mut call in [first, second] {
        expect("the state", call.wait(LONG)?.status(), GoalStatus::Succeeded)?;
    }
    Ok(())
}

fn removes_expired_results(suite: &Suite) -> Result<(), Failure> {
    let goal = suite.send(1)?;
    suite.act(goal.id(), "abort")?;
    for _ in 0..2 {
        expect("the state", goal.result()?.wait(LONG)?.status(), GoalStatus::Aborted)?;
    }
    let begin = Instant::now();
    while begin.elapsed() < LONG {
        match goal.result()?.wait(LONG) {
            Ok(result) => expect("the state", result.status(), GoalStatus::Aborted)?,
            Err(ActionError::UnknownGoal { .. }) if begin.elapsed() > Duration::from_millis(100) => {
                return Ok(());
            }
            other => return Err(format!("{other:?}").into()),
        }
    }
    Err(format!("the result was still kept after {LONG:?}").into())
}

fn ends_dropped_goals(suite: &Suite) -> Result<(), Failure> {
    for state in [GoalStatus::Accepted, GoalStatus::Executing, GoalStatus::Canceling] {
        let goal = suite.goal_in(state)?;
        let mut call = goal.result()?;
        suite.act(goal.id(), "drop")?;
        expect_dropped(state, call.wait(LONG)?.status())?;
    }
    Ok(())
}

/// Checks the end of a goal whose handle was dropped in a state. rclpy aborts such a goal, and rclcpp cancels it.
fn expect_dropped(state: GoalStatus, end: GoalStatus) -> Result<(), Failure> {
    let is_allowed =
        end == GoalStatus::Canceled || state != GoalStatus::Canceling && end == GoalStatus::Aborted;
    expect(&format!("a goal that was {state} and is {end} has ended as it may"), is_allowed, true)
}

fn publishes_feedback(suite: &Suite) -> Result<(), Failure> {
    let (sender, received) = mpsc::channel();
    let topic = ActionNames::of("/subject/count").feedback;
    let subscription =
        suite.node.subscription::<Fibonacci_FeedbackMessage>(&topic).callback(move |message| {
            let _ = sender.send(GoalId::from(message.goal_id));
        })?;
    if !subscription.wait_for_publishers(1, LONG) {
        return Err(format!("no publisher of {topic} within {LONG:?}").into());
    }
    let goal = suite.send(1)?;
    expect("the command", suite.act(goal.id(), "feedback")?, (true, "EXECUTING".into()))?;
    expect("the id", received.recv_timeout(LONG)?, goal.id())?;
    suite.act(goal.id(), "succeed")?;
    expect("after its end", suite.act(goal.id(), "feedback")?.0, false)
}

fn publishes_states(suite: &Suite) -> Result<(), Failure> {
    let goal = suite.send(1)?;
    let (sender, received) = mpsc::channel();
    let topic = ActionNames::of("/subject/count").status;
    let qos = QoS::keep_last(100).transient_local();
    let _subscription =
        suite.node.subscription::<GoalStatusArray>(&topic).qos(qos).callback(move |message| {
            let _ = sender.send(message.status_list);
        })?;
    let wait_for = |state: GoalStatus| -> Result<(), Failure> {
        let is_it = |one: &StatusMessage| {
            (GoalId::from(one.goal_info.goal_id), one.status) == (goal.id(), state as i8)
        };
        loop {
            if received
                .recv_timeout(LONG)
                .map_err(|_| format!("{state} was not published"))?
                .iter()
                .any(is_it)
            {
                return Ok(());
            }
        }
    };
    wait_for(GoalStatus::Executing)?;
    suite.cancel(goal.id())?;
    wait_for(GoalStatus::Canceling)?;
    suite.act(goal.id(), "canceled")?;
    wait_for(GoalStatus::Canceled)
}

fn ends_many_goals(suite: &Suite) -> Result<(), Failure> {
    suite.end_all()?;
    let sent: Vec<_> =
        (0..1000).map(|_| suite.count.send_goal(&Fibonacci_Goal { order: 1 })).collect::<Result<_, _>>()?;
    let goals: Vec<_> = sent.into_iter().map(|mut sent| sent.wait(LONG)).collect::<Result<_, _>>()?;
    let calls: Vec<_> = goals.iter().map(ClientGoal::result).collect::<Result<_, _>>()?;
    // A server takes the requests of a client in order. So when it answers this one, it has those of all goals. Without that, a slow
    // server might take a request only after its result has expired.
    match suite.count.result_of(GoalId::random())?.wait(LONG) {
        Err(ActionError::UnknownGoal { .. }) => {}
        other => return Err(format!("a goal that was never sent: {other:?}").into()),
    }
    // The callback of the last goal may not have run yet. This command waits for it.
    let last = goals.last().ok_or("no goals")?;
    suite.act(last.id(), "feedback")?;
    suite.end_all()?;
    for mut call in calls {
        expect_dropped(GoalStatus::Executing, call.wait(LONG)?.status())?;
    }
    Ok(())
}

/// Opens a server of the suite. The order of a goal determines how it ends: 1 succeeds, 2 is aborted, and 3 waits until
/// a client cancels it. Goals with a negative order are rejected.
fn server(suite: &Suite, name: &str) -> Result<ActionServer<Fibonacci>, Failure> {
    let server = ActionServer::<Fibonacci>::on(&suite.node, name)
        .on_goal(|goal| match goal.view().map_or(-1, |view| view.order) {
            ..0 => GoalResponse::Reject,
            _ => GoalResponse::AcceptAndExecute,
        })
        .on_cancel(|_| CancelResponse::Accept)
        .execute(|goal: GoalHandle<Fibonacci>| {
            let order = goal.goal().map_or(0, |view| view.order);
            let result = Fibonacci_Result { sequence: vec![order] };
            let _ = match order {
                1 => goal.succeed(result),
                2 => goal.abort(result),
                _ => {
                    // The goal ends when a client cancels it.
                    std::thread::spawn(move || {
                        while !goal.is_canceling() {
                            std::thread::yield_now();
                        }
                        goal.canceled(result)
                    });
                    Ok(())
                }
            };
        })?;
    Ok(server)
}

fn sends_goals(suite: &Suite) -> Result<(), Failure> {
    let name = suite.unique("work");
    let _server = server(suite, &name)?;
    expect("order 1", suite.run_command(&["send_goal", &name, "1", "10"])?, (true, "succeeded".into()))?;
    expect("order 2", suite.run_command(&["send_goal", &name, "2", "10"])?, (true, "aborted".into()))?;
    let canceller = saltus::ActionClient::<Fibonacci>::on(&suite.node, &name).create()?;
    canceller.wait_for_server(LONG);
    std::thread::scope(|scope| {
        let command =
            scope.spawn(|| suite.run_command(&["send_goal", &name, "3", "10"]).map_err(|e| e.to_string()));
        // As long as the goal does not exist yet, nothing is cancelled.
        while canceller.cancel_all(LONG)? == CancelOutcome::Canceling(Vec::new()) {}
        let outcome = command.join().map_err(|_| "panicked")??;
        expect("order 3", outcome, (true, "canceled".into()))
    })
}

fn learns_of_rejection(suite: &Suite) -> Result<(), Failure> {
    let name = suite.unique("work");
    let _server = server(suite, &name)?;
    expect("the outcome", suite.run_command(&["send_goal", &name, "-1", "10"])?, (false, "rejected".into()))
}

fn learns_of_closed_server(suite: &Suite) -> Result<(), Failure> {
    let name = suite.unique("work");
    let (sender, taken) = mpsc::channel();
    let server = ActionServer::<Fibonacci>::on(&suite.node, &name).execute(move |goal| {
        let _ = sender.send(goal);
    })?;
    std::thread::scope(|scope| {
        let command =
            scope.spawn(|| suite.run_command(&["send_goal", &name, "1", "10"]).map_err(|e| e.to_string()));
        let _goal = taken.recv_timeout(LONG)?;
        drop(server);
        let outcome = command.join().map_err(|_| "panicked")??;
        // The client may first learn that its request was dropped, or that the server was closed.
        let expected = ["server_gone", "not_answered", "no_server"];
        if !outcome.0 && expected.contains(&&*outcome.1) {
            Ok(())
        } else {
            Err(format!("{outcome:?}").into())
        }
    })
}

fn learns_of_unknown_goal(suite: &Suite) -> Result<(), Failure> {
    let name = suite.unique("work");
    let _server = server(suite, &name)?;
    expect("the outcome", suite.run_command(&["unknown_result", &name])?, (false, "unknown_goal".into()))
}
