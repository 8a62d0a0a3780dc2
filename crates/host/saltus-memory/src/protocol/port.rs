//! Ports. The port of a subscription names the doorbell that messages ring. It changes when another executor takes the
//! subscription.
//!
//! The publisher queues the message, calls `fence_after_queueing`, and reads the target. The owner calls
//! `Port::set_target`, rings itself, and polls the queue. Each side has a full fence, so at least one
//! side sees what the other did. Without the fences the message could wait until the next message rings.

use super::sync::{AtomicU64, Ordering, fence};

/// The offset of a doorbell, which is a multiple of 64, with the class in the low bits; 0 for no
/// doorbell.
///
/// The memory of a port is reused only for ports. The same is true of doorbells and queue headers. So a
/// process that uses a stale port or rings a stale doorbell does no harm.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Port(AtomicU64);

impl Port {
    #[cfg(loom)]
    pub(crate) fn new() -> Self {
        Self(AtomicU64::new(0))
    }

    /// Owner: makes messages ring that doorbell and class. The owner must poll its queues after this.
    pub(crate) fn set_target(&self, doorbell: u64, class: u32) {
        self.0.store(doorbell | u64::from(class), Ordering::Release);
        fence(Ordering::SeqCst);
    }

    /// Owner: makes messages ring no doorbell.
    pub(crate) fn clear_target(&self) {
        self.0.store(0, Ordering::Release);
    }

    /// Publisher: returns the doorbell and the class to ring. Called after [`fence_after_queueing`].
    pub(crate) fn target(&self) -> Option<(u64, u32)> {
        let target = self.0.load(Ordering::Acquire);
        (target != 0).then_some((target & !63, (target & 63) as u32))
    }
}

/// Publisher: called between queueing a message and reading the target. If the publisher does not see an owner's new
/// target after this, then that owner sees the message.
pub(crate) fn fence_after_queueing() {
    fence(Ordering::SeqCst);
}
