//! Records: bytes that a process publishes in its segment, and that every other process can read at any time.
//!
//! The records (see `protocol::record`) follow each other from a fixed offset of the segment. The size of a record
//! gives the offset of the next one. Records are reused, but never moved or resized, so a reader can remember them by
//! offset. A counter in the segment's header changes when a record changes. Readers compare versions to find which one.

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

/// The offset of the first record. The segment's header lies before it.
pub const RECORDS_START: u64 = 4096;
/// The size of a record is a multiple of this.
pub const RECORD_UNIT: u64 = 64;
const HEADER: u64 = size_of::<RecordHeader>() as u64;
/// The number of bytes of the memory for records that are committed before other processes can find the segment.
pub const FIRST_PAGE: u64 = 4096;

/// The owner's side of the records: it writes records and knows which are free.
///
/// **Invariant:** only one thread at a time writes. `&mut` ensures this.
#[derive(Debug)]
pub struct RecordStore {
    segment: Arc<Segment>,
    /// The end of the last record.
    end: u64,
    /// The end of the committed memory.
    committed: u64,
    /// The offsets of free records, by their size.
    free: HashMap<u32, Vec<u64>>,
    is_closed: bool,
}

/// A record of this process. [`RecordStore::remove`] removes it.
#[derive(Debug, PartialEq, Eq, Hash, Clone, Copy)]
pub struct RecordId {
    offset: u64,
    size: u32,
}

impl RecordStore {
    /// Creates a store without records in a new segment.
    pub fn new(segment: Arc<Segment>) -> Self {
        let committed = RECORDS_START + FIRST_PAGE;
        Self { segment, end: RECORDS_START, committed, free: HashMap::new(), is_closed: false }
    }

    /// Adds a record with this content, which other processes can read.
    ///
    /// # Errors
    /// Returns an error if there is no memory for it, or if the store was closed.
    pub fn add(&mut self, content: &[u8]) -> Result<RecordId, MemoryError> {
        let size = (HEADER + content.len() as u64).next_multiple_of(RECORD_UNIT) as u32;
        if self.is_closed {
            let source = std::io::Error::other("this context was expelled from its domain");
            return Err(MemoryError::System { len: size.into(), source });
        }
        let reused = self.free.get_mut(&size).and_then(Vec::pop);
        let offset = match reused {
            Some(offset) => offset,
            None => self.extend(size)?,
        };
        self.write(RecordId { offset, size }, content);
        Ok(RecordId { offset, size })
    }

    /// Removes a record.
    pub fn remove(&mut self, id: RecordId) {
        if self.is_closed {
            return;
        }
        self.write(id, &[]);
        self.free.entry(id.size).or_default().push(id.offset);
    }

    /// Removes all records. No record can be added after this.
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

    /// Reserves memory for a record after the last one, and returns its offset.
    fn extend(&mut self, size: u32) -> Result<u64, MemoryError> {
        let (offset, len) = (self.end, u64::from(size));
        let full = || std::io::Error::other("the memory for the records of this process is full");
        let end = offset + len;
        if end + HEADER > ARENA_START {
            return Err(MemoryError::System { len, source: full() });
        }
        // Readers also read the header after the last record.
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
    /// The offset of the record in its segment, in bytes.
    pub offset: u64,
    header: &'a RecordHeader,
    words: &'a [AtomicU64],
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
    let mut offset = RECORDS_START;
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

fn record(segment: &Segment, offset: u64, size: u32) -> Option<Record<'_>> {
    let header = segment.get::<RecordHeader>(offset)?;
    let words = segment.get_slice::<AtomicU64>(offset + HEADER, (u64::from(size) - HEADER) as usize / 8)?;
    Some(Record { offset, header, words })
}

/// Counts a change of a process's records, so that readers know that they must read the records again.
pub fn count_change(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Release);
}
