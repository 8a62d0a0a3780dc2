//! Identifiers: clients, sessions, streams, messages, requests and objects.

use std::fmt;

use crate::{WireError, cursor::Reader};

/// The key of a client. It is unique among the clients of an agent.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClientKey(pub [u8; 4]);

impl ClientKey {
    /// The key that no client may have.
    pub(crate) const INVALID: Self = Self([0; 4]);
}

impl fmt::Display for ClientKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "0x{:08X}", u32::from_be_bytes(self.0))
    }
}

impl fmt::Debug for ClientKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The id of a session. Messages of sessions below 0x80 have the key of the client in their header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SessionId(pub u8);

impl SessionId {
    /// The session of messages that belong to no session, if their header has a key.
    pub(crate) const NONE_WITH_KEY: Self = Self(0x00);
    /// The session of messages that belong to no session, if their header has no key.
    pub const NONE: Self = Self(0x80);

    /// Returns whether the header of a message has the key of the client.
    pub(crate) fn has_key(self) -> bool {
        self.0 < 0x80
    }

    /// Returns whether a message belongs to no session.
    pub fn is_none(self) -> bool {
        self.0 & 0x7F == 0
    }
}

/// The id of a stream of messages. The two directions of a stream are independent of each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StreamId(pub u8);

impl StreamId {
    /// The stream of messages that are neither numbered nor repeated.
    pub const NONE: Self = Self(0x00);
    /// The best-effort stream that every session has.
    pub const BEST_EFFORT: Self = Self(0x01);
    /// The reliable stream that every session has.
    pub const RELIABLE: Self = Self(0x80);

    /// Returns whether lost messages of the stream are repeated.
    pub fn is_reliable(self) -> bool {
        self.0 >= 0x80
    }

    /// Returns the stream that every session has with this reliability.
    pub(crate) fn built_in(self) -> Self {
        if self.is_reliable() { Self::RELIABLE } else { Self::BEST_EFFORT }
    }
}

/// The number of a message in its stream. Numbers wrap around: 0 follows 65535.
///
/// Two numbers are compared as serial numbers (RFC 1982): the later one is at most 32767 ahead.
///
/// ```
/// use saltus_xrce::SequenceNumber;
/// let last = SequenceNumber(65535);
/// assert_eq!(last.next(), SequenceNumber(0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SequenceNumber(pub u16);

impl SequenceNumber {
    /// The number before the first one.
    pub(crate) const BEFORE_FIRST: Self = Self(u16::MAX);

    /// Returns the number that follows.
    #[must_use]
    pub fn next(self) -> Self {
        self.plus(1)
    }

    /// Returns the number `count` messages later.
    #[must_use]
    pub(crate) fn plus(self, count: u16) -> Self {
        Self(self.0.wrapping_add(count))
    }

    /// Returns how many messages later this one is than `earlier`, modulo 65536.
    pub(crate) fn distance_from(self, earlier: Self) -> u16 {
        self.0.wrapping_sub(earlier.0)
    }

    /// Returns whether this number comes after `other`.
    pub(crate) fn is_after(self, other: Self) -> bool {
        (1..0x8000).contains(&self.distance_from(other))
    }
}

/// The number that a client gives a request. The reply has the same number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RequestId(pub u16);

impl RequestId {
    /// No request: requests of the agent have this number.
    pub const NONE: Self = Self(0);

    /// Returns the bytes in a message. Unlike other numbers, it is always big-endian.
    pub fn to_bytes(self) -> [u8; 2] {
        self.0.to_be_bytes()
    }
}

/// The kinds of object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ObjectKind {
    /// A participant: a node.
    Participant = 1,
    /// A topic: its name and type.
    Topic = 2,
    /// A publisher in the sense of DDS: a group of data writers.
    Publisher = 3,
    /// A subscriber in the sense of DDS: a group of data readers.
    Subscriber = 4,
    /// A data writer: a publisher in the sense of ROS 2.
    DataWriter = 5,
    /// A data reader: a subscription in the sense of ROS 2.
    DataReader = 6,
    /// A requester: a service client.
    Requester = 7,
    /// A replier: a service server.
    Replier = 8,
    /// A type.
    Type = 10,
    /// A QoS profile.
    QosProfile = 11,
    /// An application.
    Application = 12,
    /// The agent.
    Agent = 13,
    /// A client, or a session.
    Client = 14,
    /// Any other object.
    Other = 15,
}

impl ObjectKind {
    /// Returns the kind with this number.
    pub(crate) fn from_number(number: u8) -> Option<Self> {
        Some(match number {
            1 => Self::Participant,
            2 => Self::Topic,
            3 => Self::Publisher,
            4 => Self::Subscriber,
            5 => Self::DataWriter,
            6 => Self::DataReader,
            7 => Self::Requester,
            8 => Self::Replier,
            10 => Self::Type,
            11 => Self::QosProfile,
            12 => Self::Application,
            13 => Self::Agent,
            14 => Self::Client,
            15 => Self::Other,
            _ => return None,
        })
    }
}

/// The id of an object of a client: a number of 12 bits, and 4 bits for the kind.
///
/// ```
/// use saltus_xrce::{ObjectId, ObjectKind};
/// let writer = ObjectId::new(0x001, ObjectKind::DataWriter);
/// assert_eq!(writer.to_bytes(), [0x00, 0x15]);
/// assert_eq!(writer.kind(), Some(ObjectKind::DataWriter));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(u16);

impl fmt::Display for ObjectId {
    /// Writes the kind and the number, such as `DataWriter 9`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind() {
            Some(kind) => write!(f, "{kind:?} {}", self.number()),
            None => write!(f, "object 0x{:04X}", self.0),
        }
    }
}

impl ObjectId {
    /// No object.
    pub(crate) const INVALID: Self = Self(0);
    /// The agent.
    pub const AGENT: Self = Self(0xFFFD);
    /// The client.
    pub(crate) const CLIENT: Self = Self(0xFFFE);

    /// Creates an id. Only the lower 12 bits of the number are used.
    pub fn new(number: u16, kind: ObjectKind) -> Self {
        Self(number << 4 | kind as u16)
    }

    /// Creates the id with these bytes.
    pub fn from_bytes(bytes: [u8; 2]) -> Self {
        Self(u16::from_be_bytes(bytes))
    }

    /// Returns the bytes in a message.
    pub fn to_bytes(self) -> [u8; 2] {
        self.0.to_be_bytes()
    }

    /// Returns the number without the kind.
    pub fn number(self) -> u16 {
        self.0 >> 4
    }

    /// Returns the kind; `None` if it is not defined.
    pub fn kind(self) -> Option<ObjectKind> {
        ObjectKind::from_number((self.0 & 0xF) as u8)
    }

    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Self, WireError> {
        reader.array().map(Self::from_bytes)
    }
}

/// A request and the object that it concerns. Most submessages begin with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// The number of the request.
    pub id: RequestId,
    /// The object.
    pub object: ObjectId,
}

impl Request {
    /// The number of bytes in a message.
    pub const SIZE: usize = 4;

    /// Returns the bytes in a message.
    pub fn to_bytes(self) -> [u8; Self::SIZE] {
        let ([id0, id1], [object0, object1]) = (self.id.to_bytes(), self.object.to_bytes());
        [id0, id1, object0, object1]
    }

    /// Reads it from a message.
    pub fn read(reader: &mut Reader<'_>) -> Result<Self, WireError> {
        let id = RequestId(u16::from_be_bytes(reader.array()?));
        Ok(Self { id, object: ObjectId::read(reader)? })
    }
}
