//! The kinds of objects of clients.

use crate::{
    WireError,
    ids::{ObjectId, ObjectKind},
};

/// An object of a client.
#[derive(Clone, Debug, PartialEq)]
pub struct Entity {
    /// The domain or the object that it belongs to.
    pub parent: Parent,
    /// Its kind and its options.
    pub definition: Definition,
}

/// The parent of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parent {
    /// A participant belongs to a domain.
    Domain(i16),
    /// All other objects belong to an object of the client.
    Object(ObjectId),
}

/// The kind and the options of an object.
#[derive(Clone, Debug, PartialEq)]
pub enum Definition {
    /// A node, with its namespace and name.
    Participant {
        /// The name; `None` if the client gives none.
        name: Option<String>,
    },
    /// A topic.
    Topic(Topic),
    /// A group of data writers.
    Publisher,
    /// A group of data readers.
    Subscriber,
    /// Publishes to a topic.
    DataWriter(Endpoint),
    /// Receives from a topic.
    DataReader(Endpoint),
    /// Calls a service.
    Requester(Service),
    /// Serves a service.
    Replier(Service),
    /// An object that the agent knows by the name of its profile.
    Profile {
        /// The kind of the object.
        kind: ObjectKind,
        /// The name of the profile.
        name: String,
    },
}

/// The name and the type of a topic, as they are in DDS, such as `rt/chatter` and `std_msgs::msg::dds_::String_`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Topic {
    /// The name.
    pub name: String,
    /// The type.
    pub type_name: String,
}

/// A data writer or data reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// Its topic.
    pub topic: TopicReference,
    /// Its quality of service.
    pub qos: EndpointQos,
}

/// The reference of a data writer or data reader to its topic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TopicReference {
    /// As an object of the client.
    Object(ObjectId),
    /// By its name and type.
    Named(Topic),
}

/// The quality of service of a data writer or data reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EndpointQos {
    /// Whether lost messages are repeated.
    pub is_reliable: bool,
    /// Whether messages are kept for subscriptions that are opened later.
    pub is_transient_local: bool,
    /// The number of messages that are kept; `None` for all.
    pub depth: Option<u16>,
    /// The longest time between two messages, in milliseconds.
    pub deadline_ms: Option<u32>,
    /// The time for which a message is valid, in milliseconds.
    pub lifespan_ms: Option<u32>,
}

impl EndpointQos {
    /// The depth if a client gives none: the one of ROS 2.
    pub(crate) const DEFAULT_DEPTH: u16 = 10;
    /// The profile of a data writer for which a client gives none. It is that of Fast DDS, so that the writer matches
    /// every reader.
    pub const WRITER: Self = Self {
        is_reliable: true,
        is_transient_local: true,
        depth: Some(Self::DEFAULT_DEPTH),
        deadline_ms: None,
        lifespan_ms: None,
    };
    /// The profile of a data reader for which a client gives none. It is that of Fast DDS, so that the reader matches
    /// every writer.
    pub(crate) const READER: Self = Self { is_reliable: false, is_transient_local: false, ..Self::WRITER };
}

/// A service, with the names and types that it has in DDS.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Service {
    /// The name of the service.
    pub name: String,
    /// The type of requests.
    pub request_type: String,
    /// The type of responses.
    pub reply_type: String,
    /// The topic of requests.
    pub request_topic: Option<String>,
    /// The topic of responses.
    pub reply_topic: Option<String>,
}

impl Definition {
    /// Returns the kind of the object.
    pub fn kind(&self) -> ObjectKind {
        match self {
            Self::Participant { .. } => ObjectKind::Participant,
            Self::Topic(_) => ObjectKind::Topic,
            Self::Publisher => ObjectKind::Publisher,
            Self::Subscriber => ObjectKind::Subscriber,
            Self::DataWriter(_) => ObjectKind::DataWriter,
            Self::DataReader(_) => ObjectKind::DataReader,
            Self::Requester(_) => ObjectKind::Requester,
            Self::Replier(_) => ObjectKind::Replier,
            Self::Profile { kind, .. } => *kind,
        }
    }
}

/// Returns the error for a kind that can't be created.
pub(super) fn unsupported(kind: ObjectKind) -> WireError {
    WireError::Value { field: "kind of a created object", value: kind as u32 }
}
