//! The synchronization types that [`mailbox`](crate::mailbox) uses.

pub(crate) use std::sync::Mutex;
use std::{
    io,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
};

use rustix::event::{EventfdFlags, eventfd};
pub(crate) use saltus::types::lock;

/// An event that wakes the thread that polls its file descriptor.
#[derive(Debug)]
pub(crate) struct WakeEvent(OwnedFd);

impl WakeEvent {
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?))
    }

    /// Sets the event: wakes the thread now, or when it polls the next time.
    pub(crate) fn signal(&self) {
        // If the counter is full, the event is already set.
        let _ = rustix::io::write(&self.0, &1_u64.to_ne_bytes());
    }

    /// Clears the event.
    pub(crate) fn clear(&self) {
        let mut counter = [0; 8];
        // If the event is not set, there is nothing to read.
        let _ = rustix::io::read(&self.0, &mut counter);
    }
}

impl AsFd for WakeEvent {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
