//! The counts of lost messages, by cause.

use std::{fmt, ops::Index};

/// The reason why a message was not passed to a subscription's callback.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(usize)]
pub enum LossCause {
    /// A newer message replaced it because the subscription's queue was full.
    QueueOverflow,
    /// Its age exceeded its publisher's lifespan when the subscription tried to take it.
    LifespanExpired,
    /// Its bytes do not match its type.
    Deserialization,
    /// There was no shared memory for it. `publish` returned an error.
    OutOfMemory,
    /// The publisher and the subscription have different types.
    TypeMismatch,
    /// The QoS that the publisher offers is weaker than the QoS that the subscription requests.
    QosMismatch,
    /// The process of its subscription died before it took the message, or the process of its publisher
    /// died while it sent the message.
    ProcessDied,
    /// A queue that keeps all was full for too long. `publish` returned an error.
    Refused,
    /// The subscription was closed before it read the message.
    Closed,
    /// The location of the message in shared memory is not valid.
    Corrupt,
    /// The network was too slow for it.
    Congestion,
    /// A rule of a bridge limits how many messages pass.
    RateLimit,
    /// The link to its publisher's host was lost before it came.
    LinkLost,
}

impl LossCause {
    /// The number of causes.
    pub const COUNT: usize = 13;

    /// All causes, in the order of their numbers.
    pub const ALL: [Self; Self::COUNT] = [
        Self::QueueOverflow,
        Self::LifespanExpired,
        Self::Deserialization,
        Self::OutOfMemory,
        Self::TypeMismatch,
        Self::QosMismatch,
        Self::ProcessDied,
        Self::Refused,
        Self::Closed,
        Self::Corrupt,
        Self::Congestion,
        Self::RateLimit,
        Self::LinkLost,
    ];
}

/// A reason why a message did not come from another host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NetworkLoss {
    /// See [`LossCause::Congestion`].
    Congestion,
    /// See [`LossCause::RateLimit`].
    RateLimit,
    /// See [`LossCause::LinkLost`].
    LinkLost,
}

impl From<NetworkLoss> for LossCause {
    fn from(loss: NetworkLoss) -> Self {
        match loss {
            NetworkLoss::Congestion => Self::Congestion,
            NetworkLoss::RateLimit => Self::RateLimit,
            NetworkLoss::LinkLost => Self::LinkLost,
        }
    }
}

impl fmt::Display for LossCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::QueueOverflow => "queue overflow",
            Self::LifespanExpired => "lifespan expired",
            Self::Deserialization => "deserialization error",
            Self::OutOfMemory => "out of shared memory",
            Self::TypeMismatch => "type mismatch",
            Self::QosMismatch => "QoS mismatch",
            Self::ProcessDied => "process died",
            Self::Refused => "queue that keeps all was full",
            Self::Closed => "subscription closed",
            Self::Corrupt => "memory corrupt",
            Self::Congestion => "network too slow",
            Self::RateLimit => "rate limit",
            Self::LinkLost => "link lost",
        })
    }
}

/// The numbers of lost messages, by cause.
///
/// ```
/// use saltus::qos::{LossCause, Losses};
/// let mut losses = Losses::default();
/// losses.add(LossCause::QueueOverflow, 3);
/// assert_eq!((losses[LossCause::QueueOverflow], losses.total()), (3, 3));
/// assert_eq!(losses.to_string(), "3 (queue overflow 3)");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Losses([u64; LossCause::COUNT]);

impl Losses {
    /// Adds `count` messages that were lost because of `cause`.
    pub fn add(&mut self, cause: LossCause, count: u64) {
        let sum = &mut self.0[cause as usize];
        *sum = sum.saturating_add(count);
    }

    /// Adds the counts of `other`.
    pub fn add_all(&mut self, other: &Self) {
        other.iter().for_each(|(cause, count)| self.add(cause, count));
    }

    /// Returns the number of lost messages, summed over all causes.
    pub fn total(&self) -> u64 {
        self.0.iter().fold(0, |sum, count| sum.saturating_add(*count))
    }

    /// Returns an iterator over all causes and their counts, including counts of 0.
    pub fn iter(&self) -> impl Iterator<Item = (LossCause, u64)> {
        LossCause::ALL.into_iter().zip(self.0)
    }
}

impl Index<LossCause> for Losses {
    type Output = u64;

    fn index(&self, cause: LossCause) -> &u64 {
        &self.0[cause as usize]
    }
}

/// Writes the total, followed in parentheses by the causes that occurred.
impl fmt::Display for Losses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.total())?;
        let causes: Vec<String> = self
            .iter()
            .filter(|(_, count)| *count > 0)
            .map(|(cause, count)| format!("{cause} {count}"))
            .collect();
        if causes.is_empty() { Ok(()) } else { write!(f, " ({})", causes.join(", ")) }
    }
}
