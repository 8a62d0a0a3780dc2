//! Information about a received message.

use saltus_cdr::CdrError;
use saltus_host::Sample;
use saltus_types::{Gid, Time};

/// Information about a received message besides its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageInfo {
    /// When the message was sent, by the system clock.
    pub source_time: Time,
    /// When the message was taken, by the system clock.
    pub received_time: Time,
    /// The sequence number that the publisher gave the message. The first message has 1.
    pub sequence: u64,
    /// The number of messages that the subscription has taken so far, including this one.
    pub received_sequence: u64,
    /// The gid of the publisher.
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
    /// The information about the message.
    pub info: MessageInfo,
    /// The reason why the message is invalid.
    pub cause: CdrError,
}
