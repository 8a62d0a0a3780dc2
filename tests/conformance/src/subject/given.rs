//! Parsing of the arguments of commands.

use std::time::Duration;

/// Parses a number of seconds.
pub(crate) fn timeout(seconds: &str) -> Result<Duration, String> {
    let seconds: f64 =
        seconds.parse().map_err(|_| format!("expected a number of seconds, found `{seconds}`"))?;
    Duration::try_from_secs_f64(seconds).map_err(|e| e.to_string())
}
