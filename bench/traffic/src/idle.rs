//! The component that does nothing.

use saltus::{
    Node,
    component::{Component, ComponentError, NodeOptions},
};

/// A node with nothing but what each node has: its parameter services and its logs.
#[derive(Debug)]
pub struct Idle(Node);

impl Component for Idle {
    fn new(options: &NodeOptions) -> Result<Self, ComponentError> {
        Ok(Self(options.node("idle").create()?))
    }

    fn node(&self) -> &Node {
        &self.0
    }
}
