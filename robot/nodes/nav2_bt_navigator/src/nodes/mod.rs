//! What the nodes do.
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

use self::inputs::Make;
use crate::world::World;

/// Makes the nodes of Nav2 known to a factory. They use `world`.
pub fn register(factory: &mut Factory<()>, world: &Arc<World>) {
    let mut makers: BTreeMap<&str, Make> = BTreeMap::new();
    let all = [
        servers::MAKERS,
        stop::MAKERS,
        service::MAKERS,
        paths::MAKERS,
        selectors::MAKERS,
        conditions::MAKERS,
    ];
    makers.extend(all.into_iter().flatten().copied());
    makers.extend(topics::MAKERS.iter().chain(controllers::MAKERS).copied());
    for Node { id, kind, ports, .. } in nodes() {
        let (world, make) = (world.clone(), makers.get(id).copied());
        factory.register(id, kind, ports, move |making| match make {
            Some(make) => make(&world, making),
            None => Err(format!("`{id}` does nothing")),
        });
    }
}

/// Returns the names of the nodes that do something.
#[cfg(test)]
pub(crate) fn names() -> Vec<&'static str> {
    let all = [
        servers::MAKERS,
        stop::MAKERS,
        service::MAKERS,
        paths::MAKERS,
        selectors::MAKERS,
        conditions::MAKERS,
    ];
    let others = topics::MAKERS.iter().chain(controllers::MAKERS);
    all.into_iter().flatten().chain(others).map(|(name, _)| *name).collect()
}
