//! The current state of a node.

use crate::{CallbackReturn, Outcome, State, Step, Transition};

/// Why a transition is not possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TransitionError {
    /// The transition does not begin in the current state.
    #[error("the transition '{}' ({}) is not possible in the state '{state}'{}", .transition.label(), .transition.id(), possible(*.state))]
    NotPossible {
        /// The transition.
        transition: Transition,
        /// The current state.
        state: State,
    },
    /// No callback runs, so that there is no transition to end.
    #[error("no transition is in progress; the state is '{state}'")]
    NotInProgress {
        /// The current state.
        state: State,
    },
}

/// Returns which transitions are possible in a state, as text for the error message.
fn possible(state: State) -> String {
    let labels: Vec<&str> = Transition::possible_in(state).map(Transition::label).collect();
    if labels.is_empty() { String::new() } else { format!("; possible are: {}", labels.join(", ")) }
}

/// The state machine of a node.
///
/// **Invariant:** after [`StateMachine::begin`], the machine is in a transition state until [`StateMachine::end`] returns
/// another state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateMachine {
    state: State,
}

impl Default for StateMachine {
    fn default() -> Self {
        Self::new()
    }
}

impl StateMachine {
    /// Returns a machine in the state `Unconfigured`.
    pub fn new() -> Self {
        Self { state: State::Unconfigured }
    }

    /// Returns the current state.
    pub fn state(&self) -> State {
        self.state
    }

    /// Begins a transition. The machine is then in the transition state, whose callback the caller runs.
    ///
    /// # Errors
    ///
    /// Returns an error if the transition does not begin in the current state. Then nothing changes.
    pub fn begin(&mut self, transition: Transition) -> Result<Step, TransitionError> {
        let step = Step::from(transition);
        if step.start != self.state {
            return Err(TransitionError::NotPossible { transition, state: self.state });
        }
        self.state = step.goal;
        Ok(step)
    }

    /// Ends a transition with the result of its callback. If the machine is then in the state `ErrorProcessing`, the
    /// caller runs `on_error` and calls this again.
    ///
    /// # Errors
    ///
    /// Returns an error if no transition is in progress.
    pub fn end(&mut self, result: CallbackReturn) -> Result<Step, TransitionError> {
        let outcome = Outcome { state: self.state, result };
        let step = Step::of_outcome(outcome).ok_or(TransitionError::NotInProgress { state: self.state })?;
        self.state = step.goal;
        Ok(step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Id, label, start and goal of each step, in the order of `get_transition_graph`.
    const GRAPH: [(u8, &str, &str, &str); 25] = [
        (1, "configure", "unconfigured", "configuring"),
        (10, "transition_success", "configuring", "inactive"),
        (11, "transition_failure", "configuring", "unconfigured"),
        (12, "transition_error", "configuring", "errorprocessing"),
        (2, "cleanup", "inactive", "cleaningup"),
        (20, "transition_success", "cleaningup", "unconfigured"),
        (21, "transition_failure", "cleaningup", "inactive"),
        (22, "transition_error", "cleaningup", "errorprocessing"),
        (3, "activate", "inactive", "activating"),
        (30, "transition_success", "activating", "active"),
        (31, "transition_failure", "activating", "inactive"),
        (32, "transition_error", "activating", "errorprocessing"),
        (4, "deactivate", "active", "deactivating"),
        (40, "transition_success", "deactivating", "inactive"),
        (41, "transition_failure", "deactivating", "active"),
        (42, "transition_error", "deactivating", "errorprocessing"),
        (5, "shutdown", "unconfigured", "shuttingdown"),
        (6, "shutdown", "inactive", "shuttingdown"),
        (7, "shutdown", "active", "shuttingdown"),
        (50, "transition_success", "shuttingdown", "finalized"),
        (51, "transition_failure", "shuttingdown", "finalized"),
        (52, "transition_error", "shuttingdown", "errorprocessing"),
        (60, "transition_success", "errorprocessing", "unconfigured"),
        (61, "transition_failure", "errorprocessing", "finalized"),
        (62, "transition_error", "errorprocessing", "finalized"),
    ];

    #[test]
    fn the_steps_are_those_of_ros_2() {
        let all: Vec<_> =
            Step::all().map(|step| (step.id, step.label, step.start.label(), step.goal.label())).collect();
        assert_eq!(all, GRAPH);
    }

    #[test]
    fn the_ids_of_states_are_those_of_ros_2() {
        let ids: Vec<u8> = State::ALL.iter().map(|state| state.id()).collect();
        assert_eq!(ids, [0, 1, 2, 3, 4, 10, 11, 12, 13, 14, 15]);
        assert!(State::ALL.iter().all(|state| State::from_id(state.id()) == Some(*state)));
        assert_eq!(State::from_id(5), None);
    }

    #[test]
    fn a_transition_that_is_not_possible_changes_nothing() {
        for state in State::ALL {
            for transition in Transition::ALL {
                let mut machine = StateMachine { state };
                match machine.begin(transition) {
                    Ok(step) => assert_eq!((step.start, machine.state()), (state, step.goal)),
                    Err(error) => {
                        assert_eq!(error, TransitionError::NotPossible { transition, state });
                        assert_eq!(machine.state(), state);
                    }
                }
            }
        }
    }

    #[test]
    fn a_transition_ends_only_if_a_callback_runs() {
        for state in State::ALL {
            for result in CallbackReturn::ALL {
                let mut machine = StateMachine { state };
                assert_eq!(machine.end(result).is_ok(), state.is_transition_state());
            }
        }
    }

    #[test]
    fn a_label_names_the_transition_of_the_current_state() {
        let shutdown = |state| Transition::from_label("shutdown", state);
        assert_eq!(shutdown(State::Inactive), Some(Transition::InactiveShutdown));
        assert_eq!(shutdown(State::Active), Some(Transition::ActiveShutdown));
        assert_eq!(shutdown(State::Finalized), None);
        assert_eq!(Transition::from_label("activate", State::Unconfigured), None);
    }

    #[test]
    fn the_error_names_the_possible_transitions() {
        let error = StateMachine::new().begin(Transition::Activate).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the transition 'activate' (3) is not possible in the state 'unconfigured'; possible are: configure, shutdown"
        );
    }
}
