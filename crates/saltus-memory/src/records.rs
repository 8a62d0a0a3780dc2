//! Records: bytes that a process publishes in its segment, and that every other process can read at any time.
//!
//! The records (see `protocol::record`) follow each other from a fixed offset of the segment. The size of a record gives
//! the offset of the next one. Records are reused, but never moved or resized, so a reader can remember them by offset. A
//! counter in the segment's header changes when a record changes. Readers compare versions to find which one.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use crate::{
    arena::{ARENA_START, MemoryError},
    os::segment::Segment,
    protocol::record::{Found, RecordHeader},
};

/// Where the records begin; the segment's header lies before.
pub const RECORDS_START: u64 = 4096;
/// The size of a record is a multiple of this.
pub const GRAIN: u64 = 64;
const HEADER: u64 = size_of::<RecordHeader>() as u64;
/// How much of the memory for records is committed before anybody can find the segment.
pub const FIRST_PAGE: u64 = 4096;

/// The owner's side: writes records and remembers which are free.
///
/// **Invariant:** only one thread at a time writes, which `&mut` ensures.
#[derive(Debug)]
pub struct RecordStore {
    segment: Arc<Segment>,
    end: u64,
    committed: u64,
    free: HashMap<u32, Vec<u64>>,
    is_closed: bool,
}

/// A record of one's own; give it back to [`RecordStore::remove`].
#[derive(Debug, PartialEq, Eq, Hash, Clone, Copy)]
pub struct RecordId {
    offset: u64,
    size: u32,
}

impl RecordStore {
    /// No records in the segment of a process that has just made it.
    pub fn new(segment: Arc<Segment>) -> Self {
        let committed = RECORDS_START + FIRST_PAGE;
        Self { segment, end: RECORDS_START, committed, free: HashMap::new(), is_closed: false }
    }

    /// Writes bytes into a record of their own, for all to see.
    ///
    /// # Errors
    /// If there is no memory for it, or the store was closed.
    pub fn add(&mut self, content: &[u8]) -> Result<RecordId, MemoryError> {
        let size = (HEADER + content.len() as u64).next_multiple_of(GRAIN) as u32;
        if self.is_closed {
            let source = std::io::Error::other("this context was expelled");
            return Err(MemoryError::System { len: size.into(), source });
        }
        let recycled = self.free.get_mut(&size).and_then(Vec::pop);
        let offset = match recycled {
            Some(offset) => offset,
            None => self.extend(size)?,
        };
        self.write(RecordId { offset, size }, content);
        Ok(RecordId { offset, size })
    }

    /// Makes a record vanish.
    pub fn remove(&mut self, id: RecordId) {
        if self.is_closed {
            return;
        }
        self.write(id, &[]);
        self.free.entry(id.size).or_default().push(id.offset);
    }

    /// Makes all records vanish, and takes no others.
    pub fn close(&mut self) {
        self.is_closed = true;
        records(&self.segment).for_each(|record| record.header.write(record.words, &[], 0));
    }

    fn write(&self, id: RecordId, content: &[u8]) {
        let Some(record) = record(&self.segment, id.offset, id.size) else { return };
        record.header.set_size(id.size);
        let packed: Vec<u64> = content
            .chunks(8)
            .map(|chunk| {
                let mut word = [0; 8];
                word[..chunk.len()].copy_from_slice(chunk);
                u64::from_le_bytes(word)
            })
            .collect();
        record.header.write(record.words, &packed, content.len());
    }

    fn extend(&mut self, size: u32) -> Result<u64, MemoryError> {
        let (offset, len) = (self.end, u64::from(size));
        let full = || std::io::Error::other("the registry of this process is full");
        let end = offset + len;
        if end + HEADER > ARENA_START {
            return Err(MemoryError::System { len, source: full() });
        }
        // Readers look at the header behind the last record.
        if end + HEADER > self.committed {
            let until = (end + HEADER).next_multiple_of(4096);
            self.segment
                .commit(self.committed, until - self.committed)
                .map_err(|source| MemoryError::System { len, source })?;
            self.committed = until;
        }
        self.end = end;
        Ok(offset)
    }
}

/// A record of any process.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    /// Where it lies in its segment, in bytes.
    pub place: u64,
    header: &'a RecordHeader,
    words: &'a [AtomicU64],
}

/// What a record held when it was read.
#[derive(Debug)]
pub struct Content {
    /// Changes with each writing.
    pub version: u32,
    /// The bytes; none if the record is free.
    pub bytes: Vec<u8>,
}

impl Record<'_> {
    /// The first `len` bytes, rounded up to 8, of what it holds, and its version. `None` if the version is still
    /// `known`, or the record is being written.
    pub fn read_prefix(&self, len: usize, known: Option<u32>, copy: &mut Vec<u64>) -> Option<Content> {
        match self.header.read(self.words, known, len.div_ceil(8), copy) {
            Found::Content { version, length } => Some(Content { version, bytes: bytes_of(copy, length) }),
            Found::Unchanged | Found::Busy => None,
        }
    }

    /// As [`Record::read_prefix`], all of it.
    pub fn read(&self, known: Option<u32>, copy: &mut Vec<u64>) -> Option<Content> {
        self.read_prefix(usize::MAX, known, copy)
    }
}

fn bytes_of(words: &[u64], length: usize) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).take(length).collect()
}

/// All records of a segment.
pub fn records(segment: &Segment) -> impl Iterator<Item = Record<'_>> {
    let mut place = RECORDS_START;
    std::iter::from_fn(move || {
        let (record, size) = sized_record_at(segment, place)?;
        place += size;
        Some(record)
    })
}

/// The record at a place, if there is one.
pub fn record_at(segment: &Segment, place: u64) -> Option<Record<'_>> {
    sized_record_at(segment, place).map(|(record, _)| record)
}

/// The record at a place and its size. The size is read once: its owner could change it between two looks.
fn sized_record_at(segment: &Segment, place: u64) -> Option<(Record<'_>, u64)> {
    if place + HEADER > ARENA_START {
        return None;
    }
    let size = segment.get::<RecordHeader>(place)?.size();
    let sane = u64::from(size) >= HEADER && u64::from(size).is_multiple_of(GRAIN);
    if !sane || place + u64::from(size) > ARENA_START {
        return None;
    }
    record(segment, place, size).map(|record| (record, size.into()))
}

fn record(segment: &Segment, place: u64, size: u32) -> Option<Record<'_>> {
    let header = segment.get::<RecordHeader>(place)?;
    let words = segment.get_slice::<AtomicU64>(place + HEADER, (u64::from(size) - HEADER) as usize / 8)?;
    Some(Record { place, header, words })
}

/// Marks a change for the readers of a process's records.
pub fn bump(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Release);
}
