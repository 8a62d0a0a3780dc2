//! The multi-threaded executor.
//!
//! One lock holds everything that says what is to be run next. A thread takes it to pick a callback and
//! lets go of it while the callback runs. The first thread that finds nothing to run becomes the leader: it
//! waits at the doorbell, without the lock. The others sleep until a leader has found more than it can do,
//! or until it runs a callback and somebody else must lead. A thread whose callback has returned picks the
//! next itself, so nobody is woken while there is work for those who are awake.

use std::{
    fmt,
    num::NonZeroUsize,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak, atomic::Ordering},
};

use saltus_node::{
    Arrival, CallbackGroup, CallbackGroupKind, Context, Executed, GroupPass, Node, OpenError, Placement,
    WaitStrategy, Waitable, Waiter, monotonic_now,
};

use crate::{
    Canceller, SpinError,
    entries::{CONTROL, Entries, Entry},
};

/// Runs the callbacks of its nodes on several threads, as their callback groups allow.
///
/// Of all callbacks that have something to do and may run, that runs next which has waited longest since
/// its last turn: none is passed over twice for the same other one.
///
/// ```no_run
/// # use saltus_executor::MultiThreadedExecutor;
/// let context = saltus_node::Context::new()?;
/// let node = context.node("busy").create()?;
/// MultiThreadedExecutor::new(&context)?.threads(4).spin(&node)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct MultiThreadedExecutor {
    context: Context,
    threads: usize,
    strategy: WaitStrategy,
    placement: Placement,
    core: Mutex<Core>,
    /// Where those sleep who neither run a callback nor lead.
    followers: Condvar,
    canceller: Canceller,
}

/// What is to be run next.
struct Core {
    /// In the leader's hands while it waits.
    waiter: Option<Waiter>,
    /// When the leader looks again even if nobody rings, in monotonic nanoseconds.
    leader_until: u64,
    entries: Entries,
    /// The mutually exclusive groups of which a callback runs.
    running: Vec<CallbackGroup>,
    turn: u64,
}

/// A callback that was picked to run.
struct Pick {
    waitable: Arc<dyn Waitable>,
    group: CallbackGroup,
}

impl fmt::Debug for MultiThreadedExecutor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MultiThreadedExecutor").field("threads", &self.threads).finish_non_exhaustive()
    }
}

impl MultiThreadedExecutor {
    /// An executor of no nodes, with a thread for each CPU, that waits adaptively.
    pub fn new(context: &Context) -> Result<Self, OpenError> {
        let waiter = context.waiter()?;
        let control = Arc::new(waiter.waker(CONTROL));
        context.on_shutdown(&control);
        let canceller = Canceller { cancelled: Arc::default(), waker: waiter.waker(CONTROL) };
        let core = Core {
            waiter: Some(waiter),
            leader_until: u64::MAX,
            entries: Entries::new(control),
            running: Vec::new(),
            turn: 0,
        };
        Ok(Self {
            context: context.clone(),
            threads: std::thread::available_parallelism().map_or(2, NonZeroUsize::get),
            strategy: WaitStrategy::default(),
            placement: Placement::default(),
            core: Mutex::new(core),
            followers: Condvar::new(),
            canceller,
        })
    }

    /// How many threads run callbacks, the one that calls [`MultiThreadedExecutor::spin`] included; 0 is
    /// taken as 1.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads.max(1);
        self
    }

    /// How it waits.
    pub fn strategy(mut self, strategy: WaitStrategy) -> Self {
        self.strategy = strategy;
        self
    }

    /// Where and how its threads run.
    pub fn placement(mut self, placement: Placement) -> Self {
        self.placement = placement;
        self
    }

    /// Takes a node in, with its automatic callback groups. It must be of the same context, and belongs
    /// to one executor at a time: the last that took it.
    pub fn add_node(&self, node: &Node) {
        self.lock().entries.add_node(node);
        self.canceller.waker.ring();
    }

    /// Gives a node back. A callback of it that runs goes on.
    pub fn remove_node(&self, node: &Node) {
        self.lock().entries.remove_node(node);
    }

    /// Takes a callback group in, whose node may be spun by another executor, or by none.
    pub fn add_callback_group(&self, group: &CallbackGroup) {
        self.lock().entries.add_group(group);
        self.canceller.waker.ring();
    }

    /// What ends a spin from elsewhere.
    pub fn canceller(&self) -> Canceller {
        self.canceller.clone()
    }

    /// Takes a node in and runs until the context shuts down or the executor is cancelled. When it
    /// returns all its threads have ended.
    ///
    /// # Panics
    /// If a callback panics: then all threads end, and the panic is passed on.
    pub fn spin(&self, node: &Node) -> Result<(), SpinError> {
        self.add_node(node);
        self.spin_all()
    }

    /// Runs the nodes it has until the context shuts down or it is cancelled.
    ///
    /// # Panics
    /// As [`MultiThreadedExecutor::spin`].
    pub fn spin_all(&self) -> Result<(), SpinError> {
        let done = std::thread::scope(|scope| {
            let mut helpers = Vec::new();
            for number in 2..=self.threads {
                let thread = std::thread::Builder::new().name(format!("saltus-exec-{number}"));
                match thread.spawn_scoped(scope, || self.work()) {
                    Ok(helper) => helpers.push(helper),
                    Err(source) => {
                        self.stop();
                        return Err(SpinError::Thread { number, all: self.threads, source });
                    }
                }
            }
            let own = self.work();
            helpers.into_iter().fold(own, |done, helper| match helper.join() {
                Ok(other) => done.and(other),
                Err(panic) => std::panic::resume_unwind(panic),
            })
        });
        self.canceller.cancelled.store(false, Ordering::Release);
        done
    }

    /// Runs callbacks on this thread until it is over.
    fn work(&self) -> Result<(), SpinError> {
        // However this ends, the others end too.
        let _stop = StopOnDrop(self);
        self.placement.apply()?;
        let mut core = self.lock();
        while !self.is_over() {
            core = match core.pick()? {
                Some(pick) => self.run(core, &pick),
                None => self.wait(core),
            };
        }
        Ok(())
    }

    /// Runs a callback, without the lock.
    fn run<'a>(&'a self, core: MutexGuard<'a, Core>, pick: &Pick) -> MutexGuard<'a, Core> {
        if core.waiter.is_some() {
            // Somebody else must lead, or help.
            self.followers.notify_one();
        }
        drop(core);
        let executed = {
            let _leave = Leave { executor: self, pick };
            pick.waitable.execute()
        };
        let mut core = self.lock();
        core.ran(pick, executed);
        core
    }

    /// Waits until there may be something to run: at the doorbell if nobody else is there.
    fn wait<'a>(&'a self, mut core: MutexGuard<'a, Core>) -> MutexGuard<'a, Core> {
        let until = core.entries.next_timer();
        let Some(mut waiter) = core.waiter.take() else {
            if until.is_some_and(|until| until < core.leader_until) {
                // A timer that the leader does not know of, because it ran when the leader looked.
                self.canceller.waker.ring();
            }
            return self.followers.wait(core).unwrap_or_else(PoisonError::into_inner);
        };
        core.leader_until = until.unwrap_or(u64::MAX);
        drop(core);
        let ready = waiter.wait(self.strategy, until);
        let mut core = self.lock();
        core.waiter = Some(waiter);
        core.mark(ready);
        core
    }

    /// Ends all threads.
    fn stop(&self) {
        self.canceller.cancel();
        // Under the lock, so that nobody is between looking and sleeping.
        let _core = self.lock();
        self.followers.notify_all();
    }

    fn is_over(&self) -> bool {
        self.context.is_shut_down() || self.canceller.cancelled.load(Ordering::Acquire)
    }

    fn lock(&self) -> MutexGuard<'_, Core> {
        self.core.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct StopOnDrop<'a>(&'a MultiThreadedExecutor);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// Leaves a group whose callback has returned, or panicked.
struct Leave<'a> {
    executor: &'a MultiThreadedExecutor,
    pick: &'a Pick,
}

impl Drop for Leave<'_> {
    fn drop(&mut self) {
        // In this order: nobody of this executor asks for the group in between.
        drop(GroupPass::resume(&self.pick.group));
        self.executor.lock().running.retain(|group| *group != self.pick.group);
    }
}

impl Core {
    /// The callback to run next, which has its group's permission from now on.
    fn pick(&mut self) -> Result<Option<Pick>, SpinError> {
        let Self { waiter, entries, .. } = self;
        if let Some(waiter) = waiter {
            if waiter.is_forked() {
                return Err(SpinError::Open(OpenError::Forked));
            }
            let ready = entries.collect(waiter);
            self.mark(ready);
        }
        let now = monotonic_now();
        let mut refused = Vec::new();
        while let Some(place) = self.longest_waiting(now, &refused) {
            let entry = &mut self.entries.all[place];
            entry.maybe = false;
            let Some(waitable) = entry.waitable.upgrade() else { continue };
            let Some(pass) = entry.group.try_enter() else {
                // Another executor had the group and still runs it: this one is rung when it has ended.
                entry.maybe = true;
                refused.push(place);
                continue;
            };
            // Given back when the callback has returned.
            std::mem::forget(pass);
            self.turn += 1;
            (entry.is_running, entry.last_turn) = (true, self.turn);
            let group = entry.group.clone();
            if group.kind() == CallbackGroupKind::MutuallyExclusive {
                self.running.push(group.clone());
            }
            return Ok(Some(Pick { waitable, group }));
        }
        Ok(None)
    }

    /// The entry that has something to do, may run, and did not for the longest time.
    fn longest_waiting(&self, now: u64, refused: &[usize]) -> Option<usize> {
        let can_run = |(place, entry): &(usize, &Entry)| {
            !entry.is_running
                && (entry.maybe || is_due(entry, now))
                && !refused.contains(place)
                && !self.running.contains(&entry.group)
        };
        let all = self.entries.all.iter().enumerate().filter(can_run);
        all.min_by_key(|(_, entry)| entry.last_turn).map(|(place, _)| place)
    }

    /// Notes what rang.
    fn mark(&mut self, ready: u32) {
        for entry in &mut self.entries.all {
            entry.maybe |= ready & 1 << entry.class != 0;
        }
    }

    /// A callback has returned.
    fn ran(&mut self, pick: &Pick, executed: Executed) {
        let same = |entry: &&mut Entry| Weak::ptr_eq(&entry.waitable, &Arc::downgrade(&pick.waitable));
        if let Some(entry) = self.entries.all.iter_mut().find(same) {
            entry.is_running = false;
            // It may have more.
            entry.maybe |= executed != Executed::Nothing;
        }
        if let (Executed::Ran(Some(Arrival { source_time, cpu })), Some(waiter)) =
            (executed, &mut self.waiter)
        {
            waiter.observe(source_time, cpu);
        }
    }
}

/// Whether it is a timer whose time has come.
fn is_due(entry: &Entry, now: u64) -> bool {
    let deadline = || entry.waitable.upgrade()?.deadline();
    entry.is_timer && deadline().is_some_and(|deadline| deadline <= now)
}
