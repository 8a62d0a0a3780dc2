//! What a domain itself has: not what is shown there of others.

use std::collections::HashMap;

use saltus_host::{Channel, Difference, EndpointInfo, EndpointKind, Entity, NodeInfo, Origin};
use saltus_types::Gid;

use crate::side::{EndKey, key_of};

/// What endpoints carry and the name that they share.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Subject {
    /// Of the two ends of a client or server, that by which they find each other.
    pub(crate) is_service: bool,
    pub(crate) name: String,
}

impl Subject {
    /// The channel that rules know it by.
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

/// The nodes of a domain and their endpoints.
#[derive(Debug, Default)]
pub(crate) struct Model {
    /// The process that watches: what it has itself does not count.
    own_process: u64,
    nodes: HashMap<Gid, NodeInfo>,
    endpoints: HashMap<Subject, HashMap<EndKey, EndpointInfo>>,
}

impl Model {
    pub(crate) fn new(own_process: u64) -> Self {
        Self { own_process, ..Self::default() }
    }

    /// Takes in a difference; what it concerns.
    pub(crate) fn apply(&mut self, difference: Difference) -> Vec<Subject> {
        match difference {
            Difference::Came(Entity::Node(node)) | Difference::Changed(Entity::Node(node)) => {
                self.node_came(node)
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

    /// Its endpoints may have been heard of before.
    fn node_came(&mut self, node: NodeInfo) -> Vec<Subject> {
        if node.origin != Origin::Here {
            return Vec::new();
        }
        let gid = node.gid;
        self.nodes.insert(gid, node);
        let of_node = |ends: &HashMap<EndKey, EndpointInfo>| ends.values().any(|end| end.node == gid);
        let subjects = self.endpoints.iter().filter(|(_, ends)| of_node(ends));
        subjects.map(|(subject, _)| subject.clone()).collect()
    }

    fn endpoint(&mut self, end: EndpointInfo, is_there: bool) -> Vec<Subject> {
        let is_own = end.id.process == self.own_process;
        let Some(subject) = Subject::of(&end).filter(|_| end.origin == Origin::Here && !is_own) else {
            return Vec::new();
        };
        let ends = self.endpoints.entry(subject.clone()).or_default();
        let key = key_of(&end);
        if is_there {
            ends.insert(key, end);
        } else {
            ends.remove(&key);
        }
        if ends.is_empty() {
            self.endpoints.remove(&subject);
        }
        vec![subject]
    }

    /// The endpoints of a kind, each with its node; what is offered comes last.
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
