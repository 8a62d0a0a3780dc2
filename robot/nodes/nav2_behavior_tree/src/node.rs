//! What a node is.

use saltus_behavior_tree::{NodeKind, Port};

/// A node.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its name in XML.
    pub id: &'static str,
    /// What it is.
    pub kind: NodeKind,
    /// What it does, for people.
    pub about: &'static str,
    /// Its ports.
    pub ports: Vec<Port>,
}

impl Node {
    pub(crate) fn new(id: &'static str, kind: NodeKind, about: &'static str, ports: Vec<Port>) -> Self {
        Self { id, kind, about, ports }
    }
}
