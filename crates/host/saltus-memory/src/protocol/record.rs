//! A record that one process writes, and that all other processes can read at any time.
//!
//! A record is a sequence lock: the version is odd while the owner writes. A reader copies the words
//! and keeps the copy only if the version was even and is still the same. An owner that dies while
//! writing leaves an odd version. Readers skip that record. When they learn that the process is dead, they
//! ignore all of its records.

use super::sync::{AtomicU32, AtomicU64, Ordering, fence};

/// The header of a record. Its words follow it in memory. An all-zero header is a record that was never written.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct RecordHeader {
    version: AtomicU32,
    /// The length of the content in bytes; 0 while the record is free.
    length: AtomicU32,
    /// The size of the whole record in bytes. It is constant once it is written.
    size: AtomicU32,
}

/// Counts the changes of some records, so that a reader need not read those that have not changed. An all-zero counter has
/// counted nothing.
#[derive(Debug)]
#[repr(C, align(4))]
pub(crate) struct ChangeCounter(AtomicU32);

impl ChangeCounter {
    #[cfg(loom)]
    pub(crate) fn new() -> Self {
        Self(AtomicU32::new(0))
    }

    /// Owner: counts a change, after the record was written.
    pub(crate) fn count(&self) {
        let count = self.0.load(Ordering::Relaxed);
        self.0.store(count.wrapping_add(1), Ordering::Release);
    }

    /// Reader: returns the count, before the records are read. If it is the same as before, no record has changed.
    pub(crate) fn get(&self) -> u32 {
        self.0.load(Ordering::Acquire)
    }
}

/// The result of reading a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// The record still has the known version.
    Unchanged,
    /// The record is being written. The writer will notify the reader when it has finished.
    Busy,
    /// The content has this version and `length` bytes. With 0 bytes the record is free.
    Content { version: u32, length: usize },
}

impl RecordHeader {
    #[cfg(loom)]
    pub(crate) fn new() -> Self {
        Self { version: AtomicU32::new(0), length: AtomicU32::new(0), size: AtomicU32::new(0) }
    }

    /// Returns the size of the whole record in bytes, or 0 if it was never written.
    pub(crate) fn size(&self) -> u32 {
        self.size.load(Ordering::Acquire)
    }

    /// Owner: sets the size, before readers can find the record.
    pub(crate) fn set_size(&self, size: u32) {
        self.size.store(size, Ordering::Release);
    }

    /// Owner: replaces the content with `length` bytes, which are passed as words.
    pub(crate) fn write(&self, words: &[AtomicU64], content: &[u64], length: usize) {
        let version = self.version.load(Ordering::Relaxed);
        self.version.store(version.wrapping_add(1), Ordering::Relaxed);
        fence(Ordering::Release);
        self.length.store(length as u32, Ordering::Relaxed);
        for (target, word) in words.iter().zip(content) {
            target.store(*word, Ordering::Relaxed);
        }
        self.version.store(version.wrapping_add(2), Ordering::Release);
    }

    /// Reader: copies the content into `copy`, unless its version is still `known`. Copies at most the first
    /// `max_words` words.
    pub(crate) fn read(
        &self,
        words: &[AtomicU64],
        known: Option<u32>,
        max_words: usize,
        copy: &mut Vec<u64>,
    ) -> Found {
        let version = self.version.load(Ordering::Acquire);
        if known == Some(version) {
            return Found::Unchanged;
        }
        if version % 2 == 1 {
            return Found::Busy;
        }
        let length = self.length.load(Ordering::Relaxed) as usize;
        copy.clear();
        let wanted = length.div_ceil(8).min(max_words);
        copy.extend(words.iter().take(wanted).map(|word| word.load(Ordering::Relaxed)));
        fence(Ordering::Acquire);
        if self.version.load(Ordering::Relaxed) != version || length > words.len() * 8 {
            return Found::Busy;
        }
        Found::Content { version, length }
    }
}
