//! What is known of a domain, and what a user should know of it.

use std::io;

use saltus_types::{QoS, QosMismatch, TypeHash};

use crate::{
    Channel, EndpointInfo, EndpointKind, NodeInfo,
    header::SegmentHeader,
    membership::{DomainId, Place},
    os::{process::ProcessId, segment::Segment},
    protocol::membership::MemberInfo,
    registry::{Entry, description, entries},
};

/// Everything that is known of a domain at one moment.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// Every node.
    pub nodes: Vec<NodeInfo>,
    /// Every publisher and subscription.
    pub endpoints: Vec<EndpointInfo>,
    /// Every service server; `topic` is the service's name.
    pub servers: Vec<EndpointInfo>,
    /// Every service client; `topic` is the service's name.
    pub clients: Vec<EndpointInfo>,
}

impl Graph {
    /// Looks at a domain from outside, without taking part in it.
    pub fn observe(domain: DomainId) -> io::Result<Self> {
        let mut graph = Self::default();
        let Some(place) = open_place(&domain)? else { return Ok(graph) };
        for (_, segment) in living_members(&place) {
            // `saltus doctor` names those that can't be read.
            let Ok(segment) = segment else { continue };
            entries(&segment).into_iter().for_each(|entry| graph.add(entry));
        }
        Ok(graph)
    }

    /// The description of a type that somebody in a domain uses, as canonical JSON (REP 2016); text of another
    /// process, who may be wrong.
    pub fn observe_description(domain: &DomainId, hash: TypeHash) -> io::Result<Option<String>> {
        let Some(place) = open_place(domain)? else { return Ok(None) };
        let found = living_members(&place).find_map(|(_, segment)| description(&segment.ok()?, hash));
        Ok(found)
    }

    pub(crate) fn add(&mut self, entry: Entry) {
        match entry {
            Entry::Node(node) => self.nodes.push(node),
            Entry::Endpoint(endpoint) => self.add_endpoint(endpoint),
            Entry::Type(_) | Entry::Connection(_) => {}
        }
    }
}

impl Graph {
    /// Adds a server that a node offers and has not opened yet (see [`crate::Participant::offer`]), unless it
    /// has. Its gid is the node's.
    pub fn add_offered(
        &mut self,
        node: &NodeInfo,
        name: &str,
        type_name: &str,
        type_hash: TypeHash,
        qos: QoS,
    ) {
        let is_open = self.servers.iter().any(|server| server.node == node.gid && server.topic == name);
        if !is_open {
            self.servers.push(EndpointInfo {
                kind: EndpointKind::Subscription,
                gid: node.gid,
                node: node.gid,
                topic: name.to_owned(),
                type_name: type_name.to_owned(),
                type_hash,
                qos,
                port: 0,
                counters: 0,
            });
        }
    }

    /// Sorts an endpoint in; of the two ends of a client or server the one that the other finds it by.
    fn add_endpoint(&mut self, endpoint: EndpointInfo) {
        let (channel, name) = Channel::split(&endpoint.topic);
        let list = match (channel, endpoint.kind) {
            (Channel::Topic, _) => &mut self.endpoints,
            (Channel::Request, EndpointKind::Subscription) => &mut self.servers,
            (Channel::Request, EndpointKind::Publisher) => &mut self.clients,
            (Channel::Response, _) => return,
        };
        let topic = name.to_owned();
        list.push(EndpointInfo { topic, ..endpoint });
    }
}

/// A domain to look at; `None` if nobody is there.
pub(crate) fn open_place(domain: &DomainId) -> io::Result<Option<Place>> {
    match Place::open(domain) {
        // A folder that is missing is a mistake of the user, and not an empty domain.
        Ok(None) => std::fs::metadata(&domain.folder).map(|_| None),
        other => other,
    }
}

/// The members of a domain that are not known to be dead or to have left, with their memory as far as it can be
/// opened.
pub(crate) fn living_members(place: &Place) -> impl Iterator<Item = (MemberInfo, io::Result<Segment>)> {
    let this = ProcessId::current();
    place.members().into_iter().filter_map(move |member| {
        let segment = place.open_segment(&member, this);
        let has_left =
            |segment: &Segment| segment.get::<SegmentHeader>(0).is_some_and(|header| header.state.has_left());
        let is_gone = segment.as_ref().is_ok_and(has_left) || place.is_dead(&member, this);
        (!is_gone).then_some((member, segment))
    })
}

/// Something about the graph that a user should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GraphEvent {
    /// Two endpoints of one topic can't exchange messages, for their QoS.
    IncompatibleQos {
        /// The one of this process.
        local: EndpointInfo,
        /// The other.
        remote: EndpointInfo,
        /// The policy that falls short.
        policy: QosMismatch,
    },
    /// Two endpoints of one topic can't exchange messages, for their types.
    IncompatibleType {
        /// The one of this process.
        local: EndpointInfo,
        /// The other.
        remote: EndpointInfo,
    },
    /// A member's memory can't be used; it is tried again every 50 ms.
    Unreachable {
        /// The member's id in the domain.
        process: u64,
        /// Its process, in that process's PID namespace.
        pid: u32,
        /// Why not.
        reason: String,
    },
    /// Another process says something in its registry that this version can't read.
    Unreadable {
        /// The process's id in the domain.
        process: u64,
        /// How many entries.
        entries: usize,
    },
    /// This context can't take part any more. Its handles answer with errors from now on.
    Expelled {
        /// Why not.
        reason: String,
    },
    /// Processes that join can't find this one; it tries once a second to list itself again.
    Unlisted {
        /// Why not.
        reason: String,
    },
    /// A subscription can't be connected. If the publisher is of this process, that is tried again once a second.
    NotConnected {
        /// The subscription.
        subscription: EndpointInfo,
        /// Why not.
        reason: String,
    },
}

/// Who is told of graph events: called from the housekeeping thread or from one that opens an
/// endpoint, with no lock held.
pub type EventHandler = Box<dyn Fn(&GraphEvent) + Send + Sync>;

/// Why two endpoints of one topic can't exchange messages, as seen from the local one.
pub(crate) fn mismatch(local: &EndpointInfo, remote: &EndpointInfo) -> Option<GraphEvent> {
    if (&local.type_name, local.type_hash) != (&remote.type_name, remote.type_hash) {
        return Some(GraphEvent::IncompatibleType { local: local.clone(), remote: remote.clone() });
    }
    let (offered, requested) = match local.kind {
        EndpointKind::Publisher => (&local.qos, &remote.qos),
        EndpointKind::Subscription => (&remote.qos, &local.qos),
    };
    // Of a client and a server each both sends and receives, under one profile.
    let is_service = local.channel() != Channel::Topic;
    let back = || if is_service { requested.offers(offered) } else { Ok(()) };
    let policy = offered.offers(requested).and_then(|()| back()).err()?;
    Some(GraphEvent::IncompatibleQos { local: local.clone(), remote: remote.clone(), policy })
}
