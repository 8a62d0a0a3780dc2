//! A thread for some callbacks of a node.

use std::{
    fmt, io,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use saltus::{
    Executor, Node, SingleThreadedExecutor,
    executor::{CallbackGroup, CallbackGroupKind, ExecutorHandle, WaitStrategy},
    lifecycle::LifecycleNode,
    log::Logger,
    node::OpenError,
    types::panic_text,
};

use crate::managed::on_panic;

/// A thread that runs the callbacks of a group of a node. Callbacks that take long, or that must be called in time, do not wait for the
/// callbacks of other nodes. They need no locks between each other.
///
/// Dropping it waits until the running callback has ended, unless the thread itself drops it.
pub struct Worker {
    group: CallbackGroup,
    thread: Option<(ExecutorHandle, JoinHandle<()>)>,
    state: Arc<WorkerState>,
}

#[derive(Default)]
struct WorkerState {
    after_panic: OnceLock<Box<dyn Fn() -> bool + Send + Sync>>,
    /// Whether callbacks are no longer called.
    has_ended: AtomicBool,
    /// Whether the worker was dropped: its thread must end.
    is_dropped: AtomicBool,
}

/// The time between two calls of `after_panic`.
const RETRY_PERIOD: Duration = Duration::from_millis(10);

impl fmt::Debug for Worker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Worker").field("is_running", &self.thread.is_some()).finish_non_exhaustive()
    }
}

/// The reason why there is no thread.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// The executor can't be created.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The thread can't be started.
    #[error("can't start the thread {name}: {source}")]
    Thread {
        /// The name of the thread.
        name: String,
        /// The error of the system.
        source: io::Error,
    },
}

impl Worker {
    /// Starts a thread for some callbacks of a node. `name` is the name of the thread, for tools.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no room for another executor, or if the thread can't be started.
    pub fn start(node: &Node, name: &str) -> Result<Self, WorkerError> {
        let group = node.manual_callback_group(CallbackGroupKind::MutuallyExclusive);
        let state = Arc::<WorkerState>::default();
        let executor = SingleThreadedExecutor::new(node.context())?.strategy(WaitStrategy::Block);
        executor.add_callback_group(&group);
        let (handle, logger, own) = (executor.handle(), node.logger(), state.clone());
        let spin = move || {
            if spin(executor, &logger) {
                own.end();
            }
        };
        let thread = thread::Builder::new().name(name.into()).spawn(spin);
        let thread = thread.map_err(|source| WorkerError::Thread { name: name.into(), source })?;
        Ok(Self { group, thread: Some((handle, thread)), state })
    }

    /// Starts a thread for some callbacks of a lifecycle node. If one of them panics, the node is deactivated and cleaned up.
    ///
    /// # Errors
    ///
    /// See [`start`](Self::start).
    pub fn managed(node: &LifecycleNode, name: &str) -> Result<Self, WorkerError> {
        let worker = Self::start(node, name)?;
        worker.on_panic(on_panic(node));
        Ok(worker)
    }

    /// Sets a function that the thread calls after a callback has panicked or the executor has failed. It is called until it returns
    /// `true`. Callbacks are not called after that. Only the first call of this method has an effect.
    pub fn on_panic(&self, after: impl Fn() -> bool + Send + Sync + 'static) {
        let _ = self.state.after_panic.set(Box::new(after));
    }

    /// Lets the thread also run all other callbacks of a node.
    pub fn add_node(&self, node: &Node) {
        if let Some((executor, _)) = &self.thread {
            executor.add_node(node);
        }
    }

    /// Whether this is called by the thread itself.
    pub fn is_current_thread(&self) -> bool {
        self.thread.as_ref().is_some_and(|(_, thread)| thread.thread().id() == thread::current().id())
    }

    /// Whether callbacks are no longer called, because one has panicked or because the executor has failed.
    pub fn has_ended(&self) -> bool {
        self.state.has_ended.load(Ordering::Acquire)
    }

    /// Returns the group whose callbacks the thread runs.
    pub fn group(&self) -> &CallbackGroup {
        &self.group
    }
}

/// Calls callbacks until the executor is canceled. Returns whether a panic or an error has ended it before.
fn spin(mut executor: SingleThreadedExecutor, logger: &Logger) -> bool {
    // After a panic, the executor is dropped.
    let spun = catch_unwind(AssertUnwindSafe(|| executor.spin()));
    let text = match &spun {
        Ok(Ok(())) => return false,
        Ok(Err(error)) => error.to_string(),
        Err(panic) => format!("a callback panicked: {}", panic_text(&**panic)),
    };
    saltus::error!(logger, "callbacks are no longer called: {text}");
    true
}

impl WorkerState {
    fn end(&self) {
        self.has_ended.store(true, Ordering::Release);
        let Some(after) = self.after_panic.get() else { return };
        while !after() && !self.is_dropped.load(Ordering::Acquire) {
            thread::park_timeout(RETRY_PERIOD);
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.state.is_dropped.store(true, Ordering::Release);
        if let Some((executor, thread)) = self.thread.take() {
            executor.cancel();
            if thread.thread().id() != thread::current().id() {
                // The thread catches panics of callbacks.
                let _ = thread.join();
            }
        }
    }
}
