//! The object that keeps a process in its domain. When it is dropped, the process leaves.

use std::{
    sync::{Arc, Weak, atomic::Ordering},
    thread::JoinHandle,
};

use saltus_memory::os::mutex::Mutex;

use crate::host::Host;

/// Keeps the process in the domain. When the last presence is dropped, the process leaves: its files are
/// removed before `drop` returns.
///
/// **Invariant:** the housekeeping thread never drops the last presence, because no thread would wait until the process
/// has left. The thread has no presence of its own. It passes presences to a subscription only under the lock of the
/// state. Under that lock the subscription can't be closed, and it has a presence of its own.
pub(crate) type Presence = Arc<PresenceInner>;

/// A presence that does not keep the process in the domain.
pub(crate) type WeakPresence = Weak<PresenceInner>;

/// See [`Presence`].
#[derive(Debug)]
pub(crate) struct PresenceInner {
    pub(crate) host: Arc<Host>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl PresenceInner {
    pub(crate) fn new(host: Arc<Host>) -> Self {
        Self { host, thread: Mutex::default() }
    }

    /// Sets the housekeeping thread. It is joined when the process leaves.
    pub(crate) fn set_thread(&self, thread: JoinHandle<()>) {
        *self.thread.lock() = Some(thread);
    }

    fn stop_housekeeping(&self) {
        self.host.stop.store(true, Ordering::Release);
        self.host.memory.link.ring_housekeeping();
        let thread = self.thread.lock().take();
        // A user's event handler may drop the last handle on the housekeeping thread itself.
        let other = thread.filter(|thread| thread.thread().id() != std::thread::current().id());
        if let Some(thread) = other {
            // The thread should never panic. If it has panicked, leaving continues all the same.
            let _ = thread.join();
        }
    }
}

/// Leaves the domain. A forked child does nothing here, because it never joined.
impl Drop for PresenceInner {
    fn drop(&mut self) {
        if !self.host.memory.usability.is_here() {
            return;
        }
        self.stop_housekeeping();
        self.host.memory.membership.leave();
        self.host.lock().peers.values().for_each(|peer| peer.link.ring_housekeeping());
    }
}
