//! The result of a tick.

use std::{fmt, str::FromStr};

/// The status of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Status {
    /// The node was not ticked, or was reset.
    #[default]
    Idle,
    /// The node needs more ticks.
    Running,
    /// The node has succeeded.
    Success,
    /// The node has failed.
    Failure,
    /// The node was skipped.
    Skipped,
}

impl Status {
    /// Whether it is a success or a failure.
    pub fn is_completed(self) -> bool {
        matches!(self, Self::Success | Self::Failure)
    }

    /// Whether the node was ticked, and not reset or skipped since.
    pub fn is_active(self) -> bool {
        !matches!(self, Self::Idle | Self::Skipped)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Idle => "IDLE",
            Self::Running => "RUNNING",
            Self::Success => "SUCCESS",
            Self::Failure => "FAILURE",
            Self::Skipped => "SKIPPED",
        })
    }
}

impl FromStr for Status {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let all = [Self::Idle, Self::Running, Self::Success, Self::Failure, Self::Skipped];
        let found = all.into_iter().find(|status| status.to_string() == text);
        found.ok_or_else(|| format!("Cannot convert this to NodeStatus: {text}"))
    }
}

/// The kind of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// A leaf that does something.
    Action,
    /// A leaf that checks a condition.
    Condition,
    /// A node with several children.
    Control,
    /// A node with one child.
    Decorator,
    /// The root of another tree.
    SubTree,
}

impl fmt::Display for NodeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Action => "Action",
            Self::Condition => "Condition",
            Self::Control => "Control",
            Self::Decorator => "Decorator",
            Self::SubTree => "SubTree",
        })
    }
}
