//! A loaded component, on the executor of the container or on its own.

use std::{
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    thread::{self, JoinHandle},
};

use saltus_executor::{
    Executor, ExecutorHandle, MultiThreadedExecutor, Placement, SingleThreadedExecutor, WaitStrategy,
};
use saltus_node::{Node, OpenError};
use saltus_types::panic_text;

use crate::{backend::LoadedComponent, component::Instance};

/// The executors that run the callbacks of components.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Isolation {
    /// On the executor of the container.
    #[default]
    Shared,
    /// Each component on a thread of its own.
    Thread,
    /// Each component on an executor of its own with this number of threads.
    Threads(usize),
}

/// Why a component can't run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RunError {
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error("can't start a thread for the component: {0}")]
    Thread(#[from] io::Error),
}

/// A component that runs. Dropping it stops its callbacks and then drops the component.
pub(crate) struct RunningComponent {
    component: Option<Box<dyn Instance>>,
    executor: ExecutorHandle,
    thread: Option<JoinHandle<()>>,
}

impl RunningComponent {
    /// Runs the callbacks of a component, on `shared` or on an executor of its own, whose threads wait with `strategy` and
    /// have this placement.
    pub(crate) fn start(
        component: Box<dyn Instance>,
        isolation: Isolation,
        shared: &ExecutorHandle,
        (placement, strategy): (Placement, WaitStrategy),
    ) -> Result<Self, RunError> {
        let context = component.node().context();
        let (executor, thread) = match isolation {
            Isolation::Shared => (shared.clone(), None),
            Isolation::Thread => {
                let executor = SingleThreadedExecutor::new(context)?.placement(placement).strategy(strategy);
                (executor.handle(), Some(spin(executor, component.node())?))
            }
            Isolation::Threads(threads) => {
                let executor = MultiThreadedExecutor::new(context)?.threads(threads);
                let executor = executor.placement(placement).strategy(strategy);
                (executor.handle(), Some(spin(executor, component.node())?))
            }
        };
        executor.add_node(component.node());
        Ok(Self { component: Some(component), executor, thread })
    }
}

impl LoadedComponent for RunningComponent {
    /// Stops the callbacks if the component has an executor of its own. Waits until they have ended.
    fn stop(&mut self) {
        let Some(thread) = self.thread.take() else { return };
        self.executor.cancel();
        // A component that unloads itself can't wait for its own threads.
        if thread.thread().id() != thread::current().id() && !self.executor.runs_on_this_thread() {
            // The thread catches panics, so that it can't fail.
            let _ = thread.join();
        }
    }
}

/// Spins an executor on a new thread, which has the name of the node. A callback that panics ends the thread, and not
/// the process.
fn spin(mut executor: impl Executor + Send + 'static, node: &Node) -> io::Result<JoinHandle<()>> {
    let logger = node.logger();
    thread::Builder::new().name(node.name().base().into()).spawn(move || {
        // The thread that loads components may have a placement, which is not that of the component.
        Placement::leave();
        let spun = catch_unwind(AssertUnwindSafe(|| executor.spin()));
        let text = match spun {
            Ok(Ok(())) => return,
            Ok(Err(error)) => error.to_string(),
            Err(panic) => format!("a callback panicked: {}", panic_text(&*panic)),
        };
        saltus_node::error!(logger, "the callbacks of a component do not run any more: {text}");
    })
}

impl Drop for RunningComponent {
    fn drop(&mut self) {
        self.stop();
        if let Some(component) = self.component.take() {
            self.executor.remove_node(component.node());
        }
    }
}
