//! What is known of a message besides its content.

use saltus_cdr::CdrError;
use saltus_host::Sample;
use saltus_types::{Gid, Time};

/// What is known of a message besides its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageInfo {
    /// When it was sent, by the system clock.
    pub source_time: Time,
    /// When it was taken, by the system clock.
    pub received_time: Time,
    /// Its publisher's count, from 1.
    pub sequence: u64,
    /// The subscription's count of the messages that it has taken, from 1.
    pub received_sequence: u64,
    /// The gid of its publisher.
    pub publisher: Gid,
}

impl From<&Sample> for MessageInfo {
    fn from(sample: &Sample) -> Self {
        Self {
            source_time: sample.source_time(),
            received_time: sample.received_time(),
            sequence: sample.sequence(),
            received_sequence: sample.received_sequence(),
            publisher: sample.publisher(),
        }
    }
}

/// The error for a received message that does not match its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("message {} of publisher {} can't be read: {cause}", .info.sequence, .info.publisher)]
pub struct TakeError {
    /// Which message.
    pub info: MessageInfo,
    /// What is wrong with it.
    pub cause: CdrError,
}
