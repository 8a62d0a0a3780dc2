//! Two subjects, mostly in different languages: what one sends, the other receives.

use std::{sync::mpsc, thread};

use saltus::{
    QoS,
    action::{GoalId, GoalStatus},
    msgs::action_msgs::msg::GoalStatusArray,
};

use crate::{
    case::{Failure, LONG, Suite, expect},
    cases::topics::{numbers, relays_through},
};

/// A rule for two subjects, and the function that checks whether they keep it. The first one sends or asks.
#[derive(Clone, Copy, Debug)]
pub struct PairCase {
    /// The rule.
    pub rule: &'static str,
    /// Returns an error if the subjects do not keep the rule. The text is the name of the second one's node.
    pub run: fn(&Suite, &Suite, &str) -> Result<(), Failure>,
}

/// The rules for two subjects, in the order in which they run.
pub const PAIR_CASES: &[PairCase] = &[
    PairCase { rule: "the messages of a publisher are received in order", run: sends },
    PairCase { rule: "a late subscription receives what a transient-local publisher has kept", run: keeps },
    PairCase { rule: "endpoints with incompatible profiles both learn why", run: differs },
    PairCase { rule: "messages with fields of every kind are relayed by both", run: relays },
    PairCase { rule: "a call is answered", run: calls },
    PairCase { rule: "a goal is rejected, and another one succeeds", run: sends_goals },
];

fn sends(from: &Suite, to: &Suite, _name: &str) -> Result<(), Failure> {
    let topic = from.unique("pair");
    let profile = "reliable/volatile/2000/0/0";
    to.must(&["subscription", "s", &topic, profile])?;
    from.must(&["publisher", "p", &topic, profile])?;
    from.must(&["event", "p", "matched", "10"])?;
    from.must(&["send", "p", "0", "1000"])?;
    expect("what it received", to.must(&["received", "s", "1000", "10"])?, numbers(0..1000))?;
    close(from, to)
}

fn close(from: &Suite, to: &Suite) -> Result<(), Failure> {
    from.must(&["close", "p"])?;
    to.must(&["close", "s"])?;
    Ok(())
}

fn keeps(from: &Suite, to: &Suite, _name: &str) -> Result<(), Failure> {
    let topic = from.unique("pair");
    from.must(&["publisher", "p", &topic, "reliable/transient_local/3/0/0"])?;
    from.must(&["send", "p", "0", "10"])?;
    to.must(&["subscription", "s", &topic, "reliable/transient_local/10/0/0"])?;
    expect("what it received", to.must(&["received", "s", "3", "10"])?, numbers(7..10))?;
    close(from, to)
}

fn differs(from: &Suite, to: &Suite, _name: &str) -> Result<(), Failure> {
    let topic = from.unique("pair");
    from.must(&["publisher", "p", &topic, "best_effort/volatile/10/0/0"])?;
    to.must(&["subscription", "s", &topic, "reliable/volatile/10/0/0"])?;
    for (subject, endpoint) in [(from, "p"), (to, "s")] {
        expect(
            "the policy",
            subject.must(&["event", endpoint, "incompatible_qos", "10"])?,
            "RELIABILITY".into(),
        )?;
    }
    close(from, to)
}

fn relays(from: &Suite, to: &Suite, _name: &str) -> Result<(), Failure> {
    relays_through(&[from, to])
}

fn calls(from: &Suite, _to: &Suite, name: &str) -> Result<(), Failure> {
    expect("the sum", from.must(&["call", &format!("{name}/add"), "10"])?, "42".into())
}

fn sends_goals(from: &Suite, to: &Suite, name: &str) -> Result<(), Failure> {
    let action = format!("{name}/count");
    let rejected = from.run_command(&["send_goal", &action, "-1", "10"])?;
    expect("a goal below 0", rejected, (false, "rejected".into()))?;
    to.run_command(&["goal", &GoalId::ZERO.to_string(), "drop"])?;
    let (sender, goals) = mpsc::channel();
    let qos = QoS::keep_last(100).transient_local();
    let states = from.node.subscription::<GoalStatusArray>(&format!("{action}/_action/status")).qos(qos);
    let _states = states.callback(move |message| {
        let is_executing = |state: i8| state == GoalStatus::Executing as i8;
        for goal in message.status_list.iter().filter(|goal| is_executing(goal.status)) {
            // This fails if the case has failed already and has dropped the receiver.
            let _ = sender.send(GoalId::from(goal.goal_info.goal_id));
        }
    })?;
    thread::scope(|scope| {
        let sent =
            scope.spawn(|| from.run_command(&["send_goal", &action, "1", "10"]).map_err(|e| e.to_string()));
        let id = goals.recv_timeout(LONG).map_err(|_| "no goal is executed")?;
        expect("its end", to.must(&["goal", &id.to_string(), "succeed"])?, "SUCCEEDED".into())?;
        let outcome = sent.join().map_err(|_| "panicked")??;
        expect("the outcome", outcome, (true, "succeeded".into()))
    })
}
