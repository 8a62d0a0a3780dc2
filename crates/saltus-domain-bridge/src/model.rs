//! The nodes and endpoints of a domain itself, without the replicas that are shown there.

use std::collections::HashMap;

use saltus_host::{Channel, Difference, EndpointInfo, EndpointKind, Entity, NodeInfo, Origin};
use saltus_types::Gid;

use crate::side::{EndKey, key_of};

/// A topic or a service, by name.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Subject {
    /// Whether it is a service. A client or server has two endpoints; the one for requests counts.
    pub(crate) is_service: bool,
    pub(crate) name: String,
}

impl Subject {
    /// Returns its channel for rules.
    pub(crate) fn channel(&self) -> Channel {
        if self.is_service { Channel::Request } else { Channel::Topic }
    }

    fn of(endpoint: &EndpointInfo) -> Option<Self> {
        let is_service = match endpoint.channel() {
            Channel::Topic => false,
            Channel::Request => true,
            Channel::Response => return None,
        };
        Some(Self { is_service, name: endpoint.name().to_owned() })
    }
}

/// The nodes of a domain, and their endpoints.
#[derive(Debug, Default)]
pub(crate) struct Model {
    /// The bridge's own process in the domain. Its entities are left out.
    own_process: u64,
    nodes: HashMap<Gid, NodeInfo>,
    endpoints: HashMap<Subject, HashMap<EndKey, EndpointInfo>>,
}

impl Model {
    pub(crate) fn new(own_process: u64) -> Self {
        Self { own_process, ..Self::default() }
    }

    /// Applies a difference. Returns the topics and services that it affects.
    pub(crate) fn apply(&mut self, difference: Difference) -> Vec<Subject> {
        match difference {
            Difference::Came(Entity::Node(node)) | Difference::Changed(Entity::Node(node)) => {
                self.add_node(node)
            }
            Difference::Went(Entity::Node(node)) => {
                self.nodes.remove(&node.gid);
                Vec::new()
            }
            Difference::Came(Entity::Endpoint(end)) | Difference::Changed(Entity::Endpoint(end)) => {
                self.endpoint(end, true)
            }
            Difference::Went(Entity::Endpoint(end)) => self.endpoint(end, false),
        }
    }

    /// Adds a node. Its endpoints may have been added before it.
    fn add_node(&mut self, node: NodeInfo) -> Vec<Subject> {
        if node.origin != Origin::Here {
            return Vec::new();
        }
        let gid = node.gid;
        self.nodes.insert(gid, node);
        let of_node = |ends: &HashMap<EndKey, EndpointInfo>| ends.values().any(|end| end.node == gid);
        let subjects = self.endpoints.iter().filter(|(_, ends)| of_node(ends));
        subjects.map(|(subject, _)| subject.clone()).collect()
    }

    fn endpoint(&mut self, end: EndpointInfo, exists: bool) -> Vec<Subject> {
        let is_own = end.id.process == self.own_process;
        let Some(subject) = Subject::of(&end).filter(|_| end.origin == Origin::Here && !is_own) else {
            return Vec::new();
        };
        let ends = self.endpoints.entry(subject.clone()).or_default();
        let key = key_of(&end);
        if exists {
            ends.insert(key, end);
        } else {
            ends.remove(&key);
        }
        if ends.is_empty() {
            self.endpoints.remove(&subject);
        }
        vec![subject]
    }

    /// Returns the endpoints of a kind, each with its node. Offered services come last.
    pub(crate) fn ends(&self, subject: &Subject, kind: EndpointKind) -> Vec<(&EndpointInfo, &NodeInfo)> {
        let ends = self.endpoints.get(subject).into_iter().flat_map(HashMap::values);
        let mut found: Vec<_> = ends
            .filter(|end| end.kind == kind)
            .filter_map(|end| Some((end, self.nodes.get(&end.node)?)))
            .collect();
        found.sort_by_key(|(end, _)| (end.is_offered(), end.id, end.node));
        found
    }
}
