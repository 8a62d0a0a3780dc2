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
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use saltus_node::{
    Arrival, CallbackGroup, CallbackGroupKind, Context, Executed, GroupPass, Node, OpenError, Placement,
    WaitStrategy, Waitable, Waiter, Waker, monotonic_now,
};

use crate::{
    Canceller, SpinError,
    entries::{CONTROL, Entries, Entry},
    future::{Completion, Flag, deadline_after},
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
    is_spinning: AtomicBool,
    /// Whom to ring when it stops, besides its threads.
    on_stop: Mutex<Option<Arc<Waker>>>,
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
            is_spinning: AtomicBool::new(false),
            on_stop: Mutex::default(),
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

    /// Takes a node in, with its automatic callback groups. It belongs to one executor at a time: the last
    /// that took it.
    ///
    /// # Panics
    /// If the node is of another context.
    pub fn add_node(&self, node: &Node) {
        assert!(*node.context() == self.context, "an executor runs the nodes of its own context");
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

    /// Gives a callback group back. A callback of it that runs goes on.
    pub fn remove_callback_group(&self, group: &CallbackGroup) {
        self.lock().entries.remove_group(group);
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
        let _spin = Spin::begin(self)?;
        self.spin_beside(2, || self.work())
    }

    /// Runs until a future is complete, for at most `timeout` (for ever if `None`). `None` if the time is
    /// up, the context shut down or the executor was cancelled before.
    ///
    /// The future is polled on this thread, and callbacks run on as many others.
    ///
    /// # Panics
    /// As [`MultiThreadedExecutor::spin`].
    pub fn spin_until_future_complete<F: Future>(
        &self,
        future: F,
        timeout: Option<Duration>,
    ) -> Result<Option<F::Output>, SpinError> {
        let _spin = Spin::begin(self)?;
        let deadline = timeout.map(deadline_after);
        // A doorbell of its own: the executor's is its leader's.
        let mut waiter = self.context.waiter()?;
        let control = Arc::new(waiter.waker(0));
        self.context.on_shutdown(&control);
        *self.on_stop.lock().unwrap_or_else(PoisonError::into_inner) = Some(control);
        let flag = Flag::new(waiter.waker(0));
        let mut completion = Completion::new(future, &flag);
        let mut output = None;
        self.spin_beside(1, || {
            // However this ends, by a panic of the future too, the others end.
            let _stop = StopOnDrop(self);
            loop {
                output = completion.poll();
                let is_late = deadline.is_some_and(|deadline| monotonic_now() >= deadline);
                if output.is_some() || is_late || self.is_over() {
                    return Ok(());
                }
                if !flag.is_woken() {
                    waiter.wait(self.strategy, deadline);
                }
            }
        })?;
        Ok(output)
    }

    /// Does something on this thread while others run callbacks, the first of which has that number; ends
    /// when all have ended.
    fn spin_beside(
        &self,
        first: usize,
        own: impl FnOnce() -> Result<(), SpinError>,
    ) -> Result<(), SpinError> {
        std::thread::scope(|scope| {
            let mut helpers = Vec::new();
            for number in first..=self.threads {
                let thread = std::thread::Builder::new().name(format!("saltus-exec-{number}"));
                match thread.spawn_scoped(scope, || self.work()) {
                    Ok(helper) => helpers.push(helper),
                    Err(source) => {
                        self.stop();
                        return Err(SpinError::Thread { number, all: self.threads, source });
                    }
                }
            }
            let own = own();
            helpers.into_iter().fold(own, |done, helper| match helper.join() {
                Ok(other) => done.and(other),
                Err(panic) => std::panic::resume_unwind(panic),
            })
        })
    }

    /// Runs callbacks on this thread until it is over.
    fn work(&self) -> Result<(), SpinError> {
        // However this ends, the others end too.
        let _stop = StopOnDrop(self);
        self.placement.apply()?;
        let mut core = self.lock();
        while !self.is_over() {
            core = match core.pick()? {
                Some(pick) => self.run(core, pick),
                None => self.wait(core),
            };
        }
        Ok(())
    }

    /// Runs a callback, without the lock.
    fn run<'a>(&'a self, core: MutexGuard<'a, Core>, pick: Pick) -> MutexGuard<'a, Core> {
        if core.waiter.is_some() {
            // Somebody else must lead, or help.
            self.followers.notify_one();
        }
        drop(core);
        let Pick { waitable, group } = pick;
        let which = Arc::downgrade(&waitable);
        let mut leave = Leave { executor: self, which, group, executed: Executed::Ran(None) };
        leave.executed = waitable.execute();
        // Without the lock: it may be the last, and the user's closure is dropped with it.
        drop(waitable);
        let executed = leave.executed;
        drop(leave);
        let mut core = self.lock();
        if let (Executed::Ran(Some(Arrival { sent_at, cpu })), Some(waiter)) = (executed, &mut core.waiter) {
            waiter.observe(sent_at, cpu);
        }
        core
    }

    /// Waits until there may be something to run: at the doorbell if nobody else is there.
    fn wait<'a>(&'a self, mut core: MutexGuard<'a, Core>) -> MutexGuard<'a, Core> {
        // The ring that told of the end may have been collected already.
        if self.is_over() {
            return core;
        }
        let until = core.entries.next_timer(&core.running);
        let Some(mut waiter) = core.waiter.take() else {
            if until.is_some_and(|until| until < core.leader_until) {
                // A timer that the leader does not know of, because it ran when the leader looked.
                self.canceller.waker.ring();
            }
            return self.followers.wait(core).unwrap_or_else(PoisonError::into_inner);
        };
        core.leader_until = until.unwrap_or(u64::MAX);
        drop(core);
        let ready = self.wait_at_the_doorbell(&mut waiter, until);
        let mut core = self.lock();
        core.waiter = Some(waiter);
        core.mark(ready);
        core
    }

    /// Waits until something is ready or a timer is due.
    fn wait_at_the_doorbell(&self, waiter: &mut Waiter, due: Option<u64>) -> u32 {
        let tail = due.map(|due| due.saturating_sub(waiter.lead(self.strategy, due)));
        let ready = waiter.wait(self.strategy, tail);
        match due.filter(|due| ready == 0 && tail.is_some_and(|tail| (tail..*due).contains(&monotonic_now())))
        {
            Some(due) => waiter.spin_until(due),
            None => ready,
        }
    }

    /// Ends all threads.
    fn stop(&self) {
        self.canceller.cancel();
        // Under the lock, so that nobody is between looking and sleeping.
        let _core = self.lock();
        self.followers.notify_all();
        if let Some(waker) = &*self.on_stop.lock().unwrap_or_else(PoisonError::into_inner) {
            waker.ring();
        }
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

/// The right to spin: one thread's at a time. However a spin ends, a cancellation is used up.
struct Spin<'a>(&'a MultiThreadedExecutor);

impl<'a> Spin<'a> {
    fn begin(executor: &'a MultiThreadedExecutor) -> Result<Self, SpinError> {
        match executor.is_spinning.swap(true, Ordering::AcqRel) {
            true => Err(SpinError::Spinning),
            false => Ok(Self(executor)),
        }
    }
}

impl Drop for Spin<'_> {
    fn drop(&mut self) {
        *self.0.on_stop.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.0.canceller.cancelled.store(false, Ordering::Release);
        self.0.is_spinning.store(false, Ordering::Release);
    }
}

/// Leaves a group whose callback has returned, or panicked.
struct Leave<'a> {
    executor: &'a MultiThreadedExecutor,
    which: Weak<dyn Waitable>,
    group: CallbackGroup,
    /// How it went; until that is known, it may have more.
    executed: Executed,
}

impl Drop for Leave<'_> {
    fn drop(&mut self) {
        // In this order: nobody of this executor asks for the group in between.
        drop(GroupPass::resume(&self.group));
        let mut core = self.executor.lock();
        core.running.retain(|group| *group != self.group);
        if let Some(entry) = core.entry(&self.which) {
            entry.is_running = false;
            // Together with the above: else others could take two turns before it is seen to have more.
            entry.maybe |= self.executed != Executed::Nothing;
        }
    }
}

impl Core {
    /// The callback to run next, which has its group's permission from now on.
    fn pick(&mut self) -> Result<Option<Pick>, SpinError> {
        let Self { waiter, entries, .. } = self;
        if let Some(waiter) = waiter {
            waiter.check()?;
            let ready = entries.collect(waiter);
            self.mark(ready);
        }
        self.entries.all.iter_mut().for_each(|entry| entry.is_refused = false);
        let now = monotonic_now();
        while let Some(place) = self.longest_waiting(now) {
            let entry = &mut self.entries.all[place];
            entry.maybe = false;
            let Some(waitable) = entry.waitable.upgrade() else { continue };
            let Some(pass) = entry.group.try_enter() else {
                // Another executor had the group and still runs it: this one is rung when it has ended.
                (entry.maybe, entry.is_refused) = (true, true);
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
    fn longest_waiting(&self, now: u64) -> Option<usize> {
        let can_run = |(_, entry): &(usize, &Entry)| {
            !entry.is_running
                && (entry.maybe || is_due(entry, now))
                && !entry.is_refused
                && !self.running.contains(&entry.group)
        };
        let all = self.entries.all.iter().enumerate().filter(can_run);
        all.min_by_key(|(_, entry)| entry.last_turn).map(|(place, _)| place)
    }

    fn entry(&mut self, which: &Weak<dyn Waitable>) -> Option<&mut Entry> {
        self.entries.all.iter_mut().find(|entry| Weak::ptr_eq(&entry.waitable, which))
    }

    /// Notes what rang.
    fn mark(&mut self, ready: u32) {
        for entry in &mut self.entries.all {
            entry.maybe |= ready & 1 << entry.class != 0;
        }
    }
}

/// Whether it is a timer whose time has come.
fn is_due(entry: &Entry, now: u64) -> bool {
    let deadline = || entry.waitable.upgrade()?.deadline();
    entry.is_timer && deadline().is_some_and(|deadline| deadline <= now)
}
