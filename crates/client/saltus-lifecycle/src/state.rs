//! The states of a lifecycle node.

use std::fmt;

/// A state of a lifecycle node. Its number is the id in `lifecycle_msgs/msg/State`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum State {
    /// The state is not known. No node is in this state.
    Unknown = 0,
    /// The node was created, and is not configured.
    Unconfigured = 1,
    /// The node is configured, and does not work.
    Inactive = 2,
    /// The node works.
    Active = 3,
    /// The node was shut down, and can only be destroyed.
    Finalized = 4,
    /// `on_configure` runs.
    Configuring = 10,
    /// `on_cleanup` runs.
    CleaningUp = 11,
    /// `on_shutdown` runs.
    ShuttingDown = 12,
    /// `on_activate` runs.
    Activating = 13,
    /// `on_deactivate` runs.
    Deactivating = 14,
    /// `on_error` runs.
    ErrorProcessing = 15,
}

impl State {
    /// All states, in the order in which `get_available_states` lists them.
    pub const ALL: [Self; 11] = [
        Self::Unknown,
        Self::Unconfigured,
        Self::Inactive,
        Self::Active,
        Self::Finalized,
        Self::Configuring,
        Self::CleaningUp,
        Self::ShuttingDown,
        Self::Activating,
        Self::Deactivating,
        Self::ErrorProcessing,
    ];

    /// Returns the id of the state.
    pub fn id(self) -> u8 {
        self as u8
    }

    /// Returns the label of the state.
    pub fn label(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Unconfigured => "unconfigured",
            Self::Inactive => "inactive",
            Self::Active => "active",
            Self::Finalized => "finalized",
            Self::Configuring => "configuring",
            Self::CleaningUp => "cleaningup",
            Self::ShuttingDown => "shuttingdown",
            Self::Activating => "activating",
            Self::Deactivating => "deactivating",
            Self::ErrorProcessing => "errorprocessing",
        }
    }

    /// Returns the state with an id.
    pub fn from_id(id: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.id() == id)
    }

    /// Whether a callback runs in this state.
    pub fn is_transition_state(self) -> bool {
        self.id() >= Self::Configuring.id()
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.label())
    }
}
