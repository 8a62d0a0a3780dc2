//! What commands are given, and what all of them share.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// Locks a mutex, though a thread may have panicked that held it.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A number of seconds.
pub(crate) fn timeout(seconds: &str) -> Result<Duration, String> {
    let seconds: f64 = seconds.parse().map_err(|_| "no seconds".to_owned())?;
    Duration::try_from_secs_f64(seconds).map_err(|e| e.to_string())
}
