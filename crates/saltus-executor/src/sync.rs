//! Locks, and what [`pool`](crate::pool) synchronizes by.

use std::sync::PoisonError;
pub(crate) use std::sync::{Condvar, Mutex, MutexGuard};

/// Locks a mutex. Whatever is guarded by one in this crate is whole even if a thread panicked that held it.
pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits for a condition variable.
pub(crate) fn wait<'a, T>(condvar: &Condvar, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
    condvar.wait(guard).unwrap_or_else(PoisonError::into_inner)
}
