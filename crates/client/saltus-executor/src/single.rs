//! The single-threaded executor.

use std::{
    fmt, io,
    os::fd::{BorrowedFd, OwnedFd},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use saltus_node::{
    CallbackGroup, Context, CpuCounts, Executed, OpenError, Placement, PollFd, PollFlags, WaitStrategy,
    Waiter, monotonic_now,
};

use crate::{
    entries::{Entries, EntryIndex},
    executor::{Executor, SpinError},
    future::{Completion, Flag, deadline_after},
    handle::ExecutorHandle,
    limit::Limit,
    listed::{CONTROL, Entry},
    timers::TimerQueue,
};

/// The event of a file descriptor for which the executor calls back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interest {
    /// There is data to read, or the other end is closed.
    Readable,
    /// There is room to write.
    Writable,
}

/// An executor that runs the callbacks of its nodes on the thread that spins it.
///
/// The executor works in passes. In each pass, it first takes one message from each subscription that has one. Then it
/// takes one request of each server of a service that has one. Then it runs each timer that is due, in the order
/// in which the timers were created. Then it runs the callbacks of file descriptors that are ready. If a callback publishes
/// to a subscription that has not run in this pass, that message comes before the next timer. So a subscription with a long
/// queue can't starve other subscriptions, and messages can't starve timers. The executor waits only when nothing is ready.
///
/// ```no_run
/// # use saltus::{Executor, SingleThreadedExecutor};
/// let context = saltus::Context::new()?;
/// let node = context.node("idle").create()?;
/// SingleThreadedExecutor::new(&context)?.spin_node(&node)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct SingleThreadedExecutor {
    waiter: Waiter,
    strategy: WaitStrategy,
    placement: Option<Placement>,
    /// The time before a timer is due during which the thread does not sleep, in nanoseconds.
    spin_tail: u64,
    pub(crate) entries: Entries,
    timers: TimerQueue,
    fds: Vec<FdEntry>,
    /// The entries that [`SingleThreadedExecutor::run_ready`] examines; kept for its memory.
    examined: Vec<EntryIndex>,
    /// The classes whose entries may have something to do.
    ready: u32,
    /// The classes of entries that could not run in the last pass, because another executor was running a callback of
    /// their group. The end of that callback rings the doorbell.
    refused: u32,
    /// Whether a class was rung in the last pass. Its entries may have run before the ring.
    has_rung: bool,
    /// Whether the last pass reached its limit. The next one goes on with the same turn.
    is_unfinished: bool,
    /// How many wakes of the handle have ended a wait for one callback, or were seen by one.
    seen_wakes: u64,
}

struct FdEntry {
    fd: OwnedFd,
    interest: PollFlags,
    is_ready: bool,
    callback: Box<dyn FnMut() + Send>,
    alive: Arc<AtomicBool>,
}

/// A pass over all entries. No entry runs twice in a pass.
struct Pass {
    turn: u64,
    /// The classes whose entries may have something to do in the next pass.
    again: u32,
    /// The classes of entries that could not run because of another executor's callback.
    refused: u32,
    /// The number of callbacks that ran so far.
    ran: u64,
    limit: Limit,
}

impl Pass {
    /// Whether no further callback may begin.
    #[inline]
    fn is_full(&self) -> bool {
        self.limit.is_reached(self.ran)
    }

    /// Runs an entry, if its group allows it.
    #[inline]
    fn run(&mut self, (group, entry): (&CallbackGroup, &mut Entry), waiter: &mut Waiter) {
        let Some(waitable) = entry.waitable.upgrade() else { return };
        let Some(_pass) = group.try_enter() else {
            // The group belonged to another executor, which is still running a callback of it. The end of that callback
            // rings this executor.
            entry.maybe_ready = true;
            self.refused |= 1 << entry.class;
            return;
        };
        let Executed::Ran(arrival) = waitable.execute() else { return };
        self.ran += 1;
        entry.last_turn = self.turn;
        // The deadline of a timer says when it is due again.
        if !entry.is_timer && !arrival.is_some_and(|arrival| arrival.is_last) {
            // The entry may have more to do. The next pass checks that.
            self.again |= 1 << entry.class;
        }
        if let Some(arrival) = arrival {
            waiter.observe(arrival.sent_at, arrival.cpu);
        }
    }
}

/// A file descriptor that was added to an executor. Dropping the handle removes the descriptor.
#[derive(Debug)]
#[must_use = "dropping it ends the calls; keep it in a variable, because `let _ =` drops it at once"]
pub struct FdHandle(Arc<AtomicBool>);

impl Drop for FdHandle {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

impl fmt::Debug for SingleThreadedExecutor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SingleThreadedExecutor").field("handle", &self.entries.handle).finish_non_exhaustive()
    }
}

impl SingleThreadedExecutor {
    /// Creates an executor without nodes. Its wait strategy is [`WaitStrategy::Adaptive`].
    pub fn new(context: &Context) -> Result<Self, OpenError> {
        let waiter = context.waiter()?;
        let handle = ExecutorHandle::new(context, &Arc::new(waiter.waker(CONTROL)));
        Ok(Self {
            waiter,
            strategy: WaitStrategy::default(),
            placement: None,
            spin_tail: 0,
            entries: Entries::new(handle),
            timers: TimerQueue::new(),
            fds: Vec::new(),
            examined: Vec::new(),
            ready: 0,
            refused: 0,
            has_rung: false,
            is_unfinished: false,
            seen_wakes: 0,
        })
    }

    /// Sets how the executor waits.
    pub fn strategy(mut self, strategy: WaitStrategy) -> Self {
        self.strategy = strategy;
        self
    }

    /// Sets the placement of the spinning thread. It is applied when the next spin begins.
    pub fn placement(mut self, placement: Placement) -> Self {
        self.placement = Some(placement);
        self
    }

    /// Sets the spin tail: how long before a timer is due the thread wakes and begins to spin (default: 0).
    ///
    /// A sleep ends late, by about 5 µs on a physical machine and by 50 to 200 µs on a virtual machine. With a spin
    /// tail of 200 µs, timers are on time, and each call costs up to 200 µs of CPU time.
    pub fn spin_tail(mut self, tail: Duration) -> Self {
        self.spin_tail = u64::try_from(tail.as_nanos()).unwrap_or(u64::MAX);
        self
    }

    /// Adds a file descriptor. `callback` is called on the spinning thread whenever the descriptor is ready.
    ///
    /// The descriptor is level-triggered, so the callback must read or write. With a file descriptor, the executor
    /// waits in `poll` instead of on a futex. This costs one to two microseconds more per wait.
    pub fn add_fd(
        &mut self,
        fd: OwnedFd,
        interest: Interest,
        callback: impl FnMut() + Send + 'static,
    ) -> FdHandle {
        let alive = Arc::new(AtomicBool::new(true));
        let interest = match interest {
            Interest::Readable => PollFlags::IN,
            Interest::Writable => PollFlags::OUT,
        };
        self.fds.push(FdEntry {
            fd,
            interest,
            is_ready: false,
            callback: Box::new(callback),
            alive: alive.clone(),
        });
        FdHandle(alive)
    }

    /// Returns how many messages came from the CPU on which they were taken, and how many came from another CPU.
    pub fn cpu_counts(&self) -> CpuCounts {
        self.waiter.cpu_counts()
    }

    /// Returns a file descriptor for another event loop (asyncio, Qt). It is readable when there is something to run.
    ///
    /// The event loop calls [`SingleThreadedExecutor::arm`]. It waits until the descriptor is readable, or until the
    /// time that `arm` returned has passed. Then it calls [`SingleThreadedExecutor::spin_some`]. The descriptor does
    /// not become readable for descriptors of [`SingleThreadedExecutor::add_fd`]. The event loop can wait for those
    /// itself.
    pub fn fd(&mut self) -> io::Result<BorrowedFd<'_>> {
        self.waiter.fd()
    }

    /// Prepares a wait of another event loop. Returns how long it may wait at most. `None` means without limit.
    pub fn arm(&mut self) -> io::Result<Option<Duration>> {
        self.entries.refresh();
        self.ready |= self.waiter.arm()?;
        if self.ready != 0 {
            return Ok(Some(Duration::ZERO));
        }
        let next = self.next_timer();
        Ok(next.map(|next| Duration::from_nanos(next.saturating_sub(monotonic_now()))))
    }

    /// Returns whether a spin must end. In that case, clears the cancellation.
    pub(crate) fn is_over(&self) -> bool {
        let is_over = self.entries.handle.is_over();
        if is_over {
            self.entries.handle.clear_cancellation();
        }
        is_over
    }

    /// Returns whether the handle was woken since the last call.
    pub(crate) fn take_wake(&mut self) -> bool {
        let wakes = self.entries.handle.wakes();
        std::mem::replace(&mut self.seen_wakes, wakes) != wakes
    }

    /// Runs all entries that are ready, and those that become ready during the pass. Each entry runs at most once.
    /// Returns whether anything ran.
    #[inline]
    pub(crate) fn run_pass(&mut self) -> Result<bool, SpinError> {
        self.run_some(Limit::None)
    }

    /// Runs a pass until its limit is reached. If there is nothing left of an unfinished turn, begins a new one: entries that
    /// have run in that turn may have more to do, and they will not ring again for it.
    #[inline]
    pub(crate) fn run_some(&mut self, limit: Limit) -> Result<bool, SpinError> {
        let was_unfinished = self.is_unfinished;
        Ok(self.run_limited_pass(limit)? || (was_unfinished && self.run_limited_pass(limit)?))
    }

    /// Runs a pass until its limit is reached. The entries that have not run then run in the next pass, before any entry runs
    /// twice.
    fn run_limited_pass(&mut self, limit: Limit) -> Result<bool, SpinError> {
        self.waiter.check().map_err(OpenError::from)?;
        // `ready` keeps its value until the end of the pass, because a callback may panic.
        self.ready = self.entries.collect(&mut self.waiter, self.ready | self.refused);
        // If a callback panics, the next pass examines all timers again.
        if std::mem::replace(&mut self.refused, 1 << CONTROL) != 0 {
            self.entries.iter_mut().for_each(|entry| entry.maybe_ready = false);
            self.timers.invalidate();
        }
        let control = self.ready & 1 << CONTROL;
        self.has_rung = control != 0;
        let goes_on = self.is_unfinished;
        let turn = if goes_on { self.entries.turn() } else { self.entries.next_turn() };
        if !goes_on {
            self.entries.mark_servers(self.ready, turn);
        }
        let mut pass = Pass { turn, again: control, refused: 0, ran: 0, limit };
        self.run_messages(self.ready, &mut pass);
        self.run_timers(&mut pass);
        self.is_unfinished = pass.is_full();
        if self.is_unfinished || goes_on {
            pass.again |= self.ready;
            self.timers.invalidate();
        }
        (self.ready, self.refused) = (pass.again, pass.refused);
        Ok(self.run_fds()? || pass.ran > 0)
    }

    /// Runs the entries of the ready classes except timers, and those that become ready meanwhile.
    #[inline]
    fn run_messages(&mut self, mut ready: u32, pass: &mut Pass) {
        let mut ran = u64::MAX;
        // An entry that has run in this pass and rings again must wait for the next pass.
        while ready != 0 && ran != pass.ran && !pass.is_full() {
            ran = pass.ran;
            self.run_ready(ready, pass);
            ready = self.collect(pass);
        }
    }

    /// Runs the entries of the ready classes except timers, and except those that have run in this pass.
    #[inline]
    fn run_ready(&mut self, ready: u32, pass: &mut Pass) {
        let mut examined = std::mem::take(&mut self.examined);
        self.entries.list_others(ready, &mut examined);
        let (mut next, mut is_fresh) = (0, false);
        while let Some(index) = examined.get(next).copied()
            && !pass.is_full()
        {
            next += 1;
            let entry = self.entries.entry(index);
            if entry.last_turn == pass.turn || entry.is_server && entry.due_in != pass.turn {
                continue;
            }
            if !is_fresh && self.entries.is_stale_at(index) {
                // This is done only once, because other threads may make changes faster than they are listed.
                self.entries.refresh();
                self.entries.list_others(ready, &mut examined);
                (next, is_fresh) = (0, true);
                continue;
            }
            is_fresh = false;
            pass.run(self.entries.at(index), &mut self.waiter);
        }
        self.examined = examined;
    }

    /// Runs each timer that is due. Messages that a timer publishes come before the next timer.
    fn run_timers(&mut self, pass: &mut Pass) {
        if self.entries.timer_count() == 0 {
            return;
        }
        let now = monotonic_now();
        let mut due = self.timers.take_due(&mut self.entries, self.ready, now, pass.turn);
        let mut is_fresh = false;
        while !pass.is_full()
            && let Some(index) = due.first(&self.entries)
        {
            if !is_fresh && self.entries.is_stale_at(index) {
                // This is done only once, because other threads may make changes faster than they are listed.
                self.entries.refresh();
                is_fresh = true;
                continue;
            }
            is_fresh = false;
            self.entries.at(index).1.due_in = 0;
            pass.run(self.entries.at(index), &mut self.waiter);
            self.timers.queue(&mut self.entries, index);
            let ready = self.collect(pass);
            self.run_messages(ready, pass);
        }
        self.timers.reuse(due);
    }

    /// Returns the time at which a timer may be due, in monotonic nanoseconds.
    fn next_timer(&mut self) -> Option<u64> {
        self.timers.update(&mut self.entries, self.ready);
        self.timers.next(&self.entries)
    }

    /// Returns the classes that were rung since the last call.
    fn collect(&mut self, pass: &mut Pass) -> u32 {
        let rings = self.entries.control_rings();
        let ready = self.entries.collect(&mut self.waiter, 0);
        self.ready |= ready;
        // A ring may also mean that another executor's callback has ended.
        self.has_rung |= ready != 0 || self.entries.control_rings() != rings;
        pass.again |= ready;
        ready
    }

    /// Waits until something is ready, a timer is due, the deadline has passed, or a signal interrupts the wait.
    pub(crate) fn wait(&mut self, deadline: Option<u64>) -> Result<(), SpinError> {
        if self.has_rung {
            // There will be no second ring for the same message.
            return Ok(());
        }
        let due = self.next_timer();
        let wake_at = due.map(|due| due.saturating_sub(self.spin_tail));
        let may_sleep = wake_at.is_none_or(|wake_at| monotonic_now() < wake_at);
        if may_sleep && self.sleep(deadline.into_iter().chain(wake_at).min())? {
            return Ok(());
        }
        if let Some((due, wake_at)) = due.zip(wake_at)
            && wake_at < due
            && monotonic_now() >= wake_at
        {
            self.ready |= self.waiter.spin_until(deadline.unwrap_or(due).min(due));
        }
        Ok(())
    }

    /// Sleeps until something is ready, or until the monotonic time `until` in nanoseconds. Returns whether something
    /// is ready.
    fn sleep(&mut self, until: Option<u64>) -> Result<bool, SpinError> {
        if self.fds.is_empty() {
            let ready = self.waiter.wait(self.strategy, until);
            self.ready |= ready;
            Ok(ready != 0)
        } else {
            self.poll(until)
        }
    }

    /// Waits for messages and file descriptors, and notes which descriptors are ready. Returns whether anything is
    /// ready.
    fn poll(&mut self, until: Option<u64>) -> Result<bool, SpinError> {
        let polls: Vec<PollFd<'_>> =
            self.fds.iter().map(|entry| PollFd::new(&entry.fd, entry.interest)).collect();
        let (ready, events) = self.waiter.wait_with_fds(&polls, until)?;
        self.ready |= ready;
        self.has_rung |= ready != 0;
        let mut is_any = ready != 0;
        for (entry, events) in self.fds.iter_mut().zip(events) {
            entry.is_ready = !events.is_empty();
            is_any |= entry.is_ready;
        }
        Ok(is_any)
    }

    /// Runs the callbacks of the file descriptors that are ready. Returns whether any callback ran.
    fn run_fds(&mut self) -> Result<bool, SpinError> {
        self.fds.retain(|entry| entry.alive.load(Ordering::Acquire));
        if self.fds.is_empty() {
            return Ok(false);
        }
        self.poll(Some(0))?;
        let mut ran = false;
        for entry in self.fds.iter_mut().filter(|entry| entry.is_ready) {
            (entry.callback)();
            ran = true;
        }
        Ok(ran)
    }
}

impl Executor for SingleThreadedExecutor {
    fn handle(&self) -> ExecutorHandle {
        self.entries.handle.clone()
    }

    fn spin(&mut self) -> Result<(), SpinError> {
        if let Some(placement) = self.placement.take() {
            placement.apply()?;
        }
        while !self.is_over() {
            // The handle is checked again before each wait, because the pass may have taken the ring of a cancellation.
            if !self.run_pass()? && !self.entries.handle.is_over() {
                self.wait(None)?;
            }
        }
        Ok(())
    }

    fn spin_until_future_complete<F: Future>(
        &mut self,
        future: F,
        timeout: Option<Duration>,
    ) -> Result<Option<F::Output>, SpinError> {
        let deadline = timeout.map(deadline_after);
        let flag = Flag::new(self.waiter.waker(CONTROL));
        let mut completion = Completion::new(future, &flag);
        loop {
            if let Some(output) = completion.poll() {
                return Ok(Some(output));
            }
            if self.is_over() || deadline.is_some_and(|deadline| monotonic_now() >= deadline) {
                return Ok(None);
            }
            if !self.run_pass()? && !flag.is_woken() && !self.entries.handle.is_over() {
                self.wait(deadline)?;
            }
        }
    }
}
