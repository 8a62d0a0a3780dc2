//! The reader's side of a registry: the entries of another process, and what this process stores about them.
//!
//! Each process of a domain has a registry, and reads the registries of all other processes. To save memory, a reader
//! stores one word for each record. It reads names, profiles and the descriptions of
//! types from the owner's segment when they are needed.

use saltus_graph::{Entry, Key};
use saltus_memory::{
    arena::ARENA_START,
    os::segment::Segment,
    records::{Blocks, Content, RECORD_UNIT, Record, record_at, records},
};
use saltus_types::TypeHash;

/// A record as a reader stores it: its version in 32 bits, its offset in 20 bits, and its key in 12 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Known(u64);

impl Known {
    fn new(version: u32, offset: u64, key: Key) -> Self {
        Self(u64::from(version) << 32 | (offset / RECORD_UNIT) << Key::BITS | u64::from(key.number()))
    }

    fn version(self) -> u32 {
        (self.0 >> 32) as u32
    }

    fn offset(self) -> u64 {
        (self.0 as u32 >> Key::BITS) as u64 * RECORD_UNIT
    }

    fn key(self) -> Key {
        Key::of_number(self.0 as u16 & ((1 << Key::BITS) - 1))
    }

    /// Returns the entry of the record, or `None` if the record has changed since the last refresh. The next refresh
    /// returns the change, and a change must not be returned twice.
    fn entry(self, segment: &Segment, process: u64, copy: &mut Vec<u64>) -> Option<Entry> {
        let content = record_at(segment, self.offset())?.read(None, copy)?;
        Entry::from_bytes(process, &content.bytes).ok().filter(|_| content.version == self.version())
    }
}

// The largest offset of a record fits into its bits.
const _: () = assert!(ARENA_START / RECORD_UNIT <= 1 << (32 - Key::BITS));

/// The records of another process, in the order of their offsets. Free records are stored, too: an entry that comes or goes
/// then moves no others.
#[derive(Debug)]
pub(crate) struct RegistryView {
    process: u64,
    known: Vec<Known>,
    blocks: Blocks,
}

/// The changes of a registry since the last refresh.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    /// New endpoints and connections.
    pub(crate) added: Vec<Entry>,
    /// The keys of removed entries. Other entries of the same key may remain, or be new.
    pub(crate) removed: Vec<Key>,
    /// The records that have changed, if they are wanted, by their offsets. Those without an entry are free or types.
    pub(crate) records: Vec<(u64, Option<Entry>)>,
    /// The number of records that this version can't read.
    pub(crate) unreadable: usize,
}

/// The content of a record.
enum Read {
    Nothing,
    Entry(Box<Entry>),
    /// A type. Its description was not read.
    Type(TypeHash),
    Unreadable,
}

impl RegistryView {
    /// Creates the view of a process. No records are known yet.
    pub(crate) fn new(process: u64) -> Self {
        Self { process, known: Vec::new(), blocks: Blocks::default() }
    }

    /// Reads the records that may have changed, and returns what has changed since the last refresh. `with_records`: also which
    /// records.
    pub(crate) fn refresh(&mut self, segment: &Segment, with_records: bool) -> Changes {
        let (mut changes, mut copy) = (Changes::default(), Vec::new());
        let Self { process, known: all, blocks } = self;
        blocks.read_changed(segment, |offsets, records| {
            let first = all.partition_point(|known| known.offset() < offsets.start);
            let end = first + all[first..].partition_point(|known| known.offset() < offsets.end);
            let mut before = all[first..end].iter().copied().peekable();
            let mut after = Vec::with_capacity(end - first);
            for record in records {
                let offset = record.offset;
                while let Some(missing) = before.next_if(|known| known.offset() < offset) {
                    // Records do not move, so only a faulty or malicious owner causes this.
                    changes.note_missing(missing, with_records);
                }
                let known = before.next_if(|known| known.offset() == offset);
                let Some((version, read)) = read(record, *process, known.map(Known::version), &mut copy)
                else {
                    after.extend(known);
                    continue;
                };
                known.inspect(|known| changes.note_removed(*known));
                after.push(changes.note(version, offset, read, with_records));
            }
            before.for_each(|missing| changes.note_missing(missing, with_records));
            all.splice(first..end, after);
        });
        changes
    }

    /// Returns the entries with a key that have not changed since the last refresh. Reads them from the owner's
    /// segment.
    pub(crate) fn with_key(&self, key: Key, segment: &Segment) -> impl Iterator<Item = Entry> {
        let mut copy = Vec::new();
        let known = self.known.iter().filter(move |known| known.key() == key);
        known.filter_map(move |known| known.entry(segment, self.process, &mut copy))
    }

    /// Returns the entries that have not changed since the last refresh, without types.
    pub(crate) fn entries(&self, segment: &Segment) -> Vec<Entry> {
        let mut copy = Vec::new();
        let all = self.known.iter().filter_map(|known| known.entry(segment, self.process, &mut copy));
        all.filter(|entry| !matches!(entry, Entry::Type(_))).collect()
    }
}

impl Changes {
    fn note_removed(&mut self, known: Known) {
        if known.key() != Key::NOTHING && !self.removed.contains(&known.key()) {
            self.removed.push(known.key());
        }
    }

    /// Notes that there is no record any more.
    fn note_missing(&mut self, known: Known, with_records: bool) {
        self.note_removed(known);
        if with_records {
            self.records.push((known.offset(), None));
        }
    }

    /// Adds the content of a record to the changes. Returns what to store about the record.
    fn note(&mut self, version: u32, offset: u64, read: Read, with_records: bool) -> Known {
        if with_records {
            self.records
                .push((offset, if let Read::Entry(entry) = &read { Some((**entry).clone()) } else { None }));
        }
        let key = match &read {
            Read::Entry(entry) => Key::of(entry),
            Read::Nothing | Read::Type(_) | Read::Unreadable => Key::NOTHING,
        };
        self.unreadable += usize::from(matches!(read, Read::Unreadable));
        if let Read::Entry(entry) = read
            && matches!(*entry, Entry::Endpoint(_) | Entry::Connection(_))
        {
            self.added.push(*entry);
        }
        Known::new(version, offset, key)
    }
}

/// Returns all entries of a process except types.
pub(crate) fn entries(segment: &Segment, process: u64) -> Vec<Entry> {
    entries_with_offsets(segment, process).map(|(_, entry)| entry).collect()
}

/// Returns all entries of a process except types, each with the offset of its record.
pub(crate) fn entries_with_offsets(segment: &Segment, process: u64) -> impl Iterator<Item = (u64, Entry)> {
    let mut copy = Vec::new();
    records(segment).filter_map(move |record| match read(record, process, None, &mut copy) {
        Some((_, Read::Entry(entry))) => Some((record.offset, *entry)),
        _ => None,
    })
}

/// Returns the description of a type as canonical JSON (REP 2016), if the registry has it.
pub(crate) fn description(segment: &Segment, hash: TypeHash) -> Option<String> {
    let mut copy = Vec::new();
    let record = records(segment).find(
        |record| matches!(read(*record, 0, None, &mut copy), Some((_, Read::Type(found))) if found == hash),
    )?;
    match Entry::from_bytes(0, &record.read(None, &mut copy)?.bytes) {
        Ok(Entry::Type(found)) if found.hash == hash => Some(found.description),
        _ => None,
    }
}

/// Returns the version and the content of a record. `None` if the version is still `known`, or the record is being
/// written.
fn read(record: Record<'_>, process: u64, known: Option<u32>, copy: &mut Vec<u64>) -> Option<(u32, Read)> {
    let Content { version, bytes } = record.read_prefix(Entry::PREFIX, known, copy)?;
    if bytes.is_empty() {
        return Some((version, Read::Nothing));
    }
    if let Some(hash) = Entry::type_hash(&bytes) {
        return Some((version, Read::Type(hash)));
    }
    // The owner may have changed the record since the first read.
    let Content { version, bytes } = record.read(known, copy)?;
    let read = match Entry::from_bytes(process, &bytes) {
        _ if bytes.is_empty() => Read::Nothing,
        Ok(Entry::Type(ty)) => Read::Type(ty.hash),
        Ok(entry) => Read::Entry(Box::new(entry)),
        Err(_) => Read::Unreadable,
    };
    Some((version, read))
}
