//! Lists of the entities of a graph.

use std::collections::HashSet;

use saltus_types::Gid;

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
    /// Every service server, including offered services; `topic` is the service's name.
    pub servers: Vec<EndpointInfo>,
    /// Every service client; `topic` is the service's name.
    pub clients: Vec<EndpointInfo>,
}

impl FromIterator<Entry> for Graph {
    /// Sorts the entries of processes into the lists. An offered service is listed as a server, unless its
    /// server is open and therefore listed already.
    fn from_iter<T: IntoIterator<Item = Entry>>(entries: T) -> Self {
        let (mut graph, mut offers) = (Self::default(), Vec::new());
        for entry in entries {
            match entry {
                Entry::Node(node) => graph.nodes.push(node),
                Entry::Endpoint(endpoint) => graph.add_endpoint(endpoint),
                Entry::Offer(offer) => offers.push(offer),
                Entry::Type(_) | Entry::Connection(_) | Entry::Device(_) => {}
            }
        }
        let open: HashSet<(Gid, &str)> =
            graph.servers.iter().map(|server| (server.node, &*server.topic)).collect();
        let servers = offers.into_iter().flat_map(offered).map(|server| {
            let topic = server.name().to_owned();
            EndpointInfo { topic, ..server }
        });
        let offered: Vec<EndpointInfo> =
            servers.filter(|server| !open.contains(&(server.node, &*server.topic))).collect();
        graph.servers.extend(offered);
        graph
    }
}

impl Graph {
    /// Returns the publishers of a topic, by its fully qualified name.
    pub fn publishers<'a>(&'a self, topic: &'a str) -> impl Iterator<Item = &'a EndpointInfo> {
        self.endpoints.iter().filter(move |end| end.kind == EndpointKind::Publisher && end.topic == topic)
    }

    /// Adds an endpoint to its list. Of the two endpoints of a client or server, only the endpoint for requests is
    /// added.
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
        list.push(EndpointInfo { topic, ..endpoint });
    }
}

/// Returns the endpoints that represent the services of an offer: the subscriptions of their servers for requests.
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
