//! What waits until a thread looks at it: at a time, or as soon as something has happened.

use std::time::Duration;

use super::sync::{Mutex, lock};

/// Wakes the thread that works on what waits.
pub(crate) trait Alarm {
    /// Sets the time from now at which it is due; never if it is `None`. What was set before no longer counts.
    fn set(&self, time: Option<Duration>);
}

/// What waits. Any thread can say that it must be looked at; one thread at a time looks.
pub(crate) struct Pending<T>(Mutex<Waiting<T>>);

struct Waiting<T> {
    items: Vec<T>,
    /// Whether they are to be looked at as soon as possible. The alarm is only set while this is locked.
    is_due: bool,
}

impl<T> Pending<T> {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(Waiting { items: Vec::new(), is_due: false }))
    }

    /// Returns how many wait.
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

    /// Takes all, to look at them. What happens from here on makes the alarm due again.
    pub(crate) fn take(&self) -> Vec<T> {
        let mut waiting = lock(&self.0);
        waiting.is_due = false;
        std::mem::take(&mut waiting.items)
    }

    /// Adds some that must wait on. `next` returns when the first of all is to be looked at, if nothing happens before.
    pub(crate) fn keep(
        &self,
        mut items: Vec<T>,
        next: impl Fn(&[T]) -> Option<Duration>,
        alarm: &impl Alarm,
    ) {
        let mut waiting = lock(&self.0);
        waiting.items.append(&mut items);
        alarm.set(if waiting.is_due { Some(Duration::ZERO) } else { next(&waiting.items) });
    }
}
