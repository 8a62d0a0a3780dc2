//! What keeps a process in its domain, and its leaving.

use std::{
    sync::{Arc, Weak, atomic::Ordering},
    thread::JoinHandle,
};

use saltus_memory::os::mutex::Mutex;

use crate::host::Host;

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
    pub(crate) host: Arc<Host>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Lifeline {
    pub(crate) fn new(host: Arc<Host>) -> Self {
        Self { host, thread: Mutex::default() }
    }

    /// The housekeeping's thread, to be waited for when the process leaves.
    pub(crate) fn set_thread(&self, thread: JoinHandle<()>) {
        *self.thread.lock() = Some(thread);
    }

    fn stop_housekeeping(&self) {
        self.host.stop.store(true, Ordering::Release);
        self.host.memory.link.ring_housekeeping();
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
        if !self.host.memory.usability.is_here() {
            return;
        }
        self.stop_housekeeping();
        self.host.memory.membership.leave();
        self.host.lock().peers.values().for_each(|peer| peer.link.ring_housekeeping());
    }
}
