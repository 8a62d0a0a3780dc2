//! Queues from a sender to one receiver: the sender's side.

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

/// The offsets and the properties of a queue, which both of its ends must know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueInfo {
    /// The offset of the queue's header in the sender's segment.
    pub ring: u64,
    /// The generation of the queue. Earlier queues with the same header had other generations.
    pub generation: u64,
    /// The offset of its slots in the sender's segment.
    pub slots: u64,
    /// The number of slots: a power of two.
    pub slot_count: u32,
    /// The number of messages that it can hold.
    pub depth: u32,
    /// The receiver's holder bit in the header of each chunk.
    pub holder: u32,
    /// Whether the queue keeps all: the sender waits for room in it.
    pub keep_all: bool,
    /// The lifespan of messages in nanoseconds; 0 if it is infinite.
    pub lifespan: u64,
    /// The lease of the sender in nanoseconds; 0 if it is infinite. The sender counts as alive for this time after it
    /// has sent a message or asserted that it is alive.
    pub lease: u64,
}

impl QueueInfo {
    /// The size of the serialized form in bytes.
    pub(crate) const SIZE: usize = 56;

    /// Returns the serialized form, which other processes read.
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
        bytes.chunks_exact_mut(8).zip(words).for_each(|(chunk, word)| {
            chunk.copy_from_slice(&word.to_le_bytes());
        });
        bytes
    }

    /// Reads the serialized form, which another process wrote. Returns `None` if its length is wrong. The numbers are
    /// checked when the queue is used.
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

/// The key of a receiver's record, by which the record is found. Several receivers may have the same key.
pub(crate) type RecordKey = u16;

/// A queue to one receiver, as its sender uses it.
#[derive(Debug)]
pub struct Queue {
    /// The offsets and the properties of the queue.
    pub info: QueueInfo,
    /// The receiver.
    pub receiver: Gid,
    /// The serial number of the receiver in its process.
    pub serial: u64,
    /// The record by which the receiver finds the queue; `None` when it was removed.
    pub record: Option<RecordId>,
    /// The link to the receiver's process.
    pub link: Arc<Link>,
    /// The port of the receiver, which names the doorbell to ring.
    pub port: Mapped<Port>,
    /// The header, which both ends use.
    pub(crate) header: Mapped<RingHeader>,
    pub(crate) slots: NonNull<[AtomicU64]>,
    pub(crate) slots_block: Block,
    /// See [`Ring::push`].
    pub(crate) known_head: u64,
    /// Whether the receiver was attached when the sender last counted attached receivers.
    pub(crate) was_attached: bool,
    /// The number of the first message that was queued after the receiver was connected, or will be.
    pub first_sequence: u64,
    /// The key of the receiver's record.
    pub key: RecordKey,
}

// SAFETY: `slots` points into the segment that `header` keeps mapped, and consists of atomics.
unsafe impl Send for Queue {}

impl Queue {
    /// Returns the ring in shared memory.
    pub(crate) fn ring(&self) -> Ring<'_> {
        // SAFETY: the block is freed only together with the queue, and stays mapped.
        let slots = unsafe { self.slots.as_ref() };
        Ring { header: &self.header, slots, depth: u64::from(self.info.depth) }
    }

    /// Rings the doorbell that the receiver has set.
    pub(crate) fn wake(&self) {
        self.link.ring_port(&self.port);
    }

    /// Clears the receiver's holder bit in the message of a descriptor.
    fn release(&self, descriptor: u64) {
        if let Some(chunk) = self.header.segment().get::<ChunkHeader>(descriptor) {
            chunk.release(self.info.holder);
        }
    }

    /// Pushes a message. If the queue is full, its oldest message is dropped and released.
    #[inline]
    pub(crate) fn push(&mut self, pool: &ChunkPool, index: ChunkIndex, sent_at: i64) {
        let descriptor = pool.chunk(index).descriptor();
        let mut known_head = self.known_head;
        if let Some(evicted) = self.ring().push(descriptor, sent_at, &mut known_head) {
            self.release(evicted);
        }
        self.known_head = known_head;
    }

    /// Takes and releases all messages in the queue, which its receiver does not read any more. Returns how many there
    /// were.
    fn release_all(&self) -> u64 {
        let mut count = 0;
        while let Some(descriptor) = self.ring().pop() {
            self.release(descriptor);
            count += 1;
        }
        count
    }

    /// Whether the receiver is attached: it reads from the queue.
    pub(crate) fn is_attached(&self) -> bool {
        self.header.is_attached(self.info.generation)
    }

    /// Whether the receiver has detached, or the queue was closed before the receiver attached.
    pub(crate) fn is_closed(&self) -> bool {
        self.header.is_closed(self.info.generation)
    }

    /// Whether the receiver has not attached yet, and messages wait for it in the queue.
    pub(crate) fn awaits_attach(&self) -> bool {
        self.header.is_open(self.info.generation) && self.ring().len() > 0
    }

    /// Whether the queue keeps all and is full.
    pub(crate) fn is_full(&self) -> bool {
        self.info.keep_all && self.ring().is_full()
    }

    /// Whether another message fits into the queue without dropping the oldest.
    pub(crate) fn has_room(&self) -> bool {
        !self.ring().is_full()
    }

    /// Wakes the threads that wait for room in the queue. The queue was disconnected, so they need no room in it.
    pub(crate) fn wake_sender(&self) {
        if self.info.keep_all && self.header.made_room() {
            futex::wake_all(self.header.waiting());
        }
    }

    /// Removes the record of the queue. Returns whether there was one.
    pub(crate) fn remove_record(&mut self, memory: &Memory) -> bool {
        let record = self.record.take();
        record.inspect(|record| memory.records.lock().remove(*record)).is_some()
    }

    /// Closes the queue if the receiver has not attached. Returns whether the queue is closed. Then the receiver does
    /// not use it any more.
    pub(crate) fn try_close(&self) -> bool {
        self.header.withdraw(self.info.generation)
    }

    /// Frees a queue that its receiver does not use any more. Returns what was lost in it. The messages that the
    /// receiver never took count as lost for the cause `unread`.
    pub(crate) fn free(mut self, memory: &Memory, unread: LossCause) -> Losses {
        self.remove_record(memory);
        let mut losses = losses_of(&self.header);
        losses.add(LossCause::Closed, self.header.unread());
        losses.add(unread, self.release_all());
        memory.close_ring(self.header, self.slots_block, self.info.ring);
        losses
    }
}

/// Returns the losses that the sender of a queue has counted in it.
pub(crate) fn losses_of(header: &RingHeader) -> Losses {
    let mut losses = Losses::default();
    losses.add(LossCause::QueueOverflow, header.overflowed());
    Unsent::ALL.into_iter().for_each(|why| losses.add(cause_of(why), header.unsent(why)));
    losses
}

fn cause_of(why: Unsent) -> LossCause {
    match why {
        Unsent::OutOfMemory => LossCause::OutOfMemory,
        Unsent::Refused => LossCause::Refused,
        Unsent::Congestion => LossCause::Congestion,
        Unsent::RateLimit => LossCause::RateLimit,
        Unsent::LinkLost => LossCause::LinkLost,
    }
}

/// Returns the slots of a queue. Returns `None` if the numbers of its sender are not valid.
pub(crate) fn slots(segment: &Segment, info: &QueueInfo) -> Option<NonNull<[AtomicU64]>> {
    let is_valid = info.slot_count.is_power_of_two()
        && info.depth >= 1
        && info.depth <= info.slot_count
        && info.holder < MAX_SUBSCRIPTIONS;
    let slots = segment.get_slice::<AtomicU64>(info.slots, info.slot_count as usize)?;
    is_valid.then(|| NonNull::from(slots))
}

/// The state of a queue, as a process reads it that is neither sender nor receiver.
#[derive(Debug)]
pub struct ObservedQueue {
    /// The number of messages in the queue.
    pub waiting: u64,
    /// When the oldest of them was sent, in monotonic nanoseconds; `None` if the queue is empty.
    pub oldest_sent_at: Option<i64>,
    /// The messages that the sender could not deliver through the queue.
    pub losses: Losses,
    /// The offset of the receiver's counters in the receiver's segment; 0 if there are none.
    pub reader_counters: u64,
}

impl ObservedQueue {
    /// Reads the state of a queue. Returns `None` if no receiver is attached.
    pub fn read(segment: &Segment, info: &QueueInfo) -> Option<Self> {
        let header = segment.get::<RingHeader>(info.ring);
        let header = header.filter(|header| header.is_attached(info.generation))?;
        let slots = slots(segment, info)?;
        // SAFETY: in bounds of the segment, which is mapped. The sender may reuse the memory at the same time. Then the
        // numbers are wrong, but reading them is sound.
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

/// Returns the error for an object that is not in its segment.
pub(crate) fn not_mapped(len: u64) -> MemoryError {
    MemoryError::System { len, source: std::io::Error::other("its offset is outside the segment") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_info_is_read_as_it_was_written() {
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
