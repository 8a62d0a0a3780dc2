//! The graph as a verb sees it: who is there at this moment.

use std::{collections::BTreeMap, io, time::Duration};

use saltus::{
    ContextOptions, EndpointInfo, EndpointKind, Gid, Graph, Latency, NodeInfo, Report, observe_description,
    observe_graph,
    types::{NodeName, TopicName, TypeHash, is_hidden},
};

use serde_json::{Value as Json, json};

use crate::error::Error;

/// Looks at the domain of the environment, without taking part in it.
pub(crate) fn observe() -> Result<Graph, Error> {
    let domain = ContextOptions::default().domain_id()?;
    let folder = domain.folder.display().to_string();
    Ok(observe_graph(&domain).map_err(|e| unusable(&folder, &e))?)
}

/// The description of a type that somebody in the domain of the environment uses.
pub(crate) fn description(hash: TypeHash) -> Result<Option<String>, Error> {
    let domain = ContextOptions::default().domain_id()?;
    let found = observe_description(&domain, hash);
    Ok(found.map_err(|e| unusable(&domain.folder.display().to_string(), &e))?)
}

/// Looks at the domain of the environment with all its counts, without taking part in it.
pub(crate) fn report() -> Result<Report, Error> {
    let domain = ContextOptions::default().domain_id()?;
    let folder = domain.folder.display().to_string();
    Ok(Report::observe(domain).map_err(|e| unusable(&folder, &e))?)
}

fn unusable(folder: &str, error: &io::Error) -> String {
    format!("can't look into {folder}: {error}; SALTUS_SHM_DIR must name the nodes' folder")
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
pub(crate) fn node_name(graph: &Graph, endpoint: &EndpointInfo) -> String {
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
///
/// # Errors
/// If it is no name: nothing would ever come of it.
pub(crate) fn absolute(name: &str) -> Result<String, Error> {
    let root = NodeName::new("/", "saltus")?;
    Ok(TopicName::expand(name, &root)?.as_str().to_owned())
}

/// The full name of the node of an endpoint that is known by its gid.
pub(crate) fn node_of_gid(graph: &Graph, gid: Gid) -> String {
    graph
        .endpoints
        .iter()
        .find(|endpoint| endpoint.gid == gid)
        .map(|end| node_name(graph, end))
        .unwrap_or_default()
}

/// The figures of a latency in a line.
pub(crate) fn latency_text(latency: &Latency) -> String {
    let of = |time: Option<Duration>| time.map_or_else(|| "-".into(), |time| format!("{time:.1?}"));
    let (p50, p99) = (latency.quantile(0.5), latency.quantile(0.99));
    format!("p50 {} p99 {} max {}", of(p50), of(p99), of(latency.max()))
}

/// The figures of a latency, in nanoseconds.
pub(crate) fn latency_json(latency: &Latency) -> Json {
    let of = |time: Option<Duration>| time.map(|time| time.as_nanos() as u64);
    json!({
        "count": latency.count(),
        "mean_ns": of(latency.mean()),
        "p50_ns": of(latency.quantile(0.5)),
        "p90_ns": of(latency.quantile(0.9)),
        "p99_ns": of(latency.quantile(0.99)),
        "max_ns": of(latency.max()),
    })
}
