//! The state machine of lifecycle nodes. Python code calls the callbacks.

use std::sync::Mutex;

use pyo3::{exceptions::PyValueError, prelude::*};
use saltus::{
    lifecycle::{self, CallbackReturn, State, Step, Transition},
    types::lock,
};

/// The id and the label of a state.
type StateTuple = (u8, &'static str);
/// The id and the label of a transition, and of the states before and after it.
type StepTuple = (u8, &'static str, u8, &'static str, u8, &'static str);

fn state_tuple(state: State) -> StateTuple {
    (state.id(), state.label())
}

fn step_tuple(step: Step) -> StepTuple {
    (step.id, step.label, step.start.id(), step.start.label(), step.goal.id(), step.goal.label())
}

/// The state machine of a lifecycle node.
#[pyclass(frozen, module = "saltus._native")]
#[derive(Debug, Default)]
pub(crate) struct StateMachine(Mutex<lifecycle::StateMachine>);

#[pymethods]
impl StateMachine {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// The id and the label of the current state.
    #[getter]
    fn current_state(&self) -> StateTuple {
        state_tuple(lock(&self.0).state())
    }

    /// Begins the transition with an id.
    fn begin(&self, id: u8) -> PyResult<StepTuple> {
        let unknown = || PyValueError::new_err(format!("there is no transition {id} that can be requested"));
        let transition = Transition::from_id(id).ok_or_else(unknown)?;
        let begun = lock(&self.0).begin(transition);
        begun.map(step_tuple).map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// Ends a transition. `label` is the label of the result of its callback, such as `transition_success`.
    fn end(&self, label: &str) -> PyResult<StepTuple> {
        let result = CallbackReturn::ALL.into_iter().find(|result| result.label() == label);
        let result = result.ok_or_else(|| PyValueError::new_err(format!("'{label}' is no result")))?;
        let ended = lock(&self.0).end(result);
        ended.map(step_tuple).map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// Returns the id of the transition with a label that is possible in the current state.
    fn transition_by_label(&self, label: &str) -> Option<u8> {
        Transition::from_label(label, lock(&self.0).state()).map(Transition::id)
    }

    /// Returns the transitions from the current state.
    fn available_transitions(&self) -> Vec<StepTuple> {
        Step::available_in(lock(&self.0).state()).map(step_tuple).collect()
    }

    /// Returns all transitions.
    #[staticmethod]
    fn transition_graph() -> Vec<StepTuple> {
        Step::all().map(step_tuple).collect()
    }

    /// Returns all states.
    #[staticmethod]
    fn available_states() -> Vec<StateTuple> {
        State::ALL.into_iter().map(state_tuple).collect()
    }
}
