//! A snapshot of the graph.

use std::collections::{BTreeMap, BTreeSet};

use pyo3::prelude::*;
use saltus::graph::{EndpointInfo, EndpointKind, NodeInfo};

use crate::qos::{Profile, to_profile};

/// A snapshot of the graph, as this process knew it at one moment.
#[pyclass(frozen, module = "saltus._native")]
pub(crate) struct Graph(pub(crate) saltus::graph::Graph);

type NamesAndTypes = Vec<(String, Vec<String>)>;

/// An endpoint: the name and namespace of the node, the type, the hash of the type, 1 for a publisher or 2 for a
/// subscription, the gid, the QoS profile.
type Endpoint = (String, String, String, String, u8, [u8; 16], Profile);

fn names_and_types<'a>(endpoints: impl Iterator<Item = &'a EndpointInfo>) -> NamesAndTypes {
    let mut found: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for endpoint in endpoints {
        found.entry(endpoint.name()).or_default().insert(&endpoint.type_name);
    }
    let owned = |types: BTreeSet<&str>| types.into_iter().map(str::to_owned).collect();
    found.into_iter().map(|(name, types)| (name.to_owned(), owned(types))).collect()
}

impl Graph {
    fn list(&self, what: &str) -> Vec<&EndpointInfo> {
        let of_kind = |kind| self.0.endpoints.iter().filter(move |endpoint| endpoint.kind == kind).collect();
        match what {
            "publishers" => of_kind(EndpointKind::Publisher),
            "subscriptions" => of_kind(EndpointKind::Subscription),
            "services" => self.0.servers.iter().collect(),
            "clients" => self.0.clients.iter().collect(),
            _ => self.0.endpoints.iter().collect(),
        }
    }

    fn node_of(&self, endpoint: &EndpointInfo) -> Option<&NodeInfo> {
        self.0.nodes.iter().find(|node| node.gid == endpoint.node)
    }
}

#[pymethods]
impl Graph {
    /// Returns the name and namespace of each node.
    fn nodes(&self) -> Vec<(String, String)> {
        self.0.nodes.iter().map(|node| (node.name.clone(), node.namespace.clone())).collect()
    }

    /// Returns names with their types. `what` is `"topics"`, `"publishers"`, `"subscriptions"`, `"services"` or
    /// `"clients"`.
    fn names_and_types(&self, what: &str) -> NamesAndTypes {
        names_and_types(self.list(what).into_iter())
    }

    /// Same as `names_and_types`, but for one node. Returns `None` if there is no node with this name.
    fn of_node(&self, what: &str, name: &str, namespace: &str) -> Option<NamesAndTypes> {
        let is_it = |node: &&NodeInfo| node.name == name && node.namespace == namespace;
        let nodes: Vec<_> = self.0.nodes.iter().filter(is_it).map(|node| node.gid).collect();
        let own = self.list(what).into_iter().filter(|endpoint| nodes.contains(&endpoint.node));
        (!nodes.is_empty()).then(|| names_and_types(own))
    }

    /// Returns how many of `what` have the full name `name`.
    fn count(&self, what: &str, name: &str) -> usize {
        self.list(what).into_iter().filter(|endpoint| endpoint.name() == name).count()
    }

    /// Returns the publishers or subscriptions of a topic.
    fn endpoints(&self, what: &str, topic: &str) -> Vec<Endpoint> {
        let of_topic = self.list(what).into_iter().filter(|endpoint| endpoint.name() == topic);
        let described = |endpoint: &EndpointInfo| {
            let node = self.node_of(endpoint);
            let kind = if endpoint.kind == EndpointKind::Publisher { 1 } else { 2 };
            (
                node.map(|node| node.name.clone()).unwrap_or_default(),
                node.map(|node| node.namespace.clone()).unwrap_or_default(),
                endpoint.type_name.clone(),
                endpoint.type_hash.to_string(),
                kind,
                *endpoint.gid.as_bytes(),
                to_profile(&endpoint.qos),
            )
        };
        of_topic.map(described).collect()
    }
}

/// Returns why a name is invalid, or `None` if it is valid. `kind` is `"node"`, `"namespace"` or `"parameter"`.
#[pyfunction]
pub(crate) fn name_fault(kind: &str, name: &str) -> Option<String> {
    let checked = match kind {
        "node" => saltus::types::validate_node_name(name),
        "namespace" => saltus::types::validate_namespace(name),
        _ => saltus::types::validate_parameter_name(name),
    };
    checked.err().map(|error| error.to_string())
}

/// Returns the full name of a topic or service, given the name that a node uses for it. The error tells what is wrong
/// with the name.
#[pyfunction]
pub(crate) fn expand_name(name: &str, node: &str, namespace: &str) -> PyResult<String> {
    let fault = |error: saltus::types::NameError| crate::errors::name("InvalidTopicNameException", error);
    let node = saltus::types::NodeName::new(namespace, node).map_err(fault)?;
    Ok(saltus::types::TopicName::expand(name, &node).map_err(fault)?.as_str().to_owned())
}
