//! Tests of reading the records of another process.

use std::{
    collections::BTreeMap,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use saltus_graph::{ConnectionInfo, EndpointId, EndpointInfo, EndpointKind, Entry, Key, Origin, TypeInfo};
use saltus_memory::{
    os::{
        folder::{Folder, GraphOwner},
        segment::Segment,
    },
    records::RecordStore,
};
use saltus_types::{Gid, Liveliness, QoS, TypeHash};

use super::view::{RegistryView, description, entries, entries_with_offsets};

const PROCESS: u64 = 9;

fn new_segment() -> Arc<Segment> {
    let root = tempfile::TempDir::new_in("/dev/shm").unwrap();
    let folder = Folder::open_or_create(root.path(), GraphOwner::current_user()).unwrap();
    Arc::new(Segment::create(&folder, "segment").unwrap())
}

fn endpoint(topic: &str) -> Entry {
    Entry::Endpoint(EndpointInfo {
        kind: EndpointKind::Subscription,
        id: EndpointId { process: PROCESS, serial: u64::from(topic.as_bytes()[1]) },
        gid: Gid::from_parts(PROCESS, 2),
        origin: Origin::Local,
        node: Gid::from_parts(1, 1),
        topic: topic.into(),
        type_name: "std_msgs/msg/String".into(),
        type_hash: TypeHash::from_digest([7; 32]),
        qos: QoS::keep_last(3)
            .best_effort()
            .deadline(Duration::from_millis(5))
            .liveliness(Liveliness::ManualByTopic, Duration::from_secs(1)),
        only_from: None,
        port: 99,
        counters: 128,
    })
}

fn connection() -> Entry {
    Entry::Connection(ConnectionInfo {
        publisher: EndpointId { process: PROCESS, serial: 3 },
        subscription: EndpointId { process: 2, serial: 4 },
        queue: vec![1, 2, 3],
    })
}

#[test]
fn a_refresh_returns_what_was_added_and_removed_since_the_last_one() {
    let segment = new_segment();
    let mut registry = RecordStore::new(segment.clone());
    let mut view = RegistryView::new(PROCESS);
    let id = registry.add(&endpoint("/a").to_bytes()).unwrap();
    registry.add(&connection().to_bytes()).unwrap();
    assert_eq!(view.refresh(&segment, false).added, [endpoint("/a"), connection()]);
    assert!(view.refresh(&segment, false).added.is_empty());
    registry.remove(id);
    let again = registry.add(&endpoint("/b").to_bytes()).unwrap();
    assert_eq!(again, id, "a record of the same size is reused");
    let changes = view.refresh(&segment, false);
    let key = |topic| Key::endpoint(EndpointKind::Subscription, topic);
    assert_eq!((changes.removed, changes.added), (vec![key("/a")], vec![endpoint("/b")]));
    assert_eq!(entries(&segment, PROCESS), [endpoint("/b"), connection()]);
    assert_eq!(view.with_key(key("/b"), &segment).collect::<Vec<_>>(), [endpoint("/b")]);
    assert_eq!(view.with_key(key("/a"), &segment).count(), 0);
    let late = registry.add(&endpoint("/c").to_bytes()).unwrap();
    assert_eq!(view.entries(&segment).len(), 2, "what was not looked at yet is not shown");
    registry.remove(late);
}

/// A new publisher is matched with the subscriptions of the last refresh. A later subscription is matched at the next
/// refresh. If it were matched both times, a mismatch would be reported twice.
#[test]
fn an_entry_that_replaces_one_of_the_same_key_is_found_once() {
    let segment = new_segment();
    let mut registry = RecordStore::new(segment.clone());
    let mut view = RegistryView::new(PROCESS);
    let key = Key::endpoint(EndpointKind::Subscription, "/a");
    let id = registry.add(&endpoint("/a").to_bytes()).unwrap();
    view.refresh(&segment, false);
    assert_eq!(view.with_key(key, &segment).collect::<Vec<_>>(), [endpoint("/a")]);
    registry.remove(id);
    let mut next = endpoint("/a");
    if let Entry::Endpoint(next) = &mut next {
        next.id.serial = 12345;
    }
    assert_eq!(registry.add(&next.to_bytes()).unwrap(), id, "a record of the same size is reused");
    assert_eq!(view.with_key(key, &segment).count(), 0);
    assert_eq!(view.refresh(&segment, false).added, [next.clone()]);
    assert_eq!(view.with_key(key, &segment).collect::<Vec<_>>(), [next]);
}

/// Records are read in blocks. A long record may fill several.
#[test]
fn a_refresh_finds_each_change_among_many_records() {
    let segment = new_segment();
    let mut registry = RecordStore::new(segment.clone());
    let mut view = RegistryView::new(PROCESS);
    let (mut ids, mut known, mut random) = (Vec::new(), BTreeMap::new(), 1_u64);
    let mut next = |below: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % below
    };
    for step in 0..300_u32 {
        for _ in 0..next(40) {
            let topic = format!("/{step}{}", "x".repeat(next(200)));
            ids.push(registry.add(&endpoint(&topic).to_bytes()).unwrap());
        }
        for _ in 0..next(20).min(ids.len()) {
            registry.remove(ids.swap_remove(next(ids.len())));
        }
        if step % 50 == 7 {
            let (hash, description) = (TypeHash::from_digest([step as u8; 32]), "d".repeat(next(200_000)));
            ids.push(registry.add(&Entry::Type(TypeInfo { hash, description }).to_bytes()).unwrap());
        }
        for (offset, entry) in view.refresh(&segment, true).records {
            match entry {
                Some(entry) => drop(known.insert(offset, entry)),
                None => drop(known.remove(&offset)),
            }
        }
        if step % 10 == 9 {
            let present: BTreeMap<u64, Entry> = entries_with_offsets(&segment, PROCESS).collect();
            assert_eq!(known, present, "step {step}");
            assert_eq!(view.entries(&segment), present.into_values().collect::<Vec<_>>());
        }
    }
    assert!(known.len() > 2000, "{}", known.len());
}

/// A record that holds no type is read twice: first its beginning, then all of it.
#[test]
fn a_record_that_changes_while_it_is_read_is_never_unreadable() {
    let segment = new_segment();
    let mut registry = RecordStore::new(segment.clone());
    let is_over = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut view = RegistryView::new(PROCESS);
            while !is_over.load(Ordering::Relaxed) {
                assert_eq!(view.refresh(&segment, false).unreadable, 0);
            }
        });
        for _ in 0..200_000 {
            let id = registry.add(&endpoint("/a").to_bytes()).unwrap();
            registry.remove(id);
        }
        is_over.store(true, Ordering::Relaxed);
    });
}

#[test]
fn the_description_of_a_type_is_read_on_request() {
    let segment = new_segment();
    let mut registry = RecordStore::new(segment.clone());
    let hash = |byte| TypeHash::from_digest([byte; 32]);
    for byte in [1, 2] {
        let description = format!("{byte}").repeat(5000);
        registry.add(&Entry::Type(TypeInfo { hash: hash(byte), description }).to_bytes()).unwrap();
    }
    assert!(RegistryView::new(PROCESS).refresh(&segment, false).added.is_empty());
    assert_eq!(description(&segment, hash(2)).unwrap(), "2".repeat(5000));
    assert_eq!(description(&segment, hash(3)), None);
}
