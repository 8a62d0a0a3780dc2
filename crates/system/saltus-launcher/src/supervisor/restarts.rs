//! The restarts of one process.

use std::time::Duration;

use saltus_launch_file::plan::{Restart, RestartPolicy};

use super::rules::{Exit, duration};

/// The shortest delay before a program is started again that could not be started.
const MISSING_DELAY: Duration = Duration::from_millis(100);

/// The number of restarts of a process, and the delay before the next one.
pub(super) struct Restarts {
    policy: Restart,
    count: u32,
    delay: Duration,
}

impl Restarts {
    pub(super) fn new(policy: Restart) -> Self {
        Self { policy, count: 0, delay: duration(policy.delay) }
    }

    pub(super) fn count(&self) -> u32 {
        self.count
    }

    /// Whether the process is started again after it has ended.
    pub(super) fn are_allowed_after(&self, is_failure: bool) -> bool {
        let allows = match self.policy.policy {
            RestartPolicy::Never => false,
            RestartPolicy::OnFailure => is_failure,
            RestartPolicy::Always => true,
        };
        allows && self.policy.max.is_none_or(|max| self.count < max)
    }

    /// Makes the next delay as short as the first one if the process was ready for longer than the longest delay.
    pub(super) fn reset_delay_after(&mut self, ready_time: Duration) {
        if ready_time > duration(self.policy.max_delay) {
            self.delay = duration(self.policy.delay);
        }
    }

    /// Counts a restart without a delay.
    pub(super) fn count_immediate(&mut self) {
        self.count += 1;
    }

    /// Counts a restart with a delay. Returns the delay.
    pub(super) fn count_delayed(&mut self, exit: Exit) -> Duration {
        let (first, longest) = (duration(self.policy.delay), duration(self.policy.max_delay));
        // A program that is missing is not there a moment later, either.
        let shortest = if exit == Exit::NotStarted { MISSING_DELAY } else { Duration::ZERO };
        let delay = self.delay.max(shortest);
        self.delay = (self.delay * 2).min(longest).max(first);
        self.count += 1;
        delay
    }
}
