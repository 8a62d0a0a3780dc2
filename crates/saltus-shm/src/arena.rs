//! The memory of a process's segment behind its registry, given out in blocks.
//!
//! The bookkeeping is private to the owner: others only ever follow offsets that the owner told
//! them. Blocks come in classes, four per doubling, so that beyond a few cache lines at most a
//! quarter is wasted; a freed block is kept for the next of its class, warm and mapped. Large ones
//! give their pages back, but for the first: a reader whose message was taken back may still look at
//! its header, and a look at a page that is not there kills it if the file system is full.

use std::{collections::HashMap, io, sync::Arc};

use crate::os::segment::{Segment, WINDOW};

/// Where blocks begin: everything before is header and registry.
pub(crate) const ARENA_START: u64 = 64 << 20;
/// The smallest block, and the alignment of all: a cache line.
const GRAIN: u64 = 64;
/// Blocks from here on begin at a page and give their memory back when they are freed.
const LARGE: u64 = 256 << 10;
const PAGE: u64 = 4096;
/// How much is committed at once for small blocks.
const STEP: u64 = 32 << 10;

/// Memory in the segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) offset: u64,
    /// Its length in bytes, at least what was asked for.
    pub(crate) len: u64,
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
#[derive(Debug)]
pub(crate) struct Arena {
    segment: Arc<Segment>,
    /// Behind the last block ever made.
    end: u64,
    /// Up to here pages are committed.
    committed: u64,
    free: HashMap<u64, Vec<u64>>,
}

impl Arena {
    pub(crate) fn new(segment: Arc<Segment>) -> Self {
        Self { segment, end: ARENA_START, committed: ARENA_START, free: HashMap::new() }
    }

    /// A block of at least `len` bytes. New memory is zero, recycled memory is not.
    pub(crate) fn allocate(&mut self, len: u64) -> Result<Block, MemoryError> {
        let len = class(len.max(1))
            .filter(|len| *len <= WINDOW - ARENA_START)
            .ok_or(MemoryError::TooLong { len, max: WINDOW - ARENA_START })?;
        let recycled = self.free.get_mut(&len).and_then(Vec::pop);
        let offset = match recycled {
            Some(offset) if len < LARGE => offset,
            Some(offset) => match self.segment.commit(offset, len) {
                Ok(()) => offset,
                Err(source) => {
                    self.free.entry(len).or_default().push(offset);
                    return Err(MemoryError::System { len, source });
                }
            },
            None => self.extend(len).map_err(|source| MemoryError::System { len, source })?,
        };
        Ok(Block { offset, len })
    }

    /// A block that was never used before, all zero.
    pub(crate) fn allocate_fresh(&mut self, len: u64) -> Result<Block, MemoryError> {
        let len = len.next_multiple_of(GRAIN);
        let offset = self.extend(len).map_err(|source| MemoryError::System { len, source })?;
        Ok(Block { offset, len })
    }

    /// Takes a block back.
    pub(crate) fn free(&mut self, block: Block) {
        if block.len >= LARGE {
            self.segment.decommit(block.offset + PAGE, block.len - PAGE);
        }
        self.free.entry(block.len).or_default().push(block.offset);
    }

    /// Makes a block behind all others.
    fn extend(&mut self, len: u64) -> io::Result<u64> {
        let align = if len >= LARGE { PAGE } else { GRAIN };
        let mut start = self.end.next_multiple_of(align);
        if start / WINDOW != (start + len - 1) / WINDOW {
            start = start.next_multiple_of(WINDOW);
        }
        let end = start + len;
        if end > self.committed {
            let from = start.max(self.committed);
            let until = if len >= LARGE { end.next_multiple_of(PAGE) } else { self.step_from(from, end) };
            self.segment.commit(from, until - from)?;
            self.committed = until;
        }
        self.end = end;
        Ok(start)
    }

    /// Commits ahead, so that small blocks don't ask the system one by one, but not past a window.
    fn step_from(&self, from: u64, end: u64) -> u64 {
        let window_end = (from / WINDOW + 1) * WINDOW;
        (from + STEP).next_multiple_of(PAGE).min(window_end).max(end.next_multiple_of(PAGE))
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
