//! The sending end of a queue to one receiver.

use std::{
    ptr::NonNull,
    sync::{Arc, atomic::AtomicU64},
};

use saltus_types::{Gid, LossCause, Losses};

use crate::{
    arena::{Block, MemoryError},
    chunk::{ChunkHeader, ChunkIndex, ChunkPool},
    link::Link,
    memory::Memory,
    os::{
        futex,
        segment::{Mapped, Segment},
    },
    protocol::{
        holders::MAX_SUBSCRIPTIONS,
        port::Port,
        ring::{Ring, RingHeader, Unsent},
    },
    records::RecordId,
};

/// Where a queue lies and what its two ends must know of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueInfo {
    /// Where the queue's header lies in the sender's segment, and under which generation.
    pub ring: u64,
    /// Tells the queue from those that had the same header before.
    pub generation: u64,
    /// Where its slots lie.
    pub slots: u64,
    /// How many slots there are: a power of two.
    pub slot_count: u32,
    /// How many messages it holds at most.
    pub depth: u32,
    /// Which bit of a chunk says that this receiver holds it.
    pub holder: u32,
    /// Whether the sender waits for room in it.
    pub keep_all: bool,
    /// How long a message is worth taking, in nanoseconds; 0 is for ever.
    pub lifespan: u64,
    /// How long the sender counts as alive after it last showed so, in nanoseconds; 0 is for ever.
    pub lease: u64,
}

impl QueueInfo {
    /// The number of bytes that it takes.
    pub const SIZE: usize = 56;

    /// As others read it.
    pub fn to_bytes(&self) -> [u8; Self::SIZE] {
        let pair = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
        let words = [
            self.ring,
            self.generation,
            self.slots,
            pair(self.slot_count, self.depth),
            pair(self.holder, u32::from(self.keep_all)),
            self.lifespan,
            self.lease,
        ];
        let mut bytes = [0; Self::SIZE];
        bytes.chunks_exact_mut(8).zip(words).for_each(|(place, word)| {
            place.copy_from_slice(&word.to_le_bytes());
        });
        bytes
    }

    /// What another process says of a queue. `None` if it is of another length. The numbers are checked when the queue
    /// is used.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; Self::SIZE] = bytes.try_into().ok()?;
        let mut words = [0; Self::SIZE / 8];
        for (word, bytes) in words.iter_mut().zip(bytes.chunks_exact(8)) {
            *word = u64::from_le_bytes(bytes.try_into().ok()?);
        }
        let [ring, generation, slots, shape, holding, lifespan, lease] = words;
        Some(Self {
            ring,
            generation,
            slots,
            slot_count: shape as u32,
            depth: (shape >> 32) as u32,
            holder: holding as u32,
            keep_all: holding >> 32 != 0,
            lifespan,
            lease,
        })
    }
}

/// By which a receiver is found in what its process tells others. See [`Queue::tag`].
pub type Tag = u16;

/// A queue to one receiver.
#[derive(Debug)]
pub struct Queue {
    /// Where it lies.
    pub info: QueueInfo,
    /// Whom it is for.
    pub receiver: Gid,
    /// The receiver's number in its process.
    pub serial: u64,
    /// Its record, as long as its receiver may still come.
    pub record: Option<RecordId>,
    /// The process of the receiver.
    pub link: Arc<Link>,
    /// Where the receiver is woken.
    pub port: Mapped<Port>,
    /// What both ends share.
    pub(crate) header: Mapped<RingHeader>,
    pub(crate) slots: NonNull<[AtomicU64]>,
    pub(crate) slots_block: Block,
    /// See [`Ring::push`].
    pub(crate) known_head: u64,
    /// Whether its receiver was seen to read from it.
    pub(crate) was_attached: bool,
    /// The number of the first message that went through it, or will.
    pub first: u64,
    /// What the record of its receiver is found by.
    pub tag: Tag,
}

// SAFETY: `slots` points into the segment that `header` keeps mapped, and consists of atomics.
unsafe impl Send for Queue {}

impl Queue {
    /// The queue itself.
    pub(crate) fn ring(&self) -> Ring<'_> {
        // SAFETY: the block is not freed before the queue is, and stays mapped.
        let slots = unsafe { self.slots.as_ref() };
        Ring { header: &self.header, slots, depth: u64::from(self.info.depth) }
    }

    pub(crate) fn wake(&self) {
        self.link.ring_port(&self.port);
    }

    /// Says that its receiver does not hold the message that a descriptor names.
    fn release(&self, descriptor: u64) {
        if let Some(chunk) = self.header.segment().get::<ChunkHeader>(descriptor) {
            chunk.release(self.info.holder);
        }
    }

    /// Puts a message into the queue and releases what gave way.
    pub(crate) fn push(&mut self, pool: &ChunkPool, index: ChunkIndex, sent_at: i64) {
        let descriptor = pool.chunk(index).descriptor();
        let mut known_head = self.known_head;
        if let Some(evicted) = self.ring().push(descriptor, sent_at, &mut known_head) {
            self.release(evicted);
        }
        self.known_head = known_head;
    }

    /// Releases what the queue still holds, whose reader will not come. How many that was.
    fn drain(&self) -> u64 {
        let mut count = 0;
        while let Some(descriptor) = self.ring().pop() {
            self.release(descriptor);
            count += 1;
        }
        count
    }

    /// Whether its receiver reads from it.
    pub fn is_attached(&self) -> bool {
        self.header.is_attached(self.info.generation)
    }

    /// Whether its receiver has read from it, and does no more.
    pub fn has_left(&self) -> bool {
        self.header.is_closed(self.info.generation)
    }

    /// Whether it holds messages for a receiver that has not come yet.
    pub(crate) fn is_awaited(&self) -> bool {
        self.header.is_open(self.info.generation) && self.ring().len() > 0
    }

    /// Whether it has no room and gives no message away.
    pub(crate) fn is_full(&self) -> bool {
        self.info.keep_all && self.ring().is_full()
    }

    /// Whether a message fits without another giving way.
    pub(crate) fn has_room(&self) -> bool {
        !self.ring().is_full()
    }

    /// Wakes who waits for room, which there is no need of any more.
    pub(crate) fn give_up_room(&self) {
        if self.info.keep_all && self.header.made_room() {
            futex::wake_all(self.header.waiting());
        }
    }

    /// Removes its record. Whether there was one.
    pub(crate) fn withdraw(&mut self, memory: &Memory) -> bool {
        let record = self.record.take();
        record.inspect(|record| memory.records.lock().remove(*record)).is_some()
    }

    /// Whether its receiver will not touch it any more.
    pub(crate) fn is_over(&self) -> bool {
        self.header.withdraw(self.info.generation)
    }

    /// Frees a queue that nobody reads. Returns what was lost in it; the messages that its receiver never took are
    /// lost by the cause `unread`.
    pub(crate) fn free(mut self, memory: &Memory, unread: LossCause) -> Losses {
        self.withdraw(memory);
        let mut losses = losses_of(&self.header);
        losses.add(LossCause::Closed, self.header.unread());
        losses.add(unread, self.drain());
        memory.close_ring(self.header, self.slots_block, self.info.ring);
        losses
    }
}

/// What a queue's sender could not deliver through it.
pub(crate) fn losses_of(header: &RingHeader) -> Losses {
    let mut losses = Losses::default();
    losses.add(LossCause::QueueOverflow, header.overflowed());
    losses.add(LossCause::OutOfMemory, header.unsent(Unsent::OutOfMemory));
    losses.add(LossCause::Refused, header.unsent(Unsent::Refused));
    losses
}

/// The slots of a queue; `None` if what its sender says of it is not sensible.
pub(crate) fn slots(segment: &Segment, info: &QueueInfo) -> Option<NonNull<[AtomicU64]>> {
    let fine = info.slot_count.is_power_of_two()
        && info.depth >= 1
        && info.depth <= info.slot_count
        && info.holder < MAX_SUBSCRIPTIONS;
    let slots = segment.get_slice::<AtomicU64>(info.slots, info.slot_count as usize)?;
    fine.then(|| NonNull::from(slots))
}

/// What a tool sees of a queue, without taking part in it.
#[derive(Debug)]
pub struct ObservedQueue {
    /// How many messages wait.
    pub waiting: u64,
    /// When the oldest waiting message was sent, in monotonic nanoseconds; `None` if none waits.
    pub oldest_sent_at: Option<i64>,
    /// The messages that the sender could not deliver through the queue.
    pub losses: Losses,
    /// The offset of the receiver's counts in the receiver's segment; 0 if there are none.
    pub reader_counters: u64,
}

impl ObservedQueue {
    /// Reads the state of a queue. Returns `None` if no receiver reads from the queue.
    pub fn look(segment: &Segment, info: &QueueInfo) -> Option<Self> {
        let header = segment.get::<RingHeader>(info.ring);
        let header = header.filter(|header| header.is_attached(info.generation))?;
        let slots = slots(segment, info)?;
        // SAFETY: in bounds of the segment, which is mapped. The sender may reuse the memory meanwhile; then a number
        // is wrong.
        let slots = unsafe { slots.as_ref() };
        let ring = Ring { header, slots, depth: u64::from(info.depth) };
        let oldest = ring.peek().and_then(|descriptor| segment.get::<ChunkHeader>(descriptor));
        Some(Self {
            waiting: ring.len(),
            oldest_sent_at: oldest.map(ChunkHeader::sent_at),
            losses: losses_of(header),
            reader_counters: header.reader_counters(),
        })
    }
}

pub(crate) fn not_mapped(len: u64) -> MemoryError {
    MemoryError::System { len, source: std::io::Error::other("outside the segment") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_of_a_queue_is_read_as_it_was_written() {
        let info = QueueInfo {
            ring: 1,
            generation: 2,
            slots: 3,
            slot_count: 4,
            depth: 5,
            holder: 6,
            keep_all: true,
            lifespan: 8,
            lease: u64::MAX,
        };
        assert_eq!(QueueInfo::from_bytes(&info.to_bytes()), Some(info));
        assert_eq!(QueueInfo::from_bytes(&info.to_bytes()[1..]), None);
    }
}
