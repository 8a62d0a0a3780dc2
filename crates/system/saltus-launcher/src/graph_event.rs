//! What the launcher learns from the graph.

use crate::supervisor::Id;

/// What has happened in the graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// What the process waited for is there.
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
        /// The label of the transition.
        transition: String,
        /// The label of the state before.
        start: String,
        /// The label of the state now.
        goal: String,
    },
}
