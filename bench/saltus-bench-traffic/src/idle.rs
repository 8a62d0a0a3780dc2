//! The component that does nothing.

use std::env;

use saltus::{
    Node,
    component::{Component, ComponentError, NodeOptions},
};

/// The environment variable with which each node writes a line when it is there.
pub const ANNOUNCE: &str = "SALTUS_BENCH_ANNOUNCE";
/// The text at the end of this line.
pub const ANNOUNCEMENT: &str = "is there";

/// A node with nothing but what each node has: its parameter services and its logs.
#[derive(Debug)]
pub struct Idle(Node);

impl Component for Idle {
    fn new(options: &NodeOptions) -> Result<Self, ComponentError> {
        let node = options.node("idle").create()?;
        if env::var_os(ANNOUNCE).is_some() {
            println!("{} {ANNOUNCEMENT}", node.name().fully_qualified());
        }
        Ok(Self(node))
    }

    fn node(&self) -> &Node {
        &self.0
    }
}
