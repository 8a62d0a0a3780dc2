//! The threads of a multi-threaded executor: which callback each thread runs next, and which thread waits.
//!
//! One lock guards the state that decides which callback runs next. A thread takes the lock to pick a callback, and
//! releases it while the callback runs. The first thread that finds nothing to run becomes the leader: it waits at the
//! doorbell, without the lock. The other threads sleep. If no thread waits at the doorbell, a thread that begins to run
//! a callback wakes one of the sleeping threads. That thread becomes the leader, or runs another callback. A thread
//! whose callback has returned picks the next callback itself. So no thread is woken as long as the threads that are
//! awake can do all the work.

use std::sync::{Arc, Weak};

use saltus_node::{Arrival, CallbackGroup, CallbackGroupKind, Executed, GroupPass, Waitable, monotonic_now};

use super::sync::{Condvar, Mutex, MutexGuard, lock, wait};
use crate::{
    entries::{CONTROL, Entries, Entry, Group},
    executor::SpinError,
};

/// The executor that the threads belong to.
pub(crate) trait PoolOwner {
    /// The type of the doorbell at which the leader waits.
    type Doorbell;

    /// Returns whether the threads must end.
    fn is_over(&self) -> bool;

    /// Wakes the leader.
    fn ring(&self);

    /// Takes the classes that were rung, and lists the entries again if they have changed. Returns these classes and
    /// those in `before`.
    fn collect(
        &self,
        doorbell: &mut Self::Doorbell,
        before: u32,
        entries: &mut Entries,
    ) -> Result<u32, SpinError>;

    /// Waits until the doorbell is rung, or until the monotonic time `until` in nanoseconds. Returns the classes that
    /// were rung.
    fn wait(&self, doorbell: &mut Self::Doorbell, until: Option<u64>) -> u32;

    /// Notes when and from which CPU a message was sent. It is called after the callback has run.
    fn observe(&self, doorbell: &mut Self::Doorbell, arrival: Arrival);
}

/// The threads of an executor.
pub(crate) struct ThreadPool<D> {
    core: Mutex<PoolState<D>>,
    /// The condition variable of the threads that neither run a callback nor lead.
    followers: Condvar,
}

/// The state that decides which callback runs next.
pub(crate) struct PoolState<D> {
    /// The doorbell. `None` while the leader waits at it.
    doorbell: Option<D>,
    /// The time until which the leader waits, in monotonic nanoseconds.
    leader_until: u64,
    /// The classes that were rung while the leader waited.
    rung: u32,
    pub(crate) entries: Entries,
    /// The mutually exclusive groups that have a running callback.
    running: Vec<CallbackGroup>,
}

/// A callback that was picked to run.
struct Pick {
    waitable: Arc<dyn Waitable>,
    group: CallbackGroup,
}

impl<D> ThreadPool<D> {
    pub(crate) fn new(doorbell: D, entries: Entries) -> Self {
        let core = PoolState {
            doorbell: Some(doorbell),
            leader_until: u64::MAX,
            rung: 0,
            entries,
            running: Vec::new(),
        };
        Self { core: Mutex::new(core), followers: Condvar::new() }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, PoolState<D>> {
        lock(&self.core)
    }

    /// Runs callbacks on this thread until the executor must end.
    pub(crate) fn work(&self, executor: &impl PoolOwner<Doorbell = D>) -> Result<(), SpinError> {
        let mut core = self.lock();
        while !executor.is_over() {
            core = match core.pick(executor)? {
                Some(pick) => self.run(executor, core, pick),
                None => self.wait(executor, core),
            };
        }
        Ok(())
    }

    /// Wakes all sleeping threads, so that they check whether the executor must end.
    pub(crate) fn wake_all(&self) {
        // The lock ensures that no thread is between its check and its sleep.
        let _core = self.lock();
        self.followers.notify_all();
    }

    /// Runs a callback, without the lock.
    fn run<'a>(
        &'a self,
        executor: &impl PoolOwner<Doorbell = D>,
        core: MutexGuard<'a, PoolState<D>>,
        pick: Pick,
    ) -> MutexGuard<'a, PoolState<D>> {
        if core.doorbell.is_some() {
            // No thread leads, so another thread must lead or run a callback.
            self.followers.notify_one();
        }
        drop(core);
        let Pick { waitable, group } = pick;
        let which = Arc::downgrade(&waitable);
        let mut leave = LeaveOnDrop { pool: self, which, group, executed: Executed::Ran(None) };
        leave.executed = waitable.execute();
        // This is dropped without the lock, because it may be the last reference and then drops the user's closure.
        drop(waitable);
        let executed = leave.executed;
        drop(leave);
        let mut core = self.lock();
        if let (Executed::Ran(Some(arrival)), Some(doorbell)) = (executed, &mut core.doorbell) {
            executor.observe(doorbell, arrival);
        }
        core
    }

    /// Waits until there may be something to run. Waits at the doorbell if no other thread waits there.
    fn wait<'a>(
        &'a self,
        executor: &impl PoolOwner<Doorbell = D>,
        mut core: MutexGuard<'a, PoolState<D>>,
    ) -> MutexGuard<'a, PoolState<D>> {
        // The ring for the end of the spin, or for a new entry, may have been taken already.
        if executor.is_over() || core.rung != 0 {
            return core;
        }
        let until = core.entries.next_timer(&core.running);
        let Some(mut doorbell) = core.doorbell.take() else {
            if until.is_some_and(|until| until < core.leader_until) {
                // The leader does not wait for this timer, because the timer was running when the leader began to wait.
                executor.ring();
            }
            return wait(&self.followers, core);
        };
        core.leader_until = until.unwrap_or(u64::MAX);
        drop(core);
        let ready = executor.wait(&mut doorbell, until);
        let mut core = self.lock();
        core.doorbell = Some(doorbell);
        core.rung |= ready;
        core
    }
}

/// A guard that leaves a group when a callback has returned or panicked.
struct LeaveOnDrop<'a, D> {
    pool: &'a ThreadPool<D>,
    which: Weak<dyn Waitable>,
    group: CallbackGroup,
    /// The result of the callback. Until it is known, the entry is treated as if it had more to do.
    executed: Executed,
}

impl<D> Drop for LeaveOnDrop<'_, D> {
    fn drop(&mut self) {
        // The order matters: no thread of this executor tries to enter the group until it is removed from `running`.
        drop(GroupPass::resume(&self.group));
        let mut core = self.pool.lock();
        core.running.retain(|group| *group != self.group);
        if let Some(entry) = core.entry(&self.which) {
            // The count is 0 already if the entry was removed and added again in the meantime.
            entry.running = entry.running.saturating_sub(1);
            // This is set under the same lock as the count. Otherwise another entry could run twice before this entry
            // is found to have more to do.
            entry.maybe_ready |= self.executed != Executed::Nothing;
        }
    }
}

impl<D> PoolState<D> {
    /// Picks the callback to run next, and enters its group.
    fn pick(&mut self, executor: &impl PoolOwner<Doorbell = D>) -> Result<Option<Pick>, SpinError> {
        if let Some(doorbell) = &mut self.doorbell {
            let ready = executor.collect(doorbell, self.rung, &mut self.entries)?;
            self.rung = ready & 1 << CONTROL;
            self.mark(ready);
        }
        self.entries.iter_mut().for_each(|entry| entry.is_refused = false);
        let (now, turn) = (monotonic_now(), self.entries.next_turn());
        if self.entries.is_stale() {
            // An entry that was removed must not run.
            self.entries.refresh();
        }
        let mut is_listed = false;
        loop {
            let Some((group, index)) = longest_waiting(&mut self.entries, &self.running, now) else {
                return Ok(None);
            };
            // This is done only once, because other threads may make changes faster than they are listed.
            if group.is_stale() && !std::mem::replace(&mut is_listed, true) {
                self.entries.refresh();
                continue;
            }
            let (group, entry) = (&group.group, &mut group.entries[index]);
            entry.maybe_ready = false;
            let Some(waitable) = entry.waitable.upgrade() else { continue };
            let Some(pass) = group.try_enter() else {
                // The group belonged to another executor, which is still running a callback of it. The end of that
                // callback rings this executor.
                (entry.maybe_ready, entry.is_refused) = (true, true);
                continue;
            };
            // `LeaveOnDrop` leaves the group when the callback has returned.
            std::mem::forget(pass);
            entry.running += 1;
            entry.last_turn = turn;
            let group = group.clone();
            if group.kind() == CallbackGroupKind::MutuallyExclusive {
                self.running.push(group.clone());
            }
            return Ok(Some(Pick { waitable, group }));
        }
    }

    fn entry(&mut self, which: &Weak<dyn Waitable>) -> Option<&mut Entry> {
        self.entries.iter_mut().find(|entry| Weak::ptr_eq(&entry.waitable, which))
    }

    /// Marks the entries of the ready classes: they may have something to do.
    fn mark(&mut self, ready: u32) {
        for entry in self.entries.iter_mut() {
            entry.maybe_ready |= ready & 1 << entry.class != 0;
        }
    }
}

/// Returns the entry that has not run for the longest time, of those that have something to do and may run: its group,
/// and its index in the group.
fn longest_waiting<'a>(
    entries: &'a mut Entries,
    busy: &[CallbackGroup],
    now: u64,
) -> Option<(&'a mut Group, usize)> {
    let can_run = |entry: &Entry| {
        entry.is_free() && !entry.is_refused && (entry.maybe_ready || is_due(entry, now) || has_more(entry))
    };
    let free = entries.groups().filter(|group| !busy.contains(&group.group));
    let longest_of = |group: &Group| {
        let ready = (0..).zip(&group.entries).filter(|(_, entry)| can_run(entry));
        ready.map(|(index, entry)| (entry.last_turn, index)).min()
    };
    let longest = free.filter_map(|group| longest_of(group).map(|(turn, index)| (turn, index, group)));
    longest.min_by_key(|(turn, ..)| *turn).map(|(_, index, group)| (group, index))
}

/// Returns whether there is something to do for one more thread besides those that are running the entry.
fn has_more(entry: &Entry) -> bool {
    entry.running > 0
        && !entry.is_timer
        && entry.waitable.upgrade().is_some_and(|waitable| waitable.has_more())
}

/// Returns whether the entry is a timer that is due.
fn is_due(entry: &Entry, now: u64) -> bool {
    entry.is_timer && entry.deadline().is_some_and(|deadline| deadline <= now)
}
