//! Chunks: where messages lie while they are written, queued and read.
//!
//! A chunk belongs to one publisher for its life. A message in it is held by the subscriptions
//! whose bits are set in its header (see [`holders`](crate::protocol::holders)). The publisher reuses a chunk when all
//! bits are clear.

use std::{
    collections::VecDeque,
    ptr::NonNull,
    sync::atomic::{AtomicI64, AtomicU32, AtomicU64, Ordering},
};

use rustix::thread::sched_getcpu;
use saltus_types::{Gid, Time};

use crate::{
    arena::{Arena, Block, MemoryError},
    os::segment::Segment,
    protocol::holders::{HolderBits, Holders, WORDS},
};

/// Where the serialized message begins: so that its body, 4 bytes later, begins a cache line.
pub(crate) const MESSAGE_OFFSET: usize = 124;
/// Chunks from here on may be used in turn: see [`ChunkPool::acquire`].
const ROTATED: u64 = 32 << 10;
/// How many chunks take turns.
const ROTATION: usize = 4;

/// What precedes a message in shared memory: two cache lines. The first is touched only for large messages, and by
/// publishers with more than 64 subscriptions.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct ChunkHeader {
    more_holders: [AtomicU64; WORDS - 1],
    /// The CPU on which a large message was last let go.
    let_go_on: AtomicU32,
    reserved: AtomicU32,
    first_holders: AtomicU64,
    /// The message's length in bytes, encapsulation header included.
    pub(crate) len: AtomicU64,
    pub(crate) sequence: AtomicU64,
    /// When it was sent, by the system clock, for users.
    source_time: AtomicI64,
    gid: [AtomicU64; 2],
    /// When it was sent, in monotonic nanoseconds: what intervals are measured by.
    sent_at: AtomicI64,
    /// The CPU on which the publisher ran when it sent this.
    pub(crate) cpu: AtomicU32,
    /// The message's encapsulation header; its body follows.
    message: AtomicU32,
}

const _: () = assert!(size_of::<ChunkHeader>() == 128 && MESSAGE_OFFSET == 128 - 4);

// SAFETY: consists of atomics; any bits are valid.
unsafe impl crate::os::mapping::Shared for ChunkHeader {}

impl ChunkHeader {
    fn holders(&self) -> HolderBits<'_> {
        HolderBits { first: &self.first_holders, more: &self.more_holders }
    }

    /// A header that says the same of a message, which nobody holds.
    pub(crate) fn copy(&self) -> Self {
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

    /// Says that a subscription no longer holds the message, which it has read on this CPU.
    pub(crate) fn release(&self, holder: u32) {
        if self.len.load(Ordering::Relaxed) >= ROTATED {
            self.let_go_on.store(sched_getcpu() as u32, Ordering::Relaxed);
        }
        self.holders().release(holder);
    }

    pub(crate) fn gid(&self) -> Gid {
        let [process, entity] = &self.gid;
        Gid::from_parts(process.load(Ordering::Relaxed), entity.load(Ordering::Relaxed))
    }

    pub(crate) fn sent_at(&self) -> i64 {
        self.sent_at.load(Ordering::Relaxed)
    }

    pub(crate) fn source_time(&self) -> Time {
        Time::from_nanos(self.source_time.load(Ordering::Relaxed))
    }

    /// As if the system clock had been set after the message was sent.
    #[cfg(test)]
    pub(crate) fn shift_source_time(&self, nanos: i64) {
        self.source_time.fetch_add(nanos, Ordering::Relaxed);
    }

    fn set_gid(&self, gid: Gid) {
        let (process, entity) = gid.as_bytes().split_at(8);
        for (place, half) in self.gid.iter().zip([process, entity]) {
            let half = half.try_into().map_or(0, u64::from_le_bytes);
            place.store(half, Ordering::Relaxed);
        }
    }
}

/// A chunk as its publisher knows it.
#[derive(Debug)]
pub(crate) struct Chunk {
    header: NonNull<ChunkHeader>,
    block: Block,
    /// Kept for subscriptions that join late.
    retained: bool,
    /// The only process that its message was sent to, in a pool of such messages.
    sent_to: u64,
}

// SAFETY: the pointer is into a segment that the pool's owner keeps mapped; the header consists of
// atomics, and the message is written only by whoever holds the chunk's index.
unsafe impl Send for Chunk {}

impl Chunk {
    pub(crate) fn header(&self) -> &ChunkHeader {
        // SAFETY: valid as long as the segment is mapped, which the owner of the pool ensures.
        unsafe { self.header.as_ref() }
    }

    /// The offset of the chunk in its segment: the descriptor that travels.
    pub(crate) fn descriptor(&self) -> u64 {
        self.block.offset
    }

    /// How many bytes a message in it can have.
    pub(crate) fn capacity(&self) -> usize {
        self.block.len as usize - MESSAGE_OFFSET
    }

    /// The place of the message.
    pub(crate) fn message(&self) -> NonNull<u8> {
        // SAFETY: the block is longer than the offset, because it holds a header at least.
        unsafe { self.header.cast::<u8>().add(MESSAGE_OFFSET) }
    }
}

/// How long a block must be for a message of `len` bytes.
pub(crate) fn block_len(len: usize) -> u64 {
    (len as u64).saturating_add(MESSAGE_OFFSET as u64)
}

/// The index of a chunk in its pool. Whoever has it may write the message.
pub(crate) type ChunkIndex = usize;

/// All chunks of a publisher.
///
/// **Invariant:** an index is in exactly one place: `free`, `flying`, the hands of a writer, or
/// `vacant` (its memory was given back).
#[derive(Debug, Default)]
pub(crate) struct ChunkPool {
    chunks: Vec<Option<Chunk>>,
    /// Ready to be written, the one that has rested longest in front.
    free: VecDeque<ChunkIndex>,
    /// Sent, the oldest in front.
    flying: VecDeque<ChunkIndex>,
    vacant: Vec<ChunkIndex>,
    /// How many words of holder bits are in use.
    words: usize,
    /// The process that a holder bit was last given to, to clear it if the process dies.
    holder_process: Vec<u64>,
    /// Whether each message is sent to one subscription only, as responses are. Then subscriptions share holder bits.
    is_addressed: bool,
    /// Whether large messages were lately let go on another CPU than the publisher's.
    apart: bool,
}

impl ChunkPool {
    /// A pool without chunks.
    pub(crate) fn new(is_addressed: bool) -> Self {
        Self { is_addressed, ..Self::default() }
    }

    /// Whether each message is sent to one subscription only.
    pub(crate) fn is_addressed(&self) -> bool {
        self.is_addressed
    }

    pub(crate) fn chunk(&self, index: ChunkIndex) -> &Chunk {
        match &self.chunks[index] {
            Some(chunk) => chunk,
            None => unreachable!("an index in use has a chunk"),
        }
    }

    /// The place of the message of a chunk that is in the hands of a writer.
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

    /// A free chunk for a message of `len` bytes, in the hands of the caller from now on. `None` if memory must be
    /// asked for.
    ///
    /// A chunk is reused at once, while it is in the cache; but large ones take turns if they are
    /// read on another CPU: the reader's copy of the last one is still in the cache there, and
    /// writing over it at once would have to fetch every line back.
    pub(crate) fn acquire(&mut self, len: usize) -> Option<ChunkIndex> {
        self.reclaim();
        let wanted = block_len(len);
        let rotated = self.apart && wanted >= ROTATED;
        let enough = !rotated || self.free.len() + self.flying.len() >= ROTATION;
        if enough { self.take_free(wanted, rotated) } else { None }
    }

    /// As [`ChunkPool::acquire`], out of turn: there is no memory for another.
    pub(crate) fn acquire_any(&mut self, len: usize) -> Option<ChunkIndex> {
        self.reclaim();
        self.take_free(block_len(len), false)
    }

    fn take_free(&mut self, wanted: u64, rotated: bool) -> Option<ChunkIndex> {
        let fits = |index: &ChunkIndex| self.chunk(*index).block.len >= wanted;
        let place = match rotated {
            true => self.free.iter().position(fits)?,
            false => self.free.iter().rposition(fits)?,
        };
        self.free.remove(place)
    }

    /// Moves what nobody holds any more from `flying` to `free`.
    fn reclaim(&mut self) {
        let words = self.words;
        let mut kept = 0;
        while let Some(&index) = self.flying.get(kept) {
            let chunk = self.chunk(index);
            if chunk.retained || chunk.header().holders().are_held(words) {
                // The oldest are released first as a rule: a look at a few is enough if any is free.
                kept += 1;
                if kept > 16 && !self.free.is_empty() {
                    break;
                }
            } else {
                let let_go_on = chunk.header().let_go_on.load(Ordering::Relaxed);
                if chunk.block.len >= ROTATED {
                    self.apart = let_go_on != sched_getcpu() as u32;
                }
                self.flying.remove(kept);
                self.free.push_back(index);
            }
        }
    }

    /// Takes out the memory of free chunks that have become too small: messages have grown.
    pub(crate) fn shed_small(&mut self, len: usize) -> Vec<Block> {
        let wanted = block_len(len);
        let (small, fit): (VecDeque<_>, VecDeque<_>) =
            self.free.iter().partition(|index| self.chunk(**index).block.len < wanted);
        self.free = fit;
        let chunks = small.iter().filter_map(|index| self.chunks[*index].take()).collect::<Vec<_>>();
        self.vacant.extend(small);
        chunks.into_iter().map(|chunk| chunk.block).collect()
    }

    /// Makes a chunk of a block, in the hands of the caller.
    pub(crate) fn adopt(&mut self, block: Block, segment: &Segment) -> Result<ChunkIndex, MemoryError> {
        let lost = || MemoryError::System { len: block.len, source: std::io::Error::other("can't map it") };
        let header = NonNull::from(segment.get::<ChunkHeader>(block.offset).ok_or_else(lost)?);
        let chunk = Chunk { header, block, retained: false, sent_to: 0 };
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

    /// Fills in the header of a message that is about to be queued for `holders`.
    pub(crate) fn seal(&mut self, index: ChunkIndex, holders: &Holders, sequence: u64, seal: &Seal) {
        let header = self.chunk(index).header();
        header.len.store(seal.len as u64, Ordering::Relaxed);
        header.sequence.store(sequence, Ordering::Relaxed);
        header.source_time.store(seal.source_time.as_nanos(), Ordering::Relaxed);
        header.sent_at.store(seal.sent_at, Ordering::Relaxed);
        header.cpu.store(seal.cpu, Ordering::Relaxed);
        header.set_gid(seal.gid);
        header.holders().set(holders, self.words);
        self.flying.push_back(index);
    }

    /// Adds a holder to a message that was sent before.
    pub(crate) fn hold(&self, index: ChunkIndex, holder: u32) {
        self.chunk(index).header().holders().add(holder);
    }

    /// The headers of messages that were sent and may be held.
    #[cfg(test)]
    pub(crate) fn sent(&self) -> impl Iterator<Item = &ChunkHeader> {
        self.flying.iter().map(|index| self.chunk(*index).header())
    }

    /// Takes a chunk back that was not sent.
    pub(crate) fn give_back(&mut self, index: ChunkIndex) {
        self.free.push_back(index);
    }

    /// Keeps a message, or no longer.
    pub(crate) fn set_retained(&mut self, index: ChunkIndex, retained: bool) {
        self.chunk_mut(index).retained = retained;
    }

    /// Notes the process that a message was sent to, and nobody else.
    pub(crate) fn address(&mut self, index: ChunkIndex, process: u64) {
        self.chunk_mut(index).sent_to = process;
    }

    /// Gives a holder bit to a subscription of a process.
    pub(crate) fn admit(&mut self, holder: u32, process: u64) {
        let place = holder as usize;
        self.words = self.words.max(place / 64 + 1);
        if self.holder_process.len() <= place {
            self.holder_process.resize(place + 1, 0);
        }
        self.holder_process[place] = process;
    }

    /// Whether any chunk is in the hands of a writer.
    pub(crate) fn is_lent(&self) -> bool {
        self.free.len() + self.flying.len() + self.vacant.len() != self.chunks.len()
    }

    /// Whether any message is still held by that holder.
    pub(crate) fn is_held_by(&self, holder: u32) -> bool {
        self.chunks.iter().flatten().any(|chunk| chunk.header().holders().are_held_by(holder))
    }

    /// Whether any message is still held at all.
    pub(crate) fn is_held(&self) -> bool {
        self.chunks.iter().flatten().any(|chunk| chunk.header().holders().are_held(self.words))
    }

    /// Frees what a dead process held.
    pub(crate) fn release_process(&mut self, process: u64) {
        if self.is_addressed {
            let own = self.chunks.iter().flatten().filter(|chunk| chunk.sent_to == process);
            return own.for_each(|chunk| chunk.header().holders().release_everybody());
        }
        for (holder, owner) in (0..).zip(&mut self.holder_process).filter(|(_, owner)| **owner == process) {
            self.chunks.iter().flatten().for_each(|chunk| chunk.header().release(holder));
            *owner = 0;
        }
    }

    /// Gives all memory back. Nobody may hold a message.
    pub(crate) fn dissolve(&mut self, arena: &Arena) {
        self.chunks.drain(..).flatten().for_each(|chunk| arena.free(chunk.block));
    }
}

/// What is stamped on a message when it is sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seal {
    pub(crate) len: usize,
    pub(crate) source_time: Time,
    /// In monotonic nanoseconds.
    pub(crate) sent_at: i64,
    pub(crate) gid: Gid,
    pub(crate) cpu: u32,
}
