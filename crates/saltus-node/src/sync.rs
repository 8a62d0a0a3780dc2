//! Locks.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a mutex. Whatever is guarded by one in this crate is whole even if a thread panicked that held it.
pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
