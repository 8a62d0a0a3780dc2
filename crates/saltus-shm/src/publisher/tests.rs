//! A publisher whose memory makes no sense, as its subscription sees it.

use std::time::Duration;

use saltus_types::{LossCause, NodeName, QoS, TopicName, TypeHash};

use crate::{DomainId, EndpointSpec, Participant, TypeText};

/// The cause of the loss ledger that only a broken publisher can provoke.
#[test]
fn a_descriptor_that_names_nothing_is_counted_and_what_follows_is_taken() {
    let folder = std::path::PathBuf::from(format!("/dev/shm/saltus-corrupt-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let domain = DomainId::in_folder(&folder, 0);
    let participant = Participant::join(domain, Box::new(|_| {})).unwrap();
    let name = NodeName::new("/", "n").unwrap();
    let node = participant.node(&name, false).unwrap();
    let topic = TopicName::expand("t", &name).unwrap();
    let spec = EndpointSpec {
        node: &node,
        topic: &topic,
        type_name: "test/msg/Type",
        type_hash: TypeHash::from_digest([1; 32]),
        qos: QoS::default(),
        description: TypeText::Unknown,
    };
    let (publisher, subscription) =
        (participant.publisher(&spec).unwrap(), participant.subscription(&spec).unwrap());
    assert!(participant.wait_until(Duration::from_secs(10), || subscription.status().matched == 1));
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
    drop((publisher, subscription, node, participant));
    std::fs::remove_dir_all(folder).unwrap();
}
