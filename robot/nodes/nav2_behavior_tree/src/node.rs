//! A node: its name, its kind and its ports.

use saltus_behavior_tree::{NodeKind, Port};

/// A node of Nav2.
#[derive(Clone, Debug)]
pub struct Node {
    /// The name in XML.
    pub id: &'static str,
    /// The kind of node.
    pub kind: NodeKind,
    /// A description, for people.
    pub about: &'static str,
    /// The ports.
    pub ports: Vec<Port>,
}

impl Node {
    pub(crate) fn new(id: &'static str, kind: NodeKind, about: &'static str, ports: Vec<Port>) -> Self {
        Self { id, kind, about, ports }
    }
}
