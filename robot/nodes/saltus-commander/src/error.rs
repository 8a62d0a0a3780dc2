//! The errors of a commander.

use saltus::{action::ActionError, node::NodeError, service::CallError, topic::PublishValueError};

/// The reason why a request to a robot has failed.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// An endpoint can't be opened.
    #[error(transparent)]
    Node(#[from] NodeError),
    /// A goal is rejected, or its server is gone.
    #[error(transparent)]
    Action(ActionError),
    /// A service does not answer.
    #[error(transparent)]
    Call(CallError),
    /// A message can't be sent.
    #[error(transparent)]
    Publish(#[from] PublishValueError),
    /// A node has answered that it could not do something.
    #[error("{0}")]
    Refused(String),
    /// Something was not there in time.
    #[error("{what} is not there after {seconds:.1} s")]
    Timeout {
        /// The thing that is missing.
        what: String,
        /// The time for which it was waited for.
        seconds: f64,
    },
    /// The context was shut down, such as by Ctrl-C.
    #[error("interrupted")]
    Interrupted,
}

impl From<CallError> for CommandError {
    fn from(error: CallError) -> Self {
        match error {
            CallError::ShutDown { .. } => Self::Interrupted,
            error => Self::Call(error),
        }
    }
}

impl From<ActionError> for CommandError {
    fn from(error: ActionError) -> Self {
        match error {
            ActionError::Call(CallError::ShutDown { .. }) => Self::Interrupted,
            error => Self::Action(error),
        }
    }
}
