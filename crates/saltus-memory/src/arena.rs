//! The memory of a process's segment behind its registry, given out in blocks.
//!
//! The bookkeeping is private to the owner: others only ever follow offsets that the owner told
//! them. Blocks come in classes, four per doubling, so that beyond a few cache lines at most a
//! quarter is wasted; a freed block is kept for the next of its class, warm and mapped. Large ones
//! give their pages back, but for the first: a reader whose message was taken back may still look at
//! its header, and a look at a page that is not there kills it if the file system is full.

use std::{collections::HashMap, io, ops::Range, sync::Arc};

use crate::os::{
    mutex::Mutex,
    segment::{Segment, WINDOW},
};

/// Where blocks begin: everything before is header and registry.
pub const ARENA_START: u64 = 64 << 20;
/// The smallest block, and the alignment of all: a cache line.
const GRAIN: u64 = 64;
/// Blocks from here on begin at a page and give their memory back when they are freed.
const LARGE: u64 = 256 << 10;
const PAGE: u64 = 4096;
/// How much is committed at once for small blocks.
const STEP: u64 = 32 << 10;
/// How much of it should be left for threads that can't wait.
const RESERVE: u64 = 16 << 10;

/// Memory in the segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Where it lies in the segment, in bytes.
    pub offset: u64,
    /// Its length in bytes, at least what was asked for.
    pub len: u64,
}

/// Why there is no block.
#[derive(thiserror::Error)]
pub enum MemoryError {
    /// Shared memory is full (or another limit of the system is reached).
    #[error("can't get {len} bytes of shared memory: {source}{}", remedy(.source))]
    System {
        /// How many bytes were asked for.
        len: u64,
        /// What the system said.
        source: io::Error,
    },
    /// No message can be that long.
    #[error("a message of {len} bytes exceeds the limit of {max} bytes")]
    TooLong {
        /// How many bytes were asked for.
        len: u64,
        /// The most there can be.
        max: u64,
    },
}

saltus_types::debug_as_display!(MemoryError);

fn remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull => {
            "; free some of it (`df -h /dev/shm`), or give the container more (`--shm-size`)"
        }
        _ => "",
    }
}

/// **Invariant:** blocks given out never overlap, and their pages are committed.
///
/// Its lock is held for a few instructions only. Memory is asked of the system without it, because that can take
/// long, and a thread that publishes may need a block meanwhile.
#[derive(Debug)]
pub struct Arena {
    segment: Arc<Segment>,
    books: Mutex<Books>,
    /// One thread at a time gets memory for small blocks. Those that find a free block don't wait for it.
    growing: Mutex<()>,
}

#[derive(Debug)]
struct Books {
    /// Behind the last block ever made.
    end: u64,
    /// Committed memory of which small blocks are made.
    small: Range<u64>,
    /// Blocks to be used again, by their length.
    free: HashMap<u64, Vec<u64>>,
}

impl Arena {
    /// All of a segment behind its records.
    pub fn new(segment: Arc<Segment>) -> Self {
        let books = Books { end: ARENA_START, small: 0..0, free: HashMap::new() };
        Self { segment, books: Mutex::new(books), growing: Mutex::default() }
    }

    /// A block of at least `len` bytes. New memory is zero, recycled memory is not.
    pub fn allocate(&self, len: u64) -> Result<Block, MemoryError> {
        let len = class(len.max(1))
            .filter(|len| *len <= WINDOW - ARENA_START)
            .ok_or(MemoryError::TooLong { len, max: WINDOW - ARENA_START })?;
        let recycled = self.books.lock().recycle(len);
        let offset = match recycled {
            Some(offset) if len < LARGE => Ok(offset),
            Some(offset) => self.commit_large(offset, len),
            None if len < LARGE => self.small(len),
            None => {
                let offset = self.books.lock().reserve(len);
                self.commit_large(offset, len)
            }
        };
        offset.map(|offset| Block { offset, len }).map_err(|source| MemoryError::System { len, source })
    }

    /// A small block that was never used before, all zero.
    pub fn allocate_fresh(&self, len: u64) -> Result<Block, MemoryError> {
        let len = len.next_multiple_of(GRAIN);
        let offset = self.small(len).map_err(|source| MemoryError::System { len, source })?;
        Ok(Block { offset, len })
    }

    /// Whether little committed memory is left, so that somebody who may wait should get more.
    pub fn is_low(&self) -> bool {
        self.books.lock().small_left() < RESERVE
    }

    /// Gets memory for small blocks ahead, so that threads that publish rarely wait for the system.
    pub fn refill(&self) {
        if self.is_low() {
            // Without memory whoever needs a block is told.
            let _ = self.grow(RESERVE);
        }
    }

    /// Takes a block back.
    pub fn free(&self, block: Block) {
        if block.len >= LARGE {
            self.segment.decommit(block.offset + PAGE, block.len - PAGE);
        }
        self.books.lock().give_back(block.len, block.offset);
    }

    /// A new small block.
    fn small(&self, len: u64) -> io::Result<u64> {
        loop {
            let carved = self.books.lock().carve(len);
            if let Some(offset) = carved {
                return Ok(offset);
            }
            self.grow(len)?;
        }
    }

    /// Commits memory for small blocks of up to `len` bytes, unless another thread has done it meanwhile.
    fn grow(&self, len: u64) -> io::Result<()> {
        let _growing = self.growing.lock();
        let region = {
            let mut books = self.books.lock();
            if books.small_left() >= len {
                return Ok(());
            }
            let size = len.max(STEP).next_multiple_of(PAGE);
            let start = books.reserve(size);
            start..start + size
        };
        let committed = self.segment.commit(region.start, region.end - region.start);
        let mut books = self.books.lock();
        match committed {
            Ok(()) => books.add_small(region),
            Err(_) => books.give_up(region),
        }
        committed
    }

    fn commit_large(&self, offset: u64, len: u64) -> io::Result<u64> {
        let committed = self.segment.commit(offset, len);
        // Its address is used again, whether it has memory or not.
        committed.inspect_err(|_| self.books.lock().give_back(len, offset)).map(|()| offset)
    }
}

impl Books {
    fn recycle(&mut self, len: u64) -> Option<u64> {
        self.free.get_mut(&len).and_then(Vec::pop)
    }

    fn give_back(&mut self, len: u64, offset: u64) {
        self.free.entry(len).or_default().push(offset);
    }

    /// A place for whole pages behind all blocks, in one window.
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

    /// A small block of memory that is committed already.
    fn carve(&mut self, len: u64) -> Option<u64> {
        let offset = self.small.start;
        (self.small_left() >= len).then(|| self.small.start = offset + len).map(|()| offset)
    }

    /// Makes small blocks of this memory from now on. What is left of the memory before is less than a block.
    fn add_small(&mut self, region: Range<u64>) {
        let is_next = self.small.end == region.start && !region.start.is_multiple_of(WINDOW);
        self.small = if is_next { self.small.start..region.end } else { region };
    }

    /// Makes a place that got no memory available again, if it is the last.
    fn give_up(&mut self, region: Range<u64>) {
        if self.end == region.end {
            self.end = region.start;
        }
    }
}

/// The length of the class that `len` belongs to: a multiple of a quarter of a power of two.
fn class(len: u64) -> Option<u64> {
    let quarter = (len.checked_next_power_of_two()? / 8).max(GRAIN);
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
    fn blocks_never_overlap_whatever_threads_ask_for() {
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
        assert!(blocks.iter().all(|block| block.offset % GRAIN == 0 && block.offset >= ARENA_START));
    }

    #[test]
    fn a_large_block_gives_its_memory_back_and_is_used_again() {
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
            let class = class(len).unwrap();
            assert!(
                class >= len && class <= (len + len / 4).max(len.next_multiple_of(GRAIN)),
                "{len} in {class}"
            );
            assert_eq!(class % GRAIN, 0);
        }
        assert_eq!(class(u64::MAX), None);
    }
}
