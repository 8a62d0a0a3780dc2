//! Sequences and fallbacks that begin anew at each tick.

use super::common::Outcome;
use crate::{
    registry::{Registry, leaf},
    status::{NodeKind, Status},
    tree::Tick,
};

/// Ticks all children from the first one on, until one runs, or has the status that ends the node.
fn reactive<C>(tick: &mut Tick<'_, C>, ends: Status) -> Outcome {
    let mut skipped = 0;
    for child in 0..tick.children() {
        match tick.tick_child(child)? {
            Status::Running => {
                (0..tick.children()).filter(|other| *other != child).for_each(|other| tick.halt_child(other));
                return Ok(Status::Running);
            }
            Status::Skipped => {
                skipped += 1;
                tick.halt_child(child);
            }
            status if status == ends => {
                tick.halt_children(0);
                return Ok(status);
            }
            _ => {}
        }
    }
    let all_skipped = skipped == tick.children();
    tick.halt_children(0);
    Ok(match (all_skipped, ends) {
        (true, _) => Status::Skipped,
        (false, Status::Failure) => Status::Success,
        _ => Status::Failure,
    })
}

pub(super) fn register<C: 'static>(registry: &mut Registry<C>) {
    for (id, ends) in [("ReactiveSequence", Status::Failure), ("ReactiveFallback", Status::Success)] {
        registry.register(id, NodeKind::Control, [], move |_| Ok(leaf(move |tick| reactive(tick, ends))));
    }
}
