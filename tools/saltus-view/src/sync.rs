//! The synchronization types that [`mailbox`](crate::mailbox) uses.

pub(crate) use std::sync::Mutex;
use std::{
    io,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
};

use rustix::event::{EventfdFlags, eventfd};
pub(crate) use saltus::types::lock;

/// It wakes a thread that waits for its file descriptor.
#[derive(Debug)]
pub(crate) struct Bell(OwnedFd);

impl Bell {
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?))
    }

    /// Wakes the thread, now or when it waits the next time.
    pub(crate) fn ring(&self) {
        // If the counter is full, the thread is awake.
        let _ = rustix::io::write(&self.0, &1_u64.to_ne_bytes());
    }

    /// Forgets that it was rung.
    pub(crate) fn silence(&self) {
        let mut counter = [0; 8];
        // If it was not rung, there is nothing to read.
        let _ = rustix::io::read(&self.0, &mut counter);
    }
}

impl AsFd for Bell {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
