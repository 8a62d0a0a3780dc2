//! The allocator of a segment: it allocates blocks of the memory after the segment's records.
//!
//! Only the owner of the segment uses the allocator's state. Other processes read blocks by offsets that the owner has
//! published. There are four block sizes (size classes) per doubling. So except in the smallest blocks, at most a
//! quarter of a block is wasted. A freed block is reused for the next allocation of its size: its pages stay mapped,
//! and may still be in the cache.
//!
//! A freed large block returns its memory to the system, except the first page. A reader may still read the header of a
//! message that was taken back from its queue. If that page had no memory, and the file system were full, the read
//! would kill the reader.

use std::{collections::HashMap, io, ops::Range, sync::Arc};

use crate::os::{
    mutex::Mutex,
    segment::{Segment, WINDOW},
};

/// The offset of the first block. The header and the records of the segment lie before it.
pub const ARENA_START: u64 = 64 << 20;
/// The size of the smallest block, and the alignment of all blocks: a cache line.
const BLOCK_UNIT: u64 = 64;
/// Blocks of at least this size begin at a page, and return their memory to the system when they are freed.
const LARGE: u64 = 256 << 10;
const PAGE: u64 = 4096;
/// The number of bytes that are committed at a time for small blocks.
const COMMIT_STEP: u64 = 32 << 10;
/// The number of committed bytes that should be left for threads that must not wait for the system.
const RESERVE: u64 = 16 << 10;

/// A block of memory in the segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    /// The offset of the block in the segment, in bytes.
    pub offset: u64,
    /// The length of the block in bytes. It is at least the requested length.
    pub len: u64,
}

/// Why a block can't be allocated.
#[derive(thiserror::Error)]
pub enum MemoryError {
    /// Shared memory is full, or another limit is reached.
    #[error("can't allocate {len} bytes of shared memory: {source}{}", remedy(.source))]
    System {
        /// The requested number of bytes.
        len: u64,
        /// The cause.
        source: io::Error,
    },
    /// The message is longer than a message can be.
    #[error("a message of {len} bytes exceeds the limit of {max} bytes")]
    TooLong {
        /// The requested number of bytes.
        len: u64,
        /// The limit in bytes.
        max: u64,
    },
    /// As many subscriptions are connected as a publisher can have.
    #[error("a publisher can be connected to at most {max} subscriptions")]
    TooManySubscriptions {
        /// The limit.
        max: u32,
    },
}

saltus_types::debug_as_display!(MemoryError);

fn remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull => {
            "; end processes that use much of it (`df -h /dev/shm` shows how much is free), or give the container more \
             (`--shm-size`)"
        }
        _ => "",
    }
}

/// The allocator of a segment.
///
/// **Invariant:** allocated blocks never overlap, and their pages are committed.
///
/// The lock of the state is held only for a few instructions. Memory is committed without the lock, because that can
/// take long, and a thread that publishes may need a block in the meantime.
#[derive(Debug)]
pub struct Arena {
    segment: Arc<Segment>,
    state: Mutex<ArenaState>,
    /// Held by the thread that commits memory for small blocks. Threads that find a free block do not wait for it.
    growing: Mutex<()>,
}

/// The state of an arena.
#[derive(Debug)]
struct ArenaState {
    /// The end of the last block that was ever allocated.
    end: u64,
    /// Committed memory from which small blocks are taken.
    small: Range<u64>,
    /// The offsets of free blocks, by the length of the blocks.
    free: HashMap<u64, Vec<u64>>,
}

impl Arena {
    /// Creates the allocator of a segment that has no blocks yet.
    pub(crate) fn new(segment: Arc<Segment>) -> Self {
        let state = ArenaState { end: ARENA_START, small: 0..0, free: HashMap::new() };
        Self { segment, state: Mutex::new(state), growing: Mutex::default() }
    }

    /// Allocates a block of at least `len` bytes. The memory of a new block is zero. A reused block has its old
    /// content.
    pub(crate) fn allocate(&self, len: u64) -> Result<Block, MemoryError> {
        let len = size_class(len.max(1))
            .filter(|len| *len <= WINDOW - ARENA_START)
            .ok_or(MemoryError::TooLong { len, max: WINDOW - ARENA_START })?;
        let reused = self.state.lock().take_free(len);
        let offset = match reused {
            Some(offset) if len < LARGE => Ok(offset),
            Some(offset) => self.commit_large(offset, len),
            None if len < LARGE => self.small(len),
            None => {
                let offset = self.state.lock().reserve(len);
                self.commit_large(offset, len)
            }
        };
        offset.map(|offset| Block { offset, len }).map_err(|source| MemoryError::System { len, source })
    }

    /// Allocates a small block that was never used before. It is all zero.
    pub(crate) fn allocate_fresh(&self, len: u64) -> Result<Block, MemoryError> {
        let len = len.next_multiple_of(BLOCK_UNIT);
        let offset = self.small(len).map_err(|source| MemoryError::System { len, source })?;
        Ok(Block { offset, len })
    }

    /// Whether little committed memory is left. Then a thread that may wait for the system should call
    /// [`Arena::refill`].
    pub(crate) fn is_low(&self) -> bool {
        self.state.lock().small_left() < RESERVE
    }

    /// Commits memory for small blocks in advance, so that threads that publish rarely wait for the system.
    pub fn refill(&self) {
        if self.is_low() {
            // If there is no memory, the next allocation returns the error.
            let _ = self.grow(RESERVE);
        }
    }

    /// Frees a block.
    pub(crate) fn free(&self, block: Block) {
        if block.len >= LARGE {
            self.segment.decommit(block.offset + PAGE, block.len - PAGE);
        }
        self.state.lock().add_free(block.len, block.offset);
    }

    /// Allocates a small block that was never used before, and returns its offset.
    fn small(&self, len: u64) -> io::Result<u64> {
        loop {
            let split = self.state.lock().split_small(len);
            if let Some(offset) = split {
                return Ok(offset);
            }
            self.grow(len)?;
        }
    }

    /// Commits memory for a small block of `len` bytes, unless another thread has done so in the meantime.
    fn grow(&self, len: u64) -> io::Result<()> {
        let _growing = self.growing.lock();
        let region = {
            let mut state = self.state.lock();
            if state.small_left() >= len {
                return Ok(());
            }
            let size = len.max(COMMIT_STEP).next_multiple_of(PAGE);
            let start = state.reserve(size);
            start..start + size
        };
        let committed = self.segment.commit(region.start, region.end - region.start);
        let mut state = self.state.lock();
        match committed {
            Ok(()) => state.add_small(region),
            Err(_) => state.unreserve(region),
        }
        committed
    }

    /// Commits the memory of a large block. If that fails, the block is free again.
    fn commit_large(&self, offset: u64, len: u64) -> io::Result<u64> {
        let committed = self.segment.commit(offset, len);
        committed.inspect_err(|_| self.state.lock().add_free(len, offset)).map(|()| offset)
    }
}

impl ArenaState {
    /// Takes the offset of a free block of this length.
    fn take_free(&mut self, len: u64) -> Option<u64> {
        self.free.get_mut(&len).and_then(Vec::pop)
    }

    fn add_free(&mut self, len: u64, offset: u64) {
        self.free.entry(len).or_default().push(offset);
    }

    /// Reserves the offset of `len` bytes after all blocks. They begin at a page and lie in one window.
    fn reserve(&mut self, len: u64) -> u64 {
        let mut start = self.end.next_multiple_of(PAGE);
        if start / WINDOW != (start + len - 1) / WINDOW {
            start = start.next_multiple_of(WINDOW);
        }
        self.end = start + len;
        start
    }

    fn small_left(&self) -> u64 {
        self.small.end - self.small.start
    }

    /// Takes a block from the committed memory for small blocks, if enough is left. Returns the offset of the block.
    fn split_small(&mut self, len: u64) -> Option<u64> {
        let offset = self.small.start;
        (self.small_left() >= len).then(|| self.small.start = offset + len).map(|()| offset)
    }

    /// Adds committed memory for small blocks. If it does not follow the previous memory directly, the rest of that
    /// memory is not used. The rest is smaller than the block that was requested.
    fn add_small(&mut self, region: Range<u64>) {
        let is_next = self.small.end == region.start && !region.start.is_multiple_of(WINDOW);
        self.small = if is_next { self.small.start..region.end } else { region };
    }

    /// Undoes a reservation that got no memory, if it was the last one.
    fn unreserve(&mut self, region: Range<u64>) {
        if self.end == region.end {
            self.end = region.start;
        }
    }
}

/// Returns the length of a block for `len` bytes: the next multiple of a quarter of a power of two.
fn size_class(len: u64) -> Option<u64> {
    let quarter = (len.checked_next_power_of_two()? / 8).max(BLOCK_UNIT);
    let step = if len >= LARGE { quarter.max(PAGE) } else { quarter };
    len.checked_next_multiple_of(step)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arena() -> Arena {
        Arena::new(Arc::new(Segment::anonymous()))
    }

    #[test]
    fn blocks_of_several_threads_never_overlap() {
        let arena = arena();
        let blocks = std::sync::Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for thread in 0..4u64 {
                let (arena, blocks) = (&arena, &blocks);
                scope.spawn(move || {
                    for round in 0..100 {
                        let len = [100, 3000, 70_000, 300_000, 64][(round + thread) as usize % 5];
                        let block = arena.allocate(len + round).unwrap();
                        if round % 3 == 0 {
                            arena.free(block);
                        } else {
                            blocks.lock().unwrap().push(block);
                        }
                    }
                });
            }
        });
        let mut blocks = blocks.into_inner().unwrap();
        blocks.sort_by_key(|block| block.offset);
        assert!(blocks.windows(2).all(|pair| pair[0].offset + pair[0].len <= pair[1].offset));
        assert!(blocks.iter().all(|block| block.offset % BLOCK_UNIT == 0 && block.offset >= ARENA_START));
    }

    #[test]
    fn a_freed_large_block_returns_its_memory_and_is_reused() {
        let arena = arena();
        let used = || std::os::unix::fs::MetadataExt::blocks(&arena.segment.file().metadata().unwrap()) * 512;
        let block = arena.allocate(1 << 20).unwrap();
        assert!(used() >= 1 << 20);
        arena.free(block);
        assert!(used() <= PAGE);
        assert_eq!(arena.allocate(1 << 20).unwrap(), block);
        assert!(matches!(arena.allocate(WINDOW), Err(MemoryError::TooLong { .. })));
    }

    #[test]
    fn classes_waste_at_most_a_quarter() {
        for len in [1, 63, 64, 65, 500, 1000, 4096, 65_700, 1_048_720, 64 << 20] {
            let block = size_class(len).unwrap();
            assert!(
                block >= len && block <= (len + len / 4).max(len.next_multiple_of(BLOCK_UNIT)),
                "{len} in {block}"
            );
            assert_eq!(block % BLOCK_UNIT, 0);
        }
        assert_eq!(size_class(u64::MAX), None);
    }
}
