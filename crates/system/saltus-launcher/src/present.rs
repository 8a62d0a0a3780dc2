//! The names that are in the graph.

use std::collections::BTreeMap;

use saltus_launch_file::plan::ReadyCondition;
use saltus_node::{Channel, EndpointKind, Entity, GraphChange};

/// The names of the nodes, publishers and servers that are there.
#[derive(Default)]
pub(crate) struct Present {
    nodes: BTreeMap<String, Count>,
    publishers: BTreeMap<String, Count>,
    servers: BTreeMap<String, Count>,
}

/// How many have a name now, and how many have had it.
#[derive(Clone, Copy, Default)]
pub(crate) struct Count {
    pub(crate) now: u32,
    pub(crate) ever: u64,
}

impl Present {
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
            count.now += 1;
            count.ever += 1;
        } else {
            count.now = count.now.saturating_sub(1);
        }
    }

    pub(crate) fn count(&self, condition: &ReadyCondition) -> Count {
        let (names, name) = match condition {
            ReadyCondition::Node(name) => (&self.nodes, name),
            ReadyCondition::Topic(name) => (&self.publishers, name),
            ReadyCondition::Service(name) => (&self.servers, name),
            // A lifecycle node is asked for its state.
            ReadyCondition::State(_) => return Count::default(),
        };
        names.get(name).copied().unwrap_or_default()
    }

    pub(crate) fn has_server(&self, name: &str) -> bool {
        self.servers.get(name).is_some_and(|count| count.now > 0)
    }
}
