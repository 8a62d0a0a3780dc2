//! Lifecycle nodes, as other nodes see and change them.

use std::{sync::mpsc, time::Duration};

use saltus::{
    Client, QoS, Subscription,
    lifecycle::{State, Step},
    msgs::{
        lifecycle_msgs::{
            msg::{Transition, TransitionDescription, TransitionEvent},
            srv::{
                ChangeState, ChangeState_Request, GetAvailableStates, GetAvailableStates_Request,
                GetAvailableTransitions, GetAvailableTransitions_Request, GetState, GetState_Request,
            },
        },
        std_msgs::msg::UInt64,
    },
};

use crate::case::{Case, Failure, LONG, Suite, expect};

pub(crate) const CASES: &[Case] = &[
    Case { rule: "a lifecycle node has five services, and publishes transition_event", run: has_services },
    Case { rule: "states and transitions have ROS 2's ids, labels and order", run: lists_states },
    Case { rule: "each transition calls its callback with the state before", run: calls_back },
    Case { rule: "the available transitions are those from the current state", run: lists_transitions },
    Case { rule: "after a failure the node is in the state before", run: returns_after_failure },
    Case {
        rule: "after an error on_error decides between unconfigured and finalized",
        run: processes_errors,
    },
    Case { rule: "an exception or a panic of a callback is an error", run: survives_exceptions },
    Case { rule: "a transition that is not possible changes nothing", run: refuses },
    Case { rule: "a label takes precedence over an id", run: prefers_labels },
    Case { rule: "each primary state but finalized can be shut down", run: shuts_down },
    Case { rule: "each step is published on transition_event, in order", run: publishes_steps },
    Case { rule: "a lifecycle publisher publishes only while its node is active", run: gates_publishers },
    Case {
        rule: "after an error or a shutdown, a lifecycle publisher drops messages",
        run: gates_after_errors,
    },
];

/// A new lifecycle node of the subject.
struct Managed<'a> {
    suite: &'a Suite,
    name: String,
    change: Client<ChangeState>,
    get: Client<GetState>,
}

impl<'a> Managed<'a> {
    fn new(suite: &'a Suite) -> Result<Self, Failure> {
        let name = suite.unique("managed").replace("/suite/", "");
        expect("the node", suite.run_command(&["lifecycle", &name])?.0, true)?;
        let change = suite.node.client(&format!("/{name}/change_state")).create()?;
        let get = suite.node.client(&format!("/{name}/get_state")).create()?;
        let is_there = change.wait_for_service(LONG) && get.wait_for_service(LONG);
        expect("whether the services are there", is_there, true)?;
        Ok(Self { suite, name, change, get })
    }

    /// Requests a transition by its label. Returns whether the node reports success.
    fn request(&self, label: &str) -> Result<bool, Failure> {
        self.request_both(0, label)
    }

    fn request_both(&self, id: u8, label: &str) -> Result<bool, Failure> {
        let request = ChangeState_Request { transition: Transition { id, label: label.into() } };
        Ok(self.change.call(&request, LONG)?.success)
    }

    /// Requests a transition, and checks the result and the state afterwards.
    fn reaches(&self, label: &str, success: bool, state: State) -> Result<(), Failure> {
        expect(&format!("the success of {label}"), self.request(label)?, success)?;
        self.is_in(&format!("the state after {label}"), state)
    }

    fn is_in(&self, when: &str, state: State) -> Result<(), Failure> {
        let found = self.get.call(&GetState_Request {}, LONG)?.current_state;
        expect(when, (found.id, found.label.as_str()), (state.id(), state.label()))
    }

    /// Sets what the next call of a callback does.
    fn plan(&self, callback: &str, outcome: &str) -> Result<(), Failure> {
        self.command(&["plan", &self.name, callback, outcome]).map(drop)
    }

    /// Returns the callbacks that were called since the last call of this, each with the state before.
    fn calls(&self) -> Result<String, Failure> {
        self.command(&["callbacks", &self.name])
    }

    /// Publishes a number. Returns how many were dropped so far.
    fn publish(&self, number: u64) -> Result<String, Failure> {
        self.command(&["publish_managed", &self.name, &number.to_string()])
    }

    fn command(&self, words: &[&str]) -> Result<String, Failure> {
        let (ok, text) = self.suite.run_command(words)?;
        expect(&format!("{words:?}: {text}"), ok, true)?;
        Ok(text)
    }

    fn transitions(&self, service: &str) -> Result<Vec<(u8, String, String, String)>, Failure> {
        let client = self.suite.node.client::<GetAvailableTransitions>(&format!("/{}/{service}", self.name));
        let client = client.create()?;
        client.wait_for_service(LONG);
        let response = client.call(&GetAvailableTransitions_Request {}, LONG)?;
        Ok(response.available_transitions.into_iter().map(as_tuple).collect())
    }
}

fn as_tuple(one: TransitionDescription) -> (u8, String, String, String) {
    (one.transition.id, one.transition.label, one.start_state.label, one.goal_state.label)
}

fn expected(steps: impl Iterator<Item = Step>) -> Vec<(u8, String, String, String)> {
    steps.map(|one| (one.id, one.label.into(), one.start.label().into(), one.goal.label().into())).collect()
}

fn has_services(suite: &Suite) -> Result<(), Failure> {
    let managed = Managed::new(suite)?;
    let of_service =
        |name: &str, ty: &str| (format!("/{}/{name}", managed.name), format!("lifecycle_msgs/srv/{ty}"));
    let services = [
        of_service("change_state", "ChangeState"),
        of_service("get_available_states", "GetAvailableStates"),
        of_service("get_available_transitions", "GetAvailableTransitions"),
        of_service("get_state", "GetState"),
        of_service("get_transition_graph", "GetAvailableTransitions"),
    ];
    let found = || {
        let servers = suite.node.context().graph().servers;
        let servers = servers.into_iter().filter(|one| one.type_name.starts_with("lifecycle_msgs"));
        let mut servers: Vec<_> = servers
            .filter(|one| one.topic.starts_with(&format!("/{}/", managed.name)))
            .map(|one| (one.topic, one.type_name))
            .collect();
        servers.sort();
        servers
    };
    // Across a domain bridge, they come one after the other.
    suite.node.context().wait_until(LONG, || found() == services);
    expect("the services", found(), services.to_vec())?;
    let event = format!("/{}/transition_event", managed.name);
    let published = || {
        let ends = suite.node.context().graph().endpoints.into_iter();
        ends.filter(|end| end.topic == event).map(|end| end.type_name).collect::<Vec<_>>()
    };
    suite.node.context().wait_until(LONG, || !published().is_empty());
    expect(&event, published(), vec!["lifecycle_msgs/msg/TransitionEvent".to_owned()])?;
    managed.is_in("the first state", State::Unconfigured)
}

fn lists_states(suite: &Suite) -> Result<(), Failure> {
    let managed = Managed::new(suite)?;
    let client = suite.node.client::<GetAvailableStates>(&format!("/{}/get_available_states", managed.name));
    let client = client.create()?;
    client.wait_for_service(LONG);
    let states = client.call(&GetAvailableStates_Request {}, LONG)?.available_states;
    let states: Vec<_> = states.into_iter().map(|one| (one.id, one.label)).collect();
    expect("the states", states, State::ALL.iter().map(|one| (one.id(), one.label().to_owned())).collect())?;
    expect("the graph", managed.transitions("get_transition_graph")?, expected(Step::all()))
}

fn calls_back(suite: &Suite) -> Result<(), Failure> {
    let managed = Managed::new(suite)?;
    managed.reaches("configure", true, State::Inactive)?;
    managed.reaches("activate", true, State::Active)?;
    managed.reaches("deactivate", true, State::Inactive)?;
    managed.reaches("cleanup", true, State::Unconfigured)?;
    managed.reaches("shutdown", true, State::Finalized)?;
    expect(
        "the callbacks",
        managed.calls()?.as_str(),
        "on_configure:unconfigured on_activate:inactive on_deactivate:active on_cleanup:inactive \
         on_shutdown:unconfigured",
    )
}

fn lists_transitions(suite: &Suite) -> Result<(), Failure> {
    let managed = Managed::new(suite)?;
    for (label, state) in [
        ("", State::Unconfigured),
        ("configure", State::Inactive),
        ("activate", State::Active),
        ("shutdown", State::Finalized),
    ] {
        if !label.is_empty() {
            managed.reaches(label, true, state)?;
        }
        let found = managed.transitions("get_available_transitions")?;
        expect(&format!("the transitions of {state}"), found, expected(Step::available_in(state)))?;
    }
    Ok(())
}

fn returns_after_failure(suite: &Suite) -> Result<(), Failure> {
    let managed = Managed::new(suite)?;
    for (callback, label, before, after) in [
        ("on_configure", "configure", State::Unconfigured, State::Inactive),
        ("on_activate", "activate", State::Inactive, State::Active),
        ("on_deactivate", "deactivate", State::Active, State::Inactive),
        ("on_cleanup", "cleanup", State::Inactive, State::Unconfigured),
    ] {
        managed.plan(callback, "failure")?;
        managed.reaches(label, false, before)?;
        managed.reaches(label, true, after)?;
    }
    managed.plan("on_shutdown", "failure")?;
    managed.reaches("shutdown", false, State::Finalized)
}

fn processes_errors(suite: &Suite) -> Result<(), Failure> {
    for (outcome, goal) in
        [("success", State::Unconfigured), ("failure", State::Finalized), ("error", State::Finalized)]
    {
        let managed = Managed::new(suite)?;
        managed.reaches("configure", true, State::Inactive)?;
        managed.plan("on_activate", "error")?;
        managed.plan("on_error", outcome)?;
        managed.calls()?;
        managed.reaches("activate", false, goal)?;
        expect("the callbacks", managed.calls()?.as_str(), "on_activate:inactive on_error:inactive")?;
    }
    Ok(())
}

fn survives_exceptions(suite: &Suite) -> Result<(), Failure> {
    let managed = Managed::new(suite)?;
    managed.plan("on_configure", "raise")?;
    managed.reaches("configure", false, State::Unconfigured)?;
    expect("the callbacks", managed.calls()?.as_str(), "on_configure:unconfigured on_error:unconfigured")?;
    managed.plan("on_configure", "raise")?;
    managed.plan("on_error", "raise")?;
    managed.reaches("configure", false, State::Finalized)
}

fn refuses(suite: &Suite) -> Result<(), Failure> {
    let managed = Managed::new(suite)?;
    for label in ["activate", "deactivate", "cleanup", "nonsense", "transition_success"] {
        managed.reaches(label, false, State::Unconfigured)?;
    }
    // Ids of other states' transitions, of the results of callbacks, and an unknown one.
    for id in [3, 6, 7, 10, 60, 200] {
        expect(&format!("the success of {id}"), managed.request_both(id, "")?, false)?;
        managed.is_in(&format!("the state after {id}"), State::Unconfigured)?;
    }
    expect("the callbacks", managed.calls()?.as_str(), "")
}

fn prefers_labels(suite: &Suite) -> Result<(), Failure> {
    let managed = Managed::new(suite)?;
    expect("the success", managed.request_both(5, "configure")?, true)?;
    managed.is_in("the state", State::Inactive)?;
    expect("the success", managed.request_both(3, "")?, true)?;
    managed.is_in("the state", State::Active)
}

fn shuts_down(suite: &Suite) -> Result<(), Failure> {
    for (id, before) in [(5, State::Unconfigured), (6, State::Inactive), (7, State::Active)] {
        let managed = Managed::new(suite)?;
        let path: &[&str] = match before {
            State::Unconfigured => &[],
            State::Inactive => &["configure"],
            _ => &["configure", "activate"],
        };
        path.iter().try_for_each(|label| managed.request(label).map(drop))?;
        expect(&format!("the success of {id}"), managed.request_both(id, "")?, true)?;
        managed.is_in(&format!("the state after {id}"), State::Finalized)?;
    }
    Ok(())
}

/// Receives numbers or events of a topic.
fn receive<M: saltus::cdr::Message + Send + 'static>(
    suite: &Suite,
    topic: &str,
) -> Result<(mpsc::Receiver<M>, Subscription<M>), Failure> {
    let (sender, receiver) = mpsc::channel();
    let subscription = suite.node.subscription::<M>(topic).qos(QoS::keep_last(100));
    let subscription = subscription.callback(move |message| drop(sender.send(message)))?;
    Ok((receiver, subscription))
}

fn publishes_steps(suite: &Suite) -> Result<(), Failure> {
    let managed = Managed::new(suite)?;
    let (events, subscription) =
        receive::<TransitionEvent>(suite, &format!("/{}/transition_event", managed.name))?;
    expect("whether it is connected", subscription.wait_for_publishers(1, LONG), true)?;
    managed.request("configure")?;
    managed.plan("on_activate", "error")?;
    managed.request("activate")?;
    for (id, label, start, goal) in [
        (1, "configure", "unconfigured", "configuring"),
        (10, "transition_success", "configuring", "inactive"),
        (3, "activate", "inactive", "activating"),
        (32, "transition_error", "activating", "errorprocessing"),
        (60, "transition_success", "errorprocessing", "unconfigured"),
    ] {
        let event = events.recv_timeout(LONG)?;
        let found =
            (event.transition.id, event.transition.label, event.start_state.label, event.goal_state.label);
        expect("the event", found, (id, label.to_owned(), start.to_owned(), goal.to_owned()))?;
        expect("whether the event has a time", event.timestamp > 0, true)?;
    }
    Ok(())
}

fn gates_publishers(suite: &Suite) -> Result<(), Failure> {
    let managed = Managed::new(suite)?;
    managed.reaches("configure", true, State::Inactive)?;
    let (numbers, subscription) = receive::<UInt64>(suite, &format!("/{}/numbers", managed.name))?;
    expect("whether it is connected", subscription.wait_for_publishers(1, LONG), true)?;
    expect("dropped while inactive", managed.publish(1)?.as_str(), "1")?;
    managed.plan("on_activate", "failure")?;
    managed.reaches("activate", false, State::Inactive)?;
    expect("dropped after a failed activation", managed.publish(2)?.as_str(), "2")?;
    managed.reaches("activate", true, State::Active)?;
    expect("dropped while active", managed.publish(3)?.as_str(), "2")?;
    managed.reaches("deactivate", true, State::Inactive)?;
    expect("dropped after the deactivation", managed.publish(4)?.as_str(), "3")?;
    managed.reaches("activate", true, State::Active)?;
    managed.publish(5)?;
    expect("the first number", numbers.recv_timeout(LONG)?.data, 3)?;
    expect("the second number", numbers.recv_timeout(LONG)?.data, 5)?;
    let more = numbers.recv_timeout(Duration::ZERO).ok().map(|one| one.data);
    expect("further numbers", more, None)
}

fn gates_after_errors(suite: &Suite) -> Result<(), Failure> {
    let managed = Managed::new(suite)?;
    let activate = || -> Result<(), Failure> {
        managed.reaches("configure", true, State::Inactive)?;
        managed.reaches("activate", true, State::Active)
    };
    activate()?;
    managed.plan("on_deactivate", "failure")?;
    managed.reaches("deactivate", false, State::Active)?;
    expect("dropped after a failed deactivation", managed.publish(1)?.as_str(), "0")?;
    managed.plan("on_deactivate", "raise")?;
    managed.reaches("deactivate", false, State::Unconfigured)?;
    expect("dropped after an error", managed.publish(2)?.as_str(), "1")?;
    activate()?;
    managed.reaches("shutdown", true, State::Finalized)?;
    expect("dropped after the shutdown", managed.publish(3)?.as_str(), "2")
}
