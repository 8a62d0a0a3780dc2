//! The first page of a segment: what a member says of itself before anything else.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::{
    os::{mapping::Shared, process::time_namespace},
    protocol::{doorbell::Doorbell, membership::MemberState},
};

/// The pipe by which a member's housekeeping is woken.
pub const HOUSEKEEPING_PIPE: u32 = 0;

/// See the module.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct SegmentHeader {
    /// Changed last: until then the segment is being made.
    pub state: MemberState,
    time_namespace: AtomicU64,
    /// Counts changes of the registry.
    pub changes: AtomicU64,
    /// Wakes the housekeeping thread.
    pub housekeeping: Doorbell,
}

// SAFETY: consists of atomics and `Shared` types; any bits are valid.
unsafe impl Shared for SegmentHeader {}

impl SegmentHeader {
    /// Fills in a header; from now on others may use the segment.
    pub fn publish(&self) {
        self.time_namespace.store(time_namespace(), Ordering::Relaxed);
        self.housekeeping.set_pipe(HOUSEKEEPING_PIPE);
        self.state.begin();
    }

    /// The time namespace of its process: stamps mean the same within one only.
    pub fn time_namespace(&self) -> u64 {
        self.time_namespace.load(Ordering::Relaxed)
    }
}
