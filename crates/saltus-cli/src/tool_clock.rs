//! The clock that a verb measures with.

use std::thread::JoinHandle;

use saltus::{
    Context, Executor, SingleThreadedExecutor,
    executor::ExecutorHandle,
    time::{Clock, monotonic_now},
};

use crate::{arguments::ClockArguments, error::Error, reading::hidden_node};

/// The clock that a verb measures with: the steady clock, the time of day, or the simulated time of `/clock`.
pub(crate) struct ToolClock {
    simulated: Option<(Clock, Spinning)>,
}

/// A thread that takes simulated time from `/clock`. It ends with this.
struct Spinning {
    handle: ExecutorHandle,
    thread: Option<JoinHandle<()>>,
}

impl ToolClock {
    /// Creates the clock that the arguments ask for.
    pub(crate) fn new(context: &Context, arguments: ClockArguments) -> Result<Self, Error> {
        if !arguments.use_sim_time {
            return Ok(Self { simulated: None });
        }
        let node = hidden_node(context)?;
        node.use_sim_time(true)?;
        let clock = node.clock().clone();
        let mut executor = SingleThreadedExecutor::new(context)?;
        executor.add_node(&node);
        let handle = executor.handle();
        let thread = std::thread::Builder::new().name("saltus-clock".into()).spawn(move || {
            if let Err(error) = executor.spin() {
                eprintln!("saltus: simulated time is no longer received: {error}");
            }
            drop(node);
        })?;
        Ok(Self { simulated: Some((clock, Spinning { handle, thread: Some(thread) })) })
    }

    /// Returns a time for measuring intervals, in nanoseconds. Simulated time may go back.
    pub(crate) fn steady_now(&self) -> i64 {
        match &self.simulated {
            Some((clock, _)) => clock.now().as_nanos(),
            None => monotonic_now() as i64,
        }
    }

    /// Returns the time that stamps of messages are compared with, in nanoseconds.
    pub(crate) fn stamp_now(&self) -> i64 {
        match &self.simulated {
            Some((clock, _)) => clock.now().as_nanos(),
            None => saltus::time::system_now().as_nanos(),
        }
    }
}

impl Drop for Spinning {
    fn drop(&mut self) {
        self.handle.cancel();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
