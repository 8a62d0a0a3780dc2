//! Passes that end early: after one callback, or after a time.

use std::time::Duration;

use saltus_node::monotonic_now;

use crate::{executor::SpinError, future::deadline_after, limit::Limit, single::SingleThreadedExecutor};

impl SingleThreadedExecutor {
    /// Waits until a callback can run, for at most `timeout` (without limit if `None`), and runs one. Returns whether one ran.
    /// It also returns if [`ExecutorHandle::wake`](crate::ExecutorHandle::wake) is called.
    ///
    /// Entries that are ready at the same time run one after the other, in several calls: none runs twice before each of them
    /// has run once.
    ///
    /// ```no_run
    /// # use saltus::{Executor, SingleThreadedExecutor};
    /// let context = saltus::Context::new()?;
    /// let node = context.node("steps").create()?;
    /// let mut executor = SingleThreadedExecutor::new(&context)?;
    /// executor.add_node(&node);
    /// while executor.spin_one(Some(std::time::Duration::from_secs(1)))? {
    ///     println!("one callback has run");
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn spin_one(&mut self, timeout: Option<Duration>) -> Result<bool, SpinError> {
        if self.go_on(Limit::One)? {
            return Ok(true);
        }
        let deadline = timeout.map(deadline_after);
        while !self.is_over() && deadline.is_none_or(|deadline| monotonic_now() < deadline) {
            let wakes = self.entries.handle.wakes();
            self.wait(deadline)?;
            if self.go_on(Limit::One)? {
                return Ok(true);
            }
            if self.entries.handle.wakes() != wakes {
                return Ok(false);
            }
        }
        Ok(false)
    }

    /// Runs a pass without waiting. It begins no callback after `limit`. Returns whether anything ran.
    pub fn spin_some_for(&mut self, limit: Duration) -> Result<bool, SpinError> {
        match limit {
            Duration::MAX => self.run_pass(),
            limit => self.go_on(Limit::Until(deadline_after(limit))),
        }
    }

    /// Runs a pass. If there is nothing left of an unfinished turn, begins a new one.
    fn go_on(&mut self, limit: Limit) -> Result<bool, SpinError> {
        let was_unfinished = self.is_unfinished;
        Ok(self.run_limited_pass(limit)? || (was_unfinished && self.run_limited_pass(limit)?))
    }
}
