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
    /// The placement of its threads can't be applied.
    #[error(transparent)]
    Placement(#[from] PlacementError),
    /// One of its threads could not be started.
    #[error("can't start thread {number} of {all}: {source}")]
    Thread {
        /// The number of the thread.
        number: usize,
        /// How many threads were requested.
        all: usize,
        /// The error of the system.
        source: io::Error,
    },
}

saltus_types::debug_as_display!(SpinError);

/// Waits for the nodes and callback groups that were added to it, and runs their callbacks.
///
/// ```no_run
/// use saltus::{Executor, executor::SpinError, SingleThreadedExecutor};
///
/// fn run(executor: &mut impl Executor, node: &saltus::Node) -> Result<(), SpinError> {
///     executor.add_node(node);
///     executor.spin()
/// }
/// ```
pub trait Executor {
    /// Returns a handle that adds and removes nodes and ends a spin, from any thread.
    fn handle(&self) -> ExecutorHandle;

    /// Runs callbacks until the context shuts down or the executor is cancelled. When it returns, all its threads
    /// have ended.
    ///
    /// # Errors
    /// If it can't wait, or if the placement of its threads can't be applied.
    ///
    /// # Panics
    /// If a callback panics. Then all threads end, and the panic is passed on.
    fn spin(&mut self) -> Result<(), SpinError>;

    /// Adds a node and runs until the context shuts down or the executor is cancelled.
    ///
    /// # Errors
    /// As [`Executor::spin`].
    ///
    /// # Panics
    /// As [`Executor::spin`].
    fn spin_node(&mut self, node: &Node) -> Result<(), SpinError> {
        self.add_node(node);
        self.spin()
    }

    /// Runs until a future is complete, for at most `timeout` (for ever if `None`). Returns `None` if the timeout
    /// passes, the context shuts down or the executor is cancelled before that.
    ///
    /// # Errors
    /// As [`Executor::spin`].
    ///
    /// # Panics
    /// As [`Executor::spin`].
    fn spin_until_future_complete<F: Future>(
        &mut self,
        future: F,
        timeout: Option<Duration>,
    ) -> Result<Option<F::Output>, SpinError>
    where
        Self: Sized;

    /// Adds a node; see [`ExecutorHandle::add_node`].
    fn add_node(&self, node: &Node) {
        self.handle().add_node(node);
    }

    /// Removes a node; see [`ExecutorHandle::remove_node`].
    fn remove_node(&self, node: &Node) {
        self.handle().remove_node(node);
    }

    /// Adds a callback group; see [`ExecutorHandle::add_callback_group`].
    fn add_callback_group(&self, group: &CallbackGroup) {
        self.handle().add_callback_group(group);
    }

    /// Removes a callback group; see [`ExecutorHandle::remove_callback_group`].
    fn remove_callback_group(&self, group: &CallbackGroup) {
        self.handle().remove_callback_group(group);
    }
}
