//! Decides which of the threads that wait for responses takes them.
//!
//! One thread at a time leads: it waits at the client's doorbell, and takes the responses of all. The others follow:
//! they sleep until their call is done, or until the leader has left and one of them leads. An executor may take
//! responses meanwhile.
//!
//! No thread sleeps for ever, because each side stores before it loads. A follower counts itself, and then checks
//! whether its call is done. The thread that completes a call marks it as done, and then checks whether there are
//! followers. The same holds for a leader and an executor that completes the leader's own call. Full fences keep the
//! two steps in this order.

use std::{sync::PoisonError, time::Duration};

use super::sync::{AtomicBool, AtomicUsize, Condvar, Mutex, MutexGuard, Ordering, fence};

/// Selects the leader among the threads of a client. The same lock guards a value of the client.
pub(super) struct Handover<T> {
    state: Mutex<Locked<T>>,
    /// Notified when a leader has left, or when the call of a follower is done.
    changed: Condvar,
    /// The number of threads that follow.
    followers: AtomicUsize,
    is_led: AtomicBool,
}

/// The state that the lock guards: whether a thread leads, and the value of the client.
pub(super) struct Locked<T> {
    has_leader: bool,
    pub(super) value: T,
}

impl<T> Locked<T> {
    /// Whether a thread leads.
    pub(super) fn has_leader(&self) -> bool {
        self.has_leader
    }
}

impl<T> Handover<T> {
    pub(super) fn new(value: T) -> Self {
        Self {
            state: Mutex::new(Locked { has_leader: false, value }),
            changed: Condvar::new(),
            followers: AtomicUsize::new(0),
            is_led: AtomicBool::new(false),
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Locked<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Follows: waits until the leader has left, or until the call of this thread is done, for at most `timeout`.
    pub(super) fn follow<'a>(
        &'a self,
        locked: MutexGuard<'a, Locked<T>>,
        is_done: impl FnOnce() -> bool,
        timeout: Duration,
    ) -> MutexGuard<'a, Locked<T>> {
        self.followers.fetch_add(1, Ordering::Relaxed);
        // See `completed`.
        fence(Ordering::SeqCst);
        let locked = match is_done() {
            true => locked,
            false => self.changed.wait_timeout(locked, timeout).unwrap_or_else(PoisonError::into_inner).0,
        };
        self.followers.fetch_sub(1, Ordering::Relaxed);
        locked
    }

    /// Leads: calls `serve` without the lock. The next thread can lead when the returned lock is released.
    pub(super) fn lead<'a>(
        &'a self,
        mut locked: MutexGuard<'a, Locked<T>>,
        serve: impl FnOnce(),
    ) -> MutexGuard<'a, Locked<T>> {
        locked.has_leader = true;
        drop(locked);
        self.is_led.store(true, Ordering::Relaxed);
        // See `completed`.
        fence(Ordering::SeqCst);
        serve();
        self.is_led.store(false, Ordering::Relaxed);
        let mut locked = self.lock();
        locked.has_leader = false;
        self.changed.notify_all();
        locked
    }

    /// Wakes the thread whose call was just completed. If an executor has completed the call, it may be the leader's
    /// own call. Nothing else notifies the leader in this case, so it is woken with `ring`.
    pub(super) fn completed(&self, by_leader: bool, ring: impl FnOnce()) {
        // Either this thread sees that the other thread waits, or the other thread sees that its call is done.
        fence(Ordering::SeqCst);
        if !by_leader && self.is_led.load(Ordering::Relaxed) {
            ring();
        }
        if self.followers.load(Ordering::Relaxed) > 0 {
            // A follower holds the lock from its check until it sleeps. So after this lock, it is notified or has seen
            // that its call is done.
            drop(self.lock());
            self.changed.notify_all();
        }
    }
}
