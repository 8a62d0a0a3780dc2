//! What commands are given, and what all of them share.

use std::time::Duration;

/// A number of seconds.
pub(crate) fn timeout(seconds: &str) -> Result<Duration, String> {
    let seconds: f64 = seconds.parse().map_err(|_| "no seconds".to_owned())?;
    Duration::try_from_secs_f64(seconds).map_err(|e| e.to_string())
}
