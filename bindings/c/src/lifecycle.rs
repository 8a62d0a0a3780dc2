//! Nodes with a lifecycle.

use std::{
    ffi::{CString, c_char, c_void},
    sync::{Arc, LazyLock},
};

use saltus::lifecycle::{
    CallbackResult, CallbackReturn, Lifecycle as Callbacks, LifecycleNode, State, Step, Transition,
    TransitionError,
};

use crate::{
    callbacks::{CallbackContext, Closure, DropFunction, Gated},
    gate::Gate,
    node::Node,
    pointers::{self, Options},
    status::{
        Failure, SALTUS_INVALID_TOPIC_NAME, SALTUS_LIFECYCLE_TRANSITION, SALTUS_NOTHING, Status, create,
        destroy, given, node_failure, place, run, value,
    },
};

/// The result of a callback: SALTUS_CALLBACK_SUCCESS, SALTUS_CALLBACK_FAILURE or SALTUS_CALLBACK_ERROR.
pub type CallbackNumber = u8;

/// The callback has done what it should.
pub const SALTUS_CALLBACK_SUCCESS: CallbackNumber = 97;
/// The callback has not done it, and the node stays in its state.
pub const SALTUS_CALLBACK_FAILURE: CallbackNumber = 98;
/// The callback has left the node in an unknown state: it is called again with the state of error processing.
pub const SALTUS_CALLBACK_ERROR: CallbackNumber = 99;

/// Runs the callback of a transition, and returns its result. `state` is the state in which it runs, and `previous` the state
/// before: numbers of lifecycle_msgs/msg/State.
pub type TransitionFunction =
    Option<extern "C" fn(context: *mut c_void, state: u8, previous: u8) -> CallbackNumber>;

/// A step of the state machine. The texts are valid for ever.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct LifecycleStep {
    /// The size of this struct: sizeof(saltus_lifecycle_step_t).
    pub struct_size: usize,
    /// The number of the transition.
    pub id: u8,
    /// The number of the state before it.
    pub start: u8,
    /// The number of the state after it.
    pub goal: u8,
    /// The label of the transition.
    pub label: *const c_char,
}

// SAFETY: it is `repr(C)`, begins with its size, and has only numbers and pointers.
unsafe impl Options for LifecycleStep {
    const NAME: &str = "saltus_lifecycle_step_t";

    fn defaults() -> Self {
        Self { struct_size: size_of::<Self>(), id: 0, start: 0, goal: 0, label: c"".as_ptr() }
    }
}

/// The lifecycle of a node.
#[derive(Debug)]
pub struct Lifecycle(Gated<LifecycleNode>);

/// The callbacks of a node in C.
struct Functions {
    callback: Closure<extern "C" fn(*mut c_void, u8, u8) -> CallbackNumber>,
    gate: Arc<Gate>,
}

impl Functions {
    fn call(&self, state: State, previous: State) -> CallbackResult {
        let context = self.callback.context.pointer();
        let result = self.gate.run(|| (self.callback.call)(context, state.id(), previous.id()));
        match result.unwrap_or(SALTUS_CALLBACK_ERROR) {
            SALTUS_CALLBACK_SUCCESS => Ok(CallbackReturn::Success),
            SALTUS_CALLBACK_FAILURE => Ok(CallbackReturn::Failure),
            SALTUS_CALLBACK_ERROR => Ok(CallbackReturn::Error),
            other => Err(format!("expected a result from 97 to 99, found {other}").into()),
        }
    }
}

impl Callbacks for Functions {
    fn on_configure(&mut self, _node: &LifecycleNode, previous: State) -> CallbackResult {
        self.call(State::Configuring, previous)
    }

    fn on_cleanup(&mut self, _node: &LifecycleNode, previous: State) -> CallbackResult {
        self.call(State::CleaningUp, previous)
    }

    fn on_activate(&mut self, _node: &LifecycleNode, previous: State) -> CallbackResult {
        self.call(State::Activating, previous)
    }

    fn on_deactivate(&mut self, _node: &LifecycleNode, previous: State) -> CallbackResult {
        self.call(State::Deactivating, previous)
    }

    fn on_shutdown(&mut self, _node: &LifecycleNode, previous: State) -> CallbackResult {
        self.call(State::ShuttingDown, previous)
    }

    fn on_error(&mut self, _node: &LifecycleNode, previous: State) -> CallbackResult {
        self.call(State::ErrorProcessing, previous)
    }
}

/// Gives a node a lifecycle. `call` runs the callbacks of all transitions. If `has_services` is true, the node has the services
/// and the topic with which others manage it. `drop` is called even if this function fails.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_lifecycle_create(
    node: Option<&Node>,
    has_services: bool,
    call: TransitionFunction,
    context: *mut c_void,
    drop: DropFunction,
    lifecycle: Option<&mut *mut Lifecycle>,
) -> Status {
    let context = CallbackContext::new(context, drop);
    create(lifecycle, || {
        let callback = Closure::given(call, context, "transitions")?;
        let node = &given(node, "node")?.inner;
        let gate = Arc::<Gate>::default();
        let functions = Functions { callback, gate: gate.clone() };
        let inner = match has_services {
            true => LifecycleNode::new(node, functions).map_err(node_failure(SALTUS_INVALID_TOPIC_NAME))?,
            false => LifecycleNode::local(node, functions),
        };
        Ok(Lifecycle(Gated::new(gate, inner)))
    })
}

/// Ends the lifecycle of a node: its services end. A callback that runs on another thread has returned when this function
/// returns.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_lifecycle_destroy(lifecycle: Option<Box<Lifecycle>>) {
    destroy(lifecycle);
}

/// Returns the number of the current state. It is 0 for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_lifecycle_state(lifecycle: Option<&Lifecycle>) -> u8 {
    value(0, || lifecycle.map_or(0, |lifecycle| lifecycle.0.state().id()))
}

/// Executes a transition, which is given by its number, and writes the result of its callback to `result`. Returns
/// SALTUS_LIFECYCLE_TRANSITION if it is not possible now, as while another transition runs.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_lifecycle_change_state(
    lifecycle: Option<&Lifecycle>,
    transition: u8,
    result: Option<&mut CallbackNumber>,
) -> Status {
    run(|| {
        let lifecycle = given(lifecycle, "lifecycle")?;
        let result = place(result, "result")?;
        let known = Transition::from_id(transition);
        let known = known.ok_or_else(|| {
            Failure::new(SALTUS_LIFECYCLE_TRANSITION, format!("there is no transition {transition}"))
        })?;
        // The node stays, even if the callback destroys the handle.
        let node = LifecycleNode::clone(&lifecycle.0);
        *result = match node.change_state(known)? {
            CallbackReturn::Success => SALTUS_CALLBACK_SUCCESS,
            CallbackReturn::Failure => SALTUS_CALLBACK_FAILURE,
            CallbackReturn::Error => SALTUS_CALLBACK_ERROR,
        };
        Ok(())
    })
}

/// The labels of states and transitions, as texts of C.
static LABELS: LazyLock<Vec<CString>> = LazyLock::new(|| {
    let states = State::ALL.into_iter().map(State::label);
    let labels = states.chain(Step::all().map(|step| step.label));
    labels.filter_map(|label| CString::new(label).ok()).collect()
});

fn label_in_c(label: &str) -> *const c_char {
    let found = LABELS.iter().find(|known| known.to_bytes() == label.as_bytes());
    found.map_or(c"".as_ptr(), |known| known.as_ptr())
}

/// Returns how many states there are.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_lifecycle_state_count() -> usize {
    State::ALL.len()
}

/// Returns the number of a state, in the order of the service get_available_states. It is 0 beyond the last one.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_lifecycle_state_at(index: usize) -> u8 {
    State::ALL.get(index).map_or(0, |state| state.id())
}

/// Returns the label of a state, which is given by its number. It is empty if there is none. The text is valid for ever.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_lifecycle_state_label(state: u8) -> *const c_char {
    value(c"".as_ptr(), || State::from_id(state).map_or(c"".as_ptr(), |state| label_in_c(state.label())))
}

/// Returns how many steps there are.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_lifecycle_step_count() -> usize {
    Step::all().count()
}

/// Writes a step, in the order of the service get_transition_graph. Set its struct_size before. Returns SALTUS_NOTHING beyond the
/// last one.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_lifecycle_step_at(index: usize, step: Option<&mut LifecycleStep>) -> Status {
    run(|| {
        let place = place(step, "step")?;
        let beyond = || Failure::new(SALTUS_NOTHING, format!("there is no step {index}"));
        let step = Step::all().nth(index).ok_or_else(beyond)?;
        let known = LifecycleStep {
            id: step.id,
            start: step.start.id(),
            goal: step.goal.id(),
            label: label_in_c(step.label),
            ..LifecycleStep::defaults()
        };
        pointers::write_known(place, &known)
    })
}

impl From<TransitionError> for Failure {
    fn from(error: TransitionError) -> Self {
        Self::new(SALTUS_LIFECYCLE_TRANSITION, error)
    }
}
