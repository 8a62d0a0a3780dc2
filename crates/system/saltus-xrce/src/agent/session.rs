//! A client: its submessages, its liveliness, its counts.

use super::{
    config::AgentConfig,
    counters::ClientCounters,
    host::{AgentHost, Departure},
    objects::Objects,
    streams::{Limits, Streams},
};
use crate::{
    cursor::Writer,
    entity::Profiles,
    ids::{ClientKey, ObjectId, Request, RequestId, SessionId, StreamId},
    message::SubmessageKind,
    payload::{ClientProperties, CreateClient, InfoRequest, ReadRequest, SampleIdentity},
};

/// A message from the earlier address of a client within this time says that two devices have its key, in nanoseconds.
pub(super) const SHARED_FOR: u64 = 30 * SECOND;
/// The time between two reports that two devices have a key, in nanoseconds.
const TELL_PERIOD: u64 = 10 * SECOND;

/// The time after the last CREATE of a new session after which the objects are deleted that it has not created again.
pub(super) const SETTLED: u64 = 2 * SECOND;

/// A client that has begun a session.
#[derive(Debug)]
pub(super) struct Session<A> {
    pub(super) key: ClientKey,
    pub(super) address: A,
    pub(super) id: SessionId,
    pub(super) properties: ClientProperties,
    pub(super) streams: Streams,
    pub(super) objects: Objects,
    pub(super) counters: ClientCounters,
    /// When the session began, in monotonic nanoseconds.
    began_at: u64,
    /// When it was last heard, in monotonic nanoseconds.
    pub(super) heard_at: u64,
    /// Whether it is there, so that the graph has its objects.
    pub(super) is_present: bool,
    /// The number of times that it was asked whether it is there, since it was last heard.
    asked: u32,
    /// When it is asked next, or counts as gone, in monotonic nanoseconds.
    pub(super) check_at: u64,
    /// The number of messages that it may still send in the second that ends at `allowance_until`.
    allowance: u32,
    allowance_until: u64,
    /// The rest of a message of a reliable stream, for which the graph had no room. Nothing else of the stream is accepted
    /// meanwhile.
    pub(super) held: Option<HeldSubmessages>,
    /// When they are tried again, in monotonic nanoseconds.
    pub(super) retry_at: u64,
    /// Whether [`Session::flush`] must be called.
    pub(super) must_flush: bool,
    /// The earliest time for which the agent has scheduled a check, in monotonic nanoseconds.
    pub(super) scheduled_at: u64,
    /// The address that the client had before the present one.
    pub(super) earlier_address: Option<A>,
    /// When its address has changed, in monotonic nanoseconds.
    pub(super) changed_at: u64,
    /// When the host may be told again that another device has the key, in monotonic nanoseconds.
    tell_at: u64,
    /// When the objects are deleted that the client has not created again, in monotonic nanoseconds.
    pub(super) sweep_at: u64,
}

/// Submessages that wait for room in the graph.
#[derive(Debug)]
pub(super) struct HeldSubmessages {
    pub(super) stream: StreamId,
    pub(super) submessages: Vec<u8>,
    /// When they were received, in monotonic nanoseconds.
    pub(super) since: u64,
}

/// The state and the counts of a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientReport<A> {
    /// Its key.
    pub key: ClientKey,
    /// Its address.
    pub address: A,
    /// Whether it is there, so that the graph has its objects.
    pub is_present: bool,
    /// When it was last heard, in monotonic nanoseconds.
    pub heard_at: u64,
    /// The counts of what was exchanged with it, and of what was lost.
    pub counters: ClientCounters,
}

/// The configuration and the time, which all sessions use while a message is handled.
pub(super) struct SessionContext<'a> {
    pub(super) config: &'a AgentConfig,
    pub(super) profiles: &'a Profiles,
    /// The monotonic time in nanoseconds.
    pub(super) now: u64,
}

const SECOND: u64 = 1_000_000_000;
/// The time between two attempts to find room in the graph, in nanoseconds.
pub(super) const RETRY_PERIOD: u64 = 5_000_000;

/// The longest time that a message may be on its way, in nanoseconds.
pub(super) const LONGEST_WAY: u64 = 2_000_000_000;
/// A connection counts as an earlier one if it is at most this many connections before the present one.
const EARLIER: u32 = 1000;

impl<A: Clone> Session<A> {
    pub(super) fn new(context: &SessionContext<'_>, address: A, login: &CreateClient) -> Self {
        let limits = Limits::new(context.config, login.session, login.key, login.mtu, &login.properties);
        let mut session = Self {
            key: login.key,
            address,
            id: login.session,
            properties: login.properties,
            streams: Streams::new(limits),
            objects: Objects::default(),
            counters: ClientCounters::default(),
            began_at: context.now,
            heard_at: context.now,
            is_present: true,
            asked: 0,
            check_at: 0,
            allowance: 0,
            allowance_until: 0,
            held: None,
            retry_at: 0,
            must_flush: false,
            scheduled_at: u64::MAX,
            earlier_address: None,
            changed_at: 0,
            tell_at: 0,
            sweep_at: u64::MAX,
        };
        session.note_heard(context);
        session
    }

    /// Begins the session again, with new streams and the present objects. A duplicate of the message that began it
    /// changes nothing.
    pub(super) fn begin_again(&mut self, context: &SessionContext<'_>, login: &CreateClient) {
        let is_duplicate =
            login.properties.connection.is_some() && login.properties == self.properties && self.is_present;
        let is_duplicate = is_duplicate && login.session == self.id;
        if !is_duplicate {
            self.began_at = context.now;
            self.id = login.session;
            let limits = Limits::new(context.config, login.session, login.key, login.mtu, &login.properties);
            self.properties = login.properties;
            self.streams = Streams::new(limits);
            self.held = None;
            self.objects.mark_stale();
            // Clients that count their connections create all objects again in each one.
            let creates_again = login.properties.connection.is_some();
            self.sweep_at = if creates_again { context.now + SETTLED } else { u64::MAX };
        }
    }

    /// Returns whether the message began an earlier session of the same program. Programs count their connections, from
    /// a number that is different after each reset. By accident, it may seem to be an earlier one; so only a message
    /// that arrives soon after the present session began counts as overtaken.
    pub(super) fn is_overtaken(&self, context: &SessionContext<'_>, login: &CreateClient) -> bool {
        let (Some(present), Some(other)) = (self.properties.connection, login.properties.connection) else {
            return false;
        };
        let is_recent = context.now.saturating_sub(self.began_at) < LONGEST_WAY;
        self.is_present && is_recent && (1..=EARLIER).contains(&present.wrapping_sub(other))
    }

    pub(super) fn report(&self) -> ClientReport<A> {
        let (key, address) = (self.key, self.address.clone());
        let Self { is_present, heard_at, counters, .. } = *self;
        ClientReport { key, address, is_present, heard_at, counters }
    }

    /// Returns when [`Session::check`] must be called next, in monotonic nanoseconds.
    pub(super) fn due(&self) -> u64 {
        let streams = self.streams.due().unwrap_or(u64::MAX);
        let retry = if self.held.is_some() { self.retry_at } else { u64::MAX };
        if self.is_present { streams.min(self.check_at).min(retry).min(self.sweep_at) } else { u64::MAX }
    }

    fn lease(&self, context: &SessionContext<'_>) -> u64 {
        let reported = self.properties.hard_liveliness_ms.filter(|ms| *ms > 0);
        reported.map_or(context.config.lease, |ms| u64::from(ms) * 1_000_000)
    }

    /// Notes that the client is there.
    pub(super) fn note_heard(&mut self, context: &SessionContext<'_>) {
        self.heard_at = context.now;
        self.asked = 0;
        self.check_at = context.now.saturating_add(self.lease(context));
    }

    /// Returns whether the client may send another message in this second.
    pub(super) fn is_within_rate(&mut self, context: &SessionContext<'_>) -> bool {
        let Some(limit) = context.config.max_messages_per_second else { return true };
        if context.now >= self.allowance_until {
            (self.allowance, self.allowance_until) = (limit, context.now + SECOND);
        }
        let is_allowed = self.allowance > 0;
        self.allowance = self.allowance.saturating_sub(1);
        is_allowed
    }
}

impl<A: Clone + Eq + std::hash::Hash + std::fmt::Debug> Session<A> {
    /// Tells the host that another device has the client's key, unless it was told a short time ago.
    pub(super) fn note_shared_key<H: AgentHost<Address = A>>(&mut self, now: u64, other: &A, host: &mut H) {
        if now.saturating_sub(self.changed_at) < SHARED_FOR && now >= self.tell_at {
            self.tell_at = now + TELL_PERIOD;
            host.shares_key(self.key, [&self.address, other]);
        }
    }

    pub(super) fn send<H: AgentHost<Address = A>>(
        &mut self,
        host: &mut H,
        stream: StreamId,
        kind: SubmessageKind,
        parts: (&[u8], &[u8]),
    ) {
        let Self { streams, counters, address, .. } = self;
        let sent = streams.push(stream, kind, parts, |message| transmit(host, counters, address, message));
        self.counters.unanswered += u64::from(sent.is_err());
    }

    /// Sends data to the client, as the answer to its request for the messages of an object.
    pub(super) fn deliver<H: AgentHost<Address = A>>(
        &mut self,
        host: &mut H,
        request: &ReadRequest,
        prefix: &[u8],
        content: &[u8],
    ) {
        let mut head = [0; Request::SIZE + SampleIdentity::SIZE];
        let used = Request::SIZE + prefix.len();
        head[..Request::SIZE].copy_from_slice(&request.request.to_bytes());
        head[Request::SIZE..used].copy_from_slice(prefix);
        self.send(host, request.stream, SubmessageKind::Data, (&head[..used], content));
        self.must_flush = true;
    }

    /// Sends what is due on the streams.
    pub(super) fn flush<H: AgentHost<Address = A>>(&mut self, now: u64, host: &mut H) {
        self.must_flush = false;
        let Self { streams, counters, address, .. } = self;
        let mut sent = (0, 0);
        streams.flush(now, counters, |message| {
            sent.0 += 1;
            sent.1 += message.len() as u64;
            host.send(address, message);
        });
        counters.sent += sent.0;
        counters.sent_bytes += sent.1;
    }

    /// Asks the client whether it is there, if it was silent for long. Returns whether it counts as gone.
    pub(super) fn check<H: AgentHost<Address = A>>(
        &mut self,
        context: &SessionContext<'_>,
        host: &mut H,
    ) -> bool {
        if !self.is_present || context.now < self.check_at {
            return false;
        }
        if self.asked >= context.config.probes {
            return true;
        }
        self.asked += 1;
        self.check_at = context.now + context.config.probe_period;
        let request = Request { id: RequestId::NONE, object: ObjectId::CLIENT };
        let mut bytes = Vec::new();
        InfoRequest { request, mask: InfoRequest::ACTIVITY }.write(&mut Writer::new(&mut bytes));
        self.send(host, StreamId::NONE, SubmessageKind::GetInfo, (&bytes, &[]));
        false
    }

    /// Deletes the client's objects from the graph. They are kept here, and come back with the client.
    pub(super) fn leave_graph<H: AgentHost<Address = A>>(&mut self, host: &mut H, reason: Departure) {
        if std::mem::replace(&mut self.is_present, false) {
            for (id, _) in self.objects.in_graph().into_iter().rev() {
                host.delete(self.key, id);
            }
            host.departed(self.key, reason);
        }
    }

    /// Creates the client's objects in the graph again, if the client was away.
    pub(super) fn return_to_graph<H: AgentHost<Address = A>>(&mut self, host: &mut H) {
        if std::mem::replace(&mut self.is_present, true) {
            return;
        }
        host.connected(self.key, &self.address);
        for (id, _) in self.objects.in_graph() {
            self.show(host, id);
        }
    }

    /// Creates an object in the graph, and asks for its messages if the client has. Returns whether it could be created.
    pub(super) fn show<H: AgentHost<Address = A>>(&self, host: &mut H, id: ObjectId) -> bool {
        let Some(object) = self.objects.get(id) else { return false };
        let is_created = object.in_graph().is_some_and(|object| host.create(self.key, id, object).is_ok());
        if is_created && let Some(reading) = object.read {
            host.read(self.key, reading.request);
        }
        is_created
    }
}

/// Sends a message and counts it.
fn transmit<H: AgentHost>(host: &mut H, counters: &mut ClientCounters, address: &H::Address, message: &[u8]) {
    counters.sent += 1;
    counters.sent_bytes += message.len() as u64;
    counters.lost_on_link += u64::from(!host.send(address, message));
}
