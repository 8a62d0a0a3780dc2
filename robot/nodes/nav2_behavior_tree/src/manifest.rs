//! All nodes.

use saltus_behavior_tree::Factory;

use crate::{
    actions::{servers, services, stops},
    node::Node,
    values::{conditions, decorators, selectors, values},
};

/// Registers the nodes without behaviors, so that trees of them can be checked.
pub fn declare<C: 'static>(factory: &mut Factory<C>) {
    for node in nodes() {
        let Node { id, kind, ports, .. } = node;
        factory.register(id, kind, ports, move |_| Err(format!("`{id}` is only known here, to check trees")));
    }
}

/// Returns the nodes of Nav2 that are not part of the behavior tree itself.
pub fn nodes() -> Vec<Node> {
    [servers(), stops(), services(), values(), selectors(), conditions(), decorators()].concat()
}
