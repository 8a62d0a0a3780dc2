//! What is known of a domain, and what a user should know of it.

use std::{collections::BTreeMap, io};

use saltus_types::{QoS, QosMismatch, TypeHash};

use crate::{
    Channel, EndpointInfo, EndpointKind, NodeInfo,
    domain::{Domain, DomainId},
    own::{is_alive, open_segment},
    registry::{Entry, RegistryView},
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
    /// The descriptions of types in use, as canonical JSON (REP 2016); a stranger's text.
    pub descriptions: BTreeMap<TypeHash, String>,
}

impl Graph {
    /// Looks at a domain from outside, without taking part in it.
    pub fn observe(domain: DomainId) -> io::Result<Self> {
        let mut graph = Self::default();
        let Some(domain) = open_domain(domain)? else { return Ok(graph) };
        for process in domain.processes().into_iter().filter(|process| is_alive(domain.id(), *process)) {
            // One that leaves meanwhile is as good as gone.
            let Ok(segment) = open_segment(domain.id(), process) else { continue };
            let mut view = RegistryView::default();
            view.refresh(&segment).added.iter().for_each(|entry| graph.add(entry));
        }
        Ok(graph)
    }

    pub(crate) fn add(&mut self, entry: &Entry) {
        match entry {
            Entry::Node(node) => self.nodes.push(node.clone()),
            Entry::Endpoint(endpoint) => self.add_endpoint(endpoint),
            Entry::Type(ty) => {
                self.descriptions.insert(ty.hash, ty.description.clone());
            }
            Entry::Connection(_) => {}
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
    fn add_endpoint(&mut self, endpoint: &EndpointInfo) {
        let (channel, name) = Channel::split(&endpoint.topic);
        let list = match (channel, endpoint.kind) {
            (Channel::Topic, _) => &mut self.endpoints,
            (Channel::Request, EndpointKind::Subscription) => &mut self.servers,
            (Channel::Request, EndpointKind::Publisher) => &mut self.clients,
            (Channel::Response, _) => return,
        };
        list.push(EndpointInfo { topic: name.to_owned(), ..endpoint.clone() });
    }
}

/// A domain to look at; `None` if nobody has been there yet.
pub(crate) fn open_domain(domain: DomainId) -> io::Result<Option<Domain>> {
    let folder = domain.folder.clone();
    match Domain::open_existing(domain) {
        Ok(domain) => Ok(Some(domain)),
        // Only the file is missing.
        Err(error) if error.kind() == io::ErrorKind::NotFound && folder.is_dir() => Ok(None),
        Err(error) => Err(error),
    }
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
    /// Another process's file can't be used; it is tried again every 50 ms.
    Unreachable {
        /// The process's id in the domain.
        process: u64,
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
    /// A subscription can't be connected.
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
