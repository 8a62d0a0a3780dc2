//! Where the messages of a subscription ring, which changes when another executor takes it.
//!
//! Publisher: queue the message, [`announce`], look where to ring. Owner: [`Port::set_target`], ring itself,
//! look into the queue. The full fence on either side makes at least one of them see what the other
//! did: else the message would wait for the next.

use super::sync::{AtomicU64, Ordering, fence};

/// The offset of a doorbell, which is a multiple of 64, with the class in the low bits; 0 for
/// nowhere.
///
/// Ports, like doorbells and queue headers, are never reused for anything else, so that a process
/// that rings one of the past does no harm.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Port(AtomicU64);

impl Port {
    #[cfg(loom)]
    pub fn new() -> Self {
        Self(AtomicU64::new(0))
    }

    /// Owner: messages ring there from now on. It must look into its queues after this.
    pub fn set_target(&self, doorbell: u64, class: u32) {
        self.0.store(doorbell | u64::from(class), Ordering::Release);
        fence(Ordering::SeqCst);
    }

    /// Owner: messages ring nowhere from now on.
    pub fn clear_target(&self) {
        self.0.store(0, Ordering::Release);
    }

    /// Publisher: the doorbell and the class to ring, after [`announce`].
    pub fn target(&self) -> Option<(u64, u32)> {
        let target = self.0.load(Ordering::Acquire);
        (target != 0).then_some((target & !63, (target & 63) as u32))
    }
}

/// Publisher: what was queued before this is seen by every owner whose new target is not seen after it.
pub fn announce() {
    fence(Ordering::SeqCst);
}
