//! Goals: their ids, and the states that they go through.

use std::fmt;

use saltus_msgs::unique_identifier_msgs::msg::UUID;

/// The identity of a goal: a random UUID, chosen by the client.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct GoalId([u8; 16]);

impl GoalId {
    /// No goal: in a request to cancel it stands for any.
    pub const ZERO: Self = Self([0; 16]);

    /// A new one.
    pub fn random() -> Self {
        Self(uuid::Uuid::new_v4().into_bytes())
    }

    /// One from its bytes.
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// Its bytes.
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
    /// The server does not know it: never accepted, or forgotten.
    #[default]
    Unknown = 0,
    /// Accepted, and to be executed.
    Accepted = 1,
    /// Being executed.
    Executing = 2,
    /// The server has agreed to cancel it, and it has not ended yet.
    Canceling = 3,
    /// Ended as it was meant to.
    Succeeded = 4,
    /// Ended because a client wanted it to.
    Canceled = 5,
    /// Ended by the server before it was done.
    Aborted = 6,
}

/// What takes a goal from one state to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GoalEvent {
    /// Its execution begins.
    Execute,
    /// A cancellation is agreed to.
    CancelGoal,
    /// It is done.
    Succeed,
    /// The server gives up.
    Abort,
    /// The cancellation is through.
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

    /// The state after an event; `None` if that event can't happen in this one.
    ///
    /// ```
    /// use saltus_action::{GoalEvent, GoalStatus};
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

    /// Whether it has ended.
    pub const fn is_terminal(self) -> bool {
        matches!(self, Self::Succeeded | Self::Canceled | Self::Aborted)
    }

    /// The state of that number; [`GoalStatus::Unknown`] for any other.
    pub fn from_number(number: i8) -> Self {
        Self::ALL.into_iter().find(|status| *status as i8 == number).unwrap_or_default()
    }

    /// As ROS 2's tools print it.
    pub const fn word(self) -> &'static str {
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
        f.write_str(self.word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_eight_transitions_are_legal() {
        let events = [
            GoalEvent::Execute,
            GoalEvent::CancelGoal,
            GoalEvent::Succeed,
            GoalEvent::Abort,
            GoalEvent::Canceled,
        ];
        let legal: Vec<_> = GoalStatus::ALL
            .into_iter()
            .flat_map(|from| events.map(|event| (from, event)))
            .filter_map(|(from, event)| Some((from as i8, event, from.after(event)? as i8)))
            .collect();
        use GoalEvent::*;
        assert_eq!(
            legal,
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
