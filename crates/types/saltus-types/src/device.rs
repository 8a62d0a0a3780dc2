//! The counts of a device's link: what was exchanged and what was lost, by cause.

use std::fmt;

/// The reason why a message between a device and its agent was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(usize)]
pub enum LinkLoss {
    /// The link lost it, or delivered it late.
    Link,
    /// The device gave it up before it arrived.
    GivenUp,
    /// It can't be read.
    Malformed,
    /// It was for an object that does not exist, or it could not be published, or no server takes the request.
    Unusable,
    /// It is longer than the agent accepts.
    TooLongFromDevice,
    /// It is longer than the device accepts.
    TooLongForDevice,
    /// The device sent more messages than it may.
    OverRate,
    /// It found no room, because the device does not acknowledge earlier messages.
    Unacknowledged,
    /// The system dropped it, because the agent's socket was full.
    SocketFull,
}

impl LinkLoss {
    /// The number of causes.
    pub const COUNT: usize = 9;

    /// All causes, in the order of their numbers.
    pub const ALL: [Self; Self::COUNT] = [
        Self::Link,
        Self::GivenUp,
        Self::Malformed,
        Self::Unusable,
        Self::TooLongFromDevice,
        Self::TooLongForDevice,
        Self::OverRate,
        Self::Unacknowledged,
        Self::SocketFull,
    ];
}

impl fmt::Display for LinkLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Link => "lost on the link",
            Self::GivenUp => "given up by the device",
            Self::Malformed => "malformed",
            Self::Unusable => "for no usable object",
            Self::TooLongFromDevice => "too long for the agent",
            Self::TooLongForDevice => "too long for the device",
            Self::OverRate => "over the rate limit",
            Self::Unacknowledged => "not acknowledged",
            Self::SocketFull => "dropped by the system because the agent's socket was full",
        })
    }
}

/// The numbers of messages and bytes that were exchanged with a device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkCounts {
    /// Whether the device is there.
    pub is_present: bool,
    /// When the device was last heard, in monotonic nanoseconds.
    pub heard_at: u64,
    /// Messages of the link's protocol that came from the device.
    pub received: u64,
    /// Their bytes.
    pub received_bytes: u64,
    /// Messages that were sent to the device.
    pub sent: u64,
    /// Their bytes.
    pub sent_bytes: u64,
    /// Messages that were sent to the device again.
    pub repeated: u64,
    /// Messages that were lost, by [`LinkLoss`].
    pub lost: [u64; LinkLoss::COUNT],
    /// When the last message was lost, by [`LinkLoss`], in monotonic nanoseconds; 0 if none was.
    pub lost_at: [u64; LinkLoss::COUNT],
}

impl LinkCounts {
    /// Returns how many messages were lost for all causes together.
    pub fn total_lost(&self) -> u64 {
        self.lost.iter().fold(0, |sum, count| sum.saturating_add(*count))
    }
}
