//! The behaviors of the nodes.
//!
//! Source: `nav2_behavior_tree`, whose nodes these are.

mod action;
mod conditions;
mod controllers;
mod inputs;
mod paths;
mod selectors;
mod servers;
mod service;
mod stop;
mod topics;

use std::{collections::BTreeMap, sync::Arc};

use nav2_behavior_tree::{Node, nodes};
use saltus_behavior_tree::Factory;

use self::inputs::Constructor;
use crate::world::World;

/// Registers the nodes of Nav2. They use `world`.
pub fn register(factory: &mut Factory<()>, world: &Arc<World>) {
    let mut makers: BTreeMap<&str, Constructor> = BTreeMap::new();
    let all = [
        servers::CONSTRUCTORS,
        stop::CONSTRUCTORS,
        service::CONSTRUCTORS,
        paths::CONSTRUCTORS,
        selectors::CONSTRUCTORS,
        conditions::CONSTRUCTORS,
    ];
    makers.extend(all.into_iter().flatten().copied());
    makers.extend(topics::CONSTRUCTORS.iter().chain(controllers::CONSTRUCTORS).copied());
    for Node { id, kind, ports, .. } in nodes() {
        let (world, make) = (world.clone(), makers.get(id).copied());
        factory.register(id, kind, ports, move |config| match make {
            Some(make) => make(&world, config),
            None => Err(format!("`{id}` does nothing")),
        });
    }
}

/// Returns the names of the nodes that have a behavior.
#[cfg(test)]
pub(crate) fn names() -> Vec<&'static str> {
    let all = [
        servers::CONSTRUCTORS,
        stop::CONSTRUCTORS,
        service::CONSTRUCTORS,
        paths::CONSTRUCTORS,
        selectors::CONSTRUCTORS,
        conditions::CONSTRUCTORS,
    ];
    let others = topics::CONSTRUCTORS.iter().chain(controllers::CONSTRUCTORS);
    all.into_iter().flatten().chain(others).map(|(name, _)| *name).collect()
}
