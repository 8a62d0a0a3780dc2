//! The streams of a session: how messages are numbered, repeated, put in order, and put together from fragments.

mod reassembly;
mod receiver;
mod sender;
#[cfg(test)]
mod tests;

pub(crate) use reassembly::{Reassembled, Reassembly};
pub(crate) use receiver::{Received, ReliableReceiver};
pub use sender::PushError;
pub(crate) use sender::{ReliableSender, SenderConfig};

use crate::ids::SequenceNumber;

/// The number of messages that an ACKNACK can report as missing. So many may be sent and not acknowledged.
pub(crate) const LARGEST_WINDOW: usize = 16;

/// Receives a best-effort stream: drops messages that come late or twice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BestEffortReceiver {
    last: SequenceNumber,
}

impl Default for BestEffortReceiver {
    fn default() -> Self {
        Self { last: SequenceNumber::BEFORE_FIRST }
    }
}

impl BestEffortReceiver {
    /// Returns how many messages were lost before this one; `None` if the message is old and must be dropped.
    pub(crate) fn accept(&mut self, sequence: SequenceNumber) -> Option<u16> {
        let is_new = sequence.is_after(self.last);
        is_new.then(|| sequence.distance_from(std::mem::replace(&mut self.last, sequence)) - 1)
    }
}
