//! The entities of a graph: nodes, endpoints, connections, types.

use saltus_types::{Gid, QoS, TypeHash};

use crate::Channel;

/// Where an entity comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Origin {
    /// The process that has it.
    #[default]
    Local,
    /// Another system, by its name. The process that has the entity relays what happens there.
    Foreign(String),
    /// A device that has no other way into the graph, by its name. The process that has the entity acts for it.
    Device(String),
}

impl Origin {
    /// Returns the name of the foreign system. It is empty for an entity of the process itself.
    pub fn name(&self) -> &str {
        match self {
            Self::Local => "",
            Self::Foreign(name) | Self::Device(name) => name,
        }
    }

    /// Returns the foreign system with this name, or the process itself if the name is empty.
    pub fn named(name: String) -> Self {
        if name.is_empty() { Self::Local } else { Self::Foreign(name) }
    }

    /// Whether it is another system, which may have other ways into the graph. An entity of a device is as good as one
    /// of the process itself.
    pub fn is_foreign(&self) -> bool {
        matches!(self, Self::Foreign(_))
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

/// The id of an endpoint. No other endpoint ever has the same id, but several endpoints may have the same gid.
///
/// A client has two endpoints with one gid, and so has a server. Two processes may each relay the same foreign
/// endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EndpointId {
    /// The process that has it.
    pub process: u64,
    /// The number of the entity in its process.
    pub serial: u64,
}

/// A publisher or subscription as all processes see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndpointInfo {
    /// Whether it is a publisher or a subscription.
    pub kind: EndpointKind,
    /// Its id.
    pub id: EndpointId,
    /// Its identity for users. A message carries the gid of its publisher.
    pub gid: Gid,
    /// The node it belongs to.
    pub node: Gid,
    /// Where it comes from.
    pub origin: Origin,
    /// The fully qualified topic name. The topic of requests or responses has a prefix, which
    /// [`EndpointInfo::name`] removes.
    pub topic: String,
    /// The type's full name, such as `std_msgs/msg/String`.
    pub type_name: String,
    /// The type's hash; [`TypeHash::UNKNOWN`] matches any.
    pub type_hash: TypeHash,
    /// The QoS that it offers or requests.
    pub qos: QoS,
    /// Subscriptions: the only publisher that it takes from, or `None` for any. If it is set, the graph does not
    /// show the subscription. It takes messages for entities of another system, and those are shown themselves.
    pub only_from: Option<EndpointId>,
    /// Subscriptions: the address at which messages for it are announced. Only its process and the processes of its
    /// publishers interpret this value. It is 0 if the subscription is only shown: its messages take another way.
    pub port: u64,
    /// The address of its counters. Only its process and readers of counters interpret this value.
    pub counters: u64,
}

impl EndpointInfo {
    /// Whether it represents an offered service whose server is not open. Its gid is the gid of the node.
    pub fn is_offered(&self) -> bool {
        self.id.serial == 0
    }

    /// Whether it is a subscription to which no messages are sent. It represents a subscription of another system,
    /// whose messages take another way.
    pub fn is_only_shown(&self) -> bool {
        self.kind == EndpointKind::Subscription && self.port == 0
    }

    /// Returns what it carries.
    pub fn channel(&self) -> Channel {
        Channel::split(&self.topic).0
    }

    /// Returns the fully qualified name of its topic or service.
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

/// A device that a process acts for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceInfo {
    /// The number of the device in its process.
    pub serial: u64,
    /// Its name. The entities of the device have it as their origin.
    pub name: String,
    /// The address at which the process reaches it, such as `udp 10.0.0.7:2018`.
    pub link: String,
    /// The address of its counters. Only its process and readers of counters interpret this value.
    pub counters: u64,
}

/// A publisher of a process and a subscription that it sends to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectionInfo {
    /// The publisher.
    pub publisher: EndpointId,
    /// The subscription.
    pub subscription: EndpointId,
    /// The description of the queue between them. Only their processes interpret it.
    pub queue: Vec<u8>,
}

/// Services that a node opens when a client of them is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferInfo {
    /// The node.
    pub node: Gid,
    /// Where the node comes from.
    pub origin: Origin,
    /// The QoS that the services will request of clients.
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

/// The description of a type that a process uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeInfo {
    /// The type's hash.
    pub hash: TypeHash,
    /// Its description as canonical JSON (REP 2016).
    pub description: String,
}
