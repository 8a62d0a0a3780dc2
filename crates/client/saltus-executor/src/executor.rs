//! The trait of all executors.

use std::{io, time::Duration};

use saltus_node::{CallbackGroup, Node, OpenError, PlacementError};

use crate::handle::ExecutorHandle;

/// Why an executor could not start, or stopped.
#[derive(thiserror::Error)]
pub enum SpinError {
    /// Shared memory is full, or the context was inherited over `fork` or expelled from its domain.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// A file descriptor can't be polled.
    #[error("can't wait for file descriptors: {0}")]
    Poll(#[from] io::Error),
    /// The placement of a thread can't be applied.
    #[error(transparent)]
    Placement(#[from] PlacementError),
    /// A thread could not be started.
    #[error("can't start thread {number} of {all}: {source}")]
    Thread {
        /// The number of the thread.
        number: usize,
        /// The number of threads that were requested.
        all: usize,
        /// The error of the operating system.
        source: io::Error,
    },
}

saltus_types::debug_as_display!(SpinError);

/// An executor: it waits for the nodes and callback groups that were added to it, and runs their callbacks.
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
    /// Returns a handle of the executor. With it, any thread can add and remove nodes, and cancel a spin.
    fn handle(&self) -> ExecutorHandle;

    /// Runs callbacks until the context shuts down or the executor is cancelled. All threads of the executor have ended
    /// when this returns.
    ///
    /// # Errors
    /// Returns an error if the executor can't wait, or if the placement of its threads can't be applied.
    ///
    /// # Panics
    /// Panics if a callback panics. All threads of the executor have ended then.
    fn spin(&mut self) -> Result<(), SpinError>;

    /// Adds a node, and runs callbacks until the context shuts down or the executor is cancelled.
    ///
    /// # Errors
    /// Returns the same errors as [`Executor::spin`].
    ///
    /// # Panics
    /// Panics like [`Executor::spin`].
    fn spin_node(&mut self, node: &Node) -> Result<(), SpinError> {
        self.add_node(node);
        self.spin()
    }

    /// Runs callbacks until a future is complete, for at most `timeout` (without limit if `None`). Returns `None` if
    /// the timeout passes, the context shuts down or the executor is cancelled before that.
    ///
    /// # Errors
    /// Returns the same errors as [`Executor::spin`].
    ///
    /// # Panics
    /// Panics like [`Executor::spin`].
    fn spin_until_future_complete<F: Future>(
        &mut self,
        future: F,
        timeout: Option<Duration>,
    ) -> Result<Option<F::Output>, SpinError>
    where
        Self: Sized;

    /// Adds a node. See [`ExecutorHandle::add_node`].
    fn add_node(&self, node: &Node) {
        self.handle().add_node(node);
    }

    /// Removes a node. See [`ExecutorHandle::remove_node`].
    fn remove_node(&self, node: &Node) {
        self.handle().remove_node(node);
    }

    /// Adds a callback group. See [`ExecutorHandle::add_callback_group`].
    fn add_callback_group(&self, group: &CallbackGroup) {
        self.handle().add_callback_group(group);
    }

    /// Removes a callback group. See [`ExecutorHandle::remove_callback_group`].
    fn remove_callback_group(&self, group: &CallbackGroup) {
        self.handle().remove_callback_group(group);
    }
}
