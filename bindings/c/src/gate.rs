//! Lets the end of an entity wait for its running callback.
//!
//! An executor runs a callback as long as it finds the entity. A program in C frees what the callback uses after it has
//! destroyed the entity. So a gate is closed first: it lets no callback begin any more, and waits for those that run on other
//! threads. A callback may destroy its own entity: the gate does not wait for callbacks of its own thread.

use std::cell::Cell;

use crate::sync::{AtomicU32, Condvar, Mutex, Ordering, lock, wait};

/// The bit that says that no callback may begin. The bits below it count the callbacks that run.
const CLOSED: u32 = 1 << 31;

/// Counts the running callbacks of an entity.
///
/// **Invariant:** after [`Gate::close`] has returned, no callback of the entity runs on another thread, and none begins.
#[derive(Debug, Default)]
pub(crate) struct Gate {
    state: AtomicU32,
    /// Held by a thread that ends the last callback of a closed gate, and by the thread that waits for that.
    lock: Mutex<()>,
    ended: Condvar,
}

thread_local! {
    /// The callback that was begun last on this thread, and still runs.
    static RUNNING: Cell<Option<Frame>> = const { Cell::new(None) };
}

/// A running callback: its gate, and the callback of this thread that was begun before it.
#[derive(Clone, Copy)]
struct Frame {
    gate: *const Gate,
    before: *const Frame,
}

impl Gate {
    /// Runs a callback, unless the gate is closed.
    pub(crate) fn run<T>(&self, callback: impl FnOnce() -> T) -> Option<T> {
        let _passage = Passage::begin(self)?;
        let before = RUNNING.get();
        let frame =
            Frame { gate: self, before: before.as_ref().map_or(std::ptr::null(), std::ptr::from_ref) };
        let _restored = Restore(before);
        RUNNING.set(Some(frame));
        Some(callback())
    }

    /// Closes the gate, and waits until no other thread runs a callback.
    pub(crate) fn close(&self) {
        self.state.fetch_or(CLOSED, Ordering::AcqRel);
        let own = self.count_own();
        let mut guard = lock(&self.lock);
        while self.state.load(Ordering::Acquire) & !CLOSED > own {
            guard = wait(&self.ended, guard);
        }
    }

    /// Returns how many callbacks of this gate run on this thread.
    fn count_own(&self) -> u32 {
        let running = RUNNING.get();
        let mut next = running.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
        let mut count = 0;
        // SAFETY: each frame lies on the stack of a function that has not returned, and this thread alone reads it.
        while let Some(frame) = unsafe { next.as_ref() } {
            count += u32::from(std::ptr::eq(frame.gate, self));
            next = frame.before;
        }
        count
    }
}

/// Makes a callback the last one of its thread again when the one within it has ended.
struct Restore(Option<Frame>);

impl Drop for Restore {
    fn drop(&mut self) {
        RUNNING.set(self.0);
    }
}

/// A running callback, as it is counted.
struct Passage<'a>(&'a Gate);

impl<'a> Passage<'a> {
    fn begin(gate: &'a Gate) -> Option<Self> {
        let passage = Self(gate);
        // Counted first: a thread that closes the gate meanwhile either sees the count, or this thread sees that it is closed.
        let before = gate.state.fetch_add(1, Ordering::AcqRel);
        (before & CLOSED == 0).then_some(passage)
    }
}

impl Drop for Passage<'_> {
    fn drop(&mut self) {
        if self.0.state.fetch_sub(1, Ordering::AcqRel) & CLOSED != 0 {
            // The thread that waits has the lock until it sleeps, so it does not miss this.
            let _guard = lock(&self.0.lock);
            self.0.ended.notify_all();
        }
    }
}
