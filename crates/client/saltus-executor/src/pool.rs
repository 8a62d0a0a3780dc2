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
    entries::{Entries, EntryIndex},
    executor::SpinError,
    listed::{CONTROL, Entry},
    ready::ReadyQueue,
    timers::TimerQueue,
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
    /// The entries that may have something to do.
    queue: ReadyQueue,
    /// The listing of the entries that the queue belongs to.
    listing: u64,
    timers: TimerQueue,
    /// The entries that could not run at the last attempt, because another executor was running a callback of their
    /// group.
    refused: Vec<EntryIndex>,
    /// The re-entrant entries that are running, once for each thread. More threads may run them.
    overlapping: Vec<EntryIndex>,
    /// The mutually exclusive groups that have a running callback.
    running: Vec<CallbackGroup>,
    /// The entries that are marked; kept for its memory.
    listed: Vec<EntryIndex>,
}

/// A callback that was picked to run.
struct Pick {
    waitable: Arc<dyn Waitable>,
    group: CallbackGroup,
    place: Place,
}

/// Where the entry of a running callback is.
#[derive(Clone, Copy)]
struct Place {
    index: EntryIndex,
    /// The listing of the entries that the index belongs to.
    listing: u64,
}

impl<D> ThreadPool<D> {
    pub(crate) fn new(doorbell: D, entries: Entries) -> Self {
        let core = PoolState {
            doorbell: Some(doorbell),
            leader_until: u64::MAX,
            rung: 0,
            entries,
            queue: ReadyQueue::default(),
            listing: 0,
            timers: TimerQueue::new(),
            refused: Vec::new(),
            overlapping: Vec::new(),
            running: Vec::new(),
            listed: Vec::new(),
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
        let Pick { waitable, group, place } = pick;
        let which = Arc::downgrade(&waitable);
        let mut leave = LeaveOnDrop { pool: self, which, group, place, executed: Executed::Ran(None) };
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
        let until = core.next_timer();
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
    place: Place,
    /// The result of the callback. Until it is known, the entry is treated as if it had more to do.
    executed: Executed,
}

impl<D> Drop for LeaveOnDrop<'_, D> {
    fn drop(&mut self) {
        // The order matters: no thread of this executor tries to enter the group until it is removed from `running`.
        drop(GroupPass::resume(&self.group));
        let mut core = self.pool.lock();
        core.leave(&self.group, &self.which, self.place, self.executed);
    }
}

impl<D> PoolState<D> {
    /// Picks the callback to run next, and enters its group.
    fn pick(&mut self, executor: &impl PoolOwner<Doorbell = D>) -> Result<Option<Pick>, SpinError> {
        let mut ready = 0;
        if let Some(doorbell) = &mut self.doorbell {
            ready = executor.collect(doorbell, self.rung, &mut self.entries)?;
            self.rung = ready & 1 << CONTROL;
        }
        if self.entries.is_stale() {
            // An entry that was removed must not run.
            self.entries.refresh();
        }
        let turn = self.entries.next_turn();
        self.update(ready, monotonic_now());
        let mut is_listed = false;
        while let Some(index) = self.queue.take() {
            // This is done only once, because other threads may make changes faster than they are listed.
            if self.entries.group(index.group()).is_stale() && !std::mem::replace(&mut is_listed, true) {
                self.entries.refresh();
                self.update(0, monotonic_now());
                continue;
            }
            let pick = self.enter(index, turn);
            if pick.is_some() {
                return Ok(pick);
            }
        }
        Ok(None)
    }

    /// Enters the group of an entry that was taken from the queue. Returns `None` if the entry can't run now.
    fn enter(&mut self, index: EntryIndex, turn: u64) -> Option<Pick> {
        let (group, entry) = self.entries.at(index);
        entry.maybe_ready = false;
        let waitable = entry.waitable.upgrade()?;
        let Some(pass) = group.try_enter() else {
            // The group belonged to another executor, which is still running a callback of it. The end of that callback
            // rings this executor.
            entry.maybe_ready = true;
            self.refused.push(index);
            return None;
        };
        // `LeaveOnDrop` leaves the group when the callback has returned.
        std::mem::forget(pass);
        entry.running += 1;
        entry.last_turn = turn;
        if entry.is_reentrant {
            self.overlapping.push(index);
        }
        let group = group.clone();
        if group.kind() == CallbackGroupKind::MutuallyExclusive {
            self.running.push(group.clone());
            self.queue.hold(index.group());
        }
        Some(Pick { waitable, group, place: Place { index, listing: self.listing } })
    }

    /// Queues the entries that may have something to do: those of the classes in `ready`, timers that are due at `now`, and
    /// those that could not run at the last attempt.
    fn update(&mut self, ready: u32, now: u64) {
        if self.listing != self.entries.listing() {
            self.rebuild();
        }
        for index in self.refused.drain(..) {
            self.queue.insert(self.entries.entry(index).last_turn, index);
        }
        let mut listed = std::mem::take(&mut self.listed);
        self.entries.list_others(ready, &mut listed);
        listed.drain(..).for_each(|index| self.mark(index));
        self.timers.update(&mut self.entries, ready);
        for index in &self.overlapping {
            let entry = self.entries.entry(*index);
            if entry.is_timer {
                self.timers.queue(&mut self.entries, *index);
            } else if entry.waitable.upgrade().is_some_and(|waitable| waitable.has_more()) {
                listed.push(*index);
            }
        }
        while let Some(index) = self.timers.take(&mut self.entries, now) {
            listed.push(index);
        }
        listed.drain(..).for_each(|index| self.mark(index));
        self.listed = listed;
    }

    /// Queues everything again, because the entries were listed again.
    fn rebuild(&mut self) {
        self.listing = self.entries.listing();
        self.refused.clear();
        let waiting = self.entries.indexed().filter(|(_, entry)| entry.maybe_ready && entry.is_free());
        self.queue.replace(waiting.map(|(index, entry)| (entry.last_turn, index)));
        if !self.running.is_empty() {
            let busy = self.entries.groups().filter(|(_, group)| self.running.contains(&group.group));
            busy.for_each(|(index, _)| self.queue.hold(index));
        }
        if !self.overlapping.is_empty() {
            self.overlapping.clear();
            for (index, entry) in self.entries.indexed().filter(|(_, entry)| entry.is_reentrant) {
                self.overlapping.extend((0..entry.running).map(|_| index));
            }
        }
    }

    /// Notes that an entry may have something to do.
    fn mark(&mut self, index: EntryIndex) {
        let entry = self.entries.at(index).1;
        // An entry that may have something to do is in the queue already, or will be when its callback returns.
        if !std::mem::replace(&mut entry.maybe_ready, true) && entry.is_free() {
            self.queue.insert(entry.last_turn, index);
        }
    }

    /// Returns the earliest deadline of the timers that are not due yet, in monotonic nanoseconds. A timer that is due
    /// and can't run is not waited for: when the running callback of its group ends, it wakes the executor.
    fn next_timer(&mut self) -> Option<u64> {
        self.timers.next(&self.entries)
    }

    /// Notes that the callback of an entry has returned.
    fn leave(&mut self, group: &CallbackGroup, which: &Weak<dyn Waitable>, place: Place, executed: Executed) {
        self.running.retain(|running| running != group);
        let is_at = |(_, entry): &(EntryIndex, &Entry)| Weak::ptr_eq(&entry.waitable, which);
        // An index is valid for one listing. The entry may have been removed.
        let index = if place.listing == self.entries.listing() {
            Some(place.index)
        } else {
            self.entries.indexed().find(is_at).map(|(index, _)| index)
        };
        let Some(index) = index else { return self.release(group) };
        let is_listed = self.listing == self.entries.listing();
        let entry = self.entries.at(index).1;
        let was_queued = entry.maybe_ready && entry.is_free();
        // The count is 0 already if the entry was removed and added again in the meantime.
        entry.running = entry.running.saturating_sub(1);
        // This is set under the same lock as the count. Otherwise another entry could run twice before this entry
        // is found to have more to do.
        entry.maybe_ready |= has_more(executed) && !entry.is_timer;
        if !is_listed {
            // The next pick queues everything again.
            return;
        }
        if entry.maybe_ready && entry.is_free() && !was_queued {
            self.queue.insert(entry.last_turn, index);
        }
        if let Some(at) = self.overlapping.iter().position(|running| *running == index) {
            self.overlapping.swap_remove(at);
        }
        self.queue.release(index.group());
        if entry.is_timer {
            self.timers.queue(&mut self.entries, index);
        }
    }

    /// Lets the entries of a group run again whose running entry was removed meanwhile. The group may still be listed, and may be
    /// held since everything was listed again.
    fn release(&mut self, group: &CallbackGroup) {
        if self.listing == self.entries.listing() {
            let index = self.entries.groups().find(|(_, one)| one.group == *group).map(|(index, _)| index);
            if let Some(index) = index {
                self.queue.release(index);
            }
        }
    }
}

/// Returns whether an entry may have more to do after its callback.
fn has_more(executed: Executed) -> bool {
    match executed {
        Executed::Nothing => false,
        Executed::Ran(arrival) => arrival.is_none_or(|arrival| !arrival.is_last),
    }
}

#[cfg(all(test, not(model)))]
mod tests {
    use std::time::Duration;

    use saltus_node::ContextOptions;

    use super::*;
    use crate::handle::ExecutorHandle;

    /// If the leader waited for such a timer, it would wake in a loop until the running callback has ended.
    #[test]
    fn a_due_timer_that_can_not_run_is_not_waited_for() {
        let folder = tempfile::TempDir::new_in("/dev/shm").unwrap();
        let context = ContextOptions::default().folder(folder.path()).handle_signals(false).create().unwrap();
        let node = context.node("node").create().unwrap();
        let _timer = node.wall_timer(Duration::from_nanos(1)).callback(|| {}).unwrap();
        let waiter = context.waiter().unwrap();
        let handle = ExecutorHandle::new(&context, &Arc::new(waiter.waker(CONTROL)));
        handle.add_node(&node);
        let pool = ThreadPool::new((), Entries::new(handle));
        let mut core = pool.lock();
        core.entries.refresh();
        core.running.push(node.default_callback_group().clone());
        core.update(0, monotonic_now());
        assert!(core.next_timer().is_none() && core.queue.take().is_none());
        core.running.clear();
        core.rebuild();
        assert!(core.queue.take().is_some());
    }
}
