//! Callbacks: the closures that executors call.

use std::sync::Mutex;

/// A closure of the user.
///
/// `Exclusive` is a `dyn FnMut`, and `Reentrant` is a `dyn Fn + Sync` with the same arguments.
pub(crate) enum Callback<Exclusive: ?Sized, Reentrant: ?Sized> {
    /// Calls of the closure never overlap.
    Exclusive(Mutex<Box<Exclusive>>),
    /// Calls of the closure may overlap if its callback group is re-entrant.
    Reentrant(Box<Reentrant>),
}

impl<Exclusive: ?Sized, Reentrant: ?Sized> Callback<Exclusive, Reentrant> {
    pub(crate) fn exclusive(callback: Box<Exclusive>) -> Self {
        Self::Exclusive(Mutex::new(callback))
    }

    pub(crate) fn is_reentrant(&self) -> bool {
        matches!(self, Self::Reentrant(_))
    }
}
