//! The multi-threaded executor.

use std::{fmt, num::NonZeroUsize, sync::Arc, time::Duration};

use saltus_node::{Arrival, Context, OpenError, Placement, WaitStrategy, Waiter, Waker, monotonic_now};

use crate::{
    entries::Entries,
    executor::{Executor, SpinError},
    future::{Completion, Flag, deadline_after},
    handle::ExecutorHandle,
    listed::CONTROL,
    pool::{PoolOwner, ThreadPool},
    sync::{Mutex, lock},
};

/// An executor that runs the callbacks of its nodes on several threads, as their callback groups allow.
///
/// Of all callbacks that have something to do and may run, the one that has not run for the longest time runs next. So
/// while a callback waits, no other callback runs twice before it.
///
/// ```no_run
/// # use saltus::{Executor, MultiThreadedExecutor};
/// let context = saltus::Context::new()?;
/// let node = context.node("busy").create()?;
/// MultiThreadedExecutor::new(&context)?.threads(4).spin_node(&node)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct MultiThreadedExecutor {
    handle: ExecutorHandle,
    threads: usize,
    strategy: WaitStrategy,
    placement: Placement,
    pool: ThreadPool<Waiter>,
    /// The waker of the thread that polls a future. It is rung when the executor stops.
    on_stop: Mutex<Option<Arc<Waker>>>,
}

impl fmt::Debug for MultiThreadedExecutor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MultiThreadedExecutor").field("threads", &self.threads).finish_non_exhaustive()
    }
}

impl MultiThreadedExecutor {
    /// Creates an executor without nodes. It has a thread for each CPU, and its wait strategy is
    /// [`WaitStrategy::Adaptive`].
    pub fn new(context: &Context) -> Result<Self, OpenError> {
        let waiter = context.waiter()?;
        let handle = ExecutorHandle::new(context, &Arc::new(waiter.waker(CONTROL)));
        Ok(Self {
            handle: handle.clone(),
            threads: std::thread::available_parallelism().map_or(2, NonZeroUsize::get),
            strategy: WaitStrategy::default(),
            placement: Placement::default(),
            pool: ThreadPool::new(waiter, Entries::new(handle)),
            on_stop: Mutex::default(),
        })
    }

    /// Sets how many threads run callbacks. This includes the spinning thread. 0 is treated as 1.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads.max(1);
        self
    }

    /// Sets how the executor waits.
    pub fn strategy(mut self, strategy: WaitStrategy) -> Self {
        self.strategy = strategy;
        self
    }

    /// Sets the placement of the threads that run callbacks.
    pub fn placement(mut self, placement: Placement) -> Self {
        self.placement = placement;
        self
    }

    /// Runs `own` on this thread while other threads run callbacks. The other threads have the numbers from `first` on.
    /// Returns when all threads have ended.
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

    /// Runs callbacks on this thread until the executor must end.
    fn work(&self) -> Result<(), SpinError> {
        // The other threads end too, even if this thread panics.
        let _stop = StopOnDrop(self);
        let _mark = self.handle.mark_this_thread();
        self.placement.apply()?;
        self.pool.work(self)
    }

    /// Ends all threads.
    fn stop(&self) {
        self.handle.cancel();
        self.pool.wake_all();
        if let Some(waker) = &*lock(&self.on_stop) {
            waker.ring();
        }
    }
}

impl Executor for MultiThreadedExecutor {
    fn handle(&self) -> ExecutorHandle {
        self.handle.clone()
    }

    fn spin(&mut self) -> Result<(), SpinError> {
        let spin = Spin(self);
        spin.0.spin_beside(2, || spin.0.work())
    }

    /// Polls the future on this thread. Callbacks run on the requested number of other threads.
    fn spin_until_future_complete<F: Future>(
        &mut self,
        future: F,
        timeout: Option<Duration>,
    ) -> Result<Option<F::Output>, SpinError> {
        let spin = Spin(self);
        let executor = spin.0;
        let deadline = timeout.map(deadline_after);
        // This thread needs its own doorbell, because the leader waits at the doorbell of the executor.
        let mut waiter = executor.handle.context().waiter()?;
        let control = Arc::new(waiter.waker(0));
        executor.handle.context().on_shutdown(&control);
        *lock(&executor.on_stop) = Some(control);
        let flag = Flag::new(waiter.waker(0));
        let mut completion = Completion::new(future, &flag);
        let mut output = None;
        executor.spin_beside(1, || {
            // The other threads end too, even if the future panics.
            let _stop = StopOnDrop(executor);
            loop {
                output = completion.poll();
                let is_late = deadline.is_some_and(|deadline| monotonic_now() >= deadline);
                if output.is_some() || is_late || executor.is_over() {
                    return Ok(());
                }
                if !flag.is_woken() {
                    waiter.wait(executor.strategy, deadline);
                }
            }
        })?;
        Ok(output)
    }
}

impl PoolOwner for MultiThreadedExecutor {
    type Doorbell = Waiter;

    fn is_over(&self) -> bool {
        self.handle.is_over()
    }

    fn ring(&self) {
        self.handle.ring();
    }

    fn collect(&self, waiter: &mut Waiter, before: u32, entries: &mut Entries) -> Result<u32, SpinError> {
        waiter.check().map_err(OpenError::from)?;
        Ok(entries.collect(waiter, before))
    }

    fn wait(&self, waiter: &mut Waiter, due: Option<u64>) -> u32 {
        waiter.wait(self.strategy, due)
    }

    fn observe(&self, waiter: &mut Waiter, arrival: Arrival) {
        waiter.observe(arrival.sent_at, arrival.cpu);
    }
}

/// A guard that ends all threads of an executor.
struct StopOnDrop<'a>(&'a MultiThreadedExecutor);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// A guard that clears the cancellation when a spin ends, even by an error or a panic.
struct Spin<'a>(&'a MultiThreadedExecutor);

impl Drop for Spin<'_> {
    fn drop(&mut self) {
        *lock(&self.0.on_stop) = None;
        self.0.handle.clear_cancellation();
    }
}
