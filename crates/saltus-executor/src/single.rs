//! The single-threaded executor.

use std::{
    fmt, io,
    os::fd::{BorrowedFd, OwnedFd},
    sync::{
        Arc, Weak,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use saltus_node::{
    Context, Executed, Meetings, Node, OpenError, PollFd, PollFlags, WaitStrategy, Waitable, Waiter, Waker,
    monotonic_now,
};

/// The class that says: look at everything, something other than a message happened.
const CONTROL: u32 = Waiter::CLASSES - 1;

/// Why an executor stopped, or could not start.
#[derive(thiserror::Error)]
pub enum SpinError {
    /// Shared memory is full, or the context was inherited over `fork`.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// A file descriptor can't be polled.
    #[error("can't wait for file descriptors: {0}")]
    Poll(#[from] io::Error),
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
    nodes: Vec<(Node, u64)>,
    entries: Vec<Entry>,
    fds: Vec<FdEntry>,
    /// Classes that have, or may have, more to do.
    ready: u32,
    /// Rings when something other than a message happened; also says which executor this is.
    control: Arc<Waker>,
    cancelled: Arc<AtomicBool>,
}

/// **Invariant:** does not keep its entity alive: dropping the handle of a subscription or timer ends it.
struct Entry {
    waitable: Weak<dyn Waitable>,
    class: u32,
    is_timer: bool,
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
    cancelled: Arc<AtomicBool>,
    waker: Waker,
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
        f.debug_struct("SingleThreadedExecutor").field("nodes", &self.nodes.len()).finish_non_exhaustive()
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
            nodes: Vec::new(),
            entries: Vec::new(),
            fds: Vec::new(),
            ready: 0,
            control,
            cancelled: Arc::default(),
        })
    }

    /// How it waits.
    pub fn strategy(mut self, strategy: WaitStrategy) -> Self {
        self.strategy = strategy;
        self
    }

    /// Takes a node in, which must be of the same context. A node belongs to one executor at a time:
    /// the last that took it.
    pub fn add_node(&mut self, node: &Node) {
        if !self.nodes.iter().any(|(own, _)| own == node) {
            self.nodes.push((node.clone(), u64::MAX));
        }
        node.set_executor(&self.control);
        self.refresh();
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
        let deadline = timeout.map(|timeout| monotonic_now().saturating_add(timeout.as_nanos() as u64));
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

    /// Runs what is ready now, one pass of it, and never waits. Whether anything ran.
    pub fn spin_some(&mut self) -> Result<bool, SpinError> {
        self.spin_once(Some(Duration::ZERO))
    }

    /// Where messages came from: the CPU that took them, or another.
    pub fn meetings(&self) -> Meetings {
        self.waiter.meetings()
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
        self.refresh();
        self.ready |= self.waiter.arm()?;
        if self.ready != 0 {
            return Ok(Some(Duration::ZERO));
        }
        let next = self.next_timer();
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
        if self.waiter.is_forked() {
            return Err(SpinError::Open(OpenError::Forked));
        }
        // In this order: what is taken up rings at once for what waits already.
        self.refresh();
        self.ready |= self.waiter.collect();
        let ready = std::mem::take(&mut self.ready);
        let mut ran = false;
        for entry in &self.entries {
            if !entry.is_timer && ready & 1 << entry.class == 0 {
                continue;
            }
            let Some(waitable) = entry.waitable.upgrade() else { continue };
            if waitable.execute(&mut self.waiter) == Executed::Ran {
                ran = true;
                // It may have more; the next pass finds out, without asking now.
                self.ready |= 1 << entry.class;
            }
        }
        Ok(ran | self.run_fds()?)
    }

    /// Waits until something is ready, a timer is due or the deadline has come.
    fn wait(&mut self, deadline: Option<u64>) -> Result<(), SpinError> {
        let until = deadline.into_iter().chain(self.next_timer()).min();
        if self.fds.is_empty() {
            self.ready |= self.waiter.wait(self.strategy, until);
        } else {
            self.poll(until)?;
        }
        Ok(())
    }

    /// When the next timer is due, in monotonic nanoseconds.
    fn next_timer(&self) -> Option<u64> {
        let timers = self.entries.iter().filter(|entry| entry.is_timer);
        timers.filter_map(|entry| entry.waitable.upgrade()?.deadline()).min()
    }

    /// Waits for messages and file descriptors; notes which of these are ready.
    fn poll(&mut self, until: Option<u64>) -> Result<(), SpinError> {
        let polls: Vec<PollFd<'_>> =
            self.fds.iter().map(|entry| PollFd::new(&entry.fd, entry.interest)).collect();
        let (ready, events) = self.waiter.wait_with_fds(&polls, until)?;
        self.ready |= ready;
        for (entry, events) in self.fds.iter_mut().zip(events) {
            entry.is_ready = !events.is_empty();
        }
        Ok(())
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

    /// Takes up what nodes have got since the last time, and lets go of what they have not any more.
    fn refresh(&mut self) {
        if self.nodes.iter().all(|(node, seen)| node.version() == *seen) {
            return;
        }
        let Self { nodes, entries, waiter, control, .. } = self;
        entries.clear();
        nodes.retain_mut(|(node, seen)| {
            *seen = node.version();
            let first = entries.len() as u32;
            let mut classes = (first..).map(|place| place % CONTROL);
            let waker_of = || waiter.waker(classes.next().unwrap_or(0));
            let Some(waitables) = node.aim_waitables(control, waker_of) else { return false };
            entries.extend((first..).zip(waitables).map(|(place, waitable)| Entry {
                waitable: Arc::downgrade(&waitable),
                class: place % CONTROL,
                is_timer: waitable.is_timer(),
            }));
            true
        });
    }
}

impl Drop for SingleThreadedExecutor {
    fn drop(&mut self) {
        for (node, _) in &self.nodes {
            node.clear_executor(&self.control);
        }
    }
}
