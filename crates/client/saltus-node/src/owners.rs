//! The executors to which a node or a callback group was added.

use std::sync::Arc;

use crate::Waker;

/// The executors to which a node or a callback group was added, by their wakers. The last one runs it. When that one removes it,
/// the one before runs it again.
#[derive(Clone, Default)]
pub(crate) struct Owners(Vec<Arc<Waker>>);

impl Owners {
    /// Returns the executor that runs it.
    pub(crate) fn current(&self) -> Option<&Arc<Waker>> {
        self.0.last()
    }

    /// Whether `executor` runs it.
    pub(crate) fn is_current(&self, executor: &Arc<Waker>) -> bool {
        self.current().is_some_and(|current| Arc::ptr_eq(current, executor))
    }

    /// Whether it was added to `executor`.
    pub(crate) fn contains(&self, executor: &Arc<Waker>) -> bool {
        self.0.iter().any(|owner| Arc::ptr_eq(owner, executor))
    }

    /// Adds an executor, which runs it from now on. Returns the one that has run it before.
    pub(crate) fn add(&mut self, executor: &Arc<Waker>) -> Option<Arc<Waker>> {
        let before = self.current().cloned();
        self.remove(executor);
        self.0.push(executor.clone());
        before
    }

    /// Removes an executor. Returns whether another one, or none, runs it now.
    pub(crate) fn remove(&mut self, executor: &Arc<Waker>) -> bool {
        let was_current = self.is_current(executor);
        self.0.retain(|owner| !Arc::ptr_eq(owner, executor));
        was_current
    }
}
