//! The threads of a multi-threaded executor: which callback each runs next, and who waits when there is none.
//!
//! One lock holds everything that says what is to be run next. A thread takes it to pick a callback and
//! lets go of it while the callback runs. The first thread that finds nothing to run becomes the leader: it
//! waits at the doorbell, without the lock. The others sleep until a leader has found more than it can do,
//! or until it runs a callback and somebody else must lead. A thread whose callback has returned picks the
//! next itself, so nobody is woken while there is work for those who are awake.

use std::sync::{Arc, Weak};

use saltus_node::{Arrival, CallbackGroup, CallbackGroupKind, Executed, GroupPass, Waitable, monotonic_now};

use super::sync::{Condvar, Mutex, MutexGuard, lock, wait};
use crate::{
    entries::{CONTROL, Entries, Entry, Group},
    executor::SpinError,
};

/// The executor that threads work for, and its doorbell.
pub(crate) trait PoolOwner {
    /// Where the leader waits.
    type Doorbell;

    /// Whether its threads are to end.
    fn is_over(&self) -> bool;

    /// Rings the leader.
    fn ring(&self);

    /// The classes that have rung, with those that had before, after taking up what there is to run.
    fn collect(
        &self,
        doorbell: &mut Self::Doorbell,
        before: u32,
        entries: &mut Entries,
    ) -> Result<u32, SpinError>;

    /// Waits until something rings or that time has come, in monotonic nanoseconds. The classes that have rung.
    fn wait(&self, doorbell: &mut Self::Doorbell, until: Option<u64>) -> u32;

    /// Learns from when a message was sent that a callback was run for.
    fn observe(&self, doorbell: &mut Self::Doorbell, arrival: Arrival);
}

/// The threads of an executor.
pub(crate) struct ThreadPool<D> {
    core: Mutex<Core<D>>,
    /// Where those sleep who neither run a callback nor lead.
    followers: Condvar,
}

/// What is to be run next.
pub(crate) struct Core<D> {
    /// In the leader's hands while it waits.
    doorbell: Option<D>,
    /// When the leader looks again even if nobody rings, in monotonic nanoseconds.
    leader_until: u64,
    /// What rang while the leader waited.
    rung: u32,
    pub(crate) entries: Entries,
    /// The mutually exclusive groups of which a callback runs.
    running: Vec<CallbackGroup>,
}

/// A callback that was picked to run.
struct Pick {
    waitable: Arc<dyn Waitable>,
    group: CallbackGroup,
}

impl<D> ThreadPool<D> {
    pub(crate) fn new(doorbell: D, entries: Entries) -> Self {
        let core =
            Core { doorbell: Some(doorbell), leader_until: u64::MAX, rung: 0, entries, running: Vec::new() };
        Self { core: Mutex::new(core), followers: Condvar::new() }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Core<D>> {
        lock(&self.core)
    }

    /// Runs callbacks on this thread until it is over.
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

    /// Wakes all who sleep, so that they see that it is over.
    pub(crate) fn wake_all(&self) {
        // Under the lock, so that nobody is between looking and sleeping.
        let _core = self.lock();
        self.followers.notify_all();
    }

    /// Runs a callback, without the lock.
    fn run<'a>(
        &'a self,
        executor: &impl PoolOwner<Doorbell = D>,
        core: MutexGuard<'a, Core<D>>,
        pick: Pick,
    ) -> MutexGuard<'a, Core<D>> {
        if core.doorbell.is_some() {
            // Somebody else must lead, or help.
            self.followers.notify_one();
        }
        drop(core);
        let Pick { waitable, group } = pick;
        let which = Arc::downgrade(&waitable);
        let mut leave = Leave { pool: self, which, group, executed: Executed::Ran(None) };
        leave.executed = waitable.execute();
        // Without the lock: it may be the last, and the user's closure is dropped with it.
        drop(waitable);
        let executed = leave.executed;
        drop(leave);
        let mut core = self.lock();
        if let (Executed::Ran(Some(arrival)), Some(doorbell)) = (executed, &mut core.doorbell) {
            executor.observe(doorbell, arrival);
        }
        core
    }

    /// Waits until there may be something to run: at the doorbell if nobody else is there.
    fn wait<'a>(
        &'a self,
        executor: &impl PoolOwner<Doorbell = D>,
        mut core: MutexGuard<'a, Core<D>>,
    ) -> MutexGuard<'a, Core<D>> {
        // The ring that told of the end may have been collected already.
        // And so may one that told of something new.
        if executor.is_over() || core.rung != 0 {
            return core;
        }
        let until = core.entries.next_timer(&core.running);
        let Some(mut doorbell) = core.doorbell.take() else {
            if until.is_some_and(|until| until < core.leader_until) {
                // A timer that the leader does not know of, because it ran when the leader looked.
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

/// Leaves a group whose callback has returned, or panicked.
struct Leave<'a, D> {
    pool: &'a ThreadPool<D>,
    which: Weak<dyn Waitable>,
    group: CallbackGroup,
    /// How it went; until that is known, it may have more.
    executed: Executed,
}

impl<D> Drop for Leave<'_, D> {
    fn drop(&mut self) {
        // In this order: nobody of this executor asks for the group in between.
        drop(GroupPass::resume(&self.group));
        let mut core = self.pool.lock();
        core.running.retain(|group| *group != self.group);
        if let Some(entry) = core.entry(&self.which) {
            // None, if it was taken back and given again meanwhile.
            entry.running = entry.running.saturating_sub(1);
            // Together with the above: else others could take two turns before it is seen to have more.
            entry.maybe |= self.executed != Executed::Nothing;
        }
    }
}

impl<D> Core<D> {
    /// The callback to run next, which has its group's permission from now on.
    fn pick(&mut self, executor: &impl PoolOwner<Doorbell = D>) -> Result<Option<Pick>, SpinError> {
        if let Some(doorbell) = &mut self.doorbell {
            let ready = executor.collect(doorbell, self.rung, &mut self.entries)?;
            self.rung = ready & 1 << CONTROL;
            self.mark(ready);
        }
        self.entries.iter_mut().for_each(|entry| entry.is_refused = false);
        let (now, turn) = (monotonic_now(), self.entries.next_turn());
        if self.entries.is_stale() {
            // What was taken back is not run.
            self.entries.refresh();
        }
        let mut is_listed = false;
        loop {
            let Some((group, place)) = longest_waiting(&mut self.entries, &self.running, now) else {
                return Ok(None);
            };
            // Once: others may change it faster than it is listed.
            if group.is_stale() && !std::mem::replace(&mut is_listed, true) {
                self.entries.refresh();
                continue;
            }
            let (group, entry) = (&group.group, &mut group.entries[place]);
            entry.maybe = false;
            let Some(waitable) = entry.waitable.upgrade() else { continue };
            let Some(pass) = group.try_enter() else {
                // Another executor had the group and still runs it: this one is rung when it has ended.
                (entry.maybe, entry.is_refused) = (true, true);
                continue;
            };
            // Given back when the callback has returned.
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

    /// Notes what rang.
    fn mark(&mut self, ready: u32) {
        for entry in self.entries.iter_mut() {
            entry.maybe |= ready & 1 << entry.class != 0;
        }
    }
}

/// The entry that has something to do, may run, and did not for the longest time: its group, and its place in it.
fn longest_waiting<'a>(
    entries: &'a mut Entries,
    busy: &[CallbackGroup],
    now: u64,
) -> Option<(&'a mut Group, usize)> {
    let can_run = |entry: &Entry| {
        entry.is_free() && !entry.is_refused && (entry.maybe || is_due(entry, now) || has_more(entry))
    };
    let free = entries.groups().filter(|group| !busy.contains(&group.group));
    let longest_of = |group: &Group| {
        let ready = (0..).zip(&group.entries).filter(|(_, entry)| can_run(entry));
        ready.map(|(place, entry)| (entry.last_turn, place)).min()
    };
    let longest = free.filter_map(|group| longest_of(group).map(|(turn, place)| (turn, place, group)));
    longest.min_by_key(|(turn, ..)| *turn).map(|(_, place, group)| (group, place))
}

/// Whether a further thread can help those that run it.
fn has_more(entry: &Entry) -> bool {
    entry.running > 0
        && !entry.is_timer
        && entry.waitable.upgrade().is_some_and(|waitable| waitable.has_more())
}

/// Whether it is a timer whose time has come.
fn is_due(entry: &Entry, now: u64) -> bool {
    entry.is_timer && entry.deadline().is_some_and(|deadline| deadline <= now)
}
