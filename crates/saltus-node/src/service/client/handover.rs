//! Which of the threads that wait for responses takes them.
//!
//! One at a time leads: it waits at the client's doorbell, and takes the responses of all. The others follow: they sleep
//! until their call is done, or the leader has left and one of them leads. An executor may take responses meanwhile.
//!
//! Nobody sleeps for ever, because each side makes itself known before it looks: a follower counts itself and then looks
//! whether its call is done; whoever completes a call does so and then looks whether there are followers. So does a leader
//! with an executor that completes the leader's own call. Full fences keep the two steps in this order.

use std::{sync::PoisonError, time::Duration};

use super::sync::{AtomicBool, AtomicUsize, Condvar, Mutex, MutexGuard, Ordering, fence};

/// The turns of a client's threads, and what the lock guards besides.
pub(super) struct Handover<T> {
    turn: Mutex<Turn<T>>,
    /// A leader has left, or a call of one who does not lead is done.
    changed: Condvar,
    /// How many wait without leading.
    followers: AtomicUsize,
    is_led: AtomicBool,
}

/// Whose turn it is.
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

    /// Waits until the leader has left or has completed this thread's call, at most for `timeout`.
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

    /// Leads: does `serve` without the lock. The next who leads does so once the lock that this returns is let go.
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

    /// A call was completed just now. If an executor did it, it may be the leader's, whom nothing else will tell:
    /// then `ring` rings the leader.
    pub(super) fn completed(&self, by_leader: bool, ring: impl FnOnce()) {
        // Either this sees that somebody waits, or they that it is done.
        fence(Ordering::SeqCst);
        if !by_leader && self.is_led.load(Ordering::Relaxed) {
            ring();
        }
        if self.followers.load(Ordering::Relaxed) > 0 {
            // A follower that has looked sleeps once it has let go of the lock.
            drop(self.lock());
            self.changed.notify_all();
        }
    }
}
