//! The receiving end of a reliable stream.

use std::collections::VecDeque;

use crate::{
    ids::{SequenceNumber, StreamId},
    payload::{AckNack, Heartbeat},
};

/// The order of a message that was received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Received {
    /// It is the next one: handle it now, and then those that [`ReliableReceiver::next_stored`] returns.
    Next,
    /// It came early and was stored.
    Stored,
    /// It was received before.
    Duplicate,
    /// It is too far ahead to be stored. The sender will repeat it.
    TooEarly,
}

/// The receiving end of a reliable stream: puts messages in order, and reports which are missing.
///
/// **Invariant:** each message is handled once and in order. It stores fewer than `history` messages.
#[derive(Debug)]
pub(crate) struct ReliableReceiver {
    stream: StreamId,
    history: usize,
    /// The number of the last message that was handled.
    last: SequenceNumber,
    /// The number of the newest message that the sender is known to have sent.
    announced: SequenceNumber,
    /// The messages after `last`: index 0 is `last + 1`.
    stored: VecDeque<Option<Vec<u8>>>,
    must_acknowledge: bool,
}

impl ReliableReceiver {
    /// Creates the receiver. `history` is the number of messages after the last handled one that it accepts.
    pub(crate) fn new(stream: StreamId, history: usize) -> Self {
        Self {
            stream,
            history: history.clamp(1, super::LARGEST_WINDOW),
            last: SequenceNumber::BEFORE_FIRST,
            announced: SequenceNumber::BEFORE_FIRST,
            stored: VecDeque::new(),
            must_acknowledge: false,
        }
    }

    /// Returns its stream.
    pub(crate) fn stream(&self) -> StreamId {
        self.stream
    }

    /// Drops all messages. The next one has the number 0.
    pub(crate) fn reset(&mut self) {
        *self = Self::new(self.stream, self.history);
    }

    /// Takes the number of a message that was received, and the message. Returns its order.
    pub(crate) fn receive(&mut self, sequence: SequenceNumber, message: &[u8]) -> Received {
        self.must_acknowledge = true;
        if !sequence.is_after(self.last) {
            return Received::Duplicate;
        }
        let ahead = usize::from(sequence.distance_from(self.last)) - 1;
        if ahead < super::LARGEST_WINDOW {
            self.announce(sequence);
        }
        if ahead >= self.history {
            return Received::TooEarly;
        }
        if ahead == 0 {
            self.advance();
            return Received::Next;
        }
        if self.stored.len() <= ahead {
            self.stored.resize(ahead + 1, None);
        }
        match &mut self.stored[ahead] {
            Some(_) => Received::Duplicate,
            empty => {
                *empty = Some(message.to_vec());
                Received::Stored
            }
        }
    }

    /// Returns the next message, if it came early and its turn has come.
    pub(crate) fn next_stored(&mut self) -> Option<Vec<u8>> {
        let message = self.stored.front_mut()?.take()?;
        self.advance();
        Some(message)
    }

    fn advance(&mut self) {
        self.last = self.last.next();
        self.stored.pop_front();
    }

    fn announce(&mut self, sequence: SequenceNumber) {
        if sequence.is_after(self.announced) {
            self.announced = sequence;
        }
    }

    /// Takes a heartbeat. Returns how many messages are skipped, because the sender does not keep them any more.
    pub(crate) fn heartbeat(&mut self, heartbeat: &Heartbeat) -> u16 {
        self.must_acknowledge = true;
        self.announce(heartbeat.last);
        let expected = self.last.next();
        if !heartbeat.first.is_after(expected) {
            return 0;
        }
        let skipped = heartbeat.first.distance_from(expected);
        for _ in 0..skipped {
            self.advance();
        }
        self.announce(self.last);
        skipped
    }

    /// Returns the acknowledgement that must be sent, if something was received since the last one.
    pub(crate) fn acknowledgement(&mut self) -> Option<AckNack> {
        std::mem::take(&mut self.must_acknowledge).then(|| self.state())
    }

    /// Returns which messages were received and which are missing.
    pub(crate) fn state(&self) -> AckNack {
        let first = self.last.next();
        let known = usize::from(self.announced.distance_from(self.last)).min(super::LARGEST_WINDOW);
        let is_missing = |index: &usize| self.stored.get(*index).is_none_or(Option::is_none);
        let missing = (0..known).filter(is_missing).fold(0, |bits, index| bits | 1 << index);
        AckNack { first, missing, stream: self.stream }
    }
}
