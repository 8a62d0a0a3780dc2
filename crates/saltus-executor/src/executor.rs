//! What all executors do.

use std::{io, time::Duration};

use saltus_node::{CallbackGroup, Node, OpenError, PlacementError};

use crate::handle::ExecutorHandle;

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

/// Waits for the nodes and callback groups that it was given, and runs their callbacks.
///
/// ```no_run
/// use saltus_executor::{Executor, SingleThreadedExecutor, SpinError};
///
/// fn run(executor: &mut impl Executor, node: &saltus_node::Node) -> Result<(), SpinError> {
///     executor.add_node(node);
///     executor.spin_all()
/// }
/// ```
pub trait Executor {
    /// What gives nodes to it, takes them back, and ends its spin, from anywhere.
    fn handle(&self) -> ExecutorHandle;

    /// Runs what it has until the context shuts down or the executor is cancelled. When it returns all its threads
    /// have ended.
    ///
    /// # Errors
    /// If it can't wait, or its threads can't run as they are to.
    ///
    /// # Panics
    /// If a callback panics: then all threads end, and the panic is passed on.
    fn spin_all(&mut self) -> Result<(), SpinError>;

    /// Takes a node in and runs until the context shuts down or the executor is cancelled.
    ///
    /// # Errors
    /// As [`Executor::spin_all`].
    ///
    /// # Panics
    /// As [`Executor::spin_all`].
    fn spin(&mut self, node: &Node) -> Result<(), SpinError> {
        self.add_node(node);
        self.spin_all()
    }

    /// Runs until a future is complete, for at most `timeout` (for ever if `None`). `None` if the time is
    /// up, the context shut down or the executor was cancelled before.
    ///
    /// # Errors
    /// As [`Executor::spin_all`].
    ///
    /// # Panics
    /// As [`Executor::spin_all`].
    fn spin_until_future_complete<F: Future>(
        &mut self,
        future: F,
        timeout: Option<Duration>,
    ) -> Result<Option<F::Output>, SpinError>
    where
        Self: Sized;

    /// As [`ExecutorHandle::add_node`].
    fn add_node(&self, node: &Node) {
        self.handle().add_node(node);
    }

    /// As [`ExecutorHandle::remove_node`].
    fn remove_node(&self, node: &Node) {
        self.handle().remove_node(node);
    }

    /// As [`ExecutorHandle::add_callback_group`].
    fn add_callback_group(&self, group: &CallbackGroup) {
        self.handle().add_callback_group(group);
    }

    /// As [`ExecutorHandle::remove_callback_group`].
    fn remove_callback_group(&self, group: &CallbackGroup) {
        self.handle().remove_callback_group(group);
    }
}
