//! The nodes and endpoints of a domain, without replicas.

use std::collections::HashMap;

use saltus_host::{Channel, EndpointInfo, EndpointKind, Entity, GraphChange, NodeInfo};
use saltus_types::Gid;

use crate::side::{EndpointKey, key_of};

/// The name of a topic or of a service.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ChannelName {
    /// Whether this is the name of a service. A client or server has two endpoints. Only the one for requests is used.
    pub(crate) is_service: bool,
    pub(crate) name: String,
}

impl ChannelName {
    /// Returns the channel that rules use for this name.
    pub(crate) fn channel(&self) -> Channel {
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

/// The nodes of a domain and their endpoints, without replicas.
#[derive(Debug, Default)]
pub(crate) struct Model {
    /// The process of the bridge in the domain. The entities of this process are ignored.
    own_process: u64,
    nodes: HashMap<Gid, NodeInfo>,
    endpoints: HashMap<ChannelName, HashMap<EndpointKey, EndpointInfo>>,
}

impl Model {
    pub(crate) fn new(own_process: u64) -> Self {
        Self { own_process, ..Self::default() }
    }

    /// Applies a difference of the graph. Returns the topics and services that it affects.
    pub(crate) fn apply(&mut self, difference: GraphChange) -> Vec<ChannelName> {
        match difference {
            GraphChange::Added(Entity::Node(node)) | GraphChange::Changed(Entity::Node(node)) => {
                self.add_node(node)
            }
            GraphChange::Removed(Entity::Node(node)) => {
                self.nodes.remove(&node.gid);
                Vec::new()
            }
            GraphChange::Added(Entity::Endpoint(end)) | GraphChange::Changed(Entity::Endpoint(end)) => {
                self.endpoint(end, true)
            }
            GraphChange::Removed(Entity::Endpoint(end)) => self.endpoint(end, false),
        }
    }

    /// Adds a node. Its endpoints may have been added before it.
    fn add_node(&mut self, node: NodeInfo) -> Vec<ChannelName> {
        if node.origin.is_foreign() {
            return Vec::new();
        }
        let gid = node.gid;
        self.nodes.insert(gid, node);
        let of_node = |ends: &HashMap<EndpointKey, EndpointInfo>| ends.values().any(|end| end.node == gid);
        let channel_names = self.endpoints.iter().filter(|(_, ends)| of_node(ends));
        channel_names.map(|(channel_name, _)| channel_name.clone()).collect()
    }

    fn endpoint(&mut self, end: EndpointInfo, exists: bool) -> Vec<ChannelName> {
        let is_own = end.id.process == self.own_process;
        let Some(channel_name) = ChannelName::of(&end).filter(|_| !end.origin.is_foreign() && !is_own) else {
            return Vec::new();
        };
        let ends = self.endpoints.entry(channel_name.clone()).or_default();
        let key = key_of(&end);
        if exists {
            ends.insert(key, end);
        } else {
            ends.remove(&key);
        }
        if ends.is_empty() {
            self.endpoints.remove(&channel_name);
        }
        vec![channel_name]
    }

    /// Returns the endpoints of one kind with this name, each with its node. Offered services come last.
    pub(crate) fn ends(
        &self,
        channel_name: &ChannelName,
        kind: EndpointKind,
    ) -> Vec<(&EndpointInfo, &NodeInfo)> {
        let ends = self.endpoints.get(channel_name).into_iter().flat_map(HashMap::values);
        let mut found: Vec<_> = ends
            .filter(|end| end.kind == kind)
            .filter_map(|end| Some((end, self.nodes.get(&end.node)?)))
            .collect();
        found.sort_by_key(|(end, _)| (end.is_offered(), end.id, end.node));
        found
    }
}
