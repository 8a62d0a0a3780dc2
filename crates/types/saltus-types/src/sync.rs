//! Locks and panics.

use std::{
    any::Any,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Locks a mutex, even if a thread panicked while it held the lock. Use it only for data that is
/// consistent even after such a panic.
#[doc(hidden)]
pub fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the message of a panic, as `std::panic::catch_unwind` returns it.
#[doc(hidden)]
pub fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("the panic has no message")
}
