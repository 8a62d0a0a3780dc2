//! Reads the graph: the present nodes and endpoints.

use std::{
    collections::BTreeMap,
    io::{self, Write},
    time::Duration,
};

use saltus::{
    advanced::Gid,
    context::ContextOptions,
    graph::{
        EndpointInfo, EndpointKind, Graph, Latency, NodeInfo, Report, observe_description, observe_graph,
    },
    types::{NodeName, TopicName, TypeHash, is_hidden},
};

use serde_json::{Value as Json, json};

use crate::error::Error;

/// Reads the graph of the environment's domain, without joining the domain.
pub fn observe() -> Result<Graph, Error> {
    let domain = ContextOptions::default().domain_id()?;
    let folder = domain.folder.display().to_string();
    Ok(observe_graph(&domain).map_err(|e| unusable(&folder, &e))?)
}

/// Returns the description of a type that is used in the environment's domain, or `None` if there is none.
pub fn description(hash: TypeHash) -> Result<Option<String>, Error> {
    let domain = ContextOptions::default().domain_id()?;
    let found = observe_description(&domain, hash);
    Ok(found.map_err(|e| unusable(&domain.folder.display().to_string(), &e))?)
}

/// Reads the graph of the environment's domain and all of its counters, without joining the domain.
pub fn report() -> Result<Report, Error> {
    let domain = ContextOptions::default().domain_id()?;
    let folder = domain.folder.display().to_string();
    Ok(Report::observe(domain).map_err(|e| unusable(&folder, &e))?)
}

fn unusable(folder: &str, error: &io::Error) -> String {
    let fix = match error.kind() {
        io::ErrorKind::ReadOnlyFilesystem => "mount it so that files can be written",
        _ => "set SALTUS_SHM_DIR to the folder that the nodes use",
    };
    format!("can't read the folder {folder}: {error}; {fix}")
}

/// Returns the error for a name that is not in the graph. The text also has the known name that the user may have meant, and
/// names other graphs.
pub fn unknown<'a>(what: &str, name: &str, known: impl IntoIterator<Item = &'a String>) -> Error {
    format!("Unknown {what} '{name}'{}{}", meant(name, known), hint()).into()
}

/// Returns the part of an error text about the known name that is similar to an unknown one, or an empty string if there is
/// none.
pub fn meant<'a>(name: &str, known: impl IntoIterator<Item = &'a String>) -> String {
    let others = known.into_iter().map(String::as_str).filter(|known| *known != name);
    let similar = saltus_catalog::most_similar(name, others);
    similar.map_or_else(String::new, |similar| format!("; did you mean '{similar}'?"))
}

/// Tells the user which known name is similar to an unknown one, if there is one.
pub fn tell_meant<'a>(
    what: &str,
    name: &str,
    known: impl IntoIterator<Item = &'a String> + Clone,
) -> io::Result<()> {
    if known.clone().into_iter().any(|other| other == name) {
        return Ok(());
    }
    match saltus_catalog::most_similar(name, known.into_iter().map(String::as_str)) {
        Some(similar) => writeln!(io::stderr(), "there is no {what} '{name}'; did you mean '{similar}'?"),
        None => Ok(()),
    }
}

/// Returns the full names of all nodes.
pub fn node_names(graph: &Graph) -> Vec<String> {
    graph.nodes.iter().map(full_name).collect()
}

/// Prints to the standard error that there is no `what` of a type.
pub fn none_found(what: &str, ty: &str) -> io::Result<()> {
    writeln!(io::stderr(), "no {what} has the type `{ty}`{}", hint())
}

/// Returns the part of an error text about other graphs, or an empty string if there are none.
pub fn hint() -> String {
    other_graphs().map_or(String::new(), |hint| format!("; {hint}"))
}

/// Prints to the standard error which other graphs are in this domain. Called when the graph is empty.
pub fn hint_at_other_graphs() {
    if let Some(hint) = other_graphs() {
        let _ = writeln!(io::stderr(), "{hint}");
    }
}

/// Returns a sentence about the graphs of other users in this domain, and about this user's graphs in other domains.
fn other_graphs() -> Option<String> {
    let domain = ContextOptions::default().domain_id().ok()?;
    let others: Vec<String> = saltus::graph::other_graphs(&domain).iter().map(ToString::to_string).collect();
    (!others.is_empty()).then(|| format!("there are other graphs on this host: {}", others.join("; ")))
}

/// Returns the topics with their types. Both are sorted.
pub fn topics(graph: &Graph, hidden: bool) -> BTreeMap<String, Vec<String>> {
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

/// Returns the services that have a server, with their types. Both are sorted.
pub fn services(graph: &Graph, hidden: bool) -> BTreeMap<String, Vec<String>> {
    let mut services = BTreeMap::<String, Vec<String>>::new();
    for server in graph.servers.iter().filter(|server| hidden || !is_hidden(&server.topic)) {
        services.entry(server.topic.clone()).or_default().push(server.type_name.clone());
    }
    for types in services.values_mut() {
        types.sort();
        types.dedup();
    }
    services
}

/// Returns all endpoints that can lose messages: those of topics and those of services.
pub fn ends(graph: &Graph) -> impl Iterator<Item = &EndpointInfo> {
    graph.endpoints.iter().chain(&graph.servers).chain(&graph.clients)
}

/// Returns the endpoints of a kind on a topic, in a fixed order.
pub fn endpoints<'a>(graph: &'a Graph, topic: &str, kind: EndpointKind) -> Vec<&'a EndpointInfo> {
    let mut all: Vec<&EndpointInfo> =
        graph.endpoints.iter().filter(|endpoint| endpoint.topic == topic && endpoint.kind == kind).collect();
    all.sort_by_key(|endpoint| (node_name(graph, endpoint), endpoint.gid.to_string()));
    all
}

/// Returns the node of an endpoint.
pub fn node_of<'a>(graph: &'a Graph, endpoint: &EndpointInfo) -> Option<&'a NodeInfo> {
    graph.nodes.iter().find(|node| node.gid == endpoint.node)
}

/// Returns the full name of an endpoint's node.
pub fn node_name(graph: &Graph, endpoint: &EndpointInfo) -> String {
    node_of(graph, endpoint).map(full_name).unwrap_or_default()
}

/// Returns the full name of a node.
pub fn full_name(node: &NodeInfo) -> String {
    if node.namespace == "/" {
        format!("/{}", node.name)
    } else {
        format!("{}/{}", node.namespace, node.name)
    }
}

/// Returns a name that the user gave, with a leading `/`.
///
/// # Errors
/// Returns an error if the name is invalid, because nothing in the graph could ever have it.
pub fn absolute(name: &str) -> Result<String, Error> {
    let root = NodeName::new("/", "saltus")?;
    Ok(TopicName::expand(name, &root)?.as_str().to_owned())
}

/// Returns the full name of the node whose endpoint has a gid, or an empty string.
pub fn node_of_gid(graph: &Graph, gid: Gid) -> String {
    graph
        .endpoints
        .iter()
        .find(|endpoint| endpoint.gid == gid)
        .map(|end| node_name(graph, end))
        .unwrap_or_default()
}

/// Returns the figures of a latency as text on one line.
pub fn latency_text(latency: &Latency) -> String {
    let of = |time: Option<Duration>| time.map_or_else(|| "-".into(), |time| format!("{time:.1?}"));
    let (p50, p99) = (latency.quantile(0.5), latency.quantile(0.99));
    format!("p50 {} p99 {} max {}", of(p50), of(p99), of(latency.max()))
}

/// Returns the figures of a latency as JSON, in nanoseconds.
pub fn latency_json(latency: &Latency) -> Json {
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
