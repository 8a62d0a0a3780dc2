//! What a process tells the others about itself: its nodes, endpoints and connections.
//!
//! A run of records (see [`record`](crate::protocol::record)) from a fixed offset of the segment,
//! each found by adding the size of the one before. Records are reused, never moved or resized, so
//! a reader can remember them by offset. A counter in the segment's header says that something
//! changed; readers look at versions to find what.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use saltus_cdr::{Cdr, CdrError, Reader, Writer};
use saltus_types::{Durability, Gid, History, Liveliness, QoS, Reliability, TypeHash};

use crate::{
    Channel,
    arena::{ARENA_START, MemoryError},
    os::segment::Segment,
    protocol::record::RecordHeader,
};

mod view;

#[cfg(test)]
pub(crate) use view::fnv1a;
pub(crate) use view::{Key, RegistryView, description, entries};

/// Where the records begin; the segment's header lies before.
pub(crate) const REGISTRY_START: u64 = 4096;
const HEADER: u64 = size_of::<RecordHeader>() as u64;
const GRAIN: u64 = 64;
/// How much of it is committed before anybody can find the segment.
pub(crate) const FIRST_PAGE: u64 = 4096;

/// The kinds of endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndpointKind {
    /// Sends on a topic.
    Publisher,
    /// Receives from a topic.
    Subscription,
}

/// A publisher or subscription as all processes see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndpointInfo {
    /// What it is.
    pub kind: EndpointKind,
    /// Its identity.
    pub gid: Gid,
    /// The node it belongs to.
    pub node: Gid,
    /// The fully qualified topic name; of what carries requests or responses, with a prefix that
    /// [`EndpointInfo::name`] takes off.
    pub topic: String,
    /// The type's full name, such as `std_msgs/msg/String`.
    pub type_name: String,
    /// The type's hash.
    pub type_hash: TypeHash,
    /// What it offers or requests.
    pub qos: QoS,
    /// Subscriptions: where its port lies in its process's segment.
    pub(crate) port: u64,
    /// Where its counts lie in its process's segment.
    pub(crate) counters: u64,
}

impl EndpointInfo {
    /// What it carries.
    pub fn channel(&self) -> Channel {
        Channel::split(&self.topic).0
    }

    /// The fully qualified name of its topic or service.
    pub fn name(&self) -> &str {
        Channel::split(&self.topic).1
    }
}

/// A node as all processes see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeInfo {
    /// Its identity.
    pub gid: Gid,
    /// With its leading `/`.
    pub namespace: String,
    /// Without its namespace.
    pub name: String,
    /// Whether it answers for its parameters: its services for them are opened when somebody calls.
    pub has_parameters: bool,
}

/// A queue from a publisher of this process to a subscription.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ConnectionInfo {
    pub(crate) publisher: Gid,
    pub(crate) subscription: Gid,
    /// Where the queue's header lies in the publisher's segment, and under which generation.
    pub(crate) ring: u64,
    pub(crate) generation: u64,
    /// Where its slots lie, and how many there are.
    pub(crate) slots: u64,
    pub(crate) slot_count: u32,
    pub(crate) depth: u32,
    /// Which bit of a chunk says that this subscription holds it.
    pub(crate) holder: u32,
    /// Whether the publisher waits for room in it.
    pub(crate) keep_all: bool,
    /// How long a message is worth taking, and how long the publisher counts as alive after it last
    /// showed so, in nanoseconds; 0 is for ever.
    pub(crate) lifespan: u64,
    pub(crate) lease: u64,
}

/// What a process says of a type that it uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TypeInfo {
    pub(crate) hash: TypeHash,
    /// Its description as canonical JSON (REP 2016).
    pub(crate) description: String,
}

/// The content of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    Node(NodeInfo),
    Endpoint(EndpointInfo),
    Connection(ConnectionInfo),
    Type(TypeInfo),
}

/// The owner's side: writes records and remembers which are free.
///
/// **Invariant:** only one thread at a time writes, which `&mut` ensures.
#[derive(Debug)]
pub(crate) struct Registry {
    segment: Arc<Segment>,
    end: u64,
    committed: u64,
    free: HashMap<u32, Vec<u64>>,
    is_closed: bool,
}

/// A record of one's own; give it back to [`Registry::remove`].
#[derive(Debug, PartialEq, Eq, Hash, Clone, Copy)]
pub(crate) struct RecordId {
    offset: u64,
    size: u32,
}

impl Registry {
    pub(crate) fn new(segment: Arc<Segment>) -> Self {
        let committed = REGISTRY_START + FIRST_PAGE;
        Self { segment, end: REGISTRY_START, committed, free: HashMap::new(), is_closed: false }
    }

    /// Writes an entry into a record of its own, for all to see.
    pub(crate) fn add(&mut self, entry: &Entry) -> Result<RecordId, MemoryError> {
        let content = entry.to_bytes();
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
        self.write(RecordId { offset, size }, &content);
        Ok(RecordId { offset, size })
    }

    /// Makes an entry vanish.
    pub(crate) fn remove(&mut self, id: RecordId) {
        if self.is_closed {
            return;
        }
        self.write(id, &[]);
        self.free.entry(id.size).or_default().push(id.offset);
    }

    /// Makes all entries vanish, and takes no others.
    pub(crate) fn close(&mut self) {
        self.is_closed = true;
        view::records(&self.segment).for_each(|(_, header, words)| header.write(words, &[], 0));
    }

    fn write(&self, id: RecordId, content: &[u8]) {
        let Some((header, words)) = record(&self.segment, id.offset, id.size) else { return };
        header.set_size(id.size);
        let packed: Vec<u64> = content
            .chunks(8)
            .map(|chunk| {
                let mut word = [0; 8];
                word[..chunk.len()].copy_from_slice(chunk);
                u64::from_le_bytes(word)
            })
            .collect();
        header.write(words, &packed, content.len());
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

/// The record at `offset` and its size, if there is one. The size is read once: its owner could
/// change it between two looks.
fn next_record(segment: &Segment, offset: u64) -> Option<(&RecordHeader, &[AtomicU64], u64)> {
    if offset + HEADER > ARENA_START {
        return None;
    }
    let size = segment.get::<RecordHeader>(offset)?.size();
    let sane = u64::from(size) >= HEADER && u64::from(size).is_multiple_of(GRAIN);
    if !sane || offset + u64::from(size) > ARENA_START {
        return None;
    }
    record(segment, offset, size).map(|(header, words)| (header, words, size.into()))
}

fn record(segment: &Segment, offset: u64, size: u32) -> Option<(&RecordHeader, &[AtomicU64])> {
    let header = segment.get::<RecordHeader>(offset)?;
    let words = segment.get_slice::<AtomicU64>(offset + HEADER, (u64::from(size) - HEADER) as usize / 8)?;
    Some((header, words))
}

/// Marks a change for the readers of this process's registry.
pub(crate) fn bump(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Release);
}

/// One field after the other, as CDR: the same checks as for any stranger's bytes.
macro_rules! write_fields {
    ($writer:expr, $($field:expr),+) => { $( $field.write($writer)?; )+ };
}

impl Entry {
    const NODE: u8 = 1;
    const PUBLISHER: u8 = 2;
    const SUBSCRIPTION: u8 = 3;
    const CONNECTION: u8 = 4;
    const TYPE: u8 = 5;
    /// More than any entry takes without its names.
    const FIXED: usize = 256;

    /// The hash of a type, if the bytes begin an entry of one. Its description follows.
    fn type_hash(bytes: &[u8]) -> Option<TypeHash> {
        let (kind, rest) = bytes.split_first()?;
        let digest = rest.first_chunk::<32>().filter(|_| *kind == Self::TYPE)?;
        Some(TypeHash::from_digest(*digest))
    }

    pub(crate) fn endpoint(&self) -> Option<&EndpointInfo> {
        match self {
            Self::Endpoint(endpoint) => Some(endpoint),
            Self::Node(_) | Self::Connection(_) | Self::Type(_) => None,
        }
    }

    /// How many bytes its names have.
    fn text_len(&self) -> usize {
        match self {
            Self::Node(node) => node.namespace.len() + node.name.len(),
            Self::Endpoint(endpoint) => endpoint.topic.len() + endpoint.type_name.len(),
            Self::Connection(_) => 0,
            Self::Type(ty) => ty.description.len(),
        }
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; Self::FIXED + self.text_len()];
        let mut writer = Writer::new(&mut bytes);
        // Fails only for strings beyond 4 GiB, and names are checked before they come here.
        let _ = self.write(&mut writer);
        let used = writer.position();
        bytes.truncate(used);
        bytes
    }

    fn write(&self, w: &mut Writer<'_>) -> Result<(), CdrError> {
        match self {
            Self::Node(node) => {
                write_fields!(w, Self::NODE, node.gid.as_bytes(), node.namespace, node.name);
                write_fields!(w, node.has_parameters);
            }
            Self::Endpoint(e) => {
                let kind = match e.kind {
                    EndpointKind::Publisher => Self::PUBLISHER,
                    EndpointKind::Subscription => Self::SUBSCRIPTION,
                };
                write_fields!(w, kind, e.gid.as_bytes(), e.node.as_bytes(), e.topic, e.type_name);
                write_fields!(w, e.type_hash.digest(), e.port, e.counters);
                write_qos(w, &e.qos)?;
            }
            Self::Connection(c) => {
                write_fields!(w, Self::CONNECTION, c.publisher.as_bytes(), c.subscription.as_bytes(), c.ring);
                write_fields!(w, c.generation, c.slots, c.slot_count, c.depth, c.holder);
                write_fields!(w, c.keep_all, c.lifespan, c.lease);
            }
            Self::Type(ty) => {
                write_fields!(w, Self::TYPE, ty.hash.digest(), ty.description);
            }
        }
        Ok(())
    }

    /// Reads an entry that another process wrote; its bytes are not trusted.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self, CdrError> {
        let mut with_header = saltus_cdr::ENCAPSULATION.to_vec();
        with_header.extend_from_slice(bytes);
        let r = &mut Reader::new(&with_header)?;
        let kind = u8::read(r)?;
        Ok(match kind {
            Self::NODE => Self::Node(NodeInfo {
                gid: gid(r)?,
                namespace: Cdr::read(r)?,
                name: Cdr::read(r)?,
                has_parameters: Cdr::read(r)?,
            }),
            Self::PUBLISHER | Self::SUBSCRIPTION => Self::Endpoint(EndpointInfo {
                kind: if kind == Self::PUBLISHER {
                    EndpointKind::Publisher
                } else {
                    EndpointKind::Subscription
                },
                gid: gid(r)?,
                node: gid(r)?,
                topic: Cdr::read(r)?,
                type_name: Cdr::read(r)?,
                type_hash: TypeHash::from_digest(Cdr::read(r)?),
                port: Cdr::read(r)?,
                counters: Cdr::read(r)?,
                qos: read_qos(r)?,
            }),
            Self::TYPE => Self::Type(TypeInfo {
                hash: TypeHash::from_digest(Cdr::read(r)?),
                description: Cdr::read(r)?,
            }),
            Self::CONNECTION => Self::Connection(ConnectionInfo {
                publisher: gid(r)?,
                subscription: gid(r)?,
                ring: Cdr::read(r)?,
                generation: Cdr::read(r)?,
                slots: Cdr::read(r)?,
                slot_count: Cdr::read(r)?,
                depth: Cdr::read(r)?,
                holder: Cdr::read(r)?,
                keep_all: Cdr::read(r)?,
                lifespan: Cdr::read(r)?,
                lease: Cdr::read(r)?,
            }),
            found => return Err(CdrError::Bound { bound: Self::CONNECTION.into(), found: found.into() }),
        })
    }
}

fn gid(reader: &mut Reader<'_>) -> Result<Gid, CdrError> {
    Ok(Gid::from_bytes(Cdr::read(reader)?))
}

fn write_qos(w: &mut Writer<'_>, qos: &QoS) -> Result<(), CdrError> {
    let reliable = qos.reliability == Reliability::Reliable;
    let durable = qos.durability == Durability::TransientLocal;
    let manual = qos.liveliness == Liveliness::ManualByTopic;
    write_fields!(w, reliable, durable, manual, qos.history == History::KeepAll, qos.history.depth());
    write_fields!(w, nanos(qos.deadline), nanos(qos.lifespan), nanos(qos.lease));
    Ok(())
}

fn read_qos(r: &mut Reader<'_>) -> Result<QoS, CdrError> {
    let [reliable, durable, manual, keep_all] = [Cdr::read(r)?, Cdr::read(r)?, Cdr::read(r)?, Cdr::read(r)?];
    let depth: u16 = Cdr::read(r)?;
    Ok(QoS {
        reliability: if reliable { Reliability::Reliable } else { Reliability::BestEffort },
        durability: if durable { Durability::TransientLocal } else { Durability::Volatile },
        history: if keep_all { History::KeepAll } else { History::KeepLast(depth.max(1)) },
        deadline: period(Cdr::read(r)?),
        lifespan: period(Cdr::read(r)?),
        liveliness: if manual { Liveliness::ManualByTopic } else { Liveliness::Automatic },
        lease: period(Cdr::read(r)?),
    })
}

/// A period in nanoseconds, 0 for none; beyond what the clock counts it is none.
pub(crate) fn nanos(period: Option<Duration>) -> u64 {
    let nanos = period.map_or(0, |period| period.as_nanos());
    u64::try_from(nanos).ok().filter(|nanos| *nanos < i64::MAX as u64 / 2).unwrap_or(0)
}

fn period(nanos: u64) -> Option<Duration> {
    (nanos > 0).then(|| Duration::from_nanos(nanos))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(topic: &str) -> Entry {
        Entry::Endpoint(EndpointInfo {
            kind: EndpointKind::Subscription,
            gid: Gid::from_parts(1, topic.len() as u64 + u64::from(topic.as_bytes()[1])),
            node: Gid::from_parts(1, 1),
            topic: topic.into(),
            type_name: "std_msgs/msg/String".into(),
            type_hash: TypeHash::from_digest([7; 32]),
            qos: QoS::keep_last(3)
                .best_effort()
                .deadline(Duration::from_millis(5))
                .liveliness(Liveliness::ManualByTopic, Duration::from_secs(1)),
            port: 99,
            counters: 128,
        })
    }

    fn connection() -> Entry {
        Entry::Connection(ConnectionInfo {
            publisher: Gid::from_parts(1, 3),
            subscription: Gid::from_parts(2, 4),
            ring: 64,
            generation: 5,
            slots: 128,
            slot_count: 4,
            depth: 3,
            holder: 1,
            keep_all: false,
            lifespan: 0,
            lease: 7,
        })
    }

    #[test]
    fn a_reader_sees_what_was_added_and_removed_since_it_last_looked() {
        let segment = Arc::new(Segment::anonymous());
        let mut registry = Registry::new(segment.clone());
        let mut view = RegistryView::default();
        let id = registry.add(&endpoint("/a")).unwrap();
        registry.add(&connection()).unwrap();
        assert_eq!(view.refresh(&segment).added, [endpoint("/a"), connection()]);
        assert!(view.refresh(&segment).added.is_empty());
        registry.remove(id);
        let again = registry.add(&endpoint("/b")).unwrap();
        assert_eq!(again, id, "a record of the same size is reused");
        let changes = view.refresh(&segment);
        let key = |topic| Key::endpoint(EndpointKind::Subscription, topic);
        assert_eq!((changes.removed, changes.added), (vec![key("/a")], vec![endpoint("/b")]));
        assert_eq!(entries(&segment), [endpoint("/b"), connection()]);
        assert_eq!(view.with_key(key("/b"), &segment).collect::<Vec<_>>(), [endpoint("/b")]);
        assert_eq!(view.with_key(key("/a"), &segment).count(), 0);
        let late = registry.add(&endpoint("/c")).unwrap();
        assert_eq!(view.entries(&segment).len(), 2, "what was not looked at yet is not shown");
        registry.remove(late);
    }

    /// A new publisher is matched with the subscriptions of the last refresh. A later subscription is matched at the next
    /// refresh. If it were matched both times, a mismatch would be reported twice.
    #[test]
    fn what_took_the_place_of_an_entry_of_the_same_key_is_found_once() {
        let segment = Arc::new(Segment::anonymous());
        let mut registry = Registry::new(segment.clone());
        let mut view = RegistryView::default();
        let key = Key::endpoint(EndpointKind::Subscription, "/a");
        let id = registry.add(&endpoint("/a")).unwrap();
        view.refresh(&segment);
        assert_eq!(view.with_key(key, &segment).collect::<Vec<_>>(), [endpoint("/a")]);
        registry.remove(id);
        let mut next = endpoint("/a");
        if let Entry::Endpoint(next) = &mut next {
            next.gid = Gid::from_parts(1, 12345);
        }
        assert_eq!(registry.add(&next).unwrap(), id, "a record of the same size is reused");
        assert_eq!(view.with_key(key, &segment).count(), 0);
        assert_eq!(view.refresh(&segment).added, [next.clone()]);
        assert_eq!(view.with_key(key, &segment).collect::<Vec<_>>(), [next]);
    }

    /// A record is read twice when it holds no type: first its beginning.
    #[test]
    fn a_record_that_changes_while_it_is_read_is_never_unreadable() {
        let segment = Arc::new(Segment::anonymous());
        let mut registry = Registry::new(segment.clone());
        let is_over = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut view = RegistryView::default();
                while !is_over.load(Ordering::Relaxed) {
                    assert_eq!(view.refresh(&segment).unreadable, 0);
                }
            });
            for _ in 0..200_000 {
                let id = registry.add(&endpoint("/a")).unwrap();
                registry.remove(id);
            }
            is_over.store(true, Ordering::Relaxed);
        });
    }

    #[test]
    fn the_description_of_a_type_is_read_when_it_is_asked_for() {
        let segment = Arc::new(Segment::anonymous());
        let mut registry = Registry::new(segment.clone());
        let hash = |byte| TypeHash::from_digest([byte; 32]);
        for byte in [1, 2] {
            let description = format!("{byte}").repeat(5000);
            registry.add(&Entry::Type(TypeInfo { hash: hash(byte), description })).unwrap();
        }
        assert!(RegistryView::default().refresh(&segment).added.is_empty());
        assert_eq!(description(&segment, hash(2)).unwrap(), "2".repeat(5000));
        assert_eq!(description(&segment, hash(3)), None);
    }

    #[test]
    fn records_that_a_changed_size_covers_are_removed() {
        let segment = Arc::new(Segment::anonymous());
        let mut registry = Registry::new(segment.clone());
        let mut view = RegistryView::default();
        let ids = ["/a", "/b"].map(|topic| registry.add(&endpoint(topic)).unwrap());
        let description = "{}".into();
        registry.add(&Entry::Type(TypeInfo { hash: TypeHash::from_digest([1; 32]), description })).unwrap();
        registry.add(&endpoint("/c")).unwrap();
        assert_eq!(view.refresh(&segment).added, ["/a", "/b", "/c"].map(endpoint));
        let (header, _) = record(&segment, ids[0].offset, ids[0].size).unwrap();
        header.set_size(ids[0].size + ids[1].size);
        let changes = view.refresh(&segment);
        let key = Key::endpoint(EndpointKind::Subscription, "/b");
        assert_eq!((changes.removed, changes.added), (vec![key], vec![]));
        assert_eq!(view.entries(&segment), ["/a", "/c"].map(endpoint));
    }

    #[test]
    fn a_name_of_any_length_is_carried() {
        let long = endpoint(&"/a".repeat(5000));
        assert_eq!(Entry::from_bytes(&long.to_bytes()).unwrap(), long);
    }

    #[test]
    fn foreign_bytes_are_an_error_or_an_entry_never_a_panic() {
        let bytes = endpoint("/topic").to_bytes();
        assert_eq!(Entry::from_bytes(&bytes).unwrap(), endpoint("/topic"));
        for length in 0..bytes.len() {
            assert!(Entry::from_bytes(&bytes[..length]).is_err());
        }
        for i in 0..bytes.len() {
            for bit in 0..8 {
                let mut broken = bytes.clone();
                broken[i] ^= 1 << bit;
                let _ = Entry::from_bytes(&broken);
            }
        }
    }
}
