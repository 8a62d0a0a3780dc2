//! Whether the publishers of a lifecycle node may publish.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

/// A gate that all publishers of a node look at before they publish.
///
/// Its number is even while it is closed, and odd while it is open. Each change adds 1.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gate(Arc<AtomicU64>);

impl Gate {
    /// Opens or closes the gate.
    pub(crate) fn set(&self, open: bool) {
        // Only the thread that holds the lock of the callbacks changes the gate.
        let number = self.0.load(Ordering::Relaxed);
        if is_open(number) != open {
            self.0.store(number + 1, Ordering::Release);
        }
    }

    /// Whether the gate is open.
    pub(crate) fn is_open(&self) -> bool {
        is_open(self.0.load(Ordering::Acquire))
    }

    /// Returns a number that changes when the gate is opened or closed. It is never 0 after the gate was opened once.
    pub(crate) fn number(&self) -> u64 {
        self.0.load(Ordering::Acquire)
    }
}

fn is_open(number: u64) -> bool {
    number % 2 == 1
}
