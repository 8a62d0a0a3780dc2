//! The ids of goals, and the states that a goal can have.

use std::fmt;

use saltus_msgs::unique_identifier_msgs::msg::UUID;

/// The id of a goal: a random UUID, chosen by the client.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct GoalId([u8; 16]);

impl GoalId {
    /// The id of no goal. In a request to cancel it means any goal.
    pub const ZERO: Self = Self([0; 16]);

    /// Creates a new random id.
    pub fn random() -> Self {
        Self(uuid::Uuid::new_v4().into_bytes())
    }

    /// Creates an id from its bytes.
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// Returns its bytes.
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl From<UUID> for GoalId {
    fn from(message: UUID) -> Self {
        Self(message.uuid)
    }
}

impl From<GoalId> for UUID {
    fn from(id: GoalId) -> Self {
        Self { uuid: id.0 }
    }
}

impl fmt::Display for GoalId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for GoalId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GoalId({self})")
    }
}

/// The state of a goal, numbered as in `action_msgs/msg/GoalStatus`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum GoalStatus {
    /// The server does not know the goal: it was never accepted, or its result is no longer kept.
    #[default]
    Unknown = 0,
    /// The goal is accepted. Its execution has not begun yet.
    Accepted = 1,
    /// The goal is being executed.
    Executing = 2,
    /// The server has accepted a request to cancel the goal. The goal has not ended yet.
    Canceling = 3,
    /// The goal ended with success.
    Succeeded = 4,
    /// The goal ended because a client canceled it.
    Canceled = 5,
    /// The server ended the goal before it was done.
    Aborted = 6,
}

/// An event that changes the state of a goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GoalEvent {
    /// The execution of the goal begins.
    Execute,
    /// The server accepts a request to cancel the goal.
    CancelGoal,
    /// The goal succeeds.
    Succeed,
    /// The server aborts the goal.
    Abort,
    /// The cancellation is complete.
    Canceled,
}

impl GoalStatus {
    /// Every state.
    pub const ALL: [Self; 7] = [
        Self::Unknown,
        Self::Accepted,
        Self::Executing,
        Self::Canceling,
        Self::Succeeded,
        Self::Canceled,
        Self::Aborted,
    ];

    /// Returns the state after an event, or `None` if the event is not allowed in this state.
    ///
    /// ```
    /// use saltus::action::{GoalEvent, GoalStatus};
    /// assert_eq!(GoalStatus::Accepted.after(GoalEvent::Execute), Some(GoalStatus::Executing));
    /// assert_eq!(GoalStatus::Accepted.after(GoalEvent::Succeed), None);
    /// ```
    pub const fn after(self, event: GoalEvent) -> Option<Self> {
        use GoalEvent as Event;
        match (self, event) {
            (Self::Accepted, Event::Execute) => Some(Self::Executing),
            (Self::Accepted | Self::Executing, Event::CancelGoal) => Some(Self::Canceling),
            (Self::Executing | Self::Canceling, Event::Succeed) => Some(Self::Succeeded),
            (Self::Executing | Self::Canceling, Event::Abort) => Some(Self::Aborted),
            (Self::Canceling, Event::Canceled) => Some(Self::Canceled),
            _ => None,
        }
    }

    /// Whether a goal in this state has ended.
    pub const fn is_terminal(self) -> bool {
        matches!(self, Self::Succeeded | Self::Canceled | Self::Aborted)
    }

    /// Returns the state with this number, or [`GoalStatus::Unknown`] if no state has it.
    pub fn from_number(number: i8) -> Self {
        Self::ALL.into_iter().find(|status| *status as i8 == number).unwrap_or_default()
    }

    /// Returns the name that ROS 2's tools print.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unknown => "UNKNOWN",
            Self::Accepted => "ACCEPTED",
            Self::Executing => "EXECUTING",
            Self::Canceling => "CANCELING",
            Self::Succeeded => "SUCCEEDED",
            Self::Canceled => "CANCELED",
            Self::Aborted => "ABORTED",
        }
    }
}

impl fmt::Display for GoalStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_eight_transitions_are_allowed() {
        let events = [
            GoalEvent::Execute,
            GoalEvent::CancelGoal,
            GoalEvent::Succeed,
            GoalEvent::Abort,
            GoalEvent::Canceled,
        ];
        let allowed: Vec<_> = GoalStatus::ALL
            .into_iter()
            .flat_map(|from| events.map(|event| (from, event)))
            .filter_map(|(from, event)| Some((from as i8, event, from.after(event)? as i8)))
            .collect();
        use GoalEvent::*;
        assert_eq!(
            allowed,
            [
                (1, Execute, 2),
                (1, CancelGoal, 3),
                (2, CancelGoal, 3),
                (2, Succeed, 4),
                (2, Abort, 6),
                (3, Succeed, 4),
                (3, Abort, 6),
                (3, Canceled, 5),
            ]
        );
    }
}
