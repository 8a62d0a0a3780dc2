//! The actions of a graph.

use std::collections::{BTreeMap, BTreeSet};

use saltus::{
    graph::{EndpointInfo, Graph},
    types::is_hidden,
};

use crate::graph;

/// The text between the name of an action and the names of its parts.
const PART: &str = "/_action/";
/// The suffix of an action's type in the type of its goal service.
const SEND_GOAL: &str = "_SendGoal";

/// The actions of a graph. The graph contains them as services and topics.
pub struct Actions {
    /// The graph.
    pub graph: Graph,
    /// The actions that have a server or a client, each with its types.
    pub all: BTreeMap<String, BTreeSet<String>>,
}

impl Actions {
    /// Finds the actions of a graph.
    pub fn of(graph: Graph) -> Self {
        let mut all = BTreeMap::<String, BTreeSet<String>>::new();
        for end in graph.servers.iter().chain(&graph.clients) {
            if let Some((name, ty)) = action_of(end) {
                all.entry(name.to_owned()).or_default().insert(ty.to_owned());
            }
        }
        Self { graph, all }
    }

    /// Returns the names of the actions that are not hidden.
    pub fn names(self) -> impl Iterator<Item = String> {
        self.all.into_keys().filter(|name| !is_hidden(name))
    }

    /// Returns the actions that a node serves or uses, with their types, sorted by name.
    pub fn of_node(
        ends: &[EndpointInfo],
        is_own: impl Fn(&EndpointInfo) -> bool,
    ) -> BTreeSet<(String, String)> {
        let own = ends.iter().filter(|end| is_own(end)).filter_map(action_of);
        own.map(|(name, ty)| (name.to_owned(), ty.to_owned())).collect()
    }

    /// Returns the nodes of the endpoints in `ends` that belong to an action, with the type of the action, sorted.
    pub fn nodes(&self, ends: &[EndpointInfo], name: &str) -> Vec<(String, String)> {
        let of = ends.iter().filter_map(|end| Some((action_of(end)?, end)));
        let of = of.filter(|((action, _), _)| *action == name);
        let mut nodes: Vec<_> =
            of.map(|((_, ty), end)| (graph::node_name(&self.graph, end), ty.to_owned())).collect();
        nodes.sort();
        nodes
    }
}

/// Returns the name and the type of the action that an endpoint of a goal service belongs to.
fn action_of(end: &EndpointInfo) -> Option<(&str, &str)> {
    let name = end.topic.strip_suffix("send_goal")?.strip_suffix(PART)?;
    Some((name, end.type_name.strip_suffix(SEND_GOAL)?))
}
