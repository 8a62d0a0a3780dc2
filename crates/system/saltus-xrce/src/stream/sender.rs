//! The sending end of a reliable stream.

use std::collections::VecDeque;

use super::LARGEST_WINDOW;
use crate::{
    ids::{ClientKey, SequenceNumber, SessionId, StreamId},
    message::{
        MessageHeader, SUBMESSAGE_ALIGNMENT, SUBMESSAGE_HEADER, SubmessageKind, flags, submessage_header,
    },
    payload::{AckNack, Heartbeat},
};

/// The options of the sending end of a reliable stream.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SenderConfig {
    /// The session of the messages.
    pub session: SessionId,
    /// The key of the client.
    pub key: ClientKey,
    /// The stream.
    pub stream: StreamId,
    /// The longest message that the receiver accepts, in bytes.
    pub mtu: usize,
    /// The number of messages that are kept: those that were sent and not acknowledged, and those that wait.
    pub history: usize,
    /// The number of messages that may be sent and not acknowledged, at most [`LARGEST_WINDOW`].
    pub window: usize,
    /// The longest submessage that the receiver can put together from fragments, in bytes.
    pub largest: usize,
    /// The time without an acknowledgement after which the receiver is asked for one, in nanoseconds.
    pub heartbeat: u64,
}

/// Why a submessage can't be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PushError {
    /// There is no room until the receiver acknowledges messages.
    #[error("the stream is full: {waiting} messages wait for the receiver")]
    Full {
        /// The number of messages that are kept.
        waiting: usize,
    },
    /// The submessage never fits.
    #[error("{size} bytes are too long: the receiver takes at most {largest}")]
    TooLong {
        /// The length of the submessage, in bytes.
        size: usize,
        /// The longest submessage that fits.
        largest: usize,
    },
}

/// The sending end of a reliable stream: packs submessages into messages, divides long ones into fragments, keeps
/// messages until they are acknowledged, and repeats those that were lost.
///
/// **Invariant:** it keeps at most `history` messages of at most `mtu` bytes, and a message is kept until the receiver
/// has acknowledged it or the stream is reset.
#[derive(Debug)]
pub(crate) struct ReliableSender {
    config: SenderConfig,
    /// The number of the oldest message that is kept, or of the next one if none is kept.
    first: SequenceNumber,
    messages: VecDeque<KeptMessage>,
    /// The number of messages that were sent at least once.
    sent: usize,
    /// When the next heartbeat is due, if messages are not acknowledged.
    heartbeat_at: Option<u64>,
    /// The number of heartbeats that were sent since the last acknowledgement.
    unanswered: u32,
    repeated: u64,
    /// Buffers of messages that were acknowledged.
    spare: Vec<Vec<u8>>,
}

#[derive(Debug)]
struct KeptMessage {
    bytes: Vec<u8>,
    /// Whether no other submessage may follow in it.
    is_sealed: bool,
    /// Whether it must be sent, for the first time or again.
    is_due: bool,
    /// When it was sent last.
    sent_at: u64,
}

/// A message is not repeated sooner than this after it was sent, in nanoseconds. Several acknowledgements may report
/// one loss, and a message may only be late.
const SHORTEST_REPEAT: u64 = 2_000_000;
/// The time between heartbeats is doubled this many times while the receiver does not answer.
const MOST_DOUBLINGS: u32 = 4;

impl ReliableSender {
    /// Creates the sender. The first message has the number 0.
    pub(crate) fn new(config: SenderConfig) -> Self {
        Self {
            config: SenderConfig { window: config.window.clamp(1, LARGEST_WINDOW), ..config },
            first: SequenceNumber::BEFORE_FIRST.next(),
            messages: VecDeque::new(),
            sent: 0,
            heartbeat_at: None,
            unanswered: 0,
            repeated: 0,
            spare: Vec::new(),
        }
    }

    /// Returns its options.
    pub(crate) fn config(&self) -> &SenderConfig {
        &self.config
    }

    /// Returns how many messages were sent again.
    pub(crate) fn repeated(&self) -> u64 {
        self.repeated
    }

    /// Returns whether all messages are acknowledged.
    pub(crate) fn is_idle(&self) -> bool {
        self.messages.is_empty()
    }

    fn header_size(&self) -> usize {
        MessageHeader::unnumbered(self.config.session, self.config.key).size()
    }

    /// Returns the number of content bytes of a fragment that fills its message.
    fn fragment_size(&self) -> usize {
        self.config.mtu.saturating_sub(self.header_size() + SUBMESSAGE_HEADER)
    }

    /// Returns the longest submessage that can be sent, header included, in bytes.
    pub(crate) fn largest(&self) -> usize {
        self.config.largest.min(self.fragment_size() * self.config.history).max(self.fragment_size())
    }

    /// Returns whether a submessage whose content has `len` bytes can be sent now.
    ///
    /// # Errors
    /// Returns why it can't be sent.
    pub(crate) fn check(&self, len: usize) -> Result<(), PushError> {
        let size = SUBMESSAGE_HEADER + len;
        let largest = self.largest();
        if size > largest {
            return Err(PushError::TooLong { size, largest });
        }
        let needed = if self.fits_into_last(size) { 0 } else { self.messages_for(size) };
        let waiting = self.messages.len();
        if waiting + needed > self.config.history { Err(PushError::Full { waiting }) } else { Ok(()) }
    }

    /// Returns how many new messages a submessage takes.
    fn messages_for(&self, size: usize) -> usize {
        if self.header_size() + size <= self.config.mtu { 1 } else { size.div_ceil(self.fragment_size()) }
    }

    /// Returns whether a submessage fits behind others into a message that was not sent.
    fn fits_into_last(&self, size: usize) -> bool {
        let last = self.messages.back().filter(|last| self.sent < self.messages.len() && !last.is_sealed);
        last.is_some_and(|last| {
            last.bytes.len().next_multiple_of(SUBMESSAGE_ALIGNMENT) + size <= self.config.mtu
        })
    }

    /// Ensures that no other submessage follows in the message of the last one.
    pub(crate) fn seal(&mut self) {
        self.messages.iter_mut().next_back().into_iter().for_each(|last| last.is_sealed = true);
    }

    /// Adds a submessage, whose content is `prefix` and `content`. It is sent by the next [`ReliableSender::poll`].
    ///
    /// # Errors
    /// Returns why it can't be sent; see [`ReliableSender::check`].
    pub(crate) fn push(
        &mut self,
        kind: SubmessageKind,
        flags: u8,
        prefix: &[u8],
        content: &[u8],
    ) -> Result<(), PushError> {
        let len = prefix.len() + content.len();
        self.check(len)?;
        let header = submessage_header(kind, flags, len);
        let parts = [header.as_slice(), prefix, content];
        let size = SUBMESSAGE_HEADER + len;
        if self.fits_into_last(size) {
            if let Some(last) = self.messages.back_mut() {
                last.bytes.resize(last.bytes.len().next_multiple_of(SUBMESSAGE_ALIGNMENT), 0);
                parts.iter().for_each(|part| last.bytes.extend_from_slice(part));
            }
        } else if self.header_size() + size <= self.config.mtu {
            let message = self.begin_message();
            parts.iter().for_each(|part| message.extend_from_slice(part));
        } else {
            self.push_fragments(&parts, size);
        }
        Ok(())
    }

    /// Begins a message and returns its bytes, which are its header.
    fn begin_message(&mut self) -> &mut Vec<u8> {
        let SenderConfig { session, key, stream, .. } = self.config;
        let sequence = self.first.plus(self.messages.len() as u16);
        let mut bytes = self.spare.pop().unwrap_or_else(|| Vec::with_capacity(self.config.mtu));
        bytes.clear();
        MessageHeader { session, stream, sequence, key: session.has_key().then_some(key) }.write(&mut bytes);
        let kept = KeptMessage { bytes, is_sealed: false, is_due: true, sent_at: 0 };
        &mut self.messages.push_back_mut(kept).bytes
    }

    fn push_fragments(&mut self, parts: &[&[u8]], size: usize) {
        let full = self.fragment_size();
        let mut rest = parts.iter().flat_map(|part| part.iter().copied());
        let mut left = size;
        while left > 0 {
            let len = left.min(full);
            left -= len;
            let flag = if left == 0 { flags::LAST_FRAGMENT } else { 0 };
            let message = self.begin_message();
            message.extend_from_slice(&submessage_header(SubmessageKind::Fragment, flag, len));
            message.extend(rest.by_ref().take(len));
        }
    }

    /// Sends what is due: new messages as far as the window allows, and lost ones again.
    pub(crate) fn poll(&mut self, now: u64, mut send: impl FnMut(&[u8])) {
        let within_window = self.config.window.min(self.messages.len());
        for (index, message) in self.messages.iter_mut().enumerate().take(within_window) {
            if message.is_due {
                self.repeated += u64::from(index < self.sent);
                send(&message.bytes);
                (message.is_due, message.sent_at) = (false, now);
                self.heartbeat_at.get_or_insert(now + self.config.heartbeat);
            }
        }
        self.sent = self.sent.max(within_window);
    }

    /// Returns how many messages are kept.
    pub(crate) fn kept(&self) -> usize {
        self.messages.len()
    }

    /// Returns when [`ReliableSender::heartbeat`] has something to send, in monotonic nanoseconds.
    pub(crate) fn next_heartbeat(&self) -> Option<u64> {
        self.heartbeat_at
    }

    /// Returns the heartbeat that is due, if one is. Heartbeats become rarer while the receiver does not answer.
    pub(crate) fn heartbeat(&mut self, now: u64) -> Option<Heartbeat> {
        self.heartbeat_at.filter(|at| *at <= now)?;
        let period = self.config.heartbeat << self.unanswered.min(MOST_DOUBLINGS);
        self.unanswered = self.unanswered.saturating_add(1);
        self.heartbeat_at = Some(now + period);
        Some(self.present())
    }

    /// Returns which messages were sent and are kept.
    pub(crate) fn present(&self) -> Heartbeat {
        let last = SequenceNumber(self.first.0.wrapping_add(self.sent as u16).wrapping_sub(1));
        Heartbeat { first: self.first, last, stream: self.config.stream }
    }

    /// Takes an acknowledgement. Returns whether it says anything new: messages were received, or are missing.
    ///
    /// An acknowledgement of messages that were not sent is ignored.
    pub(crate) fn acknowledge(&mut self, acknack: &AckNack, now: u64) -> bool {
        let received = usize::from(acknack.first.distance_from(self.first));
        // One that is older than the present first message has a distance of more than half of all numbers.
        if received > self.sent {
            return false;
        }
        let acknowledged = self.messages.drain(..received).map(|kept| kept.bytes);
        self.spare.extend(acknowledged);
        self.spare.truncate(self.config.window);
        self.first = acknack.first;
        self.sent -= received;
        let missing = (0..self.sent.min(LARGEST_WINDOW)).filter(|bit| acknack.missing & (1 << bit) != 0);
        let mut is_new = received > 0;
        for index in missing {
            let message = &mut self.messages[index];
            if now.saturating_sub(message.sent_at) >= SHORTEST_REPEAT {
                message.is_due = true;
                is_new = true;
            }
        }
        self.unanswered = 0;
        self.heartbeat_at = (self.sent > 0).then(|| now + self.config.heartbeat);
        is_new
    }
}
