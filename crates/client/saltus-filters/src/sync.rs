//! The synchronization types that [`turns`](crate::turns) uses.

use std::sync::PoisonError;
pub(crate) use std::{
    sync::{Condvar, Mutex, MutexGuard},
    thread::{self, ThreadId},
};

pub(crate) use saltus_types::lock;

/// Waits for a condition variable. Ignores poisoning.
pub(crate) fn wait<'a, T>(condvar: &Condvar, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
    condvar.wait(guard).unwrap_or_else(PoisonError::into_inner)
}
