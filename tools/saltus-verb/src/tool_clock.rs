//! The clock that a verb uses for measurements.

use std::{
    cell::Cell,
    io::{self, Write},
    thread::JoinHandle,
};

use saltus::{
    Context, Executor, SingleThreadedExecutor,
    executor::ExecutorHandle,
    time::{Clock, monotonic_now},
};

use crate::{arguments::ClockArguments, error::Error, reading::hidden_node};

/// The clock that a verb uses for measurements: steady time and system time, or the simulated time of `/clock`.
pub struct ToolClock {
    simulated: Option<(Clock, Spinning)>,
    /// When it was created, in monotonic nanoseconds. 0 after the user was told that there is no simulated time.
    waits_since: Cell<u64>,
}

/// The time without simulated time after which the user is told, in nanoseconds.
const SILENCE: u64 = 1_000_000_000;

/// A thread that receives simulated time from `/clock`. It ends when this value is dropped.
struct Spinning {
    handle: ExecutorHandle,
    thread: Option<JoinHandle<()>>,
}

impl ToolClock {
    /// Creates the clock that the arguments select.
    pub fn new(context: &Context, arguments: ClockArguments) -> Result<Self, Error> {
        if !arguments.use_sim_time {
            return Ok(Self { simulated: None, waits_since: Cell::new(0) });
        }
        let node = hidden_node(context)?;
        node.use_sim_time(true)?;
        let clock = node.clock().clone();
        let mut executor = SingleThreadedExecutor::new(context)?;
        executor.add_node(&node);
        let handle = executor.handle();
        let thread = std::thread::Builder::new().name("saltus-clock".into()).spawn(move || {
            if let Err(error) = executor.spin() {
                crate::output::tell!("saltus: simulated time is no longer received: {error}");
            }
            drop(node);
        })?;
        let spinning = Spinning { handle, thread: Some(thread) };
        Ok(Self { simulated: Some((clock, spinning)), waits_since: Cell::new(monotonic_now()) })
    }

    /// Returns a time in nanoseconds for the measurement of intervals. Simulated time may go back. Returns `None` if
    /// simulated time has not begun.
    pub fn steady_now(&self) -> Option<i64> {
        self.simulated_now().unwrap_or_else(|| Some(monotonic_now() as i64))
    }

    /// Returns a time in nanoseconds that can be compared with the stamps of messages. Returns `None` if simulated time
    /// has not begun.
    pub fn stamp_now(&self) -> Option<i64> {
        self.simulated_now().unwrap_or_else(|| Some(saltus::time::system_now().as_nanos()))
    }

    /// Same as [`ToolClock::steady_now`]. Tells the user once that simulated time has not begun.
    pub fn steady_now_or_tell(&self) -> io::Result<Option<i64>> {
        self.or_tell(self.steady_now())
    }

    /// Same as [`ToolClock::stamp_now`]. Tells the user once that simulated time has not begun.
    pub fn stamp_now_or_tell(&self) -> io::Result<Option<i64>> {
        self.or_tell(self.stamp_now())
    }

    fn or_tell(&self, now: Option<i64>) -> io::Result<Option<i64>> {
        let since = self.waits_since.get();
        if now.is_none() && since != 0 && monotonic_now().saturating_sub(since) > SILENCE {
            self.waits_since.set(0);
            writeln!(
                io::stderr(),
                "WARNING: nobody publishes the time on /clock: start the simulator, or leave --use-sim-time out"
            )?;
        }
        Ok(now)
    }

    /// Returns simulated time, if this clock uses it. It is 0 until the first message of `/clock`.
    fn simulated_now(&self) -> Option<Option<i64>> {
        let (clock, _) = self.simulated.as_ref()?;
        let nanos = clock.now().as_nanos();
        Some((nanos != 0).then_some(nanos))
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
