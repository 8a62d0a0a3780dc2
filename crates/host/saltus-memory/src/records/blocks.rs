//! Blocks of records, each with a counter of its changes.
//!
//! A process may have tens of thousands of records, of which few change at a time. A reader reads only the records of blocks
//! whose counters have changed.

use std::{io, ops::Range};

use super::reading::{RECORD_UNIT, RECORDS_START, Record, records_from};
use crate::{
    arena::ARENA_START,
    os::{mapping::SharedType, segment::Segment},
    protocol::record::ChangeCounter,
};

/// The offset of the counters. There is one for each block.
pub(super) const COUNTERS_START: u64 = 4096;
/// The length of a block. A record belongs to the block in which it begins.
pub const BLOCK_LEN: u64 = 16 << 10;
const BLOCKS: u64 = (ARENA_START - RECORDS_START).div_ceil(BLOCK_LEN);

/// The size of a counter.
const COUNTER: u64 = size_of::<ChangeCounter>() as u64;
/// The size of a page of counters. Only the pages that are used have memory.
const PAGE: u64 = 4096;

const _: () = assert!(COUNTERS_START + BLOCKS * COUNTER <= RECORDS_START);

// SAFETY: consists of an atomic; any bits are valid.
unsafe impl SharedType for ChangeCounter {}

/// Returns the number of the block in which a record at an offset begins.
fn block_of(offset: u64) -> u64 {
    (offset - RECORDS_START) / BLOCK_LEN
}

fn counter(segment: &Segment, block: u64) -> Option<&ChangeCounter> {
    segment.get(COUNTERS_START + block * COUNTER)
}

/// Owner: commits the first page of counters.
pub(super) fn prepare(segment: &Segment) -> io::Result<()> {
    segment.commit(COUNTERS_START, PAGE)
}

/// Owner: commits the counters of new records, given the range of their offsets. Those of all records before it are committed.
pub(super) fn commit_counters(segment: &Segment, records: Range<u64>) -> io::Result<()> {
    let page = |offset: u64| block_of(offset) * COUNTER / PAGE;
    let (first, last) = (page(records.start), page(records.end));
    if first == last {
        return Ok(());
    }
    segment.commit(COUNTERS_START + (first + 1) * PAGE, (last - first) * PAGE)
}

/// Owner: counts a change of the record at an offset, after it was written.
pub(super) fn count_change(segment: &Segment, offset: u64) {
    if let Some(counter) = counter(segment, block_of(offset)) {
        counter.count();
    }
}

/// A block as a reader has seen it.
#[derive(Clone, Copy, Debug)]
struct Block {
    /// The count when its records were last read.
    seen: u32,
    /// The offset of its first record, in units; 0 if no record begins in it. It never changes, as records do not move.
    first: u32,
}

/// The blocks of another process's records, as a reader has seen them.
///
/// **Invariant:** all records before `end` belong to one of the blocks. So each record that has changed since the last read
/// is in a block whose counter has changed, or behind the end.
#[derive(Debug)]
pub struct Blocks {
    blocks: Vec<Block>,
    /// The offset behind the last record that was read.
    end: u64,
}

impl Default for Blocks {
    fn default() -> Self {
        Self { blocks: Vec::new(), end: RECORDS_START }
    }
}

impl Blocks {
    /// Reads the records that may have changed since the last call. Calls `read` with a range of offsets, and with all records
    /// that begin in it.
    pub fn read_changed<'a>(
        &mut self,
        segment: &'a Segment,
        mut read: impl FnMut(Range<u64>, &mut dyn Iterator<Item = Record<'a>>),
    ) {
        for (number, block) in (0..).zip(&mut self.blocks) {
            let count = counter(segment, number).map_or(0, ChangeCounter::get);
            if count == block.seen || block.first == 0 {
                continue;
            }
            // The count is noted before the records are read. What changes meanwhile is read the next time, too.
            block.seen = count;
            let start = RECORDS_START + number * BLOCK_LEN;
            let end = self.end.min(start + BLOCK_LEN);
            let all = records_from(segment, u64::from(block.first) * RECORD_UNIT);
            read(start..end, &mut all.take_while(|record| record.offset < end));
        }
        let start = self.end;
        read(
            start..u64::MAX,
            &mut records_from(segment, start).inspect(|record| self.note_new(segment, record)),
        );
    }

    /// Notes a record behind the last one, before it is read.
    fn note_new(&mut self, segment: &Segment, record: &Record<'_>) {
        let number = block_of(record.offset);
        while (self.blocks.len() as u64) <= number {
            let next = self.blocks.len() as u64;
            let seen = counter(segment, next).map_or(0, ChangeCounter::get);
            self.blocks.push(Block { seen, first: 0 });
        }
        let block = &mut self.blocks[number as usize];
        if block.first == 0 {
            block.first = (record.offset / RECORD_UNIT) as u32;
        }
        self.end = record.offset + record.len();
    }
}
