//! All clients of an agent, by key and by address.

use std::{
    collections::{BTreeSet, HashMap},
    fmt,
    hash::Hash,
};

use super::{
    addresses::{Addresses, change_address},
    config::AgentConfig,
    counters::SourceCounters,
    host::{AgentHost, Departure},
    objects::Allowance,
    refusal::Stray,
    session::{ClientReport, LONGEST_WAY, Session, SessionContext},
    sources::Sources,
    submessages::info_bytes,
};
use crate::{
    cursor::Writer,
    entity::Profiles,
    ids::{ClientKey, ObjectId, Request, RequestId, StreamId},
    message::{MessageHeader, Submessage, SubmessageKind, Submessages, append_submessage},
    payload::{AgentVersion, CreateClient, InfoRequest, ReadRequest, Status, StatusReply},
    stream::PushError,
};

/// An agent: all its clients, with their sessions and objects.
///
/// The program calls [`Agent::handle`] with each message that arrives, then [`Agent::flush`], and [`Agent::check`] when
/// [`Agent::due`] says so. It calls [`Agent::deliver`] with data for clients. The agent calls the methods of
/// [`AgentHost`].
///
/// **Invariant:** the memory of an agent is bounded by its [`AgentConfig`], whatever arrives.
#[derive(Debug)]
pub struct Agent<A> {
    config: AgentConfig,
    profiles: Profiles,
    clients: HashMap<ClientKey, Session<A>>,
    addresses: Addresses<A>,
    sources: Sources<A>,
    /// When each client must be checked, at the latest.
    due: BTreeSet<(u64, ClientKey)>,
    /// The clients for which something must be sent.
    to_flush: Vec<ClientKey>,
    refused: u64,
}

/// Why data can't be delivered to a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeliverError {
    /// The client has not asked for data of this object, or it is not there.
    #[error("the client has not asked for these messages")]
    NotRequested,
    /// There is no room. [`AgentHost::has_room`] is called when it can be tried again.
    #[error("the client has not acknowledged earlier messages")]
    Full,
    /// The client has limited the rate. It can be tried again later.
    #[error("the client takes no more messages at the moment")]
    Limited,
    /// The data never fit.
    #[error("{size} bytes are too long: the client takes at most {largest}")]
    TooLong {
        /// The length of the submessage, in bytes.
        size: usize,
        /// The longest submessage that fits.
        largest: usize,
    },
}

impl From<PushError> for DeliverError {
    fn from(error: PushError) -> Self {
        match error {
            PushError::Full { .. } => Self::Full,
            PushError::TooLong { size, largest } => Self::TooLong { size, largest },
        }
    }
}

impl<A: Clone + Eq + Hash + fmt::Debug> Agent<A> {
    /// Creates an agent without clients.
    pub fn new(config: AgentConfig, profiles: Profiles) -> Self {
        Self {
            config,
            profiles,
            clients: HashMap::new(),
            addresses: Addresses::new(),
            sources: Sources::new(),
            due: BTreeSet::new(),
            to_flush: Vec::new(),
            refused: 0,
        }
    }

    /// Returns its limits and times.
    pub fn config(&self) -> &AgentConfig {
        &self.config
    }

    /// Returns the state and the counts of each client.
    pub fn clients(&self) -> impl Iterator<Item = ClientReport<A>> {
        self.clients.values().map(Session::report)
    }

    /// Returns the state and the counts of one client.
    pub fn client(&self, key: ClientKey) -> Option<ClientReport<A>> {
        self.clients.get(&key).map(Session::report)
    }

    /// Returns whether a client delivers its own messages to its own subscriptions, so that the agent must not.
    pub fn delivers_to_itself(&self, key: ClientKey) -> bool {
        self.clients.get(&key).is_some_and(|session| session.properties.delivers_to_itself)
    }

    /// Returns the counts of all addresses that belong to no client.
    pub fn unknown_sources(&self) -> SourceCounters {
        self.sources.total()
    }

    /// Returns the counts of each address that belongs to no client. The oldest addresses are forgotten if there are
    /// many.
    pub fn sources(&self) -> impl Iterator<Item = (&A, SourceCounters)> {
        self.sources.iter()
    }

    /// Returns how many clients were refused because there were too many.
    pub fn refused(&self) -> u64 {
        self.refused
    }

    /// Takes a message that has arrived. Call [`Agent::flush`] after the last message of a batch.
    pub fn handle<H: AgentHost<Address = A>>(&mut self, now: u64, from: &A, message: &[u8], host: &mut H) {
        let Ok((header, _)) = MessageHeader::read(message) else {
            return self.note_malformed(now, from, host);
        };
        if header.session.is_none() {
            return self.handle_without_session(now, from, &header, message, host);
        }
        let key = header.key.or_else(|| self.addresses.client_at(from));
        let session = key.and_then(|key| self.clients.get_mut(&key));
        let Some(session) = session.filter(|session| session.id == header.session) else {
            return self.answer_unknown(now, from, &header, message, host);
        };
        let key = session.key;
        if session.address != *from {
            // A client whose messages contain its key may have another address than before.
            change_address(&mut self.addresses, session, now, from, host);
        }
        let context = SessionContext { config: &self.config, profiles: &self.profiles, now };
        let has_ended = session.handle(&context, host, &header, message);
        if has_ended {
            self.forget(key);
        } else {
            self.to_flush.push(key);
        }
    }

    /// Removes a client from all tables.
    fn forget(&mut self, key: ClientKey) {
        let Some(session) = self.clients.remove(&key) else { return };
        self.due.remove(&(session.scheduled_at, key));
        self.addresses.forget(&session);
    }

    /// Removes a client, because of another one.
    fn remove<H: AgentHost<Address = A>>(&mut self, key: ClientKey, reason: Departure, host: &mut H) {
        if let Some(session) = self.clients.get_mut(&key) {
            session.leave_graph(host, reason);
        }
        self.forget(key);
    }

    fn handle_without_session<H: AgentHost<Address = A>>(
        &mut self,
        now: u64,
        from: &A,
        header: &MessageHeader,
        message: &[u8],
        host: &mut H,
    ) {
        let Some(Ok(submessage)) = Submessages::new(&message[header.size()..]).next() else {
            return self.note_malformed(now, from, host);
        };
        match submessage.kind {
            SubmessageKind::CreateClient => match CreateClient::read(&mut submessage.reader()) {
                Ok(login) => self.begin_session(now, from, header, &login, host),
                Err(_) => self.note_malformed(now, from, host),
            },
            SubmessageKind::GetInfo => self.answer_info(now, from, header, &submessage, host),
            _ => self.note_malformed(now, from, host),
        }
    }

    fn begin_session<H: AgentHost<Address = A>>(
        &mut self,
        now: u64,
        from: &A,
        header: &MessageHeader,
        login: &CreateClient,
        host: &mut H,
    ) {
        let status = self.began_session(now, from, login, host);
        let header = MessageHeader::unnumbered(login.session, header.key.unwrap_or(login.key));
        let mut payload = vec![status as u8, 0];
        AgentVersion::OWN.write(&mut Writer::new(&mut payload));
        send(from, &header, SubmessageKind::StatusAgent, &payload, host);
    }

    /// Begins a session, or a known one again. Returns the status for the client.
    fn began_session<H: AgentHost<Address = A>>(
        &mut self,
        now: u64,
        from: &A,
        login: &CreateClient,
        host: &mut H,
    ) -> Status {
        if login.key == ClientKey::INVALID || login.session.is_none() {
            return Status::InvalidData;
        }
        if login.version[0] != self.config.version.version[0] {
            return Status::Incompatible;
        }
        let context = SessionContext { config: &self.config, profiles: &self.profiles, now };
        if self.clients.get(&login.key).is_some_and(|session| session.is_overtaken(&context, login)) {
            // It is from an earlier connection, and perhaps from another address.
            return Status::Ok;
        }
        if let Some(other) = self.addresses.client_at(from).filter(|other| *other != login.key) {
            self.remove(other, Departure::Replaced, host);
        }
        let context = SessionContext { config: &self.config, profiles: &self.profiles, now };
        match self.clients.get_mut(&login.key) {
            // Clients that count their connections have a session of their own for each one. The objects stay.
            Some(session) if session.id == login.session || login.properties.connection.is_some() => {
                if session.address != *from {
                    change_address(&mut self.addresses, session, now, from, host);
                }
                session.begin_again(&context, login);
                session.note_heard(&context);
                session.return_to_graph(host);
            }
            known => {
                let is_known = known.is_some();
                if is_known {
                    self.remove(login.key, Departure::BeganAnotherSession, host);
                } else if !self.has_room(host) {
                    self.refused += 1;
                    return Status::Resources;
                }
                let context = SessionContext { config: &self.config, profiles: &self.profiles, now };
                self.clients.insert(login.key, Session::new(&context, from.clone(), login));
                host.connected(login.key, from);
            }
        }
        self.addresses.insert(from.clone(), login.key);
        self.schedule(login.key);
        Status::Ok
    }

    /// Makes room for another client: forgets the one that has been away for the longest time. Returns whether there is
    /// room.
    fn has_room<H: AgentHost<Address = A>>(&mut self, host: &mut H) -> bool {
        if self.clients.len() < self.config.max_clients {
            return true;
        }
        let away = self.clients.values().filter(|session| !session.is_present);
        let oldest = away.min_by_key(|session| session.heard_at).map(|session| session.key);
        if let Some(key) = oldest {
            self.forget(key);
            host.departed(key, Departure::Forgotten);
        }
        oldest.is_some()
    }

    fn answer_info<H: AgentHost<Address = A>>(
        &mut self,
        now: u64,
        from: &A,
        header: &MessageHeader,
        submessage: &Submessage<'_>,
        host: &mut H,
    ) {
        match InfoRequest::read(&mut submessage.reader()) {
            Ok(question) => {
                let bytes = info_bytes(&self.config, &question, false, (&mut *host, from));
                send(from, header, SubmessageKind::Info, &bytes, host);
            }
            Err(_) => self.note_malformed(now, from, host),
        }
    }

    /// Counts a message that can't be read.
    fn note_malformed<H: AgentHost<Address = A>>(&mut self, now: u64, from: &A, host: &mut H) {
        if self.sources.count_malformed(from, now) {
            host.stray(from, Stray::Unreadable);
        }
    }

    /// Answers a message of a session that does not exist.
    fn answer_unknown<H: AgentHost<Address = A>>(
        &mut self,
        now: u64,
        from: &A,
        header: &MessageHeader,
        message: &[u8],
        host: &mut H,
    ) {
        let first = Submessages::new(&message[header.size()..]).next().and_then(Result::ok);
        let Some(submessage) = first else { return self.note_malformed(now, from, host) };
        let request = Request::read(&mut submessage.reader());
        match (submessage.kind, request) {
            (SubmessageKind::GetInfo, _) => self.answer_info(now, from, header, &submessage, host),
            (SubmessageKind::Delete, Ok(request)) if request.object == ObjectId::CLIENT => {
                send_status(from, header, StatusReply { request, status: Status::Ok }, host);
            }
            _ => {
                if let Some(session) =
                    self.addresses.client_before_at(from).and_then(|key| self.clients.get_mut(&key))
                {
                    // What is still on its way from the address before says nothing.
                    if now.saturating_sub(session.changed_at) >= LONGEST_WAY {
                        session.note_shared_key(now, from, host);
                    }
                }
                // A client of Saltus begins a new session when it is told. Other clients ignore this.
                let (must_answer, must_tell) = self.sources.count_unknown_session(from, now);
                if must_tell {
                    host.stray(from, Stray::UnknownSession(header.session.0));
                }
                if must_answer {
                    let request = Request { id: RequestId::NONE, object: ObjectId::CLIENT };
                    send_status(
                        from,
                        header,
                        StatusReply { request, status: Status::UnknownReference },
                        host,
                    );
                }
            }
        }
    }

    /// Notes that the connection to an address was closed. Its client's objects come back when it connects again.
    pub fn disconnected<H: AgentHost<Address = A>>(&mut self, address: &A, host: &mut H) {
        let session = self.addresses.remove(address).and_then(|key| self.clients.get_mut(&key));
        if let Some(session) = session.filter(|session| session.address == *address) {
            session.leave_graph(host, Departure::Disconnected);
        }
    }

    /// Returns whether data of `len` bytes for an object of a client can be delivered now. Data that never fit are
    /// counted as lost.
    ///
    /// # Errors
    /// Returns why they can't be delivered.
    pub(crate) fn check_delivery(
        &mut self,
        now: u64,
        client: ClientKey,
        object: ObjectId,
        len: usize,
    ) -> Result<ReadRequest, DeliverError> {
        let session = self.clients.get_mut(&client).filter(|session| session.is_present);
        let session = session.ok_or(DeliverError::NotRequested)?;
        let reading = session.objects.get_mut(object).and_then(|object| object.read.as_mut());
        let reading = reading.ok_or(DeliverError::NotRequested)?;
        match reading.allowance(now, len) {
            Allowance::Ended => return Err(DeliverError::NotRequested),
            Allowance::Limited => return Err(DeliverError::Limited),
            Allowance::Allowed => {}
        }
        let request = reading.request;
        session.streams.check(request.stream, Request::SIZE + len)?;
        Ok(request)
    }

    /// Counts data that were not delivered because they are too long for the client.
    pub fn count_too_long(&mut self, client: ClientKey) {
        if let Some(session) = self.clients.get_mut(&client) {
            session.counters.too_long_for_client += 1;
        }
    }

    /// Delivers data of an object to a client. `prefix` comes before the data: nothing for a message, the identity of
    /// the request for a request or response of a service.
    ///
    /// # Errors
    /// Returns why they can't be delivered.
    pub fn deliver<H: AgentHost<Address = A>>(
        &mut self,
        now: u64,
        (client, object): (ClientKey, ObjectId),
        prefix: &[u8],
        content: &[u8],
        host: &mut H,
    ) -> Result<(), DeliverError> {
        let len = prefix.len() + content.len();
        let request = self.check_delivery(now, client, object, len)?;
        let Some(session) = self.clients.get_mut(&client) else { return Err(DeliverError::NotRequested) };
        session.deliver(host, &request, prefix, content);
        if let Some(object) = session.objects.get_mut(object) {
            object.note_delivered(now, len);
        }
        if !prefix.is_empty() {
            // The widespread client skips what follows a response in its message.
            session.streams.seal(request.stream);
        }
        self.to_flush.push(client);
        Ok(())
    }

    /// Sends what is due to the clients of the messages that were handled, and of the data that were delivered.
    pub fn flush<H: AgentHost<Address = A>>(&mut self, now: u64, host: &mut H) {
        while let Some(key) = self.to_flush.pop() {
            if let Some(session) = self.clients.get_mut(&key).filter(|session| session.must_flush) {
                session.flush(now, host);
                self.schedule(key);
            }
        }
    }

    /// Notes when a client must be checked.
    fn schedule(&mut self, key: ClientKey) {
        let Some(session) = self.clients.get_mut(&key) else { return };
        let due = session.due();
        if due < session.scheduled_at {
            self.due.remove(&(session.scheduled_at, key));
            session.scheduled_at = due;
            self.due.insert((due, key));
        }
    }

    /// Returns when [`Agent::check`] must be called next, in monotonic nanoseconds.
    pub fn due(&self) -> Option<u64> {
        self.due.first().map(|(due, _)| *due)
    }

    /// Checks the clients that are due: sends heartbeats, asks silent clients whether they are there, and removes those
    /// that are not.
    pub fn check<H: AgentHost<Address = A>>(&mut self, now: u64, host: &mut H) {
        while let Some((due, key)) = self.due.first().copied().filter(|(due, _)| *due <= now) {
            self.due.remove(&(due, key));
            let context = SessionContext { config: &self.config, profiles: &self.profiles, now };
            let Some(session) = self.clients.get_mut(&key) else { continue };
            session.scheduled_at = u64::MAX;
            if session.retry(&context, host) {
                self.forget(key);
                continue;
            }
            session.sweep(&context, host);
            if session.check(&context, host) {
                session.leave_graph(host, Departure::Silent);
            } else if session.is_present {
                session.flush(now, host);
            }
            self.schedule(key);
        }
    }
}

fn send_status<H: AgentHost>(to: &H::Address, header: &MessageHeader, reply: StatusReply, host: &mut H) {
    send(to, header, SubmessageKind::Status, &reply.to_bytes(), host);
}

/// Sends a message with one submessage outside of streams.
fn send<H: AgentHost>(
    to: &H::Address,
    header: &MessageHeader,
    kind: SubmessageKind,
    payload: &[u8],
    host: &mut H,
) {
    let header = MessageHeader { stream: StreamId::NONE, sequence: crate::ids::SequenceNumber(0), ..*header };
    let mut message = Vec::new();
    header.write(&mut message);
    append_submessage(&mut message, kind, 0, payload);
    host.send(to, &message);
}
