//! Records: bytes that a process publishes in its segment, and that every other process can read at any time.
//!
//! The records (see `protocol::record`) follow each other from a fixed offset of the segment. The size of a record
//! gives the offset of the next one. Records are reused, but never moved or resized, so a reader can remember them by
//! offset. A counter in the segment's header changes when a record changes. To find which one, readers compare the counters of
//! [`Blocks`] of records, and then the versions of the records in a block.

mod blocks;
mod reading;

use std::{
    collections::HashMap,
    io,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use crate::{
    arena::{ARENA_START, MemoryError},
    os::segment::Segment,
};

pub use blocks::{BLOCK_LEN, Blocks};
pub use reading::{Content, RECORD_UNIT, RECORDS_START, Record, record_at, records};
use reading::{HEADER, record};

/// The number of bytes of the memory for records that are committed before other processes can find the segment.
const FIRST_PAGE: u64 = 4096;

/// Commits the memory of the counters and of the first records, before other processes can find the segment.
///
/// # Errors
/// Returns an error if there is no memory.
pub fn prepare(segment: &Segment) -> io::Result<()> {
    blocks::prepare(segment)?;
    segment.commit(RECORDS_START, FIRST_PAGE)
}

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
        for record in records(&self.segment) {
            record.header.write(record.words, &[], 0);
            blocks::count_change(&self.segment, record.offset);
        }
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
        blocks::count_change(&self.segment, id.offset);
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
            blocks::commit_counters(&self.segment, self.committed..until)
                .and_then(|()| self.segment.commit(self.committed, until - self.committed))
                .map_err(|source| MemoryError::System { len, source })?;
            self.committed = until;
        }
        self.end = end;
        Ok(offset)
    }
}

/// Counts a change of a process's records, so that readers know that they must read the records again.
pub fn count_change(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Release);
}
