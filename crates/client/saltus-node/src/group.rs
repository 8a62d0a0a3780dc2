//! Callback groups, which define which callbacks may run at the same time.

use std::{
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, Weak,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use saltus_host::Waker;
use saltus_types::lock;

use crate::{Waitable, owners::Owners};

/// Whether callbacks of a group may run at the same time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CallbackGroupKind {
    /// At most one callback of the group runs at a time, even if the executor has several threads.
    #[default]
    MutuallyExclusive,
    /// Callbacks of the group may run at the same time. Several calls of the same callback may run at the same time if
    /// it is re-entrant ([`SubscriptionBuilder::reentrant_callback`](crate::SubscriptionBuilder::reentrant_callback)).
    Reentrant,
}

/// A group of callbacks that one executor runs. The kind of the group defines which of them may run at the same time.
///
/// Cheap to clone. One executor at a time runs a group: the last one to which it, or its node, was added. A group exists as
/// long as there is a handle of it, or a callback in it.
#[derive(Clone)]
pub struct CallbackGroup(Arc<GroupState>);

/// A handle that does not keep its group alive.
pub(crate) struct WeakCallbackGroup(Weak<GroupState>);

impl WeakCallbackGroup {
    pub(crate) fn upgrade(&self) -> Option<CallbackGroup> {
        self.0.upgrade().map(CallbackGroup)
    }
}

struct GroupState {
    kind: CallbackGroupKind,
    busy: AtomicBool,
    /// Whether a thread found the group busy. If so, the executor is rung when the group becomes free.
    missed: AtomicBool,
    waitables: Mutex<Waitables>,
    /// Counts changes of `waitables`, so that an executor sees them with one load.
    version: AtomicU64,
}

#[derive(Default)]
struct Waitables {
    all: Vec<Member>,
    /// The current one is rung when a waitable is added.
    owners: Owners,
}

/// A waitable of a group.
struct Member {
    waitable: Weak<dyn Waitable>,
    /// Whether the waitable has a waker of the group's executor.
    has_waker: bool,
}

impl Waitables {
    /// Returns the waitables that still exist, each with its `has_waker`. Removes the others.
    fn alive(&mut self) -> impl Iterator<Item = (Arc<dyn Waitable>, &mut bool)> {
        self.all.retain(|member| member.waitable.strong_count() > 0);
        self.all.iter_mut().filter_map(|member| Some((member.waitable.upgrade()?, &mut member.has_waker)))
    }
}

impl fmt::Debug for CallbackGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallbackGroup").field("kind", &self.0.kind).finish_non_exhaustive()
    }
}

/// Two handles are equal if they belong to the same group.
impl PartialEq for CallbackGroup {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for CallbackGroup {}

/// The permission to run a callback of a group. It ends when this is dropped.
#[derive(Debug)]
pub struct GroupPass<'a>(&'a CallbackGroup);

impl<'a> GroupPass<'a> {
    /// Returns a pass in place of one that was forgotten with `std::mem::forget`, maybe on another thread.
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
        Self(Arc::new(GroupState {
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

    /// Returns the kind of the group.
    pub fn kind(&self) -> CallbackGroupKind {
        self.0.kind
    }

    /// Returns the permission to run a callback of the group now. Returns `None` if a running callback excludes that.
    /// In this case the group's executor is rung when the running callback has returned.
    ///
    /// The end of a callback is never missed. Either this thread sees that the callback has ended, or the thread that
    /// runs the callback sees that another thread waits, because each thread stores before it loads.
    #[inline]
    pub fn try_enter(&self) -> Option<GroupPass<'_>> {
        let inner = &self.0;
        let free = || inner.kind == CallbackGroupKind::Reentrant || !inner.busy.swap(true, Ordering::SeqCst);
        if free() {
            return Some(GroupPass(self));
        }
        inner.missed.store(true, Ordering::SeqCst);
        // `then`, not `then_some`: dropping a pass frees the group, so a pass is created only if the group was free.
        free().then(|| GroupPass(self))
    }

    #[inline]
    fn leave(&self) {
        let inner = &self.0;
        if inner.kind == CallbackGroupKind::Reentrant {
            return;
        }
        inner.busy.store(false, Ordering::SeqCst);
        // The load comes first because usually no thread waits, and a swap costs as much as the rest of this function.
        if inner.missed.load(Ordering::SeqCst)
            && inner.missed.swap(false, Ordering::SeqCst)
            && let Some(executor) = self.lock().owners.current()
        {
            executor.ring();
        }
    }

    /// Returns a number that changes whenever a waitable is added or removed, or the executor changes.
    #[inline]
    pub fn version(&self) -> u64 {
        self.0.version.load(Ordering::Acquire)
    }

    /// Gives the group to an executor. The executor's waker is rung whenever a waitable is added. The executor before does
    /// not run the group meanwhile, and is rung too.
    pub fn set_executor(&self, waker: &Arc<Waker>) {
        let mut waitables = self.lock();
        let before = waitables.owners.add(waker);
        waitables.all.iter_mut().for_each(|member| member.has_waker = false);
        self.0.version.fetch_add(1, Ordering::Release);
        before.iter().for_each(|before| before.ring());
    }

    /// Takes the group away from an executor. If that executor runs it, the one before runs it again, and is rung. If there
    /// is none, the group rings no executor. Does nothing if the group was not added to that executor.
    pub fn clear_executor(&self, waker: &Arc<Waker>) {
        // These are dropped after the lock is released, because dropping a waitable may drop a closure of the user.
        let mut alive = Vec::new();
        let mut waitables = self.lock();
        if waitables.owners.remove(waker) {
            alive.extend(waitables.alive().map(|(waitable, has_waker)| {
                *has_waker = false;
                waitable
            }));
            alive.iter().for_each(|waitable| waitable.set_waker(None));
            self.0.version.fetch_add(1, Ordering::Release);
            waitables.owners.current().into_iter().for_each(|current| current.ring());
        }
        drop(waitables);
    }

    /// Calls `waker_of` with each waitable, in the order in which they were added. The second argument is whether the
    /// waitable has a waker of `executor` already. If `waker_of` returns a waker, the waitable gets it.
    ///
    /// Returns whether the group belongs to `executor`. If it does not, `waker_of` is not called.
    pub fn list_waitables(
        &self,
        executor: &Arc<Waker>,
        mut waker_of: impl FnMut(&Arc<dyn Waitable>, bool) -> Option<Waker>,
    ) -> bool {
        // These are dropped after the lock is released, because dropping a waitable may drop a closure of the user.
        let mut alive = Vec::new();
        let mut waitables = self.lock();
        let is_own = waitables.owners.is_current(executor);
        // The wakers are set under the lock. So an executor that takes the group meanwhile sets its own wakers later.
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

    /// Whether `executor` runs the group.
    pub fn belongs_to(&self, executor: &Arc<Waker>) -> bool {
        self.lock().owners.is_current(executor)
    }

    /// Whether the group was added to `executor`, and not removed. Another executor may run it now.
    pub fn was_added_to(&self, executor: &Arc<Waker>) -> bool {
        self.lock().owners.contains(executor)
    }

    /// Adds a new group to all executors of its node.
    pub(crate) fn set_owners(&self, owners: &Owners) {
        self.lock().owners = owners.clone();
    }

    /// Whether this is the last handle of the group, and no callback in it exists any more.
    pub fn is_unused(&self) -> bool {
        Arc::strong_count(&self.0) == 1
    }

    /// Adds a waitable. The group does not keep it alive.
    ///
    /// This is for waitables outside this crate, such as those of language bindings. The entities of this crate add
    /// themselves.
    pub fn add(&self, waitable: Weak<dyn Waitable>) {
        let mut waitables = self.lock();
        waitables.all.retain(|member| member.waitable.strong_count() > 0);
        waitables.all.push(Member { waitable, has_waker: false });
        self.0.version.fetch_add(1, Ordering::Release);
        if let Some(executor) = waitables.owners.current() {
            executor.ring();
        }
    }

    /// Removes a waitable. If its callback is running, that call continues.
    pub fn remove(&self, waitable: &Weak<dyn Waitable>) {
        let mut waitables = self.lock();
        waitables.all.retain(|member| !Weak::ptr_eq(&member.waitable, waitable));
        self.0.version.fetch_add(1, Ordering::Release);
        if let Some(executor) = waitables.owners.current() {
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
    fn a_failed_attempt_to_enter_does_not_free_the_group() {
        let group = CallbackGroup::new(CallbackGroupKind::MutuallyExclusive);
        let pass = group.try_enter();
        assert!(pass.is_some() && group.try_enter().is_none() && group.try_enter().is_none());
        drop(pass);
        assert!(group.try_enter().is_some());
    }
}
