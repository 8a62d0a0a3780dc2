//! The events in the graph that the launcher reacts to.

use saltus_msgs::lifecycle_msgs::msg::State;

use crate::supervisor::Id;

/// An event in the graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum GraphEvent {
    /// The condition that makes the process ready holds.
    Ready(Id),
    /// A line for the log.
    Line {
        /// Whether something has failed.
        is_error: bool,
        /// The line.
        text: String,
    },
    /// A job of the process has ended. A component that could not be loaded is only reported.
    Done(Id),
    /// The lifecycle node of the process could not be activated.
    Failed(Id),
    /// A component was loaded, or could not be, into the container of the process, or into one that does not belong to the
    /// launch.
    Loaded {
        /// The process of the container.
        owner: Option<Id>,
        /// The full name of the component.
        name: String,
        /// Whether it was loaded.
        is_there: bool,
    },
    /// The node of the process has come into the graph, or has left it.
    Node {
        /// The process of the node.
        id: Id,
        /// Whether it is there.
        is_there: bool,
    },
    /// The time of a timer has passed.
    Timer(usize),
    /// A lifecycle node has changed its state.
    Transition {
        /// The process of the node.
        id: Id,
        /// The meaning of the change for the process.
        health: Health,
        /// The label of the transition.
        transition: String,
        /// The label of the state before.
        start: String,
        /// The label of the state now.
        goal: String,
    },
}

/// The meaning of a change of the state of a lifecycle node for its process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Health {
    /// The node had an error.
    Error,
    /// The node works.
    Active,
    /// The change says nothing about errors.
    Unchanged,
}

impl Health {
    /// Returns the meaning of a change from one state to another, by the ids of the states.
    pub(crate) fn of_transition(start: u8, goal: u8) -> Self {
        match (start, goal) {
            (State::TRANSITION_STATE_ERRORPROCESSING, _) => Self::Error,
            (_, State::PRIMARY_STATE_ACTIVE) => Self::Active,
            _ => Self::Unchanged,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_that_leaves_the_state_of_an_error_had_one_and_an_active_node_works() {
        let error = State::TRANSITION_STATE_ERRORPROCESSING;
        assert_eq!(Health::of_transition(error, State::PRIMARY_STATE_UNCONFIGURED), Health::Error);
        assert_eq!(Health::of_transition(error, State::PRIMARY_STATE_ACTIVE), Health::Error);
        let activating = State::TRANSITION_STATE_ACTIVATING;
        assert_eq!(Health::of_transition(activating, State::PRIMARY_STATE_ACTIVE), Health::Active);
        assert_eq!(Health::of_transition(State::PRIMARY_STATE_ACTIVE, error), Health::Unchanged);
    }
}
