//! The names that are in the graph.

use std::collections::BTreeMap;

use saltus_launch_file::plan::ReadyCondition;
use saltus_node::{Channel, EndpointKind, Entity, GraphChange};

/// The names of the nodes, publishers and servers that are there.
#[derive(Default)]
pub(crate) struct GraphNames {
    nodes: BTreeMap<String, NameCount>,
    publishers: BTreeMap<String, NameCount>,
    servers: BTreeMap<String, NameCount>,
}

/// The numbers of entities with a name.
#[derive(Clone, Copy, Default)]
pub(crate) struct NameCount {
    /// The number of entities that have it.
    pub(crate) current: u32,
    /// The number of entities that have or had it.
    pub(crate) total: u64,
}

impl GraphNames {
    pub(crate) fn apply(&mut self, change: &GraphChange) {
        let (entity, is_added) = match change {
            GraphChange::Added(entity) => (entity, true),
            GraphChange::Removed(entity) => (entity, false),
            GraphChange::Changed(_) => return,
        };
        let (names, name) = match entity {
            Entity::Node(node) => {
                (&mut self.nodes, format!("{}/{}", node.namespace.trim_end_matches('/'), node.name))
            }
            Entity::Endpoint(end) => match (end.channel(), end.kind) {
                (Channel::Topic, EndpointKind::Publisher) => (&mut self.publishers, end.name().to_owned()),
                (Channel::Request, EndpointKind::Subscription) => (&mut self.servers, end.name().to_owned()),
                _ => return,
            },
        };
        let count = names.entry(name).or_default();
        if is_added {
            count.current += 1;
            count.total += 1;
        } else {
            count.current = count.current.saturating_sub(1);
        }
    }

    pub(crate) fn count(&self, condition: &ReadyCondition) -> NameCount {
        let (names, name) = match condition {
            ReadyCondition::Node(name) => (&self.nodes, name),
            ReadyCondition::Topic(name) => (&self.publishers, name),
            ReadyCondition::Service(name) => (&self.servers, name),
            // The state of a lifecycle node is requested from the node.
            ReadyCondition::State(_) => return NameCount::default(),
        };
        names.get(name).copied().unwrap_or_default()
    }

    pub(crate) fn has_server(&self, name: &str) -> bool {
        self.servers.get(name).is_some_and(|count| count.current > 0)
    }
}
