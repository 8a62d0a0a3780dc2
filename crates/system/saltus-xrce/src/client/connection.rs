//! A session of a client with an agent, which is begun again by itself.

use super::events::ClientEvent;
use crate::{
    cursor::Writer,
    entity::Entity,
    ids::{ClientKey, ObjectId, Request, RequestId, SequenceNumber, SessionId, StreamId},
    message::{MessageHeader, SubmessageKind, append_submessage, flags},
    payload::{ClientProperties, Create, CreateClient, DataLimits, InfoRequest, ReadRequest, Timestamp},
    stream::{BestEffortReceiver, PushError, Reassembly, ReliableReceiver, ReliableSender, SenderConfig},
};

/// The options of a client: its connection and its streams. All times are in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub struct ClientConfig {
    /// The key of the client.
    pub key: ClientKey,
    /// The session of the first connection. Each connection has another one, so that late messages of an earlier
    /// connection are recognized.
    pub session: SessionId,
    /// The longest message in both directions, in bytes.
    pub mtu: u16,
    /// The number of messages of a reliable stream that are kept, and that are accepted in advance.
    pub history: usize,
    /// The time after which an unanswered attempt to connect is repeated.
    pub connect_period: u64,
    /// The time without an acknowledgement after which the agent is asked for one.
    pub heartbeat: u64,
    /// The time of silence after which the agent is asked whether it is there.
    pub ping_after: u64,
    /// The number of unanswered pings or heartbeats after which the client connects again.
    pub pings: u32,
    /// The time of silence after which the agent asks whether the client is there, in milliseconds.
    pub hard_liveliness_ms: Option<u32>,
    /// Whether the program delivers its messages to its own subscriptions, so that the agent must not.
    pub delivers_to_itself: bool,
}

impl ClientConfig {
    /// Returns the usual configuration of a client with the given key.
    pub fn new(key: ClientKey) -> Self {
        Self {
            key,
            session: SessionId(0x81),
            mtu: 508,
            history: 4,
            connect_period: 1_000_000_000,
            heartbeat: 100_000_000,
            ping_after: 1_000_000_000,
            pings: 3,
            hard_liveliness_ms: None,
            delivers_to_itself: false,
        }
    }
}

impl ClientConfig {
    /// Returns the session of a connection: the sessions with or without keys take turns.
    fn session_of(&self, connection: u32) -> SessionId {
        const SESSIONS: u32 = 126;
        let (class, first) = (self.session.0 & 0x80, u32::from(self.session.0 & 0x7F));
        SessionId(class | (1 + (first.wrapping_sub(1).wrapping_add(connection % SESSIONS)) % SESSIONS) as u8)
    }

    /// Returns how the reliable stream of a session sends.
    pub(super) fn sender(&self, session: SessionId) -> SenderConfig {
        SenderConfig {
            session,
            key: self.key,
            stream: StreamId::RELIABLE,
            mtu: self.mtu.into(),
            history: self.history,
            window: self.history,
            largest: usize::MAX,
            heartbeat: self.heartbeat,
        }
    }
}

/// A session of a client with an agent.
///
/// The program calls [`Client::handle`] with each message that arrives, and [`Client::poll`] when something was given
/// to the client and when [`Client::due`] says so. While there is no session, the client tries to begin one. After it
/// has begun, it creates the objects again that the program has created before.
#[derive(Debug)]
pub struct Client {
    pub(super) config: ClientConfig,
    /// The session of the present connection, or of the attempt to connect.
    pub(super) session: SessionId,
    pub(super) state: State,
    /// The number of times that the client has connected. The agent recognizes duplicates by this number.
    pub(super) connection: u32,
    /// The requests that the client sends each time that it connects, in order.
    requests: Vec<ConnectRequest>,
    /// The number of them that were sent in the present session.
    pub(super) sent_requests: usize,
    pub(super) next_request: u16,
    pub(super) sender: ReliableSender,
    pub(super) receiver: ReliableReceiver,
    pub(super) reassembly: Reassembly,
    pub(super) best_effort_receiver: BestEffortReceiver,
    pub(super) best_effort_last: SequenceNumber,
    /// Messages that are sent by the next [`Client::poll`].
    pub(super) outbox: Vec<Vec<u8>>,
    /// The number of pings that were sent since the agent was heard last.
    pub(super) pinged: u32,
    pub(super) ping_at: u64,
    /// The time that the last question for the time had.
    pub(super) asked_time: Option<i64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// There is no session. The next attempt is at the given time.
    Connecting(u64),
    Connected,
    /// The session was ended by the client.
    Ended,
}

/// Why data can't be published.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    /// There is no session with the agent.
    #[error("there is no session with the agent")]
    NotConnected,
    /// The stream does not take the data.
    #[error(transparent)]
    Stream(#[from] PushError),
}

/// A request that the client sends each time that it connects.
#[derive(Clone, Debug)]
enum ConnectRequest {
    Object(Create),
    Data(ReadRequest),
}

impl ConnectRequest {
    fn object(&self) -> ObjectId {
        match self {
            Self::Object(create) => create.request.object,
            Self::Data(read) => read.request.object,
        }
    }

    /// Returns the kind, the flags and the content of the submessage.
    fn to_submessage(&self) -> (SubmessageKind, u8, Vec<u8>) {
        let mut bytes = Vec::new();
        let writer = &mut Writer::new(&mut bytes);
        let (kind, flags) = match self {
            Self::Object(create) => {
                create.write(writer);
                (SubmessageKind::Create, flags::REUSE | flags::REPLACE)
            }
            Self::Data(read) => {
                read.write(writer);
                (SubmessageKind::ReadData, 0)
            }
        };
        (kind, flags, bytes)
    }
}

/// The number of the first request of a program. Smaller numbers have a meaning of their own.
const FIRST_REQUEST: u16 = 10;
/// The request with which a session is ended.
pub(super) const LOGOUT: RequestId = RequestId(2);
/// The request of a ping.
const PING: RequestId = RequestId(10);

impl Client {
    /// Creates a client. It connects with the first [`Client::poll`].
    pub fn new(config: ClientConfig) -> Self {
        Self::with_connection(config, 0)
    }

    /// Creates a client as [`Client::new`] does, with the number of its first connection. The program of a device that
    /// was reset must give another number than the program before, such as a random one.
    pub fn with_connection(config: ClientConfig, connection: u32) -> Self {
        Self {
            config,
            session: config.session,
            state: State::Connecting(0),
            connection,
            requests: Vec::new(),
            sent_requests: 0,
            next_request: FIRST_REQUEST,
            sender: ReliableSender::new(config.sender(config.session)),
            receiver: ReliableReceiver::new(StreamId::RELIABLE, config.history),
            reassembly: Reassembly::new(usize::from(config.mtu) * config.history),
            best_effort_receiver: BestEffortReceiver::default(),
            best_effort_last: SequenceNumber::BEFORE_FIRST,
            outbox: Vec::new(),
            pinged: 0,
            ping_at: 0,
            asked_time: None,
        }
    }

    /// Returns whether there is a session.
    pub fn is_connected(&self) -> bool {
        self.state == State::Connected
    }

    /// Returns whether the agent has acknowledged all that was sent on the reliable stream.
    pub fn is_acknowledged(&self) -> bool {
        self.sender.is_idle()
    }

    fn request(&mut self, object: ObjectId) -> Request {
        let id = RequestId(self.next_request);
        self.next_request = self.next_request.checked_add(1).unwrap_or(FIRST_REQUEST);
        Request { id, object }
    }

    /// Creates an object, now and after each time that the client connects.
    pub fn create(&mut self, id: ObjectId, entity: Entity) -> Request {
        let request = self.request(id);
        self.requests.push(ConnectRequest::Object(Create { request, entity }));
        request
    }

    /// Deletes an object.
    ///
    /// # Errors
    /// Returns an error if the reliable stream is full.
    pub fn delete(&mut self, id: ObjectId) -> Result<Request, PushError> {
        let request = self.request(id);
        self.sender.push(SubmessageKind::Delete, 0, &request.to_bytes(), &[])?;
        let sent = self.requests[..self.sent_requests].iter();
        self.sent_requests = sent.filter(|request| request.object() != id).count();
        self.requests.retain(|request| request.object() != id);
        Ok(request)
    }

    /// Asks for the data of an object, now and after each time that the client connects.
    pub fn read(&mut self, object: ObjectId, stream: StreamId, limits: DataLimits) -> Request {
        let request = self.request(object);
        self.requests.push(ConnectRequest::Data(ReadRequest { request, stream, limits }));
        request
    }

    /// Sends the requests that were not sent in the present session, as far as the stream has room.
    fn send_requests(&mut self) {
        while let Some(request) = self.requests.get(self.sent_requests) {
            let (kind, flags, bytes) = request.to_submessage();
            if self.sender.push(kind, flags, &bytes, &[]).is_err() {
                break;
            }
            self.sent_requests += 1;
        }
    }

    /// Publishes data with an object.
    ///
    /// # Errors
    /// Returns an error if there is no session, if the reliable stream is full, or if the data are too long.
    pub fn write(&mut self, stream: StreamId, object: ObjectId, data: &[u8]) -> Result<Request, WriteError> {
        if self.state != State::Connected {
            return Err(WriteError::NotConnected);
        }
        let request = self.request(object);
        if stream.is_reliable() {
            self.send_requests();
            if self.sent_requests < self.requests.len() {
                return Err(PushError::Full { waiting: self.sender.kept() }.into());
            }
            self.sender.push(SubmessageKind::WriteData, 0, &request.to_bytes(), data)?;
        } else {
            self.write_best_effort(request, data)?;
        }
        Ok(request)
    }

    fn write_best_effort(&mut self, request: Request, data: &[u8]) -> Result<(), PushError> {
        let sequence = self.best_effort_last.next();
        let mut message = self.begin_message(StreamId::BEST_EFFORT, sequence);
        let payload = [&request.to_bytes(), data].concat();
        append_submessage(&mut message, SubmessageKind::WriteData, 0, &payload);
        let largest = self.config.mtu.into();
        if message.len() > largest {
            return Err(PushError::TooLong { size: message.len(), largest });
        }
        self.best_effort_last = sequence;
        self.outbox.push(message);
        Ok(())
    }

    fn begin_message(&self, stream: StreamId, sequence: SequenceNumber) -> Vec<u8> {
        let mut message = Vec::new();
        let header = MessageHeader::unnumbered(self.session, self.config.key);
        MessageHeader { stream, sequence, ..header }.write(&mut message);
        message
    }

    /// Sends a submessage outside of streams, with the next [`Client::poll`].
    pub(super) fn send_unnumbered(&mut self, kind: SubmessageKind, payload: &[u8]) {
        let mut message = self.begin_message(StreamId::NONE, SequenceNumber(0));
        append_submessage(&mut message, kind, 0, payload);
        self.outbox.push(message);
    }

    /// Asks the agent whether it is there, and whether it has a session with the client.
    pub fn ping(&mut self) {
        let mut bytes = Vec::new();
        let request = Request { id: PING, object: ObjectId::AGENT };
        InfoRequest { request, mask: InfoRequest::ACTIVITY }.write(&mut Writer::new(&mut bytes));
        self.send_unnumbered(SubmessageKind::GetInfo, &bytes);
    }

    /// Asks the agent for the time. `clock` is the time of the client's clock, in nanoseconds.
    pub fn ask_time(&mut self, clock: i64) {
        let mut bytes = Vec::new();
        Timestamp::from_nanoseconds(clock).write(&mut Writer::new(&mut bytes));
        self.asked_time = Some(clock);
        self.send_unnumbered(SubmessageKind::Timestamp, &bytes);
    }

    /// Ends the session. The client does not connect again.
    pub fn end(&mut self) {
        let request = Request { id: LOGOUT, object: ObjectId::CLIENT };
        self.send_unnumbered(SubmessageKind::Delete, &request.to_bytes());
        self.state = State::Ended;
    }

    /// Begins a new session, with the next [`Client::poll`].
    pub fn connect_again(&mut self) {
        self.state = State::Connecting(0);
    }

    /// Returns when [`Client::poll`] must be called next, in monotonic nanoseconds.
    pub fn due(&self) -> Option<u64> {
        if !self.outbox.is_empty() {
            return Some(0);
        }
        match self.state {
            State::Connecting(at) => Some(at),
            State::Connected => {
                Some(self.sender.next_heartbeat().map_or(self.ping_at, |at| at.min(self.ping_at)))
            }
            State::Ended => None,
        }
    }

    /// Sends what is due, and calls `on_event` if the agent counts as gone.
    pub fn poll(&mut self, now: u64, mut send: impl FnMut(&[u8]), mut on_event: impl FnMut(ClientEvent<'_>)) {
        if self.state == State::Connected && self.is_agent_gone(now) {
            self.state = State::Connecting(now);
            on_event(self.disconnected());
        }
        match self.state {
            State::Connecting(at) if at <= now => {
                self.state = State::Connecting(now + self.config.connect_period);
                self.outbox.clear();
                let message = self.login();
                send(&message);
            }
            State::Connecting(_) => {}
            State::Connected => {
                self.send_requests();
                self.sender.poll(now, &mut send);
                if let Some(heartbeat) = self.sender.heartbeat(now) {
                    self.send_unnumbered(SubmessageKind::Heartbeat, &heartbeat.to_bytes());
                }
                if let Some(acknack) = self.receiver.acknowledgement() {
                    self.send_unnumbered(SubmessageKind::AckNack, &acknack.to_bytes());
                }
                self.outbox.drain(..).for_each(|message| send(&message));
            }
            State::Ended => self.outbox.drain(..).for_each(|message| send(&message)),
        }
    }

    /// Returns the event that the session is over.
    pub(super) fn disconnected(&self) -> ClientEvent<'static> {
        ClientEvent::Disconnected { unacknowledged: self.sender.kept() }
    }

    /// Asks the agent whether it is there, if it was silent. Returns whether it counts as gone.
    fn is_agent_gone(&mut self, now: u64) -> bool {
        if now >= self.ping_at {
            if self.pinged >= self.config.pings {
                return true;
            }
            self.pinged += 1;
            self.ping_at = now + self.config.heartbeat;
            self.ping();
        }
        false
    }

    /// Returns the message that begins a session.
    fn login(&mut self) -> Vec<u8> {
        self.session = self.config.session_of(self.connection);
        let properties = ClientProperties {
            hard_liveliness_ms: self.config.hard_liveliness_ms,
            delivers_to_itself: self.config.delivers_to_itself,
            receive_history: u16::try_from(self.config.history).ok(),
            connection: Some(self.connection),
        };
        let ClientConfig { key, mtu, .. } = self.config;
        let session = self.session;
        let none = if session.has_key() { SessionId::NONE_WITH_KEY } else { SessionId::NONE };
        let mut message = Vec::new();
        MessageHeader::unnumbered(none, key).write(&mut message);
        let mut payload = Vec::new();
        CreateClient::new(key, session, mtu, properties).write(&mut Writer::new(&mut payload));
        append_submessage(&mut message, SubmessageKind::CreateClient, 0, &payload);
        message
    }
}
