//! Decides which of the threads that wait for responses takes them.
//!
//! One thread at a time leads: it waits at the client's doorbell, and takes the responses of all. The others follow:
//! they sleep until their call is done, or until the leader has left and one of them leads. An executor may take
//! responses meanwhile.
//!
//! No thread sleeps for ever, because each side stores before it loads. A follower counts itself, and then checks
//! whether its call is done. The thread that completes a call first marks it as done, and then checks whether there are
//! followers. A leader, and an executor that completes the leader's own call, do the same. Full fences keep the two
//! steps in this order.

use std::{sync::PoisonError, time::Duration};

use super::sync::{AtomicBool, AtomicUsize, Condvar, Mutex, MutexGuard, Ordering, fence};

/// The turns of a client's threads, and a value that the same lock guards.
pub(super) struct Handover<T> {
    turn: Mutex<Turn<T>>,
    /// Notified when a leader has left, or when the call of a follower is done.
    changed: Condvar,
    /// How many threads wait without leading.
    followers: AtomicUsize,
    is_led: AtomicBool,
}

/// Whether a thread has the turn to lead, and the guarded value.
pub(super) struct Turn<T> {
    has_leader: bool,
    pub(super) value: T,
}

impl<T> Turn<T> {
    /// Whether a thread leads.
    pub(super) fn has_leader(&self) -> bool {
        self.has_leader
    }
}

impl<T> Handover<T> {
    pub(super) fn new(value: T) -> Self {
        Self {
            turn: Mutex::new(Turn { has_leader: false, value }),
            changed: Condvar::new(),
            followers: AtomicUsize::new(0),
            is_led: AtomicBool::new(false),
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Turn<T>> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the leader has left or has completed this thread's call, for at most `timeout`.
    pub(super) fn follow<'a>(
        &'a self,
        turn: MutexGuard<'a, Turn<T>>,
        is_done: impl FnOnce() -> bool,
        timeout: Duration,
    ) -> MutexGuard<'a, Turn<T>> {
        self.followers.fetch_add(1, Ordering::Relaxed);
        // See `completed`.
        fence(Ordering::SeqCst);
        let turn = match is_done() {
            true => turn,
            false => self.changed.wait_timeout(turn, timeout).unwrap_or_else(PoisonError::into_inner).0,
        };
        self.followers.fetch_sub(1, Ordering::Relaxed);
        turn
    }

    /// Leads: calls `serve` without the lock. The next leader starts when the returned lock is released.
    pub(super) fn lead<'a>(
        &'a self,
        mut turn: MutexGuard<'a, Turn<T>>,
        serve: impl FnOnce(),
    ) -> MutexGuard<'a, Turn<T>> {
        turn.has_leader = true;
        drop(turn);
        self.is_led.store(true, Ordering::Relaxed);
        // See `completed`.
        fence(Ordering::SeqCst);
        serve();
        self.is_led.store(false, Ordering::Relaxed);
        let mut turn = self.lock();
        turn.has_leader = false;
        self.changed.notify_all();
        turn
    }

    /// Wakes the thread whose call was just completed. If an executor completed it, it may be the leader's own call,
    /// and nothing else notifies the leader. So `ring` rings the leader in that case.
    pub(super) fn completed(&self, by_leader: bool, ring: impl FnOnce()) {
        // Either this thread sees that another thread waits, or the other thread sees that its call is done.
        fence(Ordering::SeqCst);
        if !by_leader && self.is_led.load(Ordering::Relaxed) {
            ring();
        }
        if self.followers.load(Ordering::Relaxed) > 0 {
            // A follower that has checked its call sleeps once it has released the lock.
            drop(self.lock());
            self.changed.notify_all();
        }
    }
}
