//! Chunks: the memory of messages while they are written, queued and read.
//!
//! A chunk always belongs to the same publisher. Its message is held by the subscriptions whose bits are set in its
//! header (see [`holders`](crate::protocol::holders)). The publisher reuses the chunk when all bits are clear.

use std::{
    collections::VecDeque,
    ptr::NonNull,
    sync::atomic::{AtomicI64, AtomicU32, AtomicU64, Ordering},
};

use rustix::thread::sched_getcpu;
use saltus_types::{Gid, Time};

use crate::{
    arena::{Arena, Block, MemoryError},
    os::{cache::largest_cache, clock::monotonic_nanos, segment::Segment},
    protocol::holders::{HolderBits, Holders, WORDS},
    rotation::{Order, ROTATED_LEN, ROTATION_CHUNKS, Rotation},
};

/// The offset of the serialized message in its chunk. The body follows 4 bytes later, at the beginning of a cache line.
pub(crate) const MESSAGE_OFFSET: usize = 124;
/// The number of chunks that are checked before one is acquired: this many of the oldest ones, and as many others.
const CHECKED: usize = 16;
/// One more chunk is checked for this many bytes of the message. A check is much cheaper than to write them.
const BYTES_PER_CHECK: usize = 4096;
/// The header of a message in shared memory: two cache lines. The first line is used only for large messages, and by
/// publishers with more than 64 subscriptions.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct ChunkHeader {
    more_holders: [AtomicU64; WORDS - 1],
    /// The CPU on which a large message was last released.
    let_go_on: AtomicU32,
    reserved: AtomicU32,
    first_holders: AtomicU64,
    /// The length of the message in bytes, including the encapsulation header.
    pub(crate) len: AtomicU64,
    pub(crate) sequence: AtomicU64,
    /// When the message was sent, by the system clock. This is for users.
    source_time: AtomicI64,
    gid: [AtomicU64; 2],
    /// When the message was sent, in monotonic nanoseconds. Intervals are measured with this.
    sent_at: AtomicI64,
    /// The CPU on which the publisher ran when it sent the message.
    pub(crate) cpu: AtomicU32,
    /// The encapsulation header of the message. The body follows it.
    message: AtomicU32,
}

const _: () = assert!(size_of::<ChunkHeader>() == 128 && MESSAGE_OFFSET == 128 - 4);

// SAFETY: consists of atomics; any bits are valid.
unsafe impl crate::os::mapping::SharedType for ChunkHeader {}

impl ChunkHeader {
    fn holders(&self) -> HolderBits<'_> {
        HolderBits { first: &self.first_holders, more: &self.more_holders }
    }

    /// Returns a copy of the header without holders.
    pub(crate) fn copy_metadata(&self) -> Self {
        let word = |word: &AtomicU64| AtomicU64::new(word.load(Ordering::Relaxed));
        Self {
            more_holders: [const { AtomicU64::new(0) }; WORDS - 1],
            let_go_on: AtomicU32::new(0),
            reserved: AtomicU32::new(0),
            first_holders: AtomicU64::new(0),
            len: word(&self.len),
            sequence: word(&self.sequence),
            source_time: AtomicI64::new(self.source_time.load(Ordering::Relaxed)),
            gid: [word(&self.gid[0]), word(&self.gid[1])],
            sent_at: AtomicI64::new(self.sent_at()),
            cpu: AtomicU32::new(self.cpu.load(Ordering::Relaxed)),
            message: AtomicU32::new(0),
        }
    }

    /// Clears the holder bit of a subscription. For a large message, also notes the calling CPU, on which the
    /// subscription has read the message.
    pub(crate) fn release(&self, holder: u32) {
        if self.len.load(Ordering::Relaxed) >= ROTATED_LEN {
            self.let_go_on.store(sched_getcpu() as u32, Ordering::Relaxed);
        }
        self.holders().release(holder);
    }

    pub(crate) fn gid(&self) -> Gid {
        let [process, entity] = &self.gid;
        Gid::from_parts(process.load(Ordering::Relaxed), entity.load(Ordering::Relaxed))
    }

    #[inline]
    pub(crate) fn sent_at(&self) -> i64 {
        self.sent_at.load(Ordering::Relaxed)
    }

    pub(crate) fn source_time(&self) -> Time {
        Time::from_nanos(self.source_time.load(Ordering::Relaxed))
    }

    /// Changes the source time, as if the system clock had been set after the message was sent.
    #[cfg(test)]
    pub(crate) fn shift_source_time(&self, nanos: i64) {
        self.source_time.fetch_add(nanos, Ordering::Relaxed);
    }

    fn set_gid(&self, gid: Gid) {
        let (process, entity) = gid.as_bytes().split_at(8);
        for (word, half) in self.gid.iter().zip([process, entity]) {
            let half = half.try_into().map_or(0, u64::from_le_bytes);
            word.store(half, Ordering::Relaxed);
        }
    }
}

/// A chunk, as its publisher uses it.
#[derive(Debug)]
pub(crate) struct Chunk {
    header: NonNull<ChunkHeader>,
    block: Block,
    /// Whether its message is kept for late joiners.
    is_kept: bool,
    /// The process that its message was sent to, if the pool is for unicast messages.
    sent_to: u64,
    /// In which order it was acquired, and when, in monotonic nanoseconds, if the time until its message is sent counts.
    acquired: Option<(Order, i64)>,
}

// SAFETY: the pointer is into a segment that the pool's owner keeps mapped. The header consists of
// atomics, and only the writer that has the chunk's index writes the message.
unsafe impl Send for Chunk {}

impl Chunk {
    pub(crate) fn header(&self) -> &ChunkHeader {
        // SAFETY: valid as long as the segment is mapped. The owner of the pool keeps it mapped.
        unsafe { self.header.as_ref() }
    }

    /// Returns the descriptor of the chunk: its offset in the segment. Queues hold descriptors.
    pub(crate) fn descriptor(&self) -> u64 {
        self.block.offset
    }

    /// Returns how many bytes a message in the chunk can have.
    pub(crate) fn capacity(&self) -> usize {
        self.block.len as usize - MESSAGE_OFFSET
    }

    /// Returns the address of the message.
    pub(crate) fn message(&self) -> NonNull<u8> {
        // SAFETY: the block is longer than the offset, because it contains at least a header.
        unsafe { self.header.cast::<u8>().add(MESSAGE_OFFSET) }
    }
}

/// Returns how long a block must be for a message of `len` bytes.
pub(crate) fn block_len(len: usize) -> u64 {
    (len as u64).saturating_add(MESSAGE_OFFSET as u64)
}

/// The index of a chunk in its pool. The writer that has acquired it may write the message.
pub(crate) type ChunkIndex = usize;

/// All chunks of a publisher.
///
/// **Invariant:** each index is in exactly one of these: `free`, `in_flight`, `vacant`, or one writer has it.
#[derive(Debug, Default)]
pub(crate) struct ChunkPool {
    chunks: Vec<Option<Chunk>>,
    /// Chunks that no subscription holds. The chunk that has been free for the longest time is first.
    free: VecDeque<ChunkIndex>,
    /// Chunks whose messages were sent, and that subscriptions may hold. The oldest is first.
    in_flight: VecDeque<ChunkIndex>,
    /// The position in `in_flight` at which the next check of other chunks than the oldest begins.
    next_check: usize,
    /// Indices without a chunk, whose memory was freed.
    vacant: Vec<ChunkIndex>,
    /// The number of words of holder bits that are in use.
    words: usize,
    /// The process that each holder bit was last assigned to. If the process dies, the bit is cleared in all messages.
    holder_process: Vec<u64>,
    /// Whether each message is sent to one subscription only, as responses are. Then subscriptions share holder bits.
    is_unicast: bool,
    /// Whether the large message that was reclaimed last was released on another CPU than the publisher's.
    is_read_on_other_cpu: bool,
    /// The order in which large chunks are used.
    rotation: Rotation,
}

impl ChunkPool {
    /// Creates a pool without chunks.
    pub(crate) fn new(is_unicast: bool) -> Self {
        Self { is_unicast, rotation: Rotation::new(largest_cache()), ..Self::default() }
    }

    /// Whether each message is sent to one subscription only.
    pub(crate) fn is_unicast(&self) -> bool {
        self.is_unicast
    }

    pub(crate) fn chunk(&self, index: ChunkIndex) -> &Chunk {
        match &self.chunks[index] {
            Some(chunk) => chunk,
            None => unreachable!("an index in use has a chunk"),
        }
    }

    /// Returns the memory of the message of a chunk that the caller has acquired.
    pub(crate) fn message(&self, index: ChunkIndex) -> NonNull<[u8]> {
        let chunk = self.chunk(index);
        NonNull::slice_from_raw_parts(chunk.message(), chunk.capacity())
    }

    fn chunk_mut(&mut self, index: ChunkIndex) -> &mut Chunk {
        match &mut self.chunks[index] {
            Some(chunk) => chunk,
            None => unreachable!("an index in use has a chunk"),
        }
    }

    /// Acquires a free chunk for a message of `len` bytes. The caller may then write the message. Returns `None` if
    /// there is no such chunk, and memory must be allocated.
    ///
    /// Normally the chunk that was freed last is reused, because it is still in the cache. Large chunks that are read on
    /// another CPU may be used in turn (see [`Rotation`]).
    pub(crate) fn acquire(&mut self, len: usize) -> Option<ChunkIndex> {
        self.reclaim(CHECKED + len / BYTES_PER_CHECK);
        let wanted = block_len(len);
        if !self.is_read_on_other_cpu || !self.rotation.includes(wanted) {
            return self.take_free(wanted, Order::LastFreed);
        }
        let order = self.rotation.order();
        let has_turn = self.free.len() + self.in_flight.len() >= ROTATION_CHUNKS;
        if order == Order::InTurn && !has_turn {
            return None;
        }
        let index = self.take_free(wanted, order)?;
        self.chunk_mut(index).acquired = Some((order, monotonic_nanos()));
        Some(index)
    }

    /// Acquires a free chunk as [`ChunkPool::acquire`] does, but never in turn. This is for when there is no memory for
    /// another chunk.
    pub(crate) fn acquire_any(&mut self, len: usize) -> Option<ChunkIndex> {
        self.reclaim_all();
        self.rotation.give_up();
        self.take_free(block_len(len), Order::LastFreed)
    }

    /// Takes a free chunk of at least `wanted` bytes.
    #[inline]
    fn take_free(&mut self, wanted: u64, order: Order) -> Option<ChunkIndex> {
        let fits = |index: &ChunkIndex| self.chunk(*index).block.len >= wanted;
        let position = match order {
            Order::InTurn => self.free.iter().position(fits)?,
            Order::LastFreed => self.free.iter().rposition(fits)?,
        };
        self.free.remove(position)
    }

    /// Moves chunks that no subscription holds any more from `in_flight` to `free`. Usually the oldest chunks are released
    /// first. If none of them is free, checks `limit` others, from the end of the last check on. So the time does not
    /// depend on how many messages wait, and a chunk that was released out of order is found some messages later.
    fn reclaim(&mut self, limit: usize) {
        self.reclaim_from(0, CHECKED);
        if self.free.is_empty() {
            let is_inside = self.next_check < self.in_flight.len();
            let first = if is_inside { self.next_check.max(CHECKED) } else { CHECKED };
            self.next_check = self.reclaim_from(first, limit);
        }
    }

    /// Checks `count` chunks in `in_flight`. Returns the position after them, or 0 at the end.
    fn reclaim_from(&mut self, mut position: usize, count: usize) -> usize {
        for _ in 0..count {
            let Some(&index) = self.in_flight.get(position) else { return 0 };
            if self.is_in_use(index) {
                position += 1;
            } else {
                self.in_flight.remove(position);
                self.note_reader_cpu(index);
                self.free.push_back(index);
            }
        }
        position
    }

    /// Checks all chunks in `in_flight`.
    fn reclaim_all(&mut self) {
        for index in std::mem::take(&mut self.in_flight) {
            let is_in_use = self.is_in_use(index);
            let list = if is_in_use { &mut self.in_flight } else { &mut self.free };
            list.push_back(index);
        }
    }

    /// Whether a subscription holds the message of a chunk, or the message is kept for late joiners.
    fn is_in_use(&self, index: ChunkIndex) -> bool {
        let chunk = self.chunk(index);
        chunk.is_kept || chunk.header().holders().is_held(self.words)
    }

    /// Notes on which CPU a large message was released.
    fn note_reader_cpu(&mut self, index: ChunkIndex) {
        let chunk = self.chunk(index);
        let released_on = chunk.header().let_go_on.load(Ordering::Relaxed);
        if chunk.block.len >= ROTATED_LEN {
            self.is_read_on_other_cpu = released_on != sched_getcpu() as u32;
        }
    }

    /// Removes the free chunks that are too small for a message of `len` bytes, and returns their memory. It is needed
    /// for larger chunks, because messages have become longer.
    pub(crate) fn take_small(&mut self, len: usize) -> Vec<Block> {
        let wanted = block_len(len);
        let (small, fit): (VecDeque<_>, VecDeque<_>) =
            self.free.iter().partition(|index| self.chunk(**index).block.len < wanted);
        self.free = fit;
        let chunks = small.iter().filter_map(|index| self.chunks[*index].take()).collect::<Vec<_>>();
        self.vacant.extend(small);
        chunks.into_iter().map(|chunk| chunk.block).collect()
    }

    /// Adds a chunk in a block. The caller may then write the message.
    pub(crate) fn add(&mut self, block: Block, segment: &Segment) -> Result<ChunkIndex, MemoryError> {
        let not_mapped =
            || MemoryError::System { len: block.len, source: std::io::Error::other("it can't be mapped") };
        let header = NonNull::from(segment.get::<ChunkHeader>(block.offset).ok_or_else(not_mapped)?);
        let chunk = Chunk { header, block, is_kept: false, sent_to: 0, acquired: None };
        chunk.header().holders().set(&Holders::default(), WORDS);
        Ok(match self.vacant.pop() {
            Some(index) => {
                self.chunks[index] = Some(chunk);
                index
            }
            None => {
                self.chunks.push(Some(chunk));
                self.chunks.len() - 1
            }
        })
    }

    /// Writes the header of a message, which is then queued for `holders`.
    #[inline]
    pub(crate) fn write_header(
        &mut self,
        index: ChunkIndex,
        holders: &Holders,
        sequence: u64,
        metadata: &Metadata,
    ) {
        let header = self.chunk(index).header();
        header.len.store(metadata.len as u64, Ordering::Relaxed);
        header.sequence.store(sequence, Ordering::Relaxed);
        header.source_time.store(metadata.source_time.as_nanos(), Ordering::Relaxed);
        header.sent_at.store(metadata.sent_at, Ordering::Relaxed);
        header.cpu.store(metadata.cpu, Ordering::Relaxed);
        header.set_gid(metadata.gid);
        header.holders().set(holders, self.words);
        self.in_flight.push_back(index);
        if let Some((order, acquired_at)) = self.chunk_mut(index).acquired.take() {
            self.rotation.note(order, block_len(metadata.len), metadata.sent_at - acquired_at);
        }
    }

    /// Adds a holder to a message that was sent before.
    pub(crate) fn add_holder(&self, index: ChunkIndex, holder: u32) {
        self.chunk(index).header().holders().add(holder);
    }

    /// Returns the headers of the messages that were sent and may be held.
    #[cfg(test)]
    pub(crate) fn sent(&self) -> impl Iterator<Item = &ChunkHeader> {
        self.in_flight.iter().map(|index| self.chunk(*index).header())
    }

    /// Frees an acquired chunk that was not sent.
    pub(crate) fn free_unsent(&mut self, index: ChunkIndex) {
        self.chunk_mut(index).acquired = None;
        self.free.push_back(index);
    }

    /// Sets whether a message is kept for late joiners.
    pub(crate) fn set_kept(&mut self, index: ChunkIndex, is_kept: bool) {
        self.chunk_mut(index).is_kept = is_kept;
    }

    /// Sets the only process that a message was sent to.
    pub(crate) fn set_sent_to(&mut self, index: ChunkIndex, process: u64) {
        self.chunk_mut(index).sent_to = process;
    }

    /// Assigns a holder bit to a subscription of a process.
    pub(crate) fn assign_holder(&mut self, holder: u32, process: u64) {
        let index = holder as usize;
        self.words = self.words.max(index / 64 + 1);
        if self.holder_process.len() <= index {
            self.holder_process.resize(index + 1, 0);
        }
        self.holder_process[index] = process;
    }

    /// Whether a message is being written in any chunk.
    pub(crate) fn is_being_written(&self) -> bool {
        self.free.len() + self.in_flight.len() + self.vacant.len() != self.chunks.len()
    }

    /// Whether this holder still holds any message.
    pub(crate) fn is_held_by(&self, holder: u32) -> bool {
        self.chunks.iter().flatten().any(|chunk| chunk.header().holders().is_held_by(holder))
    }

    /// Whether any subscription still holds a message.
    pub(crate) fn is_held(&self) -> bool {
        self.chunks.iter().flatten().any(|chunk| chunk.header().holders().is_held(self.words))
    }

    /// Releases the messages that a dead process held.
    pub(crate) fn release_process(&mut self, process: u64) {
        if self.is_unicast {
            let own = self.chunks.iter().flatten().filter(|chunk| chunk.sent_to == process);
            return own.for_each(|chunk| chunk.header().holders().release_all());
        }
        for (holder, owner) in (0..).zip(&mut self.holder_process).filter(|(_, owner)| **owner == process) {
            self.chunks.iter().flatten().for_each(|chunk| chunk.header().release(holder));
            *owner = 0;
        }
    }

    /// Frees all chunks. No subscription may hold a message.
    pub(crate) fn free_all(&mut self, arena: &Arena) {
        self.chunks.drain(..).flatten().for_each(|chunk| arena.free(chunk.block));
    }
}

/// The data that the header of a message gets when the message is sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Metadata {
    pub(crate) len: usize,
    pub(crate) source_time: Time,
    /// In monotonic nanoseconds.
    pub(crate) sent_at: i64,
    pub(crate) gid: Gid,
    pub(crate) cpu: u32,
}

#[cfg(test)]
#[cfg(not(loom))]
mod tests;
