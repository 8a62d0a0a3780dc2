//! The nodes and endpoints of a domain, without replicas.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use saltus_host::{Channel, EndpointId, EndpointInfo, EndpointKind, Entity, GraphChange, NodeInfo};
use saltus_types::Gid;

/// The name of a topic or of a service.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChannelName {
    /// Whether this is the name of a service. A client or server has two endpoints. Only the one for requests is used.
    pub is_service: bool,
    /// The fully qualified name.
    pub name: String,
}

impl ChannelName {
    /// Returns the channel that rules use for this name.
    pub fn channel(&self) -> Channel {
        if self.is_service { Channel::Request } else { Channel::Topic }
    }

    fn of(endpoint: &EndpointInfo) -> Option<Self> {
        let is_service = match endpoint.channel() {
            Channel::Topic => false,
            Channel::Request => true,
            Channel::Response => return None,
        };
        Some(Self { is_service, name: endpoint.name().to_owned() })
    }
}

/// The key of an endpoint: its id, and the gid of its node. Offered services have no id of their own, so the id alone
/// is not unique.
pub(crate) type EndpointKey = (EndpointId, Gid);

pub(crate) fn key_of(end: &EndpointInfo) -> EndpointKey {
    (end.id, end.node)
}

/// An endpoint and its node.
#[derive(Clone, Debug)]
pub(crate) struct EndpointWithNode {
    pub(crate) end: Arc<EndpointInfo>,
    pub(crate) node: Arc<NodeInfo>,
}

/// An endpoint as it is now, or the end of one.
#[derive(Clone, Debug)]
pub struct EndpointChange {
    /// The name of its topic or service.
    pub channel_name: ChannelName,
    /// The endpoint as it is, or as it was. For a client or server it is the one for requests: of a client a publisher, of a
    /// server a subscription.
    pub end: Arc<EndpointInfo>,
    /// The node; `None` if the endpoint is gone.
    pub node: Option<Arc<NodeInfo>>,
}

impl EndpointChange {
    /// Returns whether this is a publisher or a server, which a link shows of its first side.
    pub fn is_source(&self) -> bool {
        match self.end.kind {
            EndpointKind::Publisher => !self.channel_name.is_service,
            EndpointKind::Subscription => self.channel_name.is_service,
        }
    }
}

/// The nodes of a domain and their endpoints, without replicas.
#[derive(Debug, Default)]
pub(crate) struct Model {
    nodes: HashMap<Gid, Arc<NodeInfo>>,
    endpoints: HashMap<Name, Arc<EndpointInfo>>,
    /// The endpoints of each node, which may be known before their node.
    of_node: HashMap<Gid, HashSet<Name>>,
}

/// The name of the topic or service of an endpoint, and its key. The services that a node offers have one key.
type Name = (ChannelName, EndpointKey);

impl Model {
    /// Applies a difference of the graph. Returns the changes of endpoints whose nodes are known.
    pub(crate) fn apply(&mut self, difference: GraphChange) -> Vec<EndpointChange> {
        match difference {
            GraphChange::Added(Entity::Node(node)) | GraphChange::Changed(Entity::Node(node)) => {
                self.add_node(node)
            }
            GraphChange::Removed(Entity::Node(node)) => {
                self.nodes.remove(&node.gid);
                Vec::new()
            }
            GraphChange::Added(Entity::Endpoint(end)) | GraphChange::Changed(Entity::Endpoint(end)) => {
                self.add(end).into_iter().collect()
            }
            GraphChange::Removed(Entity::Endpoint(end)) => self.remove(&end).into_iter().collect(),
        }
    }

    /// Adds a node. Its endpoints may have been added before it.
    fn add_node(&mut self, node: NodeInfo) -> Vec<EndpointChange> {
        if node.origin.is_foreign() {
            return Vec::new();
        }
        let node = Arc::new(node);
        self.nodes.insert(node.gid, node.clone());
        let names = self.of_node.get(&node.gid).into_iter().flatten();
        let change = |name: &Name| {
            let (channel_name, end) = (name.0.clone(), self.endpoints.get(name)?.clone());
            Some(EndpointChange { channel_name, end, node: Some(node.clone()) })
        };
        names.filter_map(change).collect()
    }

    /// Returns all endpoints whose nodes are known.
    pub(crate) fn endpoints(&self) -> Vec<EndpointChange> {
        let change = |((channel_name, _), end): (&Name, &Arc<EndpointInfo>)| {
            let node = Some(self.nodes.get(&end.node)?.clone());
            Some(EndpointChange { channel_name: channel_name.clone(), end: end.clone(), node })
        };
        self.endpoints.iter().filter_map(change).collect()
    }

    fn add(&mut self, end: EndpointInfo) -> Option<EndpointChange> {
        let channel_name = ChannelName::of(&end).filter(|_| !end.origin.is_foreign())?;
        let (name, end) = ((channel_name.clone(), key_of(&end)), Arc::new(end));
        self.endpoints.insert(name.clone(), end.clone());
        self.of_node.entry(end.node).or_default().insert(name);
        let node = self.nodes.get(&end.node)?.clone();
        Some(EndpointChange { channel_name, end, node: Some(node) })
    }

    fn remove(&mut self, end: &EndpointInfo) -> Option<EndpointChange> {
        let name = (ChannelName::of(end)?, key_of(end));
        let end = self.endpoints.remove(&name)?;
        if let Some(names) = self.of_node.get_mut(&end.node) {
            names.remove(&name);
            if names.is_empty() {
                self.of_node.remove(&end.node);
            }
        }
        Some(EndpointChange { channel_name: name.0, end, node: None })
    }
}
