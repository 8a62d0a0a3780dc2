//! The reader's side of a registry: what another process says of itself, and what of it is remembered.
//!
//! A domain of many processes has as many registries, and each process reads all of them. So what is remembered of a
//! record is one word, and nothing of types. Names, profiles and the descriptions of types are read from the owner's
//! segment when they are asked for.

use saltus_graph::{Entry, Key};
use saltus_memory::{
    arena::ARENA_START,
    os::segment::Segment,
    records::{Content, GRAIN, Record, record_at, records},
};
use saltus_types::TypeHash;

/// What is remembered of a record: its version in 32 bits, where it lies in 20, and its key in 12.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Known(u64);

impl Known {
    fn new(version: u32, place: u64, key: Key) -> Self {
        Self(u64::from(version) << 32 | (place / GRAIN) << Key::BITS | u64::from(key.number()))
    }

    fn version(self) -> u32 {
        (self.0 >> 32) as u32
    }

    fn place(self) -> u64 {
        (self.0 as u32 >> Key::BITS) as u64 * GRAIN
    }

    fn key(self) -> Key {
        Key::of_number(self.0 as u16 & ((1 << Key::BITS) - 1))
    }

    /// What the record holds, if it has not changed since the last refresh. What its owner wrote later is found at the
    /// next refresh, and must not be found twice.
    fn entry(self, segment: &Segment, process: u64, copy: &mut Vec<u64>) -> Option<Entry> {
        let content = record_at(segment, self.place())?.read(None, copy)?;
        Entry::from_bytes(process, &content.bytes).ok().filter(|_| content.version == self.version())
    }
}

// A place is below the end of the registry.
const _: () = assert!(ARENA_START / GRAIN <= 1 << (32 - Key::BITS));

/// What is known of another process's records, in the order in which they lie. Types and free records are not
/// remembered: it costs little to see again that they are that.
#[derive(Debug)]
pub(crate) struct RegistryView {
    process: u64,
    known: Box<[Known]>,
}

/// What a reader finds changed.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    /// New endpoints and connections.
    pub(crate) added: Vec<Entry>,
    /// The keys of entries that are gone. Some of the same key may still be there, or be new.
    pub(crate) removed: Vec<Key>,
    /// How many records hold something this version can't read.
    pub(crate) unreadable: usize,
}

/// What a record holds.
enum Read {
    Nothing,
    Entry(Box<Entry>),
    /// Its description was not read.
    Type(TypeHash),
    Unreadable,
}

impl RegistryView {
    /// Of a process whose records were not read yet.
    pub(crate) fn new(process: u64) -> Self {
        Self { process, known: Box::default() }
    }

    /// Walks over the records and tells what changed since the last time.
    pub(crate) fn refresh(&mut self, segment: &Segment) -> Changes {
        let (mut changes, mut copy) = (Changes::default(), Vec::new());
        let mut before = self.known.iter().copied().peekable();
        let mut after = Vec::with_capacity(self.known.len());
        for record in records(segment) {
            let place = record.place;
            while let Some(missing) = before.next_if(|known| known.place() < place) {
                // Its owner may only do this if it means harm: records stay where they are.
                changes.note_removed(missing);
            }
            let known = before.next_if(|known| known.place() == place);
            let Some((version, read)) = read(record, self.process, known.map(Known::version), &mut copy)
            else {
                after.extend(known);
                continue;
            };
            known.inspect(|known| changes.note_removed(*known));
            after.extend(changes.note(version, place, read));
        }
        before.for_each(|missing| changes.note_removed(missing));
        self.known = after.into_boxed_slice();
        changes
    }

    /// The entries that have a key, were found at the last refresh and are still there. They are read from the owner's
    /// segment.
    pub(crate) fn with_key(&self, key: Key, segment: &Segment) -> impl Iterator<Item = Entry> {
        let mut copy = Vec::new();
        let known = self.known.iter().filter(move |known| known.key() == key);
        known.filter_map(move |known| known.entry(segment, self.process, &mut copy))
    }

    /// What was found at the last refresh and is still there, but for the descriptions of types.
    pub(crate) fn entries(&self, segment: &Segment) -> Vec<Entry> {
        let mut copy = Vec::new();
        self.known.iter().filter_map(|known| known.entry(segment, self.process, &mut copy)).collect()
    }
}

impl Changes {
    fn note_removed(&mut self, known: Known) {
        if known.key() != Key::NOTHING && !self.removed.contains(&known.key()) {
            self.removed.push(known.key());
        }
    }

    /// Takes in what a record holds. What is to be remembered of it.
    fn note(&mut self, version: u32, place: u64, read: Read) -> Option<Known> {
        let key = match &read {
            Read::Nothing | Read::Type(_) => return None,
            Read::Entry(entry) => Key::of(entry),
            Read::Unreadable => Key::NOTHING,
        };
        self.unreadable += usize::from(matches!(read, Read::Unreadable));
        if let Read::Entry(entry) = read
            && matches!(*entry, Entry::Endpoint(_) | Entry::Connection(_))
        {
            self.added.push(*entry);
        }
        Some(Known::new(version, place, key))
    }
}

/// Everything that a process says of itself but the descriptions of types.
pub(crate) fn entries(segment: &Segment, process: u64) -> Vec<Entry> {
    let mut copy = Vec::new();
    let found = records(segment).filter_map(|record| match read(record, process, None, &mut copy) {
        Some((_, Read::Entry(entry))) => Some(*entry),
        _ => None,
    });
    found.collect()
}

/// The description of a type, if a registry has it, as canonical JSON (REP 2016).
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

/// What a record holds and its version; `None` if that is still `known`, or the record is being written.
fn read(record: Record<'_>, process: u64, known: Option<u32>, copy: &mut Vec<u64>) -> Option<(u32, Read)> {
    let Content { version, bytes } = record.read_prefix(Entry::PREFIX, known, copy)?;
    if bytes.is_empty() {
        return Some((version, Read::Nothing));
    }
    if let Some(hash) = Entry::type_hash(&bytes) {
        return Some((version, Read::Type(hash)));
    }
    // Meanwhile its owner may have written something else.
    let Content { version, bytes } = record.read(known, copy)?;
    let read = match Entry::from_bytes(process, &bytes) {
        _ if bytes.is_empty() => Read::Nothing,
        Ok(Entry::Type(ty)) => Read::Type(ty.hash),
        Ok(entry) => Read::Entry(Box::new(entry)),
        Err(_) => Read::Unreadable,
    };
    Some((version, read))
}
