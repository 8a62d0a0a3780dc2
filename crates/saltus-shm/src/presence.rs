//! What keeps a process in its domain, and its leaving.

use std::{
    sync::{Arc, Weak, atomic::Ordering},
    thread::JoinHandle,
};

use crate::{os::mutex::Mutex, shared::Shared};

/// Keeps the process in the domain. When the last one is dropped the process has left: its files are
/// gone before `drop` returns.
///
/// **Invariant:** the housekeeping drops none that could be the last, because nobody would wait for
/// it. It has no presence of its own, and what it gives to a subscription it does while the
/// subscription, which has one, can't go away: under the lock of the state.
pub(crate) type Presence = Arc<Lifeline>;

/// A presence that does not keep the process in the domain.
pub(crate) type WeakPresence = Weak<Lifeline>;

/// See [`Presence`].
#[derive(Debug)]
pub(crate) struct Lifeline {
    pub(crate) shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Lifeline {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        Self { shared, thread: Mutex::default() }
    }

    /// The housekeeping's thread, to be waited for when the process leaves.
    pub(crate) fn set_thread(&self, thread: JoinHandle<()>) {
        *self.thread.lock() = Some(thread);
    }

    fn stop_housekeeping(&self) {
        self.shared.stop.store(true, Ordering::Release);
        self.shared.link.ring_housekeeping();
        let thread = self.thread.lock().take();
        // A user's event handler may drop the last handle on that very thread.
        let other = thread.filter(|thread| thread.thread().id() != std::thread::current().id());
        if let Some(thread) = other {
            // It never panics by intention; if it did, leaving goes on all the same.
            let _ = thread.join();
        }
    }
}

/// Leaves the domain. A forked child never does, for it never entered.
impl Drop for Lifeline {
    fn drop(&mut self) {
        if !self.shared.usability.is_here() {
            return;
        }
        self.stop_housekeeping();
        self.shared.membership.leave();
        self.shared.lock().peers.values().for_each(|peer| peer.link.ring_housekeeping());
    }
}
