//! The header of a segment, at its beginning.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::{
    os::{mapping::SharedType, process::time_namespace},
    protocol::{doorbell::Doorbell, membership::MemberState},
};

/// The number of the pipe that wakes a member's housekeeping thread.
pub const HOUSEKEEPING_PIPE: u32 = 0;

/// The header of a segment.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct SegmentHeader {
    /// Whether the member takes part. It is set last, when everything else in the segment is ready.
    pub state: MemberState,
    time_namespace: AtomicU64,
    /// The number of changes of the member's records.
    pub changes: AtomicU64,
    /// The doorbell of the housekeeping thread.
    pub housekeeping: Doorbell,
}

// SAFETY: consists of atomics and `SharedType` types; any bits are valid.
unsafe impl SharedType for SegmentHeader {}

impl SegmentHeader {
    /// Fills in the header. Other processes may use the segment from now on.
    pub fn publish(&self) {
        self.time_namespace.store(time_namespace(), Ordering::Relaxed);
        self.housekeeping.set_pipe(HOUSEKEEPING_PIPE);
        self.state.begin();
    }

    /// Returns the time namespace of the member's process. Monotonic times can be compared only within one time
    /// namespace.
    pub fn time_namespace(&self) -> u64 {
        self.time_namespace.load(Ordering::Relaxed)
    }
}
