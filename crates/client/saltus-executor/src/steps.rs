//! Passes one by one: a whole one, one callback, or until a time.

use std::time::Duration;

use saltus_node::monotonic_now;

use crate::{executor::SpinError, future::deadline_after, limit::Limit, single::SingleThreadedExecutor};

impl SingleThreadedExecutor {
    /// Waits until something is ready, for at most `timeout` (without limit if `None`), and runs one pass. Returns
    /// whether anything ran.
    pub fn spin_once(&mut self, timeout: Option<Duration>) -> Result<bool, SpinError> {
        if self.run_pass()? {
            return Ok(true);
        }
        // The clock is read only if nothing is ready, because reading it costs as much as a pass.
        let deadline = timeout.map(deadline_after);
        let mut may_wait = timeout != Some(Duration::ZERO);
        while !self.is_over() && may_wait {
            self.wait(deadline)?;
            if self.run_pass()? {
                return Ok(true);
            }
            may_wait = deadline.is_none_or(|deadline| monotonic_now() < deadline);
        }
        Ok(false)
    }

    /// Runs one pass like [`SingleThreadedExecutor::spin_once`], but waits only once, until the monotonic time
    /// `deadline` in nanoseconds. So it returns when a signal interrupts the wait. This is for languages whose signal
    /// handlers run on the spinning thread.
    pub fn spin_once_or_interrupted(&mut self, deadline: Option<u64>) -> Result<bool, SpinError> {
        if self.run_pass()? {
            return Ok(true);
        }
        let is_late = deadline.is_some_and(|deadline| monotonic_now() >= deadline);
        if self.is_over() || is_late {
            return Ok(false);
        }
        self.wait(deadline)?;
        self.run_pass()
    }

    /// Runs one pass without waiting. Returns whether anything ran.
    pub fn spin_some(&mut self) -> Result<bool, SpinError> {
        self.spin_once(Some(Duration::ZERO))
    }

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
        if self.run_some(Limit::One)? {
            return Ok(true);
        }
        let deadline = timeout.map(deadline_after);
        let mut may_wait = timeout != Some(Duration::ZERO);
        while !self.is_over() && may_wait && !self.take_wake() {
            self.wait(deadline)?;
            if self.run_some(Limit::One)? {
                return Ok(true);
            }
            may_wait = deadline.is_none_or(|deadline| monotonic_now() < deadline);
            if !may_wait {
                // A wake at the end of this wait must not end the next one.
                self.take_wake();
            }
        }
        Ok(false)
    }

    /// Runs a pass without waiting. It begins no callback after `limit`. Returns whether anything ran.
    pub fn spin_some_for(&mut self, limit: Duration) -> Result<bool, SpinError> {
        match limit {
            Duration::MAX => self.run_pass(),
            limit => self.run_some(Limit::Until(deadline_after(limit))),
        }
    }
}
