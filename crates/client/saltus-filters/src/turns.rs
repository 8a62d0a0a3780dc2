//! A function that is called by one thread at a time.

use super::sync::{Condvar, Mutex, ThreadId, lock, thread, wait};

/// A state, and a function that is called with the items that the state has ready. One thread at a time changes the state and
/// then calls the function. The other threads wait, so that they do not add more than the function can process.
pub(crate) struct Turns<S, F> {
    shared: Mutex<TurnState<S, F>>,
    /// Notified at the end of a turn.
    ended: Condvar,
}

/// The state, and the thread whose turn it is.
struct TurnState<S, F> {
    state: S,
    /// `None` while it runs.
    function: Option<F>,
    /// The thread that runs it.
    runs_on: Option<ThreadId>,
}

impl<S, F> Turns<S, F> {
    pub(crate) fn new(state: S, function: F) -> Self {
        let shared = TurnState { state, function: Some(function), runs_on: None };
        Self { shared: Mutex::new(shared), ended: Condvar::new() }
    }

    /// Calls `access` with the state at once, also while the function runs.
    pub(crate) fn with<T>(&self, access: impl FnOnce(&mut S) -> T) -> T {
        access(&mut lock(&self.shared).state)
    }

    /// Changes the state with `change`, and calls the function with each item that `next` returns. If the function itself
    /// calls this, only the state is changed. The function is called with the new items after it has returned.
    pub(crate) fn take<I>(&self, change: impl FnOnce(&mut S), next: impl Fn(&mut S) -> Option<I>)
    where
        F: FnMut(I),
    {
        let this = thread::current().id();
        let mut shared = lock(&self.shared);
        while shared.runs_on.is_some_and(|other| other != this) {
            shared = wait(&self.ended, shared);
        }
        change(&mut shared.state);
        let Some(function) = shared.function.take() else { return };
        shared.runs_on = Some(this);
        drop(shared);
        let mut turn = Turn { turns: self, function: Some(function) };
        while let Some(item) = self.with(&next) {
            if let Some(function) = &mut turn.function {
                function(item);
            }
        }
    }
}

/// The function, while a thread runs it. It is given back at the end, also after a panic.
struct Turn<'a, S, F> {
    turns: &'a Turns<S, F>,
    function: Option<F>,
}

impl<S, F> Drop for Turn<'_, S, F> {
    fn drop(&mut self) {
        let mut shared = lock(&self.turns.shared);
        (shared.function, shared.runs_on) = (self.function.take(), None);
        drop(shared);
        self.turns.ended.notify_all();
    }
}
