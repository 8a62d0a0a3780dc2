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
    CallbackGroup, Context, CpuCounts, Executed, Node, OpenError, Placement, PlacementError, PollFd,
    PollFlags, WaitStrategy, Waiter, Waker, monotonic_now,
};

use crate::{
    entries::{CONTROL, Entries},
    future::{Completion, Flag, deadline_after},
};

/// Why an executor stopped, or could not start.
#[derive(thiserror::Error)]
pub enum SpinError {
    /// Shared memory is full, or the context was inherited over `fork`.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// A file descriptor can't be polled.
    #[error("can't wait for file descriptors: {0}")]
    Poll(#[from] io::Error),
    /// Its threads can't run where and how they are to.
    #[error(transparent)]
    Placement(#[from] PlacementError),
    /// Another thread spins it already.
    #[error("spin() called while already spinning")]
    Spinning,
    /// A thread of it could not be started.
    #[error("can't start thread {number} of {all}: {source}")]
    Thread {
        /// Which one.
        number: usize,
        /// How many there are to be.
        all: usize,
        /// What the system said.
        source: io::Error,
    },
}

saltus_types::debug_as_display!(SpinError);

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
/// In each pass it runs, in the order in which they were made, each timer that is due and one message
/// of each subscription that has one, then the file descriptors that are ready; a subscription with
/// a long queue can't starve the others. It waits only when all are idle.
///
/// ```no_run
/// # use saltus_executor::SingleThreadedExecutor;
/// let context = saltus_node::Context::new()?;
/// let node = context.node("idle").create()?;
/// SingleThreadedExecutor::new(&context)?.spin(&node)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct SingleThreadedExecutor {
    context: Context,
    pub(crate) waiter: Waiter,
    strategy: WaitStrategy,
    placement: Option<Placement>,
    /// For how long before a timer is due the thread does not sleep, in nanoseconds.
    spin_tail: u64,
    entries: Entries,
    fds: Vec<FdEntry>,
    /// Classes that have, or may have, more to do.
    ready: u32,
    cancelled: Arc<AtomicBool>,
}

struct FdEntry {
    fd: OwnedFd,
    interest: PollFlags,
    is_ready: bool,
    callback: Box<dyn FnMut() + Send>,
    alive: Arc<AtomicBool>,
}

/// Keeps a file descriptor in an executor's wait; dropping it takes it out.
#[derive(Debug)]
pub struct FdHandle(Arc<AtomicBool>);

impl Drop for FdHandle {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

/// Ends an executor's `spin` from another thread or from a callback.
#[derive(Clone, Debug)]
pub struct Canceller {
    pub(crate) cancelled: Arc<AtomicBool>,
    pub(crate) waker: Waker,
}

impl Canceller {
    /// Makes the spin that runs, or the next one, return.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Release);
        self.waker.ring();
    }
}

impl fmt::Debug for SingleThreadedExecutor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SingleThreadedExecutor")
            .field("nodes", &self.entries.node_count())
            .finish_non_exhaustive()
    }
}

impl SingleThreadedExecutor {
    /// An executor of no nodes that waits adaptively.
    pub fn new(context: &Context) -> Result<Self, OpenError> {
        let waiter = context.waiter()?;
        let control = Arc::new(waiter.waker(CONTROL));
        context.on_shutdown(&control);
        Ok(Self {
            context: context.clone(),
            waiter,
            strategy: WaitStrategy::default(),
            placement: None,
            spin_tail: 0,
            entries: Entries::new(control),
            fds: Vec::new(),
            ready: 0,
            cancelled: Arc::default(),
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

    /// Takes a node in, with its automatic callback groups. It belongs to one executor at a time: the last
    /// that took it.
    ///
    /// # Panics
    /// If the node is of another context.
    pub fn add_node(&mut self, node: &Node) {
        assert!(*node.context() == self.context, "an executor runs the nodes of its own context");
        self.entries.add_node(node);
        self.entries.refresh(&self.waiter);
    }

    /// Gives a node back.
    pub fn remove_node(&mut self, node: &Node) {
        self.entries.remove_node(node);
    }

    /// Takes a callback group in, whose node may be spun by another executor, or by none.
    pub fn add_callback_group(&mut self, group: &CallbackGroup) {
        self.entries.add_group(group);
        self.entries.refresh(&self.waiter);
    }

    /// Gives a callback group back.
    pub fn remove_callback_group(&mut self, group: &CallbackGroup) {
        self.entries.remove_group(group);
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

    /// What ends a spin from elsewhere.
    pub fn canceller(&self) -> Canceller {
        Canceller { cancelled: self.cancelled.clone(), waker: self.waiter.waker(CONTROL) }
    }

    /// Takes a node in and runs until the context shuts down or the executor is cancelled.
    pub fn spin(&mut self, node: &Node) -> Result<(), SpinError> {
        self.add_node(node);
        self.spin_all()
    }

    /// Runs the nodes it has until the context shuts down or it is cancelled.
    pub fn spin_all(&mut self) -> Result<(), SpinError> {
        if let Some(placement) = self.placement.take() {
            placement.apply()?;
        }
        while !self.is_over() {
            // Looked at anew before each wait: the pass may have taken up the ring that told of it.
            if !self.run_pass()? && !self.is_over_for_good() {
                self.wait(None)?;
            }
        }
        Ok(())
    }

    /// Waits for at most `timeout` (for ever if `None`) until something is ready, and runs one
    /// pass. Whether anything ran.
    pub fn spin_once(&mut self, timeout: Option<Duration>) -> Result<bool, SpinError> {
        let deadline = timeout.map(deadline_after);
        loop {
            if self.run_pass()? {
                return Ok(true);
            }
            if self.is_over() || deadline.is_some_and(|deadline| monotonic_now() >= deadline) {
                return Ok(false);
            }
            self.wait(deadline)?;
        }
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

    /// Runs until a future is complete, for at most `timeout` (for ever if `None`). `None` if the time is
    /// up, the context shut down or the executor was cancelled before.
    pub fn spin_until_future_complete<F: Future>(
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
            if !self.run_pass()? && !flag.is_woken() && !self.is_over_for_good() {
                self.wait(deadline)?;
            }
        }
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
        self.entries.refresh(&self.waiter);
        self.ready |= self.waiter.arm()?;
        if self.ready != 0 {
            return Ok(Some(Duration::ZERO));
        }
        let next = self.entries.next_timer(&[]);
        Ok(next.map(|next| Duration::from_nanos(next.saturating_sub(monotonic_now()))))
    }

    /// As [`Self::is_over`], and a cancellation is left for it to use up.
    fn is_over_for_good(&self) -> bool {
        self.context.is_shut_down() || self.cancelled.load(Ordering::Acquire)
    }

    /// Whether the context was shut down or the executor cancelled; a cancellation is used up.
    fn is_over(&self) -> bool {
        self.context.is_shut_down() || self.cancelled.swap(false, Ordering::AcqRel)
    }

    /// Runs everything that is ready, once. Whether anything ran.
    fn run_pass(&mut self) -> Result<bool, SpinError> {
        self.waiter.check().map_err(OpenError::from)?;
        // Kept until the end of the pass: a callback may panic.
        self.ready |= self.entries.collect(&mut self.waiter);
        let (ready, mut again) = (self.ready, 0);
        let mut ran = false;
        for entry in &mut self.entries.all {
            entry.is_refused = false;
            if !entry.is_timer && ready & 1 << entry.class == 0 {
                continue;
            }
            let Some(waitable) = entry.waitable.upgrade() else { continue };
            let Some(_pass) = entry.group.try_enter() else {
                // Another executor had the group and still runs it: this one is rung when it has ended.
                entry.is_refused = true;
                again |= 1 << entry.class;
                continue;
            };
            if let Executed::Ran(arrival) = waitable.execute() {
                ran = true;
                // It may have more; the next pass finds out, without asking now.
                again |= 1 << entry.class;
                if let Some(arrival) = arrival {
                    self.waiter.observe(arrival.sent_at, arrival.cpu);
                }
            }
        }
        self.ready = again;
        Ok(ran | self.run_fds()?)
    }

    /// Waits until something is ready, a timer is due or the deadline has come, or a signal has interrupted it.
    fn wait(&mut self, deadline: Option<u64>) -> Result<(), SpinError> {
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
