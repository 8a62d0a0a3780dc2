//! The graph as a verb sees it: who is there at this moment.

use std::collections::BTreeMap;

use saltus::{ContextOptions, EndpointInfo, EndpointKind, Graph, NodeInfo, types::is_hidden};

use crate::Error;

/// Looks at the domain of the environment, without taking part in it.
pub(crate) fn observe() -> Result<Graph, Error> {
    let domain = ContextOptions::default().domain_id()?;
    let folder = domain.folder.display().to_string();
    let unusable = |e| format!("can't look into {folder}: {e}; SALTUS_SHM_DIR must name the nodes' folder");
    Ok(Graph::observe(domain).map_err(unusable)?)
}

/// Every topic with its types, both sorted.
pub(crate) fn topics(graph: &Graph, hidden: bool) -> BTreeMap<String, Vec<String>> {
    let mut topics = BTreeMap::<String, Vec<String>>::new();
    for endpoint in graph.endpoints.iter().filter(|endpoint| hidden || !is_hidden(&endpoint.topic)) {
        topics.entry(endpoint.topic.clone()).or_default().push(endpoint.type_name.clone());
    }
    for types in topics.values_mut() {
        types.sort();
        types.dedup();
    }
    topics
}

/// The endpoints of a kind on a topic, in a fixed order.
pub(crate) fn endpoints<'a>(graph: &'a Graph, topic: &str, kind: EndpointKind) -> Vec<&'a EndpointInfo> {
    let mut all: Vec<&EndpointInfo> =
        graph.endpoints.iter().filter(|endpoint| endpoint.topic == topic && endpoint.kind == kind).collect();
    all.sort_by_key(|endpoint| (node_name(graph, endpoint), endpoint.gid.to_string()));
    all
}

/// The node of an endpoint.
pub(crate) fn node_of<'a>(graph: &'a Graph, endpoint: &EndpointInfo) -> Option<&'a NodeInfo> {
    graph.nodes.iter().find(|node| node.gid == endpoint.node)
}

/// The full name of an endpoint's node.
fn node_name(graph: &Graph, endpoint: &EndpointInfo) -> String {
    node_of(graph, endpoint).map(full_name).unwrap_or_default()
}

/// The full name of a node.
pub(crate) fn full_name(node: &NodeInfo) -> String {
    if node.namespace == "/" {
        format!("/{}", node.name)
    } else {
        format!("{}/{}", node.namespace, node.name)
    }
}

/// A name as the user gives it, with its leading `/`.
pub(crate) fn absolute(name: &str) -> String {
    if name.starts_with('/') { name.into() } else { format!("/{name}") }
}
