//! Sequences and fallbacks: one child after the other.

use super::common::Outcome;
use crate::{
    registry::Registry,
    status::{NodeKind, Status},
    tree::{Behavior, Tick},
};

/// Ticks its children in order, and remembers which one runs.
#[derive(Clone, Copy)]
struct InOrder {
    /// The status of a child that ends the node. After another status, the next child is ticked.
    ends: Status,
    /// Whether the tree is ticked again between two children.
    pauses: bool,
    /// Whether the node goes on at the child that failed.
    remembers: bool,
    next: usize,
    skipped: usize,
}

impl InOrder {
    fn restart(&mut self) {
        (self.next, self.skipped) = (0, 0);
    }

    /// Ends the node.
    fn end<C>(&mut self, tick: &mut Tick<'_, C>) {
        if self.remembers {
            tick.halt_children(self.next);
            self.skipped = 0;
        } else {
            tick.halt_children(0);
            self.restart();
        }
    }
}

impl<C> Behavior<C> for InOrder {
    fn tick(&mut self, tick: &mut Tick<'_, C>) -> Outcome {
        while self.next < tick.children() {
            let was_idle = tick.child_status(self.next) == Status::Idle;
            match tick.tick_child(self.next)? {
                Status::Running => return Ok(Status::Running),
                Status::Skipped => {
                    self.skipped += 1;
                    self.next += 1;
                }
                status if status == self.ends => {
                    self.end(tick);
                    return Ok(status);
                }
                _ => {
                    self.next += 1;
                    if self.pauses && was_idle && self.next < tick.children() {
                        tick.wake();
                        return Ok(Status::Running);
                    }
                }
            }
        }
        let all_skipped = self.skipped == tick.children();
        tick.halt_children(0);
        self.restart();
        Ok(match (all_skipped, self.ends) {
            (true, _) => Status::Skipped,
            (false, Status::Failure) => Status::Success,
            _ => Status::Failure,
        })
    }

    fn halt(&mut self, _tick: &mut Tick<'_, C>) {
        if !self.remembers {
            self.restart();
        }
    }
}

pub(super) fn register<C: 'static>(registry: &mut Registry<C>) {
    let sequence = InOrder { ends: Status::Failure, pauses: false, remembers: false, next: 0, skipped: 0 };
    let fallback = InOrder { ends: Status::Success, ..sequence };
    let kinds = [
        ("Sequence", sequence),
        ("AsyncSequence", InOrder { pauses: true, ..sequence }),
        ("SequenceWithMemory", InOrder { pauses: true, remembers: true, ..sequence }),
        ("Fallback", fallback),
        ("AsyncFallback", InOrder { pauses: true, ..fallback }),
    ];
    for (id, node) in kinds {
        registry.register(id, NodeKind::Control, [], move |_| Ok(Box::new(node)));
    }
}
