//! The five services of a lifecycle node.

use std::{
    any::Any,
    fmt,
    sync::{Arc, Weak},
};

use saltus_msgs::lifecycle_msgs::{
    msg,
    srv::{
        ChangeState, ChangeState_Request, ChangeState_Response, GetAvailableStates,
        GetAvailableStates_Response, GetAvailableTransitions, GetAvailableTransitions_Response, GetState,
        GetState_Response,
    },
};
use saltus_node::{CallbackGroupKind, Node, NodeError};

use crate::{CallbackReturn, State, Step, Transition, TransitionError};

/// The methods of a lifecycle node that the services use.
pub(crate) trait Managed: Send + Sync {
    /// Returns the current state.
    fn state(&self) -> State;

    /// Executes a transition.
    fn change_state(self: Arc<Self>, transition: Transition) -> Result<CallbackReturn, TransitionError>;
}

/// Opens the services. They end when the returned object is dropped.
///
/// Transitions belong to the default callback group of the node, so that its other callbacks do not run at the same time.
/// The other services have their own group: they answer during a transition if the executor has several threads.
pub(crate) fn open(node: &Node, weak: Weak<dyn Managed>) -> Result<Box<dyn Any + Send + Sync>, NodeError> {
    let queries = node.callback_group(CallbackGroupKind::Reentrant);
    let change = node.service::<ChangeState>("~/change_state").callback({
        let (weak, logger) = (weak.clone(), node.logger());
        move |request| {
            let changed = weak.upgrade().map(|managed| change_state(managed, &request));
            let success = match changed.unwrap_or_else(|| Err("the node is being dropped".into())) {
                Ok(result) => result == CallbackReturn::Success,
                Err(text) => {
                    saltus_node::error!(logger, "{text}");
                    false
                }
            };
            ChangeState_Response { success }
        }
    })?;
    let get = node.service::<GetState>("~/get_state").callback_group(&queries).reentrant_callback({
        let weak = weak.clone();
        move |_| GetState_Response { current_state: state(current(&weak)) }
    })?;
    let states = node.service::<GetAvailableStates>("~/get_available_states").callback_group(&queries);
    let states = states.reentrant_callback(|_| GetAvailableStates_Response {
        available_states: State::ALL.into_iter().map(state).collect(),
    })?;
    let available =
        node.service::<GetAvailableTransitions>("~/get_available_transitions").callback_group(&queries);
    let available =
        available.reentrant_callback(move |_| descriptions(Step::available_in(current(&weak))))?;
    let graph = node.service::<GetAvailableTransitions>("~/get_transition_graph").callback_group(&queries);
    let graph = graph.reentrant_callback(|_| descriptions(Step::all()))?;
    Ok(Box::new((queries, change, get, states, available, graph)))
}

fn current(managed: &Weak<dyn Managed>) -> State {
    managed.upgrade().map_or(State::Unknown, |managed| managed.state())
}

/// Executes the transition that a request names. Returns the result of its callback, or the text of the error.
fn change_state(managed: Arc<dyn Managed>, request: &ChangeState_Request) -> Result<CallbackReturn, String> {
    let msg::Transition { id, label } = &request.transition;
    let state = managed.state();
    let (transition, asked) = match label.as_str() {
        "" => (Transition::from_id(*id), id.to_string()),
        label => (Transition::from_label(label, state), format!("'{label}'")),
    };
    let failed = |reason: &dyn fmt::Display| {
        format!("Unable to start transition {asked} from current state {state}: {reason}")
    };
    let transition = transition.ok_or_else(|| failed(&"there is no such transition"))?;
    managed.change_state(transition).map_err(|error| failed(&error))
}

/// Returns a state as a message.
pub(crate) fn state(state: State) -> msg::State {
    msg::State { id: state.id(), label: state.label().into() }
}

/// Returns the transition of a step as a message.
pub(crate) fn transition(step: &Step) -> msg::Transition {
    msg::Transition { id: step.id, label: step.label.into() }
}

fn descriptions(steps: impl Iterator<Item = Step>) -> GetAvailableTransitions_Response {
    let described = steps.map(|step| msg::TransitionDescription {
        transition: transition(&step),
        start_state: state(step.start),
        goal_state: state(step.goal),
    });
    GetAvailableTransitions_Response { available_transitions: described.collect() }
}
