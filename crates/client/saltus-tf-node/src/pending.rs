//! Items that wait until a thread polls them: at a deadline, or as soon as something has happened.

use std::time::Duration;

use super::sync::{Mutex, lock};

/// A timer that wakes the thread that polls the items.
pub(crate) trait Alarm {
    /// Sets the time from now after which it is due; never if `None`. Replaces the time that was set before.
    fn set(&self, delay: Option<Duration>);
}

/// The items that wait. Any thread can request that they are polled. One thread at a time polls them.
pub(crate) struct PendingItems<T>(Mutex<PendingState<T>>);

struct PendingState<T> {
    items: Vec<T>,
    /// Whether the items must be polled as soon as possible. The alarm is only set while this is locked.
    is_due: bool,
}

impl<T> PendingItems<T> {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(PendingState { items: Vec::new(), is_due: false }))
    }

    /// Returns the number of items that wait.
    pub(crate) fn count(&self) -> usize {
        lock(&self.0).items.len()
    }

    /// Makes the alarm due, because something has happened.
    pub(crate) fn wake(&self, alarm: &impl Alarm) {
        let mut waiting = lock(&self.0);
        if !waiting.is_due {
            waiting.is_due = true;
            alarm.set(Some(Duration::ZERO));
        }
    }

    /// Takes all items, to poll them. A later [`wake`](Self::wake) makes the alarm due again.
    pub(crate) fn take(&self) -> Vec<T> {
        let mut waiting = lock(&self.0);
        waiting.is_due = false;
        std::mem::take(&mut waiting.items)
    }

    /// Adds items that must wait. `next` returns the time until the first deadline of all items.
    pub(crate) fn add(&self, mut items: Vec<T>, next: impl Fn(&[T]) -> Option<Duration>, alarm: &impl Alarm) {
        let mut waiting = lock(&self.0);
        waiting.items.append(&mut items);
        alarm.set(if waiting.is_due { Some(Duration::ZERO) } else { next(&waiting.items) });
    }
}
