//! The streams of a client, at the agent.

use super::{config::AgentConfig, counters::ClientCounters};
use crate::{
    ids::{ClientKey, SequenceNumber, SessionId, StreamId},
    message::{MessageHeader, SubmessageKind, append_submessage},
    payload::{AckNack, ClientProperties, Heartbeat},
    stream::{
        BestEffortReceiver, PushError, Reassembled, Reassembly, Received, ReliableReceiver, ReliableSender,
        SenderConfig,
    },
};

/// The streams of a client, in both directions. A stream begins with its first message.
#[derive(Debug)]
pub(super) struct Streams {
    limits: Limits,
    from_client: Vec<(StreamId, BestEffortReceiver)>,
    to_client: Vec<(StreamId, SequenceNumber)>,
    reliable_from_client: Vec<ReliableInput>,
    reliable_to_client: Vec<ReliableSender>,
    /// The message that is being written.
    scratch: Vec<u8>,
}

#[derive(Debug)]
struct ReliableInput {
    receiver: ReliableReceiver,
    reassembly: Reassembly,
}

/// The limits of a new stream.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    session: SessionId,
    key: ClientKey,
    max_streams: usize,
    mtu: usize,
    largest_message: usize,
    receive_history: usize,
    send_history: usize,
    client_history: usize,
    heartbeat: u64,
}

/// A client's messages are at least this long, in bytes, whatever the client says. A fragment of one byte must fit.
const SMALLEST_MTU: usize = 32;
/// The longest history of a client that is used, in messages, whatever the client says.
const LONGEST_HISTORY: usize = 256;
/// The number of messages of a reliable stream to a client that stay free for answers, when data fill it.
const ROOM_FOR_ANSWERS: usize = 4;

impl Limits {
    pub(super) fn new(
        config: &AgentConfig,
        session: SessionId,
        key: ClientKey,
        mtu: u16,
        properties: &ClientProperties,
    ) -> Self {
        let reported = properties.receive_history.map(usize::from);
        let client_history = reported.unwrap_or(config.client_history).clamp(1, LONGEST_HISTORY);
        Self {
            session,
            key,
            max_streams: config.max_streams,
            mtu: usize::from(mtu).min(config.mtu).max(SMALLEST_MTU),
            largest_message: config.largest_message,
            receive_history: config.receive_history,
            // The longest data that the client can receive must fit, besides answers.
            send_history: config.send_history.max(client_history + ROOM_FOR_ANSWERS),
            client_history,
            heartbeat: config.heartbeat,
        }
    }

    fn sender(&self, stream: StreamId) -> ReliableSender {
        let header = MessageHeader::unnumbered(self.session, self.key).size();
        let fragment = self.mtu - header - crate::message::SUBMESSAGE_HEADER;
        ReliableSender::new(SenderConfig {
            session: self.session,
            key: self.key,
            stream,
            mtu: self.mtu,
            history: self.send_history,
            window: self.client_history,
            largest: fragment * self.client_history,
            heartbeat: self.heartbeat,
        })
    }
}

/// Returns the element for which `is` holds, and creates it if there is room for one more.
fn find_or_add<T>(
    all: &mut Vec<T>,
    limit: usize,
    is: impl Fn(&T) -> bool,
    create: impl FnOnce() -> T,
) -> Option<&mut T> {
    let index = match all.iter().position(is) {
        Some(index) => index,
        None if all.len() >= limit => return None,
        None => {
            all.push(create());
            all.len() - 1
        }
    };
    all.get_mut(index)
}

impl Streams {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            limits,
            from_client: Vec::new(),
            to_client: Vec::new(),
            reliable_from_client: Vec::new(),
            reliable_to_client: Vec::new(),
            scratch: Vec::new(),
        }
    }

    /// Begins all streams again.
    pub(super) fn reset(&mut self) {
        *self = Self::new(self.limits);
    }

    /// Returns the header of messages outside of streams.
    pub(super) fn unnumbered(&self) -> MessageHeader {
        MessageHeader::unnumbered(self.limits.session, self.limits.key)
    }

    /// Returns how many messages of a best-effort stream were lost before this one. `None` if it is old and must be
    /// dropped, or if there are too many streams.
    pub(super) fn accept_best_effort(&mut self, stream: StreamId, sequence: SequenceNumber) -> Option<u16> {
        let streams = &mut self.from_client;
        let create = || (stream, BestEffortReceiver::default());
        find_or_add(streams, self.limits.max_streams, |(id, _)| *id == stream, create)?.1.accept(sequence)
    }

    fn reliable_input(&mut self, stream: StreamId) -> Option<&mut ReliableInput> {
        let Limits { max_streams, receive_history, largest_message, .. } = self.limits;
        let create = || ReliableInput {
            receiver: ReliableReceiver::new(stream, receive_history),
            reassembly: Reassembly::new(largest_message),
        };
        let is = |input: &ReliableInput| input.receiver.stream() == stream;
        find_or_add(&mut self.reliable_from_client, max_streams, is, create)
    }

    /// Takes a message of a reliable stream. `None` if there are too many streams.
    pub(super) fn receive(
        &mut self,
        stream: StreamId,
        sequence: SequenceNumber,
        message: &[u8],
    ) -> Option<Received> {
        self.reliable_input(stream).map(|input| input.receiver.receive(sequence, message))
    }

    /// Returns the next message of a reliable stream that came early and whose turn has come.
    pub(super) fn next_stored(&mut self, stream: StreamId) -> Option<Vec<u8>> {
        self.reliable_input(stream)?.receiver.next_stored()
    }

    /// Takes a fragment of a reliable stream.
    pub(super) fn reassemble(&mut self, stream: StreamId, fragment: &[u8], is_last: bool) -> Reassembled {
        self.reliable_input(stream)
            .map_or(Reassembled::Incomplete, |input| input.reassembly.push(fragment, is_last))
    }

    /// Takes a heartbeat. Returns how many messages the client has given up.
    pub(super) fn heartbeat(&mut self, heartbeat: &Heartbeat) -> u16 {
        let Some(input) = self.reliable_input(heartbeat.stream) else { return 0 };
        let given_up = input.receiver.heartbeat(heartbeat);
        if given_up > 0 {
            input.reassembly.reset();
        }
        given_up
    }

    /// Takes an acknowledgement. Returns whether there is more room than before.
    pub(super) fn acknowledge(&mut self, acknack: &AckNack, now: u64) -> bool {
        let is_of = |sender: &&mut ReliableSender| sender.config().stream == acknack.stream;
        let sender = self.reliable_to_client.iter_mut().find(is_of);
        sender.is_some_and(|sender| sender.acknowledge(acknack, now))
    }

    fn sender(&mut self, stream: StreamId) -> Option<&mut ReliableSender> {
        let limits = self.limits;
        let is = |sender: &ReliableSender| sender.config().stream == stream;
        find_or_add(&mut self.reliable_to_client, limits.max_streams, is, || limits.sender(stream))
    }

    /// Returns whether data of `len` bytes can be sent to the client now.
    ///
    /// # Errors
    /// Returns why they can't be sent.
    pub(super) fn check(&mut self, stream: StreamId, len: usize) -> Result<(), PushError> {
        if !stream.is_reliable() {
            let (size, largest) =
                (self.unnumbered().size() + crate::message::SUBMESSAGE_HEADER + len, self.limits.mtu);
            return if size > largest { Err(PushError::TooLong { size, largest }) } else { Ok(()) };
        }
        let full = PushError::Full { waiting: self.limits.send_history };
        let sender = self.sender(stream).ok_or(full)?;
        if sender.kept() + ROOM_FOR_ANSWERS > sender.config().history { Err(full) } else { sender.check(len) }
    }

    /// Sends a submessage, at once if the stream is best-effort, else with the next [`Streams::flush`].
    ///
    /// # Errors
    /// Returns why it can't be sent.
    pub(super) fn push(
        &mut self,
        stream: StreamId,
        kind: SubmessageKind,
        parts: (&[u8], &[u8]),
        send: impl FnMut(&[u8]),
    ) -> Result<(), PushError> {
        let (prefix, content) = parts;
        if stream.is_reliable() {
            let full = PushError::Full { waiting: self.limits.send_history };
            self.sender(stream).ok_or(full)?.push(kind, 0, prefix, content)
        } else {
            self.push_best_effort(stream, kind, parts, send)
        }
    }

    fn push_best_effort(
        &mut self,
        stream: StreamId,
        kind: SubmessageKind,
        (prefix, content): (&[u8], &[u8]),
        mut send: impl FnMut(&[u8]),
    ) -> Result<(), PushError> {
        let Limits { session, key, max_streams, mtu, .. } = self.limits;
        let create = || (stream, SequenceNumber::BEFORE_FIRST);
        let numbered = stream != StreamId::NONE;
        let sequence = if numbered {
            let found = find_or_add(&mut self.to_client, max_streams, |(id, _)| *id == stream, create);
            let (_, last) = found.ok_or(PushError::Full { waiting: 0 })?;
            *last = last.next();
            *last
        } else {
            SequenceNumber(0)
        };
        self.scratch.clear();
        MessageHeader { session, stream, sequence, key: session.has_key().then_some(key) }
            .write(&mut self.scratch);
        let header = crate::message::submessage_header(kind, 0, prefix.len() + content.len());
        [&header, prefix, content].iter().for_each(|part| self.scratch.extend_from_slice(part));
        if self.scratch.len() > mtu {
            return Err(PushError::TooLong { size: self.scratch.len(), largest: mtu });
        }
        send(&self.scratch);
        Ok(())
    }

    /// Ensures that no other submessage follows in the message of the last one.
    pub(super) fn seal(&mut self, stream: StreamId) {
        if let Some(sender) = self.sender(stream).filter(|_| stream.is_reliable()) {
            sender.seal();
        }
    }

    /// Sends what is due: messages of reliable streams, acknowledgements and heartbeats.
    pub(super) fn flush(&mut self, now: u64, counters: &mut ClientCounters, mut send: impl FnMut(&[u8])) {
        let header = self.unnumbered();
        let mut unnumbered = |kind, payload: &[u8], send: &mut dyn FnMut(&[u8])| {
            self.scratch.clear();
            header.write(&mut self.scratch);
            append_submessage(&mut self.scratch, kind, 0, payload);
            send(&self.scratch);
        };
        for sender in &mut self.reliable_to_client {
            let before = sender.repeated();
            sender.poll(now, &mut send);
            counters.repeated += sender.repeated() - before;
            if let Some(heartbeat) = sender.heartbeat(now) {
                unnumbered(SubmessageKind::Heartbeat, &heartbeat.to_bytes(), &mut send);
            }
        }
        for input in &mut self.reliable_from_client {
            if let Some(acknack) = input.receiver.acknowledgement() {
                unnumbered(SubmessageKind::AckNack, &acknack.to_bytes(), &mut send);
            }
        }
    }

    /// Returns when [`Streams::flush`] must be called next, in monotonic nanoseconds.
    pub(super) fn due(&self) -> Option<u64> {
        self.reliable_to_client.iter().filter_map(ReliableSender::next_heartbeat).min()
    }
}
