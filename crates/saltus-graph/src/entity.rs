//! What there is in a graph: nodes, endpoints, connections, types.

use saltus_types::{Gid, QoS, TypeHash};

use crate::Channel;

/// Where an entity comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Origin {
    /// The process that has it.
    #[default]
    Here,
    /// Another system, by its name: the process that has it passes on what happens there.
    Foreign(String),
}

impl Origin {
    /// The name of the foreign system; empty for an entity of the process itself.
    pub fn name(&self) -> &str {
        match self {
            Self::Here => "",
            Self::Foreign(name) => name,
        }
    }

    /// The origin of that name: the process itself if it is empty.
    pub fn named(name: String) -> Self {
        if name.is_empty() { Self::Here } else { Self::Foreign(name) }
    }
}

/// The kinds of endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EndpointKind {
    /// Sends on a topic.
    Publisher,
    /// Receives from a topic.
    Subscription,
}

/// Which endpoint: no other ever has the same id, while several may have one gid.
///
/// A client and a server are two endpoints each with one gid, and two processes may each pass on the same foreign
/// endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EndpointId {
    /// The process that has it.
    pub process: u64,
    /// The process's count of its entities.
    pub serial: u64,
}

/// A publisher or subscription as all processes see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndpointInfo {
    /// What it is.
    pub kind: EndpointKind,
    /// Which one.
    pub id: EndpointId,
    /// Its identity for users; messages bear that of their publisher.
    pub gid: Gid,
    /// The node it belongs to.
    pub node: Gid,
    /// Where it comes from.
    pub origin: Origin,
    /// The fully qualified topic name; of what carries requests or responses, with a prefix that
    /// [`EndpointInfo::name`] takes off.
    pub topic: String,
    /// The type's full name, such as `std_msgs/msg/String`.
    pub type_name: String,
    /// The type's hash; [`TypeHash::UNKNOWN`] matches any.
    pub type_hash: TypeHash,
    /// What it offers or requests.
    pub qos: QoS,
    /// Subscriptions: the only publisher that it takes from. Unless this is `None`, it is not shown: what it takes is
    /// for entities of another system, which are shown themselves.
    pub only_from: Option<EndpointId>,
    /// Subscriptions: where messages for it are announced. Only its process and its publishers' know what that means.
    /// 0 for one that is only shown: its messages go another way.
    pub port: u64,
    /// Where its counts are. Only its process and readers of counts know what that means.
    pub counters: u64,
}

impl EndpointInfo {
    /// Whether it stands for a service that is offered and not open. Its gid is the node's.
    pub fn is_offered(&self) -> bool {
        self.id.serial == 0
    }

    /// Whether no messages are sent to it, a subscription: it stands for one of another system, whose messages go another
    /// way.
    pub fn is_only_shown(&self) -> bool {
        self.kind == EndpointKind::Subscription && self.port == 0
    }

    /// What it carries.
    pub fn channel(&self) -> Channel {
        Channel::split(&self.topic).0
    }

    /// The fully qualified name of its topic or service.
    pub fn name(&self) -> &str {
        Channel::split(&self.topic).1
    }
}

/// A node as all processes see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeInfo {
    /// Its identity.
    pub gid: Gid,
    /// With its leading `/`.
    pub namespace: String,
    /// Without its namespace.
    pub name: String,
    /// Where it comes from.
    pub origin: Origin,
}

/// A publisher of a process and a subscription that it sends to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectionInfo {
    /// The publisher.
    pub publisher: EndpointId,
    /// The subscription.
    pub subscription: EndpointId,
    /// How messages go from one to the other. Only their processes know what that means.
    pub queue: Vec<u8>,
}

/// Services that a node opens as soon as somebody calls them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferInfo {
    /// The node.
    pub node: Gid,
    /// Where the node comes from.
    pub origin: Origin,
    /// What they will request of clients.
    pub qos: QoS,
    /// The services.
    pub services: Vec<OfferedService>,
}

/// A service that is offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedService {
    /// The fully qualified name.
    pub name: String,
    /// The type's full name.
    pub type_name: String,
    /// The type's hash.
    pub type_hash: TypeHash,
}

/// What a process says of a type that it uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeInfo {
    /// The type's hash.
    pub hash: TypeHash,
    /// Its description as canonical JSON (REP 2016).
    pub description: String,
}
