//! The transitions between states.

use crate::State;

/// The result of the callback of a transition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CallbackReturn {
    /// The node reaches the state that was requested. After `on_error`: the error was handled, and the node is
    /// unconfigured.
    #[default]
    Success,
    /// The node returns to the state in which it was; after `on_shutdown` and `on_error` it is finalized.
    Failure,
    /// Something is wrong: `on_error` is called. After `on_error` the node is finalized.
    Error,
}

impl CallbackReturn {
    /// All results, in the order of their transitions.
    pub const ALL: [Self; 3] = [Self::Success, Self::Failure, Self::Error];

    /// Returns the label of the transition that this result causes.
    pub fn label(self) -> &'static str {
        match self {
            Self::Success => "transition_success",
            Self::Failure => "transition_failure",
            Self::Error => "transition_error",
        }
    }
}

/// A transition that can be requested. Its number is the id in `lifecycle_msgs/msg/Transition`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Transition {
    /// From unconfigured to inactive, with `on_configure`.
    Configure = 1,
    /// From inactive to unconfigured, with `on_cleanup`.
    Cleanup = 2,
    /// From inactive to active, with `on_activate`.
    Activate = 3,
    /// From active to inactive, with `on_deactivate`.
    Deactivate = 4,
    /// From unconfigured to finalized, with `on_shutdown`.
    UnconfiguredShutdown = 5,
    /// From inactive to finalized, with `on_shutdown`.
    InactiveShutdown = 6,
    /// From active to finalized, with `on_shutdown`.
    ActiveShutdown = 7,
}

impl Transition {
    /// All transitions that can be requested, in the order in which services list them.
    pub const ALL: [Self; 7] = [
        Self::Configure,
        Self::Cleanup,
        Self::Activate,
        Self::Deactivate,
        Self::UnconfiguredShutdown,
        Self::InactiveShutdown,
        Self::ActiveShutdown,
    ];

    /// Returns the id of the transition.
    pub fn id(self) -> u8 {
        self as u8
    }

    /// Returns the label of the transition. The three ways to shut down have the same label.
    pub fn label(self) -> &'static str {
        match self {
            Self::Configure => "configure",
            Self::Cleanup => "cleanup",
            Self::Activate => "activate",
            Self::Deactivate => "deactivate",
            Self::UnconfiguredShutdown | Self::InactiveShutdown | Self::ActiveShutdown => "shutdown",
        }
    }

    /// Returns the transition with an id.
    pub fn from_id(id: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|transition| transition.id() == id)
    }

    /// Returns the transition with a label that is possible in a state.
    pub fn from_label(label: &str, state: State) -> Option<Self> {
        Self::possible_in(state).find(|transition| transition.label() == label)
    }

    /// Returns the transitions that can be requested in a state.
    pub fn possible_in(state: State) -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(move |transition| transition.start() == state)
    }

    /// Returns the state in which the transition is possible.
    pub fn start(self) -> State {
        match self {
            Self::Configure | Self::UnconfiguredShutdown => State::Unconfigured,
            Self::Cleanup | Self::Activate | Self::InactiveShutdown => State::Inactive,
            Self::Deactivate | Self::ActiveShutdown => State::Active,
        }
    }

    /// Returns the state in which the callback of the transition runs.
    pub fn transition_state(self) -> State {
        match self {
            Self::Configure => State::Configuring,
            Self::Cleanup => State::CleaningUp,
            Self::Activate => State::Activating,
            Self::Deactivate => State::Deactivating,
            Self::UnconfiguredShutdown | Self::InactiveShutdown | Self::ActiveShutdown => State::ShuttingDown,
        }
    }
}

/// The end of a transition, which the result of a callback causes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Outcome {
    /// The state in which the callback runs.
    pub state: State,
    /// The result of the callback.
    pub result: CallbackReturn,
}

/// For each state in which a callback runs: the id of the transition on success, and the states after success and after
/// failure. Failure and error have the next two ids.
const OUTCOMES: [(State, u8, [State; 3]); 6] = [
    (State::Configuring, 10, [State::Inactive, State::Unconfigured, State::ErrorProcessing]),
    (State::CleaningUp, 20, [State::Unconfigured, State::Inactive, State::ErrorProcessing]),
    (State::Activating, 30, [State::Active, State::Inactive, State::ErrorProcessing]),
    (State::Deactivating, 40, [State::Inactive, State::Active, State::ErrorProcessing]),
    (State::ShuttingDown, 50, [State::Finalized, State::Finalized, State::ErrorProcessing]),
    (State::ErrorProcessing, 60, [State::Unconfigured, State::Finalized, State::Finalized]),
];

impl Outcome {
    /// Returns the id of the transition, and the state after it. Returns `None` if no callback runs in the state.
    fn row(self) -> Option<(u8, State)> {
        let (_, id, goals) = OUTCOMES.iter().find(|(state, ..)| *state == self.state)?;
        let number = self.result as u8;
        Some((id + number, goals[usize::from(number)]))
    }
}

/// One step of the state machine, as `get_transition_graph` and `transition_event` describe it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// The id of the transition.
    pub id: u8,
    /// The label of the transition.
    pub label: &'static str,
    /// The state before it.
    pub start: State,
    /// The state after it.
    pub goal: State,
}

impl From<Transition> for Step {
    fn from(transition: Transition) -> Self {
        Self {
            id: transition.id(),
            label: transition.label(),
            start: transition.start(),
            goal: transition.transition_state(),
        }
    }
}

impl Step {
    /// Returns the step that the result of a callback causes. Returns `None` if no callback runs in that state.
    pub fn of_outcome(outcome: Outcome) -> Option<Self> {
        let (id, goal) = outcome.row()?;
        Some(Self { id, label: outcome.result.label(), start: outcome.state, goal })
    }

    /// Returns all steps, in the order in which `get_transition_graph` lists them.
    pub fn all() -> impl Iterator<Item = Self> {
        let requests =
            |state: State| Transition::ALL.into_iter().filter(move |one| one.transition_state() == state);
        let results = |state| CallbackReturn::ALL.into_iter().map(move |result| Outcome { state, result });
        OUTCOMES.iter().flat_map(move |(state, ..)| {
            requests(*state).map(Self::from).chain(results(*state).filter_map(Self::of_outcome))
        })
    }

    /// Returns the steps that begin in a state, in the order in which `get_available_transitions` lists them.
    pub fn available_in(state: State) -> impl Iterator<Item = Self> {
        Self::all().filter(move |step| step.start == state)
    }
}
