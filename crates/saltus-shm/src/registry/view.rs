//! The reader's side of a registry: what another process says of itself, and what of it is remembered.
//!
//! A domain of many processes has as many registries, and each process reads all of them. So what is remembered of a
//! record is one word, and nothing of types. Names, profiles and the descriptions of types are read from the owner's
//! segment when they are asked for.

use std::sync::atomic::AtomicU64;

use saltus_types::{Gid, TypeHash};

use super::{EndpointKind, Entry, GRAIN, REGISTRY_START, next_record};
use crate::{
    os::segment::Segment,
    protocol::record::{Found, RecordHeader},
};

/// How many words of a record are read to learn what it is: those with the hash of a type.
const PREFIX: usize = 8;

/// What entries are found by: their kind, and ten bits of a hash of their topic or subscription. Others may have the
/// same key, so names and gids are compared, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Key(u16);

/// The hash FNV-1a (<http://www.isthe.com/chongo/tech/comp/fnv/>).
pub(crate) fn fnv1a(bytes: impl Iterator<Item = u8>) -> u64 {
    let add = |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    bytes.fold(0xcbf2_9ce4_8422_2325, add)
}

impl Key {
    const HASH_BITS: u32 = 10;
    /// Of what nothing is matched with: a node, a type, or what can't be read.
    const NOTHING: Self = Self(0);
    const PUBLISHER: u16 = 1;
    const SUBSCRIPTION: u16 = 2;
    const CONNECTION: u16 = 3;

    fn new(kind: u16, name: &[u8]) -> Self {
        // It decides how often records are read in vain, and nothing else.
        let hash = fnv1a(name.iter().copied());
        let hash = (hash ^ hash >> 32) as u16 & ((1 << Self::HASH_BITS) - 1);
        Self(kind << Self::HASH_BITS | hash)
    }

    /// Of the endpoints of a kind on a topic.
    pub(crate) fn endpoint(kind: EndpointKind, topic: &str) -> Self {
        let kind = match kind {
            EndpointKind::Publisher => Self::PUBLISHER,
            EndpointKind::Subscription => Self::SUBSCRIPTION,
        };
        Self::new(kind, topic.as_bytes())
    }

    /// Of the connections of a subscription.
    pub(crate) fn connection(subscription: Gid) -> Self {
        Self::new(Self::CONNECTION, subscription.as_bytes())
    }

    fn of(entry: &Entry) -> Self {
        match entry {
            Entry::Node(_) | Entry::Type(_) => Self::NOTHING,
            Entry::Endpoint(endpoint) => Self::endpoint(endpoint.kind, &endpoint.topic),
            Entry::Connection(connection) => Self::connection(connection.subscription),
        }
    }

    /// Whether it is that of connections.
    pub(crate) fn is_connection(self) -> bool {
        self.0 >> Self::HASH_BITS == Self::CONNECTION
    }
}

/// What is remembered of a record: its version in 32 bits, where it lies in 20, and its key in 12.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Known(u64);

impl Known {
    const KEY_BITS: u32 = Key::HASH_BITS + 2;

    fn new(version: u32, place: u64, key: Key) -> Self {
        Self(u64::from(version) << 32 | (place / GRAIN) << Self::KEY_BITS | u64::from(key.0))
    }

    fn version(self) -> u32 {
        (self.0 >> 32) as u32
    }

    fn place(self) -> u64 {
        (self.0 as u32 >> Self::KEY_BITS) as u64 * GRAIN
    }

    fn key(self) -> Key {
        Key(self.0 as u16 & ((1 << Self::KEY_BITS) - 1))
    }

    /// What the record holds, if it has not changed since the last refresh. What its owner wrote later is found at the
    /// next refresh, and must not be found twice.
    fn entry(self, segment: &Segment, copy: &mut Vec<u64>) -> Option<Entry> {
        let (header, words, _) = next_record(segment, self.place())?;
        let (version, bytes) = read_whole(header, words, None, copy)?;
        Entry::from_bytes(&bytes).ok().filter(|_| version == self.version())
    }
}

// A place is below the end of the registry.
const _: () = assert!(super::ARENA_START / GRAIN <= 1 << (32 - Known::KEY_BITS));

/// What is known of another process's records, in the order in which they lie. Types and free records are not
/// remembered: it costs little to see again that they are that.
#[derive(Debug, Default)]
pub(crate) struct RegistryView(Box<[Known]>);

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
    Entry(Entry),
    /// Its description was not read.
    Type(TypeHash),
    Unreadable,
}

impl RegistryView {
    /// Walks over the records and tells what changed since the last time.
    pub(crate) fn refresh(&mut self, segment: &Segment) -> Changes {
        let (mut changes, mut copy) = (Changes::default(), Vec::new());
        let (mut before, mut after) = (self.0.iter().copied().peekable(), Vec::with_capacity(self.0.len()));
        for (place, header, words) in records(segment) {
            while let Some(missing) = before.next_if(|known| known.place() < place) {
                // Its owner may only do this if it means harm: records stay where they are.
                changes.note_removed(missing);
            }
            let known = before.next_if(|known| known.place() == place);
            let Some((version, read)) = read(header, words, known.map(Known::version), &mut copy) else {
                after.extend(known);
                continue;
            };
            known.inspect(|known| changes.note_removed(*known));
            after.extend(changes.note(version, place, read));
        }
        before.for_each(|missing| changes.note_removed(missing));
        self.0 = after.into_boxed_slice();
        changes
    }

    /// The entries that have a key, were found at the last refresh and are still there. They are read from the owner's
    /// segment.
    pub(crate) fn with_key(&self, key: Key, segment: &Segment) -> impl Iterator<Item = Entry> {
        let mut copy = Vec::new();
        let known = self.0.iter().filter(move |known| known.key() == key);
        known.filter_map(move |known| known.entry(segment, &mut copy))
    }

    /// What was found at the last refresh and is still there, but for the descriptions of types.
    pub(crate) fn entries(&self, segment: &Segment) -> Vec<Entry> {
        let mut copy = Vec::new();
        self.0.iter().filter_map(|known| known.entry(segment, &mut copy)).collect()
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
        if let Read::Entry(entry @ (Entry::Endpoint(_) | Entry::Connection(_))) = read {
            self.added.push(entry);
        }
        Some(Known::new(version, place, key))
    }
}

/// Everything in a registry but the descriptions of types.
pub(crate) fn entries(segment: &Segment) -> Vec<Entry> {
    let mut copy = Vec::new();
    let found =
        records(segment).filter_map(|(_, header, words)| match read(header, words, None, &mut copy) {
            Some((_, Read::Entry(entry))) => Some(entry),
            _ => None,
        });
    found.collect()
}

/// The description of a type, if a registry has it, as canonical JSON (REP 2016).
pub(crate) fn description(segment: &Segment, hash: TypeHash) -> Option<String> {
    let mut copy = Vec::new();
    let (_, header, words) = records(segment).find(|(_, header, words)| {
        matches!(read(header, words, None, &mut copy), Some((_, Read::Type(found))) if found == hash)
    })?;
    let (_, bytes) = read_whole(header, words, None, &mut copy)?;
    match Entry::from_bytes(&bytes) {
        Ok(Entry::Type(found)) if found.hash == hash => Some(found.description),
        _ => None,
    }
}

/// All records with their places.
pub(super) fn records(segment: &Segment) -> impl Iterator<Item = (u64, &RecordHeader, &[AtomicU64])> {
    let mut place = REGISTRY_START;
    std::iter::from_fn(move || {
        let (header, words, size) = next_record(segment, place)?;
        let record = (place, header, words);
        place += size;
        Some(record)
    })
}

/// What a record holds and its version; `None` if that is still `known`, or the record is being written.
fn read(
    header: &RecordHeader,
    words: &[AtomicU64],
    known: Option<u32>,
    copy: &mut Vec<u64>,
) -> Option<(u32, Read)> {
    let Found::Content { version, length } = header.read(words, known, PREFIX, copy) else { return None };
    if length == 0 {
        return Some((version, Read::Nothing));
    }
    if let Some(hash) = Entry::type_hash(&bytes_of(copy, length)) {
        return Some((version, Read::Type(hash)));
    }
    // Meanwhile its owner may have written something else.
    let (version, bytes) = read_whole(header, words, known, copy)?;
    let read = match Entry::from_bytes(&bytes) {
        _ if bytes.is_empty() => Read::Nothing,
        Ok(Entry::Type(ty)) => Read::Type(ty.hash),
        Ok(entry) => Read::Entry(entry),
        Err(_) => Read::Unreadable,
    };
    Some((version, read))
}

fn read_whole(
    header: &RecordHeader,
    words: &[AtomicU64],
    known: Option<u32>,
    copy: &mut Vec<u64>,
) -> Option<(u32, Vec<u8>)> {
    match header.read(words, known, usize::MAX, copy) {
        Found::Content { version, length } => Some((version, bytes_of(copy, length))),
        Found::Unchanged | Found::Busy => None,
    }
}

fn bytes_of(words: &[u64], length: usize) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).take(length).collect()
}
