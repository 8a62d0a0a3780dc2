//! Callback groups: which callbacks may run at the same time.

use std::{
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, Weak,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use saltus_host::Waker;
use saltus_types::lock;

use crate::Waitable;

/// Whether two callbacks of a group may run at the same time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CallbackGroupKind {
    /// Never: whatever the number of threads, one runs after the other.
    #[default]
    MutuallyExclusive,
    /// Yes. So may several calls of the same callback, if it is a re-entrant one
    /// ([`SubscriptionBuilder::reentrant_callback`](crate::SubscriptionBuilder::reentrant_callback)).
    Reentrant,
}

/// Callbacks that one executor runs, under the same rule.
///
/// Cheap to clone. A group belongs to one executor at a time: the last one that took it. It lives as long as
/// any handle of it, or any callback in it.
#[derive(Clone)]
pub struct CallbackGroup(Arc<Inner>);

/// A handle that does not keep its group alive.
pub(crate) struct WeakCallbackGroup(Weak<Inner>);

impl WeakCallbackGroup {
    pub(crate) fn upgrade(&self) -> Option<CallbackGroup> {
        self.0.upgrade().map(CallbackGroup)
    }
}

struct Inner {
    kind: CallbackGroupKind,
    busy: AtomicBool,
    /// Whether a thread found the group busy, so that the executor must be rung when it is free.
    missed: AtomicBool,
    waitables: Mutex<Waitables>,
    /// Counts changes of `waitables`, so that an executor sees them with one load.
    version: AtomicU64,
}

#[derive(Default)]
struct Waitables {
    all: Vec<Member>,
    /// Rung when a waitable is added.
    executor: Option<Arc<Waker>>,
}

/// A waitable of a group.
struct Member {
    waitable: Weak<dyn Waitable>,
    /// Whether it has a waker of the group's executor.
    has_waker: bool,
}

impl Waitables {
    /// Returns the waitables that still exist, each with its `has_waker`.
    fn alive(&mut self) -> impl Iterator<Item = (Arc<dyn Waitable>, &mut bool)> {
        self.all.retain(|member| member.waitable.strong_count() > 0);
        self.all.iter_mut().filter_map(|member| Some((member.waitable.upgrade()?, &mut member.has_waker)))
    }

    fn belongs_to(&self, executor: &Arc<Waker>) -> bool {
        self.executor.as_ref().is_some_and(|own| Arc::ptr_eq(own, executor))
    }
}

impl fmt::Debug for CallbackGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallbackGroup").field("kind", &self.0.kind).finish_non_exhaustive()
    }
}

/// Two handles are equal if they are of the same group.
impl PartialEq for CallbackGroup {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for CallbackGroup {}

/// The right to run a callback of a group. Dropping it ends the right.
#[derive(Debug)]
pub struct GroupPass<'a>(&'a CallbackGroup);

impl<'a> GroupPass<'a> {
    /// Takes over a pass that was forgotten (`std::mem::forget`) on another thread or in another scope.
    pub fn resume(group: &'a CallbackGroup) -> Self {
        Self(group)
    }
}

impl Drop for GroupPass<'_> {
    fn drop(&mut self) {
        self.0.leave();
    }
}

impl CallbackGroup {
    pub(crate) fn new(kind: CallbackGroupKind) -> Self {
        Self(Arc::new(Inner {
            kind,
            busy: AtomicBool::new(false),
            missed: AtomicBool::new(false),
            waitables: Mutex::default(),
            version: AtomicU64::new(0),
        }))
    }

    pub(crate) fn downgrade(&self) -> WeakCallbackGroup {
        WeakCallbackGroup(Arc::downgrade(&self.0))
    }

    /// Returns its kind.
    pub fn kind(&self) -> CallbackGroupKind {
        self.0.kind
    }

    /// Returns the right to run a callback of the group now, or `None` if a running callback excludes it. In
    /// that case the group's executor is rung when the running callback has returned.
    ///
    /// The end of a callback is never missed. Either this thread sees that the callback has ended, or the
    /// thread that ends it sees that another thread waits. Each of them stores before it loads.
    #[inline]
    pub fn try_enter(&self) -> Option<GroupPass<'_>> {
        let inner = &self.0;
        let free = || inner.kind == CallbackGroupKind::Reentrant || !inner.busy.swap(true, Ordering::SeqCst);
        if free() {
            return Some(GroupPass(self));
        }
        inner.missed.store(true, Ordering::SeqCst);
        // The pass is made only if the group was free, because dropping a pass frees the group.
        free().then(|| GroupPass(self))
    }

    #[inline]
    fn leave(&self) {
        let inner = &self.0;
        if inner.kind == CallbackGroupKind::Reentrant {
            return;
        }
        inner.busy.store(false, Ordering::SeqCst);
        // A load first: usually no thread waits, and a swap costs as much as the rest of this function.
        if inner.missed.load(Ordering::SeqCst)
            && inner.missed.swap(false, Ordering::SeqCst)
            && let Some(executor) = &self.lock().executor
        {
            executor.ring();
        }
    }

    /// Returns a number that changes whenever a waitable is added or removed, or the executor changes.
    pub fn version(&self) -> u64 {
        self.0.version.load(Ordering::Acquire)
    }

    /// Gives the group to an executor. Its waker is rung whenever something is added. The previous executor
    /// is rung too, and does not have the group any more.
    pub fn set_executor(&self, waker: &Arc<Waker>) {
        let mut waitables = self.lock();
        let before = waitables.executor.replace(waker.clone());
        waitables.all.iter_mut().for_each(|member| member.has_waker = false);
        self.0.version.fetch_add(1, Ordering::Release);
        before.iter().for_each(|before| before.ring());
    }

    /// Takes the group away from an executor. From then on the group rings no executor. Does nothing if the
    /// group belongs to another executor.
    pub fn clear_executor(&self, waker: &Arc<Waker>) {
        // Dropped after the lock is released: dropping the last handle of a waitable drops a closure of the user.
        let mut alive = Vec::new();
        let mut waitables = self.lock();
        if waitables.belongs_to(waker) {
            waitables.executor = None;
            alive.extend(waitables.alive().map(|(waitable, _)| waitable));
            alive.iter().for_each(|waitable| waitable.set_waker(None));
            self.0.version.fetch_add(1, Ordering::Release);
        }
        drop(waitables);
    }

    /// Calls `waker_of` with each waitable, in the order in which they were added. The second argument is whether the
    /// waitable has a waker of `executor` already. The waitable gets the waker that `waker_of` returns, if any. Returns
    /// whether the group still belongs to `executor`. If it does not, nothing is called.
    pub fn list_waitables(
        &self,
        executor: &Arc<Waker>,
        mut waker_of: impl FnMut(&Arc<dyn Waitable>, bool) -> Option<Waker>,
    ) -> bool {
        // Dropped after the lock is released: dropping the last handle of a waitable drops a closure of the user.
        let mut alive = Vec::new();
        let mut waitables = self.lock();
        let is_own = waitables.belongs_to(executor);
        // Under the lock: an executor that takes the group meanwhile gives its own wakers after this.
        for (waitable, has_waker) in waitables.alive().filter(|_| is_own) {
            if let Some(waker) = waker_of(&waitable, *has_waker) {
                waitable.set_waker(Some(&waker));
                *has_waker = true;
            }
            alive.push(waitable);
        }
        drop(waitables);
        is_own
    }

    /// Whether the group belongs to `executor`.
    pub fn belongs_to(&self, executor: &Arc<Waker>) -> bool {
        self.lock().belongs_to(executor)
    }

    /// Whether this is the last handle of the group, and no callback in it exists any more.
    pub fn is_unused(&self) -> bool {
        Arc::strong_count(&self.0) == 1
    }

    /// Adds a waitable. The group does not keep it alive.
    ///
    /// This is for callbacks of bindings to other languages. Publishers, subscriptions, timers… of this crate are
    /// added automatically.
    pub fn add(&self, waitable: Weak<dyn Waitable>) {
        let mut waitables = self.lock();
        waitables.all.retain(|member| member.waitable.strong_count() > 0);
        waitables.all.push(Member { waitable, has_waker: false });
        self.0.version.fetch_add(1, Ordering::Release);
        if let Some(executor) = &waitables.executor {
            executor.ring();
        }
    }

    /// Removes a waitable. A call of it that is running continues.
    pub fn remove(&self, waitable: &Weak<dyn Waitable>) {
        let mut waitables = self.lock();
        waitables.all.retain(|member| !Weak::ptr_eq(&member.waitable, waitable));
        self.0.version.fetch_add(1, Ordering::Release);
        if let Some(executor) = &waitables.executor {
            executor.ring();
            if let Some(waitable) = waitable.upgrade() {
                waitable.set_waker(None);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Waitables> {
        lock(&self.0.waitables)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_thread_does_not_free_the_group() {
        let group = CallbackGroup::new(CallbackGroupKind::MutuallyExclusive);
        let pass = group.try_enter();
        assert!(pass.is_some() && group.try_enter().is_none() && group.try_enter().is_none());
        drop(pass);
        assert!(group.try_enter().is_some());
    }
}
