//! Timeouts, and waits for a condition.

use std::time::Duration;

use crate::status::{Failure, SALTUS_SHUT_DOWN, SALTUS_TIMEOUT};

/// Returns a duration of nanoseconds, or `None` for a negative one, which means for ever.
pub(crate) fn timeout(nanos: i64) -> Option<Duration> {
    u64::try_from(nanos).ok().map(Duration::from_nanos)
}

/// Waits until `holds` returns true. A negative timeout is none.
///
/// # Errors
/// Returns an error if the time is over, or if the context is shut down before. `what` is what was expected.
pub(crate) fn wait_for(
    context: &saltus::Context,
    timeout: i64,
    holds: impl FnMut() -> bool,
    what: impl FnOnce() -> String,
) -> Result<(), Failure> {
    let limit = self::timeout(timeout).unwrap_or(Duration::MAX);
    if context.wait_until(limit, holds) {
        return Ok(());
    }
    Err(match context.is_shut_down() {
        true => Failure::new(SALTUS_SHUT_DOWN, "the context was shut down"),
        false => Failure::new(SALTUS_TIMEOUT, format!("{} within {limit:?}", what())),
    })
}
