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
    Context, CpuCounts, Executed, OpenError, Placement, PollFd, PollFlags, WaitStrategy, Waiter,
    monotonic_now,
};

use crate::{
    entries::{CONTROL, Entries, Entry, Found, Place},
    executor::{Executor, SpinError},
    future::{Completion, Flag, deadline_after},
    handle::ExecutorHandle,
};

/// Which events of a file descriptor are of interest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interest {
    /// There is something to read, or the other end has closed.
    Readable,
    /// There is room to write.
    Writable,
}

/// Runs the callbacks of its nodes on the thread that spins it.
///
/// In each pass it runs one message of each subscription that has one, then each timer that is due, in the order in
/// which they were made, then the file descriptors that are ready. What a callback publishes to a subscription that
/// has not had its turn comes before the next timer. A subscription with a long queue can't starve the others, nor
/// can messages starve timers. It waits only when all are idle.
///
/// ```no_run
/// # use saltus_executor::{Executor, SingleThreadedExecutor};
/// let context = saltus_node::Context::new()?;
/// let node = context.node("idle").create()?;
/// SingleThreadedExecutor::new(&context)?.spin(&node)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct SingleThreadedExecutor {
    waiter: Waiter,
    strategy: WaitStrategy,
    placement: Option<Placement>,
    /// For how long before a timer is due the thread does not sleep, in nanoseconds.
    spin_tail: u64,
    entries: Entries,
    fds: Vec<FdEntry>,
    /// Classes that have, or may have, more to do.
    ready: u32,
    /// Classes of what could not run in the last pass: another executor ran a callback of its group, and rings.
    refused: u32,
    /// Whether something rang in the last pass that may have had its turn before.
    has_rung: bool,
}

struct FdEntry {
    fd: OwnedFd,
    interest: PollFlags,
    is_ready: bool,
    callback: Box<dyn FnMut() + Send>,
    alive: Arc<AtomicBool>,
}

/// One look at everything that there is to run. Nothing runs twice in it.
struct Pass {
    turn: u64,
    /// Classes that have, or may have, more to do.
    again: u32,
    /// Classes of what another executor's callback kept from running.
    refused: u32,
    /// How many callbacks ran.
    ran: u64,
}

impl Pass {
    /// Runs an entry, if its group lets it.
    #[inline]
    fn run(&mut self, found: Found<'_>, waiter: &mut Waiter) {
        let Found { group, entry, .. } = found;
        let Some(waitable) = entry.waitable.upgrade() else { return };
        let Some(_pass) = group.try_enter() else {
            // Another executor had the group and still runs it: this one is rung when it has ended.
            entry.is_refused = true;
            self.refused |= 1 << entry.class;
            return;
        };
        let Executed::Ran(arrival) = waitable.execute() else { return };
        self.ran += 1;
        entry.last_turn = self.turn;
        if !arrival.is_some_and(|arrival| arrival.is_last) {
            // It may have more; the next pass finds out, without asking now.
            self.again |= 1 << entry.class;
        }
        if let Some(arrival) = arrival {
            waiter.observe(arrival.sent_at, arrival.cpu);
        }
    }
}

/// Keeps a file descriptor in an executor's wait; dropping it takes it out.
#[derive(Debug)]
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
    /// An executor of no nodes that waits adaptively.
    pub fn new(context: &Context) -> Result<Self, OpenError> {
        let waiter = context.waiter()?;
        let handle = ExecutorHandle::new(context, &Arc::new(waiter.waker(CONTROL)));
        Ok(Self {
            waiter,
            strategy: WaitStrategy::default(),
            placement: None,
            spin_tail: 0,
            entries: Entries::new(handle),
            fds: Vec::new(),
            ready: 0,
            refused: 0,
            has_rung: false,
        })
    }

    /// How it waits.
    pub fn strategy(mut self, strategy: WaitStrategy) -> Self {
        self.strategy = strategy;
        self
    }

    /// Where and how the thread runs that spins it, from the next spin on.
    pub fn placement(mut self, placement: Placement) -> Self {
        self.placement = Some(placement);
        self
    }

    /// How long before a timer is due it wakes, and does not sleep again until then (default: 0).
    ///
    /// A sleep ends late, by some 5 µs on a machine of one's own and by 50 to 200 µs on a virtual one. With a tail of
    /// 200 µs a timer is on time, and each call costs up to that much CPU time.
    pub fn spin_tail(mut self, tail: Duration) -> Self {
        self.spin_tail = u64::try_from(tail.as_nanos()).unwrap_or(u64::MAX);
        self
    }

    /// Calls back whenever a file descriptor is ready, on the thread that spins.
    ///
    /// The descriptor is level-triggered: the callback must read or write. From then on the
    /// executor waits in `poll` instead of on a futex, which costs it a microsecond or two.
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

    /// Waits for at most `timeout` (for ever if `None`) until something is ready, and runs one
    /// pass. Whether anything ran.
    pub fn spin_once(&mut self, timeout: Option<Duration>) -> Result<bool, SpinError> {
        if self.run_pass()? {
            return Ok(true);
        }
        // The clock is not read where something is ready: that costs as much as the pass does.
        let deadline = timeout.map(deadline_after);
        while !self.is_over() && deadline.is_none_or(|deadline| monotonic_now() < deadline) {
            self.wait(deadline)?;
            if self.run_pass()? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// As [`SingleThreadedExecutor::spin_once`], but waits once only, and so returns when that was interrupted
    /// by a signal: for languages whose signal handlers run on the thread that spins.
    pub fn spin_once_or_interrupted(&mut self, deadline: Option<u64>) -> Result<bool, SpinError> {
        if self.run_pass()? {
            return Ok(true);
        }
        let is_late = deadline.is_some_and(|deadline| monotonic_now() >= deadline);
        if self.is_over() || is_late {
            return Ok(false);
        }
        self.wait(deadline)?;
        self.run_pass()
    }

    /// Runs what is ready now, one pass of it, and never waits. Whether anything ran.
    pub fn spin_some(&mut self) -> Result<bool, SpinError> {
        self.spin_once(Some(Duration::ZERO))
    }

    /// Where messages came from: the CPU that took them, or another.
    pub fn cpu_counts(&self) -> CpuCounts {
        self.waiter.cpu_counts()
    }

    /// A file descriptor for a foreign loop (asyncio, Qt): readable once there is something to run.
    ///
    /// It tells of messages, not of descriptors of [`SingleThreadedExecutor::add_fd`], which the loop
    /// can wait for itself. The loop calls [`SingleThreadedExecutor::arm`], waits until the descriptor is readable or the
    /// time that `arm` returned has passed, and calls [`SingleThreadedExecutor::spin_some`].
    pub fn fd(&mut self) -> io::Result<BorrowedFd<'_>> {
        self.waiter.fd()
    }

    /// Gets ready to be waited for by a foreign loop, and says how long it may wait at most.
    pub fn arm(&mut self) -> io::Result<Option<Duration>> {
        self.entries.refresh();
        self.ready |= self.waiter.arm()?;
        if self.ready != 0 {
            return Ok(Some(Duration::ZERO));
        }
        let next = self.entries.next_timer(&[]);
        Ok(next.map(|next| Duration::from_nanos(next.saturating_sub(monotonic_now()))))
    }

    /// Whether a spin is to end, which uses up a cancellation.
    fn is_over(&self) -> bool {
        let is_over = self.entries.handle.is_over();
        if is_over {
            self.entries.handle.use_up_cancellation();
        }
        is_over
    }

    /// Runs everything that is ready, once, and what that makes ready. Whether anything ran.
    fn run_pass(&mut self) -> Result<bool, SpinError> {
        self.waiter.check().map_err(OpenError::from)?;
        // Kept until the end of the pass: a callback may panic.
        self.ready = self.entries.collect(&mut self.waiter, self.ready | self.refused);
        // If a callback panics the next pass takes up all anew.
        if std::mem::replace(&mut self.refused, 1 << CONTROL) != 0 {
            self.entries.iter_mut().for_each(|entry| entry.is_refused = false);
        }
        let control = self.ready & 1 << CONTROL;
        self.has_rung = control != 0;
        let mut pass = Pass { turn: self.entries.next_turn(), again: control, refused: 0, ran: 0 };
        self.run_messages(self.ready, &mut pass);
        self.run_timers(&mut pass);
        (self.ready, self.refused) = (pass.again, pass.refused);
        Ok(self.run_fds()? || pass.ran > 0)
    }

    /// Runs what those classes stand for, and what that makes ready.
    fn run_messages(&mut self, mut ready: u32, pass: &mut Pass) {
        let (turn, mut ran) = (pass.turn, u64::MAX);
        // What rings and has had its turn waits for the next pass.
        while ready != 0 && ran != pass.ran {
            ran = pass.ran;
            let is_ready =
                |entry: &Entry| ready & 1 << entry.class != 0 && !entry.is_timer && entry.last_turn != turn;
            let mut from = Place::default();
            while let Some(found) = self.entries.find_from(from, is_ready) {
                from = found.next;
                pass.run(found, &mut self.waiter);
            }
            ready = self.collect(pass);
        }
    }

    /// Runs each timer that is due. The messages that it publishes come before the next timer.
    fn run_timers(&mut self, pass: &mut Pass) {
        if !self.entries.has_timers() {
            return;
        }
        let (turn, mut from, mut now) = (pass.turn, Place::default(), None);
        let mut is_due = |entry: &Entry| {
            entry.is_timer && entry.last_turn != turn && {
                let now = *now.get_or_insert_with(monotonic_now);
                entry.deadline().is_some_and(|deadline| deadline <= now)
            }
        };
        while let Some(found) = self.entries.find_from(from, &mut is_due) {
            from = found.next;
            pass.run(found, &mut self.waiter);
            let listing = self.entries.listing();
            let ready = self.collect(pass);
            self.run_messages(ready, pass);
            if self.entries.listing() != listing {
                from = Place::default();
            }
        }
    }

    /// The classes that have rung meanwhile.
    fn collect(&mut self, pass: &mut Pass) -> u32 {
        let listing = self.entries.listing();
        let ready = self.entries.collect(&mut self.waiter, 0);
        self.ready |= ready;
        // A ring may also tell that another executor's callback has ended.
        self.has_rung |= ready != 0 || self.entries.listing() != listing;
        pass.again |= ready;
        ready
    }

    /// Waits until something is ready, a timer is due or the deadline has come, or a signal has interrupted it.
    fn wait(&mut self, deadline: Option<u64>) -> Result<(), SpinError> {
        if self.has_rung {
            // Nobody rings for that again.
            return Ok(());
        }
        let due = self.entries.next_timer(&[]);
        let wake_at = due.map(|due| due.saturating_sub(self.spin_tail));
        let is_asleep = wake_at.is_none_or(|wake_at| monotonic_now() < wake_at);
        if is_asleep && self.sleep(deadline.into_iter().chain(wake_at).min())? {
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

    /// Waits until something is ready, or that time has come. Whether something is.
    fn sleep(&mut self, until: Option<u64>) -> Result<bool, SpinError> {
        if self.fds.is_empty() {
            let ready = self.waiter.wait(self.strategy, until);
            self.ready |= ready;
            Ok(ready != 0)
        } else {
            self.poll(until)
        }
    }

    /// Waits for messages and file descriptors; notes which of these are ready. Whether anything is.
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

    /// Calls back for every file descriptor that is ready. Whether any was.
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

    fn spin_all(&mut self) -> Result<(), SpinError> {
        if let Some(placement) = self.placement.take() {
            placement.apply()?;
        }
        while !self.is_over() {
            // Looked at anew before each wait: the pass may have taken up the ring that told of it.
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
