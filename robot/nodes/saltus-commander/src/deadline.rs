//! The deadline of a wait.

use std::time::{Duration, Instant};

use crate::error::CommandError;

/// The deadline of a wait. A time that is too long for the clock has no end.
#[derive(Debug)]
pub(crate) struct Deadline {
    end: Option<Instant>,
    timeout: Duration,
}

impl Deadline {
    /// Returns the deadline after a time.
    pub(crate) fn after(timeout: Duration) -> Self {
        Self { end: Instant::now().checked_add(timeout), timeout }
    }

    /// Returns the time that is left; 0 after the deadline.
    pub(crate) fn left(&self) -> Duration {
        self.end.map_or(Duration::MAX, |end| end.saturating_duration_since(Instant::now()))
    }

    /// Returns the error for a thing that was not there in time.
    pub(crate) fn missed(&self, what: &str) -> CommandError {
        CommandError::Timeout { what: what.to_owned(), seconds: self.timeout.as_secs_f64() }
    }
}
