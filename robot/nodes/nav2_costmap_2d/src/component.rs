//! The component with a costmap alone.

use saltus::{
    Node,
    component::{Component, ComponentError, NodeOptions},
    lifecycle::LifecycleNode,
};

use crate::{node::CostmapNode, plugins::LayerTypes};

/// A costmap alone. It is a lifecycle node; see [`CostmapNode`] for its topics and services.
#[derive(Debug)]
pub struct Costmap2D(CostmapNode);

impl Component for Costmap2D {
    fn new(options: &NodeOptions) -> Result<Self, ComponentError> {
        let node = options.node("costmap").create()?;
        Ok(Self(CostmapNode::new(&node, LayerTypes::standard(), true)?))
    }

    fn node(&self) -> &Node {
        self.0.lifecycle()
    }
}

impl Costmap2D {
    /// Returns the node with its states.
    pub fn lifecycle(&self) -> &LifecycleNode {
        self.0.lifecycle()
    }
}
