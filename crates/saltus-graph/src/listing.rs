//! Lists of what there is in a graph.

use saltus_types::{QoS, TypeHash};

use crate::{
    Channel,
    entity::{EndpointId, EndpointInfo, EndpointKind, NodeInfo, Origin},
    entry::Entry,
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
    /// Takes in an entry of a process.
    pub fn add(&mut self, entry: Entry) {
        match entry {
            Entry::Node(node) => self.nodes.push(node),
            Entry::Endpoint(endpoint) => self.add_endpoint(endpoint),
            Entry::Type(_) | Entry::Connection(_) => {}
        }
    }

    /// Adds a server that a node offers and has not opened yet, unless it
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
                id: EndpointId { process: node.gid.process(), serial: 0 },
                gid: node.gid,
                origin: Origin::Here,
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
