//! The handling of a client's submessages.

use super::{
    config::AgentConfig,
    host::{AgentHost, Departure, Written},
    objects::ReadProgress,
    refusal::Refusal,
    session::{HeldSubmessages, RETRY_PERIOD, SETTLED, Session, SessionContext},
};
use crate::{
    WireError,
    cursor::Writer,
    entity::Parent,
    ids::{ObjectId, ObjectKind, Request, StreamId},
    message::{MessageHeader, Submessage, SubmessageKind, Submessages, flags},
    payload::{
        AckNack, Create, Heartbeat, Info, InfoRequest, ReadRequest, Status, StatusReply, Timestamp,
        TimestampReply,
    },
    stream::{Reassembled, Received},
};

/// Why the rest of a message is not handled.
enum StopReason {
    /// It can't be read, or is not allowed.
    Malformed(Refusal),
    /// The client has ended its session.
    Ended,
    /// The graph has no room for the data now.
    Busy,
}

impl From<WireError> for StopReason {
    fn from(error: WireError) -> Self {
        Self::Malformed(Refusal::Unreadable(error))
    }
}

impl<A: Clone + Eq + std::hash::Hash + std::fmt::Debug> Session<A> {
    /// Takes a message of the client. Returns whether the client has ended its session.
    pub(super) fn handle<H: AgentHost<Address = A>>(
        &mut self,
        context: &SessionContext<'_>,
        host: &mut H,
        header: &MessageHeader,
        message: &[u8],
    ) -> bool {
        self.counters.received += 1;
        self.counters.received_bytes += message.len() as u64;
        self.note_heard(context);
        if !self.is_present && self.sweep_at != u64::MAX {
            self.sweep_at = context.now + SETTLED;
        }
        self.return_to_graph(host);
        self.must_flush = true;
        let stream = header.stream;
        if stream == StreamId::NONE {
            return self.handle_submessages(context, host, stream, &message[header.size()..]);
        }
        if !self.is_within_rate(context) {
            self.counters.over_rate += u64::from(!stream.is_reliable());
            return false;
        }
        if stream.is_reliable() {
            return self.handle_reliable(context, host, header, message);
        }
        match self.streams.accept_best_effort(stream, header.sequence) {
            Some(lost) => {
                self.counters.lost_on_link += u64::from(lost);
                self.handle_submessages(context, host, stream, &message[header.size()..])
            }
            None => false,
        }
    }

    fn handle_reliable<H: AgentHost<Address = A>>(
        &mut self,
        context: &SessionContext<'_>,
        host: &mut H,
        header: &MessageHeader,
        message: &[u8],
    ) -> bool {
        if self.held.is_some() {
            return false;
        }
        match self.streams.receive(header.stream, header.sequence, &message[header.size()..]) {
            Some(Received::Next) => {
                self.handle_submessages(context, host, header.stream, &message[header.size()..])
                    || self.handle_stored(context, host, header.stream)
            }
            Some(Received::Stored | Received::Duplicate | Received::TooEarly) => false,
            None => {
                self.counters.malformed += 1;
                false
            }
        }
    }

    /// Handles the messages that came early and whose turn has come. Returns whether the client has ended its session.
    fn handle_stored<H: AgentHost<Address = A>>(
        &mut self,
        context: &SessionContext<'_>,
        host: &mut H,
        stream: StreamId,
    ) -> bool {
        while self.held.is_none()
            && let Some(bytes) = self.streams.next_stored(stream)
        {
            if self.handle_submessages(context, host, stream, &bytes) {
                return true;
            }
        }
        false
    }

    /// Handles the submessages of a message. Returns whether the client has ended its session.
    fn handle_submessages<H: AgentHost<Address = A>>(
        &mut self,
        context: &SessionContext<'_>,
        host: &mut H,
        stream: StreamId,
        bytes: &[u8],
    ) -> bool {
        let mut submessages = Submessages::new(bytes);
        loop {
            let rest = submessages.rest();
            let Some(submessage) = submessages.next() else { return false };
            let handled = submessage
                .map_err(StopReason::from)
                .and_then(|submessage| self.handle_submessage(context, host, stream, &submessage));
            match handled {
                Ok(()) => {}
                Err(StopReason::Busy) if stream.is_reliable() => {
                    self.hold(context, stream, rest);
                    return false;
                }
                Err(StopReason::Busy) => self.counters.unusable += 1,
                Err(StopReason::Malformed(refusal)) => {
                    self.counters.malformed += 1;
                    host.refused(self.key, None, &refusal);
                    return false;
                }
                Err(StopReason::Ended) => return true,
            }
        }
    }

    /// Keeps submessages for which the graph has no room.
    fn hold(&mut self, context: &SessionContext<'_>, stream: StreamId, submessages: &[u8]) {
        self.held = Some(HeldSubmessages { stream, submessages: submessages.to_vec(), since: context.now });
        self.retry_at = context.now + RETRY_PERIOD;
    }

    /// Tries again what waits for room in the graph. Returns whether the client has ended its session.
    pub(super) fn retry<H: AgentHost<Address = A>>(
        &mut self,
        context: &SessionContext<'_>,
        host: &mut H,
    ) -> bool {
        let Some(held) = self.held.take_if(|_| context.now >= self.retry_at) else { return false };
        let mut submessages = held.submessages.as_slice();
        if context.now.saturating_sub(held.since) >= context.config.longest_hold {
            // The first one waited too long.
            self.counters.unusable += 1;
            let mut rest = Submessages::new(submessages);
            rest.next();
            submessages = rest.rest();
        }
        let has_ended = self.handle_submessages(context, host, held.stream, submessages);
        if let Some(again) = self.held.as_mut().filter(|again| again.submessages == held.submessages) {
            again.since = held.since;
        }
        self.must_flush = true;
        has_ended || self.handle_stored(context, host, held.stream)
    }

    fn handle_submessage<H: AgentHost<Address = A>>(
        &mut self,
        context: &SessionContext<'_>,
        host: &mut H,
        stream: StreamId,
        submessage: &Submessage<'_>,
    ) -> Result<(), StopReason> {
        let reader = &mut submessage.reader();
        match submessage.kind {
            SubmessageKind::Create => self.create(context, host, stream, submessage)?,
            SubmessageKind::Delete => self.delete(host, stream, Request::read(reader)?)?,
            SubmessageKind::WriteData => self.write(host, submessage)?,
            SubmessageKind::ReadData => self.read(context, host, ReadRequest::read(reader)?),
            SubmessageKind::AckNack => {
                if self.streams.acknowledge(&AckNack::read(reader)?, context.now) {
                    host.has_room(self.key);
                }
            }
            SubmessageKind::Heartbeat => {
                let heartbeat = Heartbeat::read(reader)?;
                self.counters.given_up_by_client += u64::from(self.streams.heartbeat(&heartbeat));
                if self.handle_stored(context, host, heartbeat.stream) {
                    return Err(StopReason::Ended);
                }
            }
            SubmessageKind::Fragment => self.reassemble(context, host, stream, submessage)?,
            SubmessageKind::Timestamp => self.answer_time(host, Timestamp::read(reader)?),
            SubmessageKind::GetInfo => self.answer_info(context, host, InfoRequest::read(reader)?),
            SubmessageKind::Reset => self.streams.reset(),
            // The answer of a client that was asked whether it is there. The widespread client writes it without the
            // header of the submessage, so that it looks like the first kind.
            SubmessageKind::Info | SubmessageKind::CreateClient if stream == StreamId::NONE => {}
            _ => return Err(StopReason::Malformed(Refusal::NotAllowed)),
        }
        Ok(())
    }

    fn reassemble<H: AgentHost<Address = A>>(
        &mut self,
        context: &SessionContext<'_>,
        host: &mut H,
        stream: StreamId,
        fragment: &Submessage<'_>,
    ) -> Result<(), StopReason> {
        if !stream.is_reliable() {
            return Err(StopReason::Malformed(Refusal::NotAllowed));
        }
        match self.streams.reassemble(stream, fragment.payload, fragment.has(flags::LAST_FRAGMENT)) {
            Reassembled::Incomplete => {}
            Reassembled::TooLong { .. } => self.counters.too_long_from_client += 1,
            Reassembled::Complete(bytes) => {
                // A fragment in a fragment would be a loop without an end.
                let inner =
                    Submessages::new(&bytes).next().ok_or(StopReason::Malformed(Refusal::NotAllowed))??;
                if inner.kind == SubmessageKind::Fragment {
                    return Err(StopReason::Malformed(Refusal::NotAllowed));
                }
                match self.handle_submessage(context, host, stream, &inner) {
                    // The whole submessage is held, because its fragments are not kept.
                    Err(StopReason::Busy) => self.hold(context, stream, &bytes),
                    handled => handled?,
                }
            }
        }
        Ok(())
    }

    fn create<H: AgentHost<Address = A>>(
        &mut self,
        context: &SessionContext<'_>,
        host: &mut H,
        stream: StreamId,
        submessage: &Submessage<'_>,
    ) -> Result<(), StopReason> {
        let (request, created) = match Create::read(&mut submessage.reader()) {
            Ok(create) => (create.request, self.created(context, host, submessage.flags, create)),
            Err((Some(request), error)) => {
                self.counters.malformed += 1;
                (request, Err(error.into()))
            }
            Err((None, error)) => return Err(error.into()),
        };
        let status = created.unwrap_or_else(|refusal: Refusal| {
            host.refused(self.key, Some(request.object), &refusal);
            refusal.status()
        });
        self.answer(host, stream, StatusReply { request, status });
        Ok(())
    }

    fn created<H: AgentHost<Address = A>>(
        &mut self,
        context: &SessionContext<'_>,
        host: &mut H,
        flags: u8,
        create: Create,
    ) -> Result<Status, Refusal> {
        let id = create.request.object;
        let create_parent = match create.entity.parent {
            Parent::Object(parent) => Some(parent),
            Parent::Domain(_) => None,
        };
        let new = self.objects.resolve(id, create.entity, context.profiles)?;
        if let Some(present) = self.objects.get(id) {
            let (may_reuse, may_replace) = (flags & flags::REUSE != 0, flags & flags::REPLACE != 0);
            let is_equal = present.entity == new.entity;
            self.note_creation(context, id);
            match (may_reuse, is_equal) {
                (true, true) => return Ok(Status::OkMatched),
                (true, false) if !may_replace => return Err(Refusal::Differs),
                (false, _) if !may_replace => return Err(Refusal::Exists),
                _ => self.remove(host, id),
            }
        }
        let limit = context.config.max_objects;
        if self.objects.len() >= limit && self.sweep_at != u64::MAX {
            // The objects of the session before need not stay until all others are there.
            let parent = create_parent;
            let stale = self.objects.stale().into_iter();
            stale.filter(|stale| Some(*stale) != parent).for_each(|stale| self.remove(host, stale));
        }
        if self.objects.len() >= limit {
            return Err(Refusal::TooMany(limit));
        }
        let status = new.in_graph().map_or(Status::Ok, |object| host.create(self.key, id, object));
        if status.is_ok() {
            self.objects.insert(id, new);
            self.note_creation(context, id);
            if !self.follow(host, id) {
                return Ok(Status::InvalidData);
            }
        }
        Ok(status)
    }

    /// Notes that the client has created an object. While it creates its objects again, those that it does not create are
    /// deleted soon. A client that creates its node again begins anew, whether it counts its connections or not.
    fn note_creation(&mut self, context: &SessionContext<'_>, id: ObjectId) {
        let begins_anew = self.objects.confirm(id) && id.kind() == Some(ObjectKind::Participant);
        if begins_anew || self.sweep_at != u64::MAX {
            self.sweep_at = context.now + SETTLED;
        }
    }

    /// Deletes the objects that the client has not created again in its present session, when it is time.
    pub(super) fn sweep<H: AgentHost<Address = A>>(&mut self, context: &SessionContext<'_>, host: &mut H) {
        if !self.is_present || context.now < self.sweep_at {
            return;
        }
        if self.held.is_some() {
            // The rest of a message waits, and may create objects.
            self.sweep_at = context.now + SETTLED;
            return;
        }
        self.sweep_at = u64::MAX;
        for id in self.objects.stale() {
            self.remove(host, id);
        }
    }

    /// Opens the endpoints of a topic again that had another topic before. Returns whether the graph takes all of them.
    fn follow<H: AgentHost<Address = A>>(&mut self, host: &mut H, topic: ObjectId) -> bool {
        let mut are_all_open = true;
        for id in self.objects.rebind(topic) {
            if self.sweep_at != u64::MAX && self.objects.get(id).is_some_and(|object| object.is_stale) {
                self.remove(host, id);
                continue;
            }
            host.delete(self.key, id);
            if !self.show(host, id) {
                self.objects.remove(id);
                are_all_open = false;
            }
        }
        are_all_open
    }

    /// Removes an object and those that belong to it.
    fn remove<H: AgentHost<Address = A>>(&mut self, host: &mut H, id: ObjectId) {
        let removed = self.objects.remove(id).unwrap_or_default();
        removed.into_iter().for_each(|id| host.delete(self.key, id));
    }

    fn delete<H: AgentHost<Address = A>>(
        &mut self,
        host: &mut H,
        stream: StreamId,
        request: Request,
    ) -> Result<(), StopReason> {
        if request.object == ObjectId::CLIENT {
            self.leave_graph(host, Departure::EndedSession);
            self.answer(host, StreamId::NONE, StatusReply { request, status: Status::Ok });
            return Err(StopReason::Ended);
        }
        let is_known = self.objects.get(request.object).is_some();
        if !is_known {
            host.refused(self.key, Some(request.object), &Refusal::Missing(request.object));
        }
        self.remove(host, request.object);
        let status = if is_known { Status::Ok } else { Status::UnknownReference };
        self.answer(host, stream, StatusReply { request, status });
        Ok(())
    }

    fn write<H: AgentHost<Address = A>>(
        &mut self,
        host: &mut H,
        submessage: &Submessage<'_>,
    ) -> Result<(), StopReason> {
        if submessage.has(flags::FORMAT) {
            return Err(StopReason::Malformed(Refusal::NotAllowed));
        }
        let mut reader = submessage.reader();
        let request = Request::read(&mut reader)?;
        let is_known = self.objects.get(request.object).is_some();
        let written = if is_known { host.write(self.key, request, reader.rest()) } else { Written::Unusable };
        match written {
            Written::Published => Ok(()),
            Written::Busy => Err(StopReason::Busy),
            Written::Unusable => {
                self.counters.unusable += 1;
                let refusal = if is_known { Refusal::Unusable } else { Refusal::NoObject };
                host.refused(self.key, Some(request.object), &refusal);
                Ok(())
            }
        }
    }

    fn read<H: AgentHost<Address = A>>(
        &mut self,
        context: &SessionContext<'_>,
        host: &mut H,
        request: ReadRequest,
    ) {
        let Some(object) = self.objects.get_mut(request.request.object) else {
            let (object, status) = (request.request.object, Status::UnknownReference);
            host.refused(self.key, Some(object), &Refusal::Missing(object));
            return self.answer(host, StreamId::RELIABLE, StatusReply { request: request.request, status });
        };
        object.read = (request.limits.max_messages > 0).then(|| ReadProgress::new(request, context.now));
        if object.read.is_some() {
            host.read(self.key, request);
        }
    }

    fn answer_time<H: AgentHost<Address = A>>(&mut self, host: &mut H, originate: Timestamp) {
        let receive = Timestamp::from_nanoseconds(host.system_time());
        let mut bytes = Vec::new();
        let transmit = Timestamp::from_nanoseconds(host.system_time());
        TimestampReply { transmit, receive, originate }.write(&mut Writer::new(&mut bytes));
        self.send(host, StreamId::NONE, SubmessageKind::TimestampReply, (&bytes, &[]));
    }

    fn answer_info<H: AgentHost<Address = A>>(
        &mut self,
        context: &SessionContext<'_>,
        host: &mut H,
        question: InfoRequest,
    ) {
        let bytes = info_bytes(context.config, &question, true, (&mut *host, &self.address));
        self.send(host, StreamId::NONE, SubmessageKind::Info, (&bytes, &[]));
    }

    /// Answers a request on the built-in stream with the reliability of the request's stream.
    fn answer<H: AgentHost<Address = A>>(&mut self, host: &mut H, stream: StreamId, reply: StatusReply) {
        let stream = if stream == StreamId::NONE { stream } else { stream.built_in() };
        self.send(host, stream, SubmessageKind::Status, (&reply.to_bytes(), &[]));
    }
}

/// Returns the content of the answer to a client that asks for information.
pub(super) fn info_bytes<H: AgentHost>(
    config: &AgentConfig,
    question: &InfoRequest,
    has_session: bool,
    (host, client): (&mut H, &H::Address),
) -> Vec<u8> {
    let is_discovery = question.mask & InfoRequest::CONFIGURATION != 0;
    let locators = if is_discovery {
        host.reachable_at(client).unwrap_or_else(|| config.locators.clone())
    } else {
        Vec::new()
    };
    let info = Info { request: question.request, has_session, version: Some(config.version), locators };
    let mut bytes = Vec::new();
    info.write(&mut Writer::new(&mut bytes));
    bytes
}
