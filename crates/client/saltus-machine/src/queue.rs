//! The triggers that a node has not processed yet. They are processed one at a time.

use std::{collections::VecDeque, sync::Mutex};

use saltus_types::{Time, lock};

use crate::StateId;

/// A trigger to process.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum QueuedTrigger {
    /// The trigger with this name.
    Named(String),
    /// The trigger of a state's timeout. It is ignored if the state was left after it had got this deadline.
    Timeout(StateId, Time),
}

/// A queue of triggers, each with the time when it was due.
///
/// **Invariant:** at most one [`QueueGuard`] exists. Its owner processes all queued triggers before it releases the
/// guard.
#[derive(Default)]
pub(crate) struct TriggerQueue(Mutex<QueueState>);

#[derive(Default)]
struct QueueState {
    triggers: VecDeque<(QueuedTrigger, Time)>,
    /// Whether there is a guard.
    has_guard: bool,
}

/// The exclusive right to process triggers, until the queue is empty. A panic releases it, too.
pub(crate) struct QueueGuard<'a> {
    queue: &'a TriggerQueue,
    is_released: bool,
}

impl QueueGuard<'_> {
    /// Takes the oldest trigger. If the queue is empty, releases the guard.
    pub(crate) fn next(&mut self) -> Option<(QueuedTrigger, Time)> {
        let mut inner = lock(&self.queue.0);
        let next = inner.triggers.pop_front();
        // The lock is held, so that the next trigger finds the guard free and is not left in the queue.
        inner.has_guard = next.is_some();
        self.is_released = next.is_none();
        next
    }

    /// Drops all queued triggers and releases the guard.
    pub(crate) fn clear(self) {
        lock(&self.queue.0).triggers.clear();
    }
}

impl Drop for QueueGuard<'_> {
    fn drop(&mut self) {
        if !self.is_released {
            lock(&self.queue.0).has_guard = false;
        }
    }
}

impl TriggerQueue {
    /// Adds a trigger, which the owner of the guard will process.
    pub(crate) fn push(&self, trigger: QueuedTrigger, due: Time) {
        lock(&self.0).triggers.push_back((trigger, due));
    }

    /// Returns the guard, so that the caller processes the trigger. If the guard is taken, adds the trigger to the
    /// queue and returns `None`: the owner of the guard will process it.
    pub(crate) fn guard_or_push(&self, trigger: &QueuedTrigger, due: Time) -> Option<QueueGuard<'_>> {
        let mut inner = lock(&self.0);
        let guard = self.guard_of(&mut inner);
        if guard.is_none() {
            inner.triggers.push_back((trigger.clone(), due));
        }
        guard
    }

    /// Returns the guard, or `None` if it is taken.
    pub(crate) fn guard(&self) -> Option<QueueGuard<'_>> {
        self.guard_of(&mut lock(&self.0))
    }

    fn guard_of(&self, inner: &mut QueueState) -> Option<QueueGuard<'_>> {
        let is_free = !std::mem::replace(&mut inner.has_guard, true);
        is_free.then(|| QueueGuard { queue: self, is_released: false })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Time = Time::from_nanos(0);

    fn named(name: &str) -> QueuedTrigger {
        QueuedTrigger::Named(name.into())
    }

    #[test]
    fn the_guard_is_taken_until_the_queue_is_empty_and_triggers_stay_in_order() {
        let queue = TriggerQueue::default();
        let mut guard = queue.guard_or_push(&named("first"), NOW).unwrap();
        assert!(queue.guard_or_push(&named("second"), NOW).is_none());
        queue.push(named("third"), NOW);
        assert_eq!(guard.next(), Some((named("second"), NOW)));
        // The guard is still taken, so a new trigger comes after the queued ones.
        assert!(queue.guard_or_push(&named("fourth"), NOW).is_none());
        assert_eq!(guard.next(), Some((named("third"), NOW)));
        assert_eq!(guard.next(), Some((named("fourth"), NOW)));
        assert_eq!(guard.next(), None);
        let other = queue.guard_or_push(&named("fifth"), NOW);
        drop(guard);
        assert!(other.is_some() && queue.guard_or_push(&named("sixth"), NOW).is_none());
    }

    #[test]
    fn a_panic_releases_the_guard() {
        let queue = TriggerQueue::default();
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let _guard = queue.guard_or_push(&named("first"), NOW);
            panic!("in a callback");
        }));
        assert!(outcome.is_err() && queue.guard_or_push(&named("second"), NOW).is_some());
    }
}
