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
/// Cheap to clone. A group belongs to one executor at a time: the last that took it. It lives as long as a
/// handle of it, or a callback in it.
#[derive(Clone)]
pub struct CallbackGroup(Arc<Inner>);

/// A group that is not kept alive.
pub(crate) struct WeakCallbackGroup(Weak<Inner>);

impl WeakCallbackGroup {
    pub(crate) fn upgrade(&self) -> Option<CallbackGroup> {
        self.0.upgrade().map(CallbackGroup)
    }
}

struct Inner {
    kind: CallbackGroupKind,
    busy: AtomicBool,
    /// Whether somebody found it busy and waits to be told.
    missed: AtomicBool,
    waitables: Mutex<Waitables>,
    /// Counts changes of `waitables`, so that an executor sees them with one load.
    version: AtomicU64,
}

#[derive(Default)]
struct Waitables {
    all: Vec<Member>,
    /// Whom to tell when there is a new one.
    executor: Option<Arc<Waker>>,
}

/// A waitable of a group.
struct Member {
    waitable: Weak<dyn Waitable>,
    /// Whether it has a waker of the group's executor.
    has_waker: bool,
}

impl Waitables {
    /// Those that are there still.
    fn alive(&mut self) -> impl Iterator<Item = (Arc<dyn Waitable>, &mut bool)> {
        self.all.retain(|member| member.waitable.strong_count() > 0);
        self.all.iter_mut().filter_map(|member| Some((member.waitable.upgrade()?, &mut member.has_waker)))
    }

    fn is_of(&self, executor: &Arc<Waker>) -> bool {
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

/// The right to run a callback of a group; ends when dropped.
#[derive(Debug)]
pub struct GroupPass<'a>(&'a CallbackGroup);

impl<'a> GroupPass<'a> {
    /// The right that was forgotten (`std::mem::forget`) on another thread or in another scope.
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

    /// Its rule.
    pub fn kind(&self) -> CallbackGroupKind {
        self.0.kind
    }

    /// The right to run a callback of it now; `None` if another callback runs that excludes it. Then the
    /// group's executor is rung when that one has returned.
    ///
    /// No end of a callback is overlooked: either this sees that it has ended, or who ends it sees that
    /// somebody waits. Each stores before it looks.
    #[inline]
    pub fn try_enter(&self) -> Option<GroupPass<'_>> {
        let inner = &self.0;
        let free = || inner.kind == CallbackGroupKind::Reentrant || !inner.busy.swap(true, Ordering::SeqCst);
        if free() {
            return Some(GroupPass(self));
        }
        inner.missed.store(true, Ordering::SeqCst);
        // Made only then: dropping one that was not given would free the group.
        free().then(|| GroupPass(self))
    }

    #[inline]
    fn leave(&self) {
        let inner = &self.0;
        if inner.kind == CallbackGroupKind::Reentrant {
            return;
        }
        inner.busy.store(false, Ordering::SeqCst);
        // A load first: nobody waits, as a rule, and a swap costs as much as all the rest.
        if inner.missed.load(Ordering::SeqCst)
            && inner.missed.swap(false, Ordering::SeqCst)
            && let Some(executor) = &self.lock().executor
        {
            executor.ring();
        }
    }

    /// Changes whenever there is a new waitable, or another executor, or none.
    pub fn version(&self) -> u64 {
        self.0.version.load(Ordering::Acquire)
    }

    /// Gives the group to an executor, which is rung whenever there is something new; the executor that
    /// had it is rung too, and has it no more.
    pub fn set_executor(&self, waker: &Arc<Waker>) {
        let mut waitables = self.lock();
        let before = waitables.executor.replace(waker.clone());
        waitables.all.iter_mut().for_each(|member| member.has_waker = false);
        self.0.version.fetch_add(1, Ordering::Release);
        before.iter().for_each(|before| before.ring());
    }

    /// Takes the group from an executor, and rings nobody from now on. Nothing happens if another
    /// executor has it by now.
    pub fn clear_executor(&self, waker: &Arc<Waker>) {
        // Dropped after the lock: the last of a waitable drops a closure of the user.
        let mut alive = Vec::new();
        let mut waitables = self.lock();
        if waitables.is_of(waker) {
            waitables.executor = None;
            alive.extend(waitables.alive().map(|(waitable, _)| waitable));
            alive.iter().for_each(|waitable| waitable.set_waker(None));
            self.0.version.fetch_add(1, Ordering::Release);
        }
        drop(waitables);
    }

    /// Shows that executor what it has to run, in the order in which it was added, and whether it has a waker of that
    /// executor's. Each is given the waker that `waker_of` returns. Whether the group is still that executor's.
    pub fn list_waitables(
        &self,
        executor: &Arc<Waker>,
        mut waker_of: impl FnMut(&Arc<dyn Waitable>, bool) -> Option<Waker>,
    ) -> bool {
        // Dropped after the lock: the last of a waitable drops a closure of the user.
        let mut alive = Vec::new();
        let mut waitables = self.lock();
        let is_own = waitables.is_of(executor);
        // Under the lock: another executor that takes the group gives its own wakers after this.
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

    /// Whether the group is that executor's.
    pub fn is_of(&self, executor: &Arc<Waker>) -> bool {
        self.lock().is_of(executor)
    }

    /// Whether nobody else has a handle of it, nor anything in it lives.
    pub fn is_abandoned(&self) -> bool {
        Arc::strong_count(&self.0) == 1
    }

    /// Adds something to run, for as long as it is kept elsewhere: the group does not keep it.
    ///
    /// For what another language makes of a callback; publishers, subscriptions, timers… of this one come by
    /// themselves.
    pub fn add(&self, waitable: Weak<dyn Waitable>) {
        let mut waitables = self.lock();
        waitables.all.retain(|member| member.waitable.strong_count() > 0);
        waitables.all.push(Member { waitable, has_waker: false });
        self.0.version.fetch_add(1, Ordering::Release);
        if let Some(executor) = &waitables.executor {
            executor.ring();
        }
    }

    /// Takes something out again. A call of it that runs goes on.
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
    fn who_is_refused_does_not_free_the_group() {
        let group = CallbackGroup::new(CallbackGroupKind::MutuallyExclusive);
        let pass = group.try_enter();
        assert!(pass.is_some() && group.try_enter().is_none() && group.try_enter().is_none());
        drop(pass);
        assert!(group.try_enter().is_some());
    }
}
