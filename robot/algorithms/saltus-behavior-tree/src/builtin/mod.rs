//! The nodes that each tree may use: those of BehaviorTree.CPP, and those of Nav2 that need nothing but time.
//!
//! | module | content |
//! |---|---|
//! | `common` | parts that several nodes share |
//! | `sequence` | sequences and fallbacks: one child after the other |
//! | `reactive` | sequences and fallbacks that begin anew at each tick |
//! | `parallel` | all children at once |
//! | `branch` | one of several children |
//! | `change` | decorators that change a status, or tick again |
//! | `time` | delays and timeouts |
//! | `values` | values on blackboards, and scripts |
//! | `queue` | loops over the values of a queue |
//! | `recovery` | nodes of Nav2: pipelines, recoveries, rates |

mod branch;
mod change;
mod common;
mod parallel;
mod queue;
mod reactive;
mod recovery;
mod sequence;
mod time;
mod values;

use crate::{
    registry::{Registry, leaf},
    tree::Behavior,
};

/// Adds all nodes.
pub(crate) fn register<C: 'static>(registry: &mut Registry<C>) {
    sequence::register(registry);
    reactive::register(registry);
    parallel::register(registry);
    branch::register(registry);
    change::register(registry);
    time::register(registry);
    values::register(registry);
    queue::register(registry);
    recovery::register(registry);
}

/// Returns the root of a subtree, which passes on the status of its tree.
pub(crate) fn subtree<C: 'static>() -> Box<dyn Behavior<C>> {
    leaf(common::decorated)
}
