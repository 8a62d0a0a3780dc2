//! The reading end of a queue.

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

/// When a connected sender was active.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceTimes {
    /// When it last sent, in monotonic nanoseconds; 0 if it has not.
    pub sent_at: i64,
    /// When it last showed that it is alive, in monotonic nanoseconds.
    pub alive_at: i64,
    /// How long it counts as alive after that, in nanoseconds; 0 is for ever.
    pub lease: u64,
    /// Whether it has gone, and what it sent is still read.
    pub is_ending: bool,
}

/// The reading end of a queue.
#[derive(Debug)]
pub(super) struct Reader {
    /// The sender's number in its process.
    pub(super) sender: u64,
    pub(super) info: QueueInfo,
    pub(super) source: Arc<Source>,
    pub(super) header: Mapped<RingHeader>,
    pub(super) slots: NonNull<[AtomicU64]>,
    /// The sender has gone: what is left is read, then it is detached.
    pub(super) is_ending: bool,
}

// SAFETY: `slots` points into the segment that `source` keeps mapped, and consists of atomics.
unsafe impl Send for Reader {}

impl Reader {
    pub(super) fn ring(&self) -> Ring<'_> {
        // SAFETY: the sender keeps the slots until this reader detaches, and they stay mapped.
        let slots = unsafe { self.slots.as_ref() };
        Ring { header: &self.header, slots, depth: u64::from(self.info.depth) }
    }

    /// Takes the oldest descriptor.
    pub(super) fn pop(&self) -> Option<u64> {
        let descriptor = self.ring().pop()?;
        if self.info.keep_all && self.header.made_room() {
            futex::wake_all(self.header.waiting());
        }
        Some(descriptor)
    }

    /// Whether its sender has gone, and nothing is left to read.
    pub(super) fn has_ended(&self) -> bool {
        self.is_ending && self.ring().len() == 0
    }

    /// Whether a message that was sent then is too old now.
    pub(super) fn is_expired(&self, sent_at: i64, now: i64) -> bool {
        self.info.lifespan > 0 && now.saturating_sub(sent_at) > self.info.lifespan as i64
    }

    pub(super) fn times(&self) -> SourceTimes {
        SourceTimes {
            sent_at: self.header.pushed_at(),
            alive_at: self.header.alive_at(),
            lease: self.info.lease,
            is_ending: self.is_ending,
        }
    }

    /// When the oldest message was sent. It may be taken back meanwhile: then the answer is of no
    /// use, and no harm, because the first page of a chunk stays. A descriptor that names nothing
    /// is the oldest of all, so that it is taken and counted.
    pub(super) fn oldest(&self) -> Option<i64> {
        let descriptor = self.ring().peek()?;
        let chunk = self.source.link.segment.get::<ChunkHeader>(descriptor);
        Some(chunk.map_or(i64::MIN, ChunkHeader::sent_at))
    }

    /// Drops everything in the queue and leaves it to its sender.
    ///
    /// Returns what was lost in it, as far as its sender knows.
    pub(super) fn detach(self) -> Losses {
        let losses = losses_of(&self.header);
        self.header.set_reader_counters(0);
        let mut unread = 0;
        while let Some(descriptor) = self.pop() {
            self.source.give_back(descriptor);
            unread += 1;
        }
        self.header.leave_unread(unread);
        if self.header.detach(self.info.generation) {
            // It can free the queue now.
            self.source.link.ring_housekeeping();
        }
        losses
    }
}
