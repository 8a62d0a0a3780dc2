//! Actions: long tasks that can be watched and cancelled.
//!
//! An action is three services and two topics under its name, named and typed as in ROS 2
//! (`<name>/_action/send_goal`, `cancel_goal`, `get_result`, `feedback`, `status`). This crate is a client
//! of `saltus-node`'s public ones.
//!
//! | module | what it knows |
//! |---|---|
//! | `goal` | goal ids, states, and which state may follow which |
//! | `wire` | how goals and results stand in the messages |
//! | `handle` | a goal in the hands of the program that executes it |
//! | `goals` | the goals of a server: taking, cancelling, ending and telling them; keeping results |
//! | `server` | how a server is made, and its services |
//! | `client` | sending goals, and waiting for what comes of them |
//!
//! Source: the ROS 2 design article on actions, and `rcl_action` where they differ.

mod client;
mod client_goal;
mod goal;
mod goals;
mod handle;
mod server;
mod wire;

use saltus_types::{NameError, TopicName};

pub use client::{ActionClient, ActionClientBuilder, GoalOptions};
pub use client_goal::{ActionError, CancelOutcome, ClientGoal, ResultCall, SendGoal, WrappedResult};
pub use goal::{GoalEvent, GoalId, GoalStatus};
pub use goals::{CancelResponse, GoalRequest, GoalResponse};
pub use handle::{GoalError, GoalHandle};
pub use server::{ActionServer, ActionServerBuilder, ActionServerStatus};

/// The names of an action's services and topics.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionNames {
    /// The service that takes goals.
    pub send_goal: String,
    /// The service that cancels goals.
    pub cancel_goal: String,
    /// The service that gives results.
    pub get_result: String,
    /// The topic of feedback.
    pub feedback: String,
    /// The topic of states.
    pub status: String,
}

impl ActionNames {
    /// Those of an action that a program calls `action`.
    ///
    /// ```
    /// let names = saltus_action::ActionNames::of("/fibonacci");
    /// assert_eq!(names.send_goal, "/fibonacci/_action/send_goal");
    /// ```
    pub fn of(action: &str) -> Self {
        let name = |part: &str| format!("{action}/_action/{part}");
        Self {
            send_goal: name("send_goal"),
            cancel_goal: name("cancel_goal"),
            get_result: name("get_result"),
            feedback: name("feedback"),
            status: name("status"),
        }
    }
}

/// The full name of an action that a program calls `action`.
fn resolve(node: &saltus_node::Node, action: &str) -> Result<TopicName, NameError> {
    TopicName::expand(action, node.name())
}
