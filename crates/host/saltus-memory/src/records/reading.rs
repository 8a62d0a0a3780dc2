//! The reader's side of records.

use std::sync::atomic::AtomicU64;

use crate::{
    arena::ARENA_START,
    os::segment::Segment,
    protocol::record::{Found, RecordHeader},
};

/// The offset of the first record. The segment's header and the counters of changes lie before it.
pub const RECORDS_START: u64 = 20480;
/// The size of a record is a multiple of this.
pub const RECORD_UNIT: u64 = 64;
pub(super) const HEADER: u64 = size_of::<RecordHeader>() as u64;

/// A record of any process.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    /// The offset of the record in its segment, in bytes.
    pub offset: u64,
    pub(super) header: &'a RecordHeader,
    pub(super) words: &'a [AtomicU64],
}

/// The content of a record when it was read.
#[derive(Debug)]
pub struct Content {
    /// The version of the content. It changes whenever the record is written.
    pub version: u32,
    /// The bytes. There are none if the record is free.
    pub bytes: Vec<u8>,
}

impl Record<'_> {
    /// Returns the length of the record with its header, in bytes.
    pub(super) fn len(&self) -> u64 {
        HEADER + self.words.len() as u64 * 8
    }

    /// Reads the first `len` bytes, rounded up to a multiple of 8, and the version. Returns `None` if the version is
    /// still `known`, or if the record is being written. `copy` is working memory.
    pub fn read_prefix(&self, len: usize, known: Option<u32>, copy: &mut Vec<u64>) -> Option<Content> {
        match self.header.read(self.words, known, len.div_ceil(8), copy) {
            Found::Content { version, length } => Some(Content { version, bytes: bytes_of(copy, length) }),
            Found::Unchanged | Found::Busy => None,
        }
    }

    /// Reads all bytes, as [`Record::read_prefix`] does.
    pub fn read(&self, known: Option<u32>, copy: &mut Vec<u64>) -> Option<Content> {
        self.read_prefix(usize::MAX, known, copy)
    }
}

fn bytes_of(words: &[u64], length: usize) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).take(length).collect()
}

/// Returns all records of a segment.
pub fn records(segment: &Segment) -> impl Iterator<Item = Record<'_>> {
    records_from(segment, RECORDS_START)
}

/// Returns the records of a segment from the one at an offset on.
pub(super) fn records_from(segment: &Segment, mut offset: u64) -> impl Iterator<Item = Record<'_>> {
    std::iter::from_fn(move || {
        let (record, size) = sized_record_at(segment, offset)?;
        offset += size;
        Some(record)
    })
}

/// Returns the record at an offset, if there is one.
pub fn record_at(segment: &Segment, offset: u64) -> Option<Record<'_>> {
    sized_record_at(segment, offset).map(|(record, _)| record)
}

/// Returns the record at an offset, and its size. The size is read only once, because its owner could change it between
/// two reads.
fn sized_record_at(segment: &Segment, offset: u64) -> Option<(Record<'_>, u64)> {
    if offset + HEADER > ARENA_START {
        return None;
    }
    let size = segment.get::<RecordHeader>(offset)?.size();
    let is_valid = u64::from(size) >= HEADER && u64::from(size).is_multiple_of(RECORD_UNIT);
    if !is_valid || offset + u64::from(size) > ARENA_START {
        return None;
    }
    record(segment, offset, size).map(|record| (record, size.into()))
}

pub(super) fn record(segment: &Segment, offset: u64, size: u32) -> Option<Record<'_>> {
    let header = segment.get::<RecordHeader>(offset)?;
    let words = segment.get_slice::<AtomicU64>(offset + HEADER, (u64::from(size) - HEADER) as usize / 8)?;
    Some(Record { offset, header, words })
}
