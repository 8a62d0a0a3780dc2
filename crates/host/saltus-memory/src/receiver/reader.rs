//! Readers: each is the reading end of one queue.
use std::{
    ptr::NonNull,
    sync::{Arc, atomic::AtomicU64},
};

use saltus_types::Losses;

use crate::{
    chunk::ChunkHeader,
    os::{futex, segment::Mapped},
    protocol::ring::{Ring, RingHeader},
    queue::{QueueInfo, losses_of},
    sample::Source,
};

/// The times at which a connected sender was active.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceTimes {
    /// When it last sent a message, in monotonic nanoseconds; 0 if it has not sent any.
    pub sent_at: i64,
    /// When it last sent a message or asserted that it is alive, in monotonic nanoseconds.
    pub alive_at: i64,
    /// The time for which it counts as alive after `alive_at`, in nanoseconds; 0 if for ever.
    pub lease: u64,
    /// Whether it has gone. The messages that it sent before are still read.
    pub is_ending: bool,
}

/// The reading end of a queue.
#[derive(Debug)]
pub(super) struct Reader {
    /// The serial number of the sender in its process.
    pub(super) sender: u64,
    pub(super) info: QueueInfo,
    pub(super) source: Arc<Source>,
    pub(super) header: Mapped<RingHeader>,
    pub(super) slots: NonNull<[AtomicU64]>,
    /// Whether the sender has gone. When the queue is empty, the receiver detaches.
    pub(super) is_ending: bool,
}

// SAFETY: `slots` points into the segment that `source` keeps mapped, and consists of atomics.
unsafe impl Send for Reader {}

impl Reader {
    /// Returns the ring in shared memory.
    pub(super) fn ring(&self) -> Ring<'_> {
        // SAFETY: the sender keeps the slots until this reader detaches, and they stay mapped.
        let slots = unsafe { self.slots.as_ref() };
        Ring { header: &self.header, slots, depth: u64::from(self.info.depth) }
    }

    /// Takes the oldest descriptor. If the sender waits for room, wakes it.
    #[inline]
    pub(super) fn pop(&self) -> Option<u64> {
        let descriptor = self.ring().pop()?;
        if self.info.keep_all && self.header.made_room() {
            futex::wake_all(self.header.waiting());
        }
        Some(descriptor)
    }

    /// Whether the sender has gone, and the queue is empty.
    pub(super) fn has_ended(&self) -> bool {
        self.is_ending && self.ring().len() == 0
    }

    /// Whether the lifespan of a message that was sent at `sent_at` has expired.
    pub(super) fn is_expired(&self, sent_at: i64, now: i64) -> bool {
        self.info.lifespan > 0 && now.saturating_sub(sent_at) > self.info.lifespan as i64
    }

    /// Returns the times at which the sender was active.
    pub(super) fn times(&self) -> SourceTimes {
        SourceTimes {
            sent_at: self.header.pushed_at(),
            alive_at: self.header.alive_at(),
            lease: self.info.lease,
            is_ending: self.is_ending,
        }
    }

    /// Returns when the oldest message was sent. If the sender takes the message back at the same time, the result is
    /// wrong. That does no harm: the memory can still be read, because the first page of a freed chunk keeps its
    /// memory. A descriptor that is not valid counts as the oldest, so that it is taken and counted.
    pub(super) fn oldest(&self) -> Option<i64> {
        let descriptor = self.ring().peek()?;
        let chunk = self.source.link.segment.get::<ChunkHeader>(descriptor);
        Some(chunk.map_or(i64::MIN, ChunkHeader::sent_at))
    }

    /// Releases all messages in the queue and detaches from it. Returns the losses that the sender has counted in it.
    pub(super) fn detach(self) -> Losses {
        let losses = losses_of(&self.header);
        self.header.set_reader_counters(0);
        let mut unread = 0;
        while let Some(descriptor) = self.pop() {
            self.source.release(descriptor);
            unread += 1;
        }
        self.header.leave_unread(unread);
        if self.header.detach(self.info.generation) {
            // The sender can free the queue now.
            self.source.link.ring_housekeeping();
        }
        losses
    }
}
