//! Closures that executors call.

use std::sync::Mutex;

/// A closure of the user. Either one thread at a time calls it, or several threads do.
///
/// `One` is a `FnMut`, `Many` the `Fn + Sync` with the same arguments.
pub(crate) enum Callback<One: ?Sized, Many: ?Sized> {
    /// Its calls never overlap.
    Exclusive(Mutex<Box<One>>),
    /// Its calls may overlap if its group is re-entrant.
    Reentrant(Box<Many>),
}

impl<One: ?Sized, Many: ?Sized> Callback<One, Many> {
    pub(crate) fn exclusive(callback: Box<One>) -> Self {
        Self::Exclusive(Mutex::new(callback))
    }

    pub(crate) fn is_reentrant(&self) -> bool {
        matches!(self, Self::Reentrant(_))
    }
}
