//! What only the inside of a publisher can provoke: memory that makes no sense, and a system clock that is set.

use std::{path::PathBuf, time::Duration};

use saltus_types::{LossCause, NodeName, QoS, TopicName, TypeHash};

use crate::{DomainId, EndpointSpec, NodeEntry, Participant, Publisher, Subscription, TypeText};

/// A participant with a node in a folder of its own.
struct Scene {
    participant: Participant,
    node: NodeEntry,
    name: NodeName,
    folder: PathBuf,
}

impl Scene {
    fn new(test: &str) -> Self {
        let folder = PathBuf::from(format!("/dev/shm/saltus-{test}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let participant = Participant::join(DomainId::in_folder(&folder, 0), Box::new(|_| {})).unwrap();
        let name = NodeName::new("/", "n").unwrap();
        let node = participant.node(&name, false).unwrap();
        Self { participant, node, name, folder }
    }

    fn open<T>(&self, qos: QoS, open: impl FnOnce(&Participant, &EndpointSpec<'_>) -> T) -> T {
        let topic = TopicName::expand("t", &self.name).unwrap();
        let spec = EndpointSpec {
            node: &self.node,
            topic: &topic,
            type_name: "test/msg/Type",
            type_hash: TypeHash::from_digest([1; 32]),
            qos,
            description: TypeText::Unknown,
        };
        open(&self.participant, &spec)
    }

    fn publisher(&self, qos: QoS) -> Publisher {
        self.open(qos, |participant, spec| participant.publisher(spec).unwrap())
    }

    fn subscription(&self, qos: QoS) -> Subscription {
        self.open(qos, |participant, spec| participant.subscription(spec).unwrap())
    }

    fn match_up(&self, subscription: &Subscription, publishers: usize) {
        let met = || subscription.status().matched == publishers;
        assert!(self.participant.wait_until(Duration::from_secs(10), met));
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.folder).unwrap();
    }
}

/// A user who asks `has_message` before each `take` does not call `take` again after the last message.
#[test]
fn the_last_message_of_a_closed_publisher_frees_its_queue() {
    let scene = Scene::new("last");
    let (publisher, subscription) = (scene.publisher(QoS::default()), scene.subscription(QoS::default()));
    scene.match_up(&subscription, 1);
    (0..2).for_each(|_| publisher.publish_bytes(&[1]).unwrap());
    let shared = publisher.0.core.shared.clone();
    drop(publisher);
    assert!(shared.has_graves());
    while subscription.has_message() {
        drop(subscription.take().unwrap());
    }
    assert!(scene.participant.wait_until(Duration::from_secs(5), || !shared.has_graves()));
}

/// The cause of the loss ledger that only a broken publisher can provoke.
#[test]
fn a_descriptor_that_names_nothing_is_counted_and_what_follows_is_taken() {
    let scene = Scene::new("corrupt");
    let (publisher, subscription) = (scene.publisher(QoS::default()), scene.subscription(QoS::default()));
    scene.match_up(&subscription, 1);
    for descriptor in [1, 64 << 29] {
        let mut inner = publisher.0.core.lock();
        let connection = &mut inner.connections[0];
        let mut known_head = connection.known_head;
        assert_eq!(connection.ring().push(descriptor, 0, &mut known_head), None);
        connection.known_head = known_head;
    }
    publisher.publish_bytes(&[7]).unwrap();
    assert_eq!(*subscription.take().unwrap(), [7]);
    let losses = subscription.status().losses;
    assert_eq!((losses[LossCause::Corrupt], losses.total()), (2, 2));
}

/// An hour, by which the system clock is set.
const STEP: i64 = 3_600_000_000_000;

/// As if the system clock had been set by so many nanoseconds since the publisher sent.
fn set_clock(publisher: &Publisher, nanos: i64) {
    publisher.0.core.lock().pool.sent().for_each(|header| header.shift_source_time(-nanos));
}

#[test]
fn setting_the_system_clock_expires_no_message() {
    let scene = Scene::new("lifespan");
    let qos = QoS::keep_last(10).transient_local().lifespan(Duration::from_secs(60));
    let (publisher, subscription) = (scene.publisher(qos), scene.subscription(qos));
    scene.match_up(&subscription, 1);
    for step in [STEP, -2 * STEP] {
        publisher.publish_bytes(b"young").unwrap();
        set_clock(&publisher, step);
        assert_eq!(subscription.take().as_deref(), Some(&b"young"[..]), "{step}");
        let late = scene.subscription(qos);
        scene.match_up(&late, 1);
        assert_eq!(late.take().as_deref(), Some(&b"young"[..]), "kept for late joiners, {step}");
    }
    assert_eq!(subscription.status().losses.total(), 0);
}

#[test]
fn setting_the_system_clock_changes_no_order() {
    let scene = Scene::new("order");
    let (first, second) = (scene.publisher(QoS::default()), scene.publisher(QoS::default()));
    let subscription = scene.subscription(QoS::default());
    scene.match_up(&subscription, 2);
    first.publish_bytes(b"first").unwrap();
    set_clock(&first, -STEP);
    second.publish_bytes(b"second").unwrap();
    assert_eq!(*subscription.take().unwrap(), *b"first");
    assert_eq!(*subscription.take().unwrap(), *b"second");
}
