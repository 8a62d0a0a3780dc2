//! Actions: long tasks that send feedback and can be canceled.
//!
//! An action consists of three services and two topics under its name. Their names and types are those of ROS 2
//! (`<name>/_action/send_goal`, `cancel_goal`, `get_result`, `feedback`, `status`). This crate uses only the public
//! services and topics of `saltus-node`.
//!
//! | module | content |
//! |---|---|
//! | `goal` | goal ids, the states of a goal and the transitions between them |
//! | `wire` | the layout of goals, feedback and results in messages |
//! | `kind` | actions of generated types, and actions whose types are known only at run time |
//! | `handle` | the handle with which a program executes a goal |
//! | `request` | the requests on which a program decides: goals that clients send, and requests to cancel them |
//! | `goals` | the goals of a server: accepting, canceling and ending them, publishing their states, keeping results |
//! | `server` | the builder of a server, and its services |
//! | `any_client` | the same for actions whose types are known only at run time |
//! | `client` | sending goals, and canceling goals of any client |
//! | `client_goal` | goals that were sent: waiting for their acceptance and result, and canceling them |
//!
//! Source: the ROS 2 design article on actions. Where `rcl_action` differs from it, `rcl_action` is followed.

mod any_client;
mod client;
mod client_goal;
mod goal;
mod goals;
mod handle;
mod kind;
mod request;
mod server;
mod wire;

use saltus_types::{NameError, TopicName};

pub use any_client::{AnyActionClient, OnOutcome};
pub use client::{ActionClient, ActionClientBuilder, GoalOptions};
pub use client_goal::{ActionError, CancelOutcome, ClientGoal, ResultCall, SendGoal, WrappedResult};
pub use goal::{GoalEvent, GoalId, GoalStatus};
pub use handle::{GoalError, GoalHandle};
pub use kind::{ActionKind, ActionQos, ActionTypes, AnyAction, SerializedResult};
pub use request::{CancelResponse, GoalRequest, GoalResponse};
pub use server::{ActionServer, ActionServerBuilder, ActionServerStatus};

/// The names of an action's services and topics.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionNames {
    /// The service that accepts or rejects goals.
    pub send_goal: String,
    /// The service that cancels goals.
    pub cancel_goal: String,
    /// The service that returns results.
    pub get_result: String,
    /// The topic of feedback.
    pub feedback: String,
    /// The topic of the states of goals.
    pub status: String,
}

impl ActionNames {
    /// Returns the names of the action `action`.
    ///
    /// ```
    /// let names = saltus::action::ActionNames::of("/fibonacci");
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

/// Returns the full name of the action that a node's program calls `action`.
fn resolve(node: &saltus_node::Node, action: &str) -> Result<TopicName, NameError> {
    TopicName::expand(action, node.name())
}
