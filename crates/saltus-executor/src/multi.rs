//! The multi-threaded executor.

use std::{
    fmt,
    num::NonZeroUsize,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use saltus_node::{
    Arrival, CallbackGroup, Context, Node, OpenError, Placement, WaitStrategy, Waiter, Waker, monotonic_now,
};

use crate::{
    Canceller, SpinError,
    entries::{CONTROL, Entries},
    future::{Completion, Flag, deadline_after},
    pool::{Executor, ThreadPool},
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
    pool: ThreadPool<Waiter>,
    is_spinning: AtomicBool,
    /// Whom to ring when it stops, besides its threads.
    on_stop: Mutex<Option<Arc<Waker>>>,
    canceller: Canceller,
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
        Ok(Self {
            context: context.clone(),
            threads: std::thread::available_parallelism().map_or(2, NonZeroUsize::get),
            strategy: WaitStrategy::default(),
            placement: Placement::default(),
            pool: ThreadPool::new(waiter, Entries::new(control)),
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
        self.pool.lock().entries.add_node(node);
        self.canceller.waker.ring();
    }

    /// Gives a node back. A callback of it that runs goes on.
    pub fn remove_node(&self, node: &Node) {
        self.pool.lock().entries.remove_node(node);
    }

    /// Takes a callback group in, whose node may be spun by another executor, or by none.
    pub fn add_callback_group(&self, group: &CallbackGroup) {
        self.pool.lock().entries.add_group(group);
        self.canceller.waker.ring();
    }

    /// Gives a callback group back. A callback of it that runs goes on.
    pub fn remove_callback_group(&self, group: &CallbackGroup) {
        self.pool.lock().entries.remove_group(group);
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
        self.pool.work(self)
    }

    /// Ends all threads.
    fn stop(&self) {
        self.canceller.cancel();
        self.pool.wake_all();
        if let Some(waker) = &*self.on_stop.lock().unwrap_or_else(PoisonError::into_inner) {
            waker.ring();
        }
    }
}

impl Executor for MultiThreadedExecutor {
    type Doorbell = Waiter;

    fn is_over(&self) -> bool {
        self.context.is_shut_down() || self.canceller.cancelled.load(Ordering::Acquire)
    }

    fn ring(&self) {
        self.canceller.waker.ring();
    }

    fn collect(&self, waiter: &mut Waiter, entries: &mut Entries) -> Result<u32, SpinError> {
        waiter.check().map_err(OpenError::from)?;
        Ok(entries.collect(waiter))
    }

    fn wait(&self, waiter: &mut Waiter, due: Option<u64>) -> u32 {
        waiter.wait(self.strategy, due)
    }

    fn observe(&self, waiter: &mut Waiter, arrival: Arrival) {
        waiter.observe(arrival.sent_at, arrival.cpu);
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
