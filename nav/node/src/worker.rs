//! A thread for some callbacks of a node.

use std::{
    fmt, io,
    thread::{self, JoinHandle},
};

use saltus::{
    Executor, Node, SingleThreadedExecutor,
    executor::{CallbackGroup, CallbackGroupKind, ExecutorHandle, WaitStrategy},
    node::OpenError,
};

/// A thread that runs the callbacks of a group of a node. Callbacks that take long, or that must come in time, do not wait for those of
/// other nodes, and need no locks between each other.
///
/// Dropping it waits until the callback that runs has ended, but on the thread itself.
pub struct Worker {
    group: CallbackGroup,
    thread: Option<(ExecutorHandle, JoinHandle<()>)>,
}

impl fmt::Debug for Worker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Worker").field("is_running", &self.thread.is_some()).finish_non_exhaustive()
    }
}

/// Why there is no thread.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// The executor can't be made.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The thread can't be started.
    #[error("can't start the thread {name}: {source}")]
    Thread {
        /// The name of the thread.
        name: String,
        /// What the system says.
        source: io::Error,
    },
}

impl Worker {
    /// Starts a thread for some callbacks of a node. `name` is that of the thread, for tools.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no room for another executor, or if the thread can't be started.
    pub fn start(node: &Node, name: &str) -> Result<Self, WorkerError> {
        let group = node.manual_callback_group(CallbackGroupKind::MutuallyExclusive);
        let mut executor = SingleThreadedExecutor::new(node.context())?.strategy(WaitStrategy::Block);
        executor.add_callback_group(&group);
        let (handle, logger) = (executor.handle(), node.logger());
        let spin = move || {
            if let Err(error) = executor.spin() {
                saltus::error!(logger, "callbacks are no longer called: {error}");
            }
        };
        let thread = thread::Builder::new().name(name.into()).spawn(spin);
        let thread = thread.map_err(|source| WorkerError::Thread { name: name.into(), source })?;
        Ok(Self { group, thread: Some((handle, thread)) })
    }

    /// Lets the thread run all callbacks of a node, besides those of the group.
    pub fn add_node(&self, node: &Node) {
        if let Some((executor, _)) = &self.thread {
            executor.add_node(node);
        }
    }

    /// Lets the thread run the callbacks of another group, too.
    pub fn add_group(&self, group: &CallbackGroup) {
        if let Some((executor, _)) = &self.thread {
            executor.add_callback_group(group);
        }
    }

    /// Whether this is called by the thread itself.
    pub fn is_current_thread(&self) -> bool {
        self.thread.as_ref().is_some_and(|(_, thread)| thread.thread().id() == thread::current().id())
    }

    /// Returns the group whose callbacks the thread runs.
    pub fn group(&self) -> &CallbackGroup {
        &self.group
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        if let Some((executor, thread)) = self.thread.take() {
            executor.cancel();
            if thread.thread().id() != thread::current().id() {
                // A panic of a callback was reported where it happened.
                let _ = thread.join();
            }
        }
    }
}
