//! Lists of what there is in a graph.

use crate::{
    Channel,
    entity::{EndpointId, EndpointInfo, EndpointKind, NodeInfo, OfferInfo},
    entry::Entry,
};

/// Everything that is known of a domain at one moment.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// Every node.
    pub nodes: Vec<NodeInfo>,
    /// Every publisher and subscription.
    pub endpoints: Vec<EndpointInfo>,
    /// Every service server, those that are offered too; `topic` is the service's name.
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
            Entry::Offer(offer) => self.add_offer(offer),
            Entry::Type(_) | Entry::Connection(_) => {}
        }
    }

    /// Shows what a node offers as servers, but for those that are open.
    fn add_offer(&mut self, offer: OfferInfo) {
        for server in offered(offer) {
            let topic = server.name().to_owned();
            if !self.servers.iter().any(|other| other.node == server.node && other.topic == topic) {
                self.servers.push(EndpointInfo { topic, ..server });
            }
        }
    }

    /// Sorts an endpoint in; of the two ends of a client or server the one that the other finds it by.
    fn add_endpoint(&mut self, endpoint: EndpointInfo) {
        if endpoint.only_from.is_some() {
            return;
        }
        let (channel, name) = Channel::split(&endpoint.topic);
        let list = match (channel, endpoint.kind) {
            (Channel::Topic, _) => &mut self.endpoints,
            (Channel::Request, EndpointKind::Subscription) => &mut self.servers,
            (Channel::Request, EndpointKind::Publisher) => &mut self.clients,
            (Channel::Response, _) => return,
        };
        let topic = name.to_owned();
        if channel == Channel::Request && endpoint.kind == EndpointKind::Subscription {
            // It was offered, and is open now.
            list.retain(|other| !(other.is_offered() && other.node == endpoint.node && other.topic == topic));
        }
        list.push(EndpointInfo { topic, ..endpoint });
    }
}

/// What stands for the services of an offer: the receiving ends of their servers.
pub(crate) fn offered(offer: OfferInfo) -> impl Iterator<Item = EndpointInfo> {
    let OfferInfo { node, origin, qos, services } = offer;
    services.into_iter().map(move |service| EndpointInfo {
        kind: EndpointKind::Subscription,
        id: EndpointId { process: node.process(), serial: 0 },
        gid: node,
        node,
        origin: origin.clone(),
        topic: Channel::Request.key(&service.name),
        type_name: service.type_name,
        type_hash: service.type_hash,
        qos,
        only_from: None,
        port: 0,
        counters: 0,
    })
}
