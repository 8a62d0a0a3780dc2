//! The handling of the agent's messages by a client.

use super::{
    connection::{Client, LOGOUT, State},
    events::ClientEvent,
};
use crate::{
    WireError,
    cursor::Reader,
    ids::{ObjectId, Request, SequenceNumber, StreamId},
    message::{MessageHeader, Submessage, SubmessageKind, Submessages, flags},
    payload::{
        AckNack, AgentVersion, Heartbeat, Info, InfoRequest, Status, StatusReply, Timestamp, TimestampReply,
    },
    stream::{BestEffortReceiver, Reassembled, Received, ReliableSender},
};

impl Client {
    /// Takes a message that has arrived. `clock` is the time of the client's clock, in nanoseconds.
    pub fn handle(
        &mut self,
        now: u64,
        clock: i64,
        message: &[u8],
        mut on_event: impl FnMut(ClientEvent<'_>),
    ) {
        let Ok((header, size)) = MessageHeader::read(message) else {
            return on_event(ClientEvent::Malformed);
        };
        let is_own = header.session == self.session && header.key.is_none_or(|key| key == self.config.key);
        if !is_own || self.state == State::Ended {
            return;
        }
        self.pinged = 0;
        self.ping_at = now + self.config.ping_after;
        let body = &message[size..];
        let mut arrival = Arrival { now, clock, on_event: &mut on_event };
        if header.stream == StreamId::NONE {
            self.handle_submessages(&mut arrival, body);
        } else if self.state != State::Connected {
            // A message of an earlier session.
        } else if !header.stream.is_reliable() {
            if self.best_effort_receiver.accept(header.sequence).is_some() {
                self.handle_submessages(&mut arrival, body);
            }
        } else if self.receiver.receive(header.sequence, body) == Received::Next {
            self.handle_submessages(&mut arrival, body);
            self.handle_stored(&mut arrival);
        }
    }

    fn handle_stored(&mut self, arrival: &mut Arrival<'_>) {
        while let Some(bytes) = self.receiver.next_stored() {
            self.handle_submessages(arrival, &bytes);
        }
    }

    fn handle_submessages(&mut self, arrival: &mut Arrival<'_>, bytes: &[u8]) {
        for submessage in Submessages::new(bytes) {
            if submessage.and_then(|submessage| self.handle_submessage(arrival, &submessage)).is_err() {
                return (arrival.on_event)(ClientEvent::Malformed);
            }
        }
    }

    fn handle_submessage(
        &mut self,
        arrival: &mut Arrival<'_>,
        submessage: &Submessage<'_>,
    ) -> Result<(), WireError> {
        let reader = &mut submessage.reader();
        match submessage.kind {
            SubmessageKind::StatusAgent => {
                let status = Status::read(reader)?;
                let _implementation = reader.u8()?;
                AgentVersion::read(reader)?;
                self.connected(arrival, status);
            }
            SubmessageKind::Status => self.handle_status(arrival, StatusReply::read(reader)?),
            SubmessageKind::Data => {
                let request = Request::read(reader)?;
                (arrival.on_event)(ClientEvent::Data { request, data: reader.rest() });
            }
            SubmessageKind::AckNack => {
                self.sender.acknowledge(&AckNack::read(reader)?, arrival.now);
            }
            SubmessageKind::Heartbeat => {
                if self.receiver.heartbeat(&Heartbeat::read(reader)?) > 0 {
                    self.reassembly.reset();
                }
                self.handle_stored(arrival);
            }
            SubmessageKind::Fragment => {
                let is_last = submessage.has(flags::LAST_FRAGMENT);
                if let Reassembled::Complete(bytes) = self.reassembly.push(submessage.payload, is_last) {
                    let inner = Submessages::new(&bytes).next().transpose()?;
                    let inner = inner.filter(|inner| inner.kind != SubmessageKind::Fragment);
                    let expected = WireError::Truncated { needed: 1, left: 0 };
                    self.handle_submessage(arrival, &inner.ok_or(expected)?)?;
                }
            }
            SubmessageKind::TimestampReply => self.compare_clocks(arrival, TimestampReply::read(reader)?),
            SubmessageKind::GetInfo => self.answer_info(reader)?,
            SubmessageKind::Info => {
                let has_session = Info::read(reader)?.has_session;
                (arrival.on_event)(ClientEvent::Pong { has_session });
                if !has_session {
                    self.lose_session(arrival);
                }
            }
            _ => {
                return Err(WireError::Value {
                    field: "submessage of an agent",
                    value: submessage.kind as u32,
                });
            }
        }
        Ok(())
    }

    /// Begins to use a session, if the agent accepts it and there was none.
    fn connected(&mut self, arrival: &mut Arrival<'_>, status: Status) {
        if !matches!(self.state, State::Connecting(_)) {
            return;
        }
        if !status.is_ok() {
            return (arrival.on_event)(ClientEvent::Refused(status));
        }
        self.state = State::Connected;
        self.connection = self.connection.wrapping_add(1);
        self.sender = ReliableSender::new(self.config.sender(self.session));
        self.receiver.reset();
        self.reassembly.reset();
        self.best_effort_receiver = BestEffortReceiver::default();
        self.best_effort_last = SequenceNumber::BEFORE_FIRST;
        self.outbox.clear();
        (arrival.on_event)(ClientEvent::Connected);
        self.sent_requests = 0;
    }

    fn lose_session(&mut self, arrival: &mut Arrival<'_>) {
        if self.state == State::Connected {
            self.state = State::Connecting(arrival.now);
            (arrival.on_event)(self.disconnected());
        }
    }

    fn handle_status(&mut self, arrival: &mut Arrival<'_>, reply: StatusReply) {
        let is_about_session = reply.request.object == ObjectId::CLIENT && reply.request.id != LOGOUT;
        if is_about_session && reply.status == Status::UnknownReference {
            self.lose_session(arrival);
        } else {
            (arrival.on_event)(ClientEvent::Status(reply));
        }
    }

    fn compare_clocks(&mut self, arrival: &mut Arrival<'_>, reply: TimestampReply) {
        // An answer to an earlier question is ignored.
        let asked = self.asked_time.filter(|asked| Timestamp::from_nanoseconds(*asked) == reply.originate);
        if let Some(asked) = asked {
            self.asked_time = None;
            let round_trip = arrival.clock.saturating_sub(asked).max(0) as u64;
            (arrival.on_event)(ClientEvent::Time { offset: reply.offset(arrival.clock), round_trip });
        }
    }

    fn answer_info(&mut self, reader: &mut Reader<'_>) -> Result<(), WireError> {
        let question = InfoRequest::read(reader)?;
        let [a, b, c, d] = question.request.to_bytes();
        // The status, and neither configuration nor activity.
        self.send_unnumbered(SubmessageKind::Info, &[a, b, c, d, 0, 1, 0, 0]);
        Ok(())
    }
}

/// A message that has arrived: its time, and the callback for its events.
struct Arrival<'a> {
    now: u64,
    clock: i64,
    on_event: &'a mut dyn FnMut(ClientEvent<'_>),
}
