//! Nodes whose types have no hash, such as those of ROS 2 Humble. They use keys without one.
//!
//! They are tokens, subscribers and queryables of a session here, with the texts that such nodes send.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicI64, Ordering},
};

use common::{LONG, Received, Spun, TwoHosts, ZenohNode, wait};
use saltus::{
    QoS,
    advanced::TypeHash,
    generic::TypeId,
    msgs::{
        example_interfaces::srv::{AddTwoInts, AddTwoInts_Request, AddTwoInts_Response},
        std_msgs::msg::String as Text,
    },
    types::{Gid, Time, lock},
};
use saltus_rmw::{Attachment, EntityKind, data_key, key_with_zeros};
use zenoh::{Wait, query::QueryTarget};
use zenoh_ext::{AdvancedSubscriberBuilderExt, HistoryConfig};

const ADD: &str = "example_interfaces/srv/AddTwoInts";
const TEXT: &str = "std_msgs/msg/String";

/// Returns the key of messages and calls without a hash.
fn key(name: &str, type_name: &str) -> String {
    data_key(0, name, type_name, TypeHash::UNKNOWN).unwrap()
}

/// Returns the two keys that programs without a hash use.
fn keys(name: &str, type_name: &str) -> [String; 2] {
    [key(name, type_name), key_with_zeros(0, name, type_name).unwrap()]
}

fn attachment(gid: Gid, sequence: i64) -> [u8; 33] {
    Attachment { sequence, source_time: Time::from_nanos(1), gid }.to_bytes()
}

/// Returns a message of `std_msgs/msg/UInt64`, little-endian.
fn number(data: u64) -> Vec<u8> {
    [&[0, 1, 0, 0][..], &data.to_le_bytes()].concat()
}

/// Returns a request or response of `AddTwoInts`, little-endian.
fn numbers(data: &[i64]) -> Vec<u8> {
    data.iter().fold(vec![0, 1, 0, 0], |bytes, one| [bytes, one.to_le_bytes().to_vec()].concat())
}

/// The lengths of the messages that a subscriber has received.
#[derive(Clone, Default)]
struct Lengths(Arc<Mutex<Vec<usize>>>);

impl Lengths {
    fn wait_for(&self, expected: &[usize]) {
        wait(&format!("{expected:?}"), || lock(&self.0).len() >= expected.len());
        // The header, the length and the zero byte are 9 bytes.
        assert_eq!(*lock(&self.0), expected.iter().map(|one| one + 9).collect::<Vec<_>>());
    }
}

#[test]
fn messages_reach_subscriptions_without_a_hash_beside_others() {
    const LARGE: usize = 200_000;
    let hosts = TwoHosts::new();
    let (here, there) = (Spun::new(&hosts.folders[0], "here"), Spun::new(&hosts.folders[1], "there"));
    let publisher = here.node.publisher::<Text>("/text").qos(QoS::keep_last(20)).create().unwrap();
    let humble = ZenohNode::connected_to(&hosts.bridges[0]);
    let count = Lengths::default();
    let into = count.clone();
    let other = there.node.subscription::<Text>("/text").qos(QoS::keep_last(20));
    let other = other.callback(move |text| lock(&into.0).push(text.data.len() + 9)).unwrap();
    wait("the subscription of the other host", || other.status().matched == 1);
    // The publisher is open in the network already.
    let received = Lengths::default();
    let into = received.clone();
    let subscriber = humble.session.declare_subscriber(key("/text", TEXT));
    let subscriber = subscriber.callback(move |sample| lock(&into.0).push(sample.payload().len()));
    let _subscriber = subscriber.wait().unwrap();
    humble.announce(EntityKind::Subscription, "/text", (TEXT, TypeHash::UNKNOWN), QoS::keep_last(20));
    wait("the token", || here.context.graph().nodes.iter().any(|node| node.name == "zenoh_node"));
    wait("a message", || {
        publisher.publish(&Text::default()).unwrap();
        !lock(&received.0).is_empty()
    });
    wait("all of them", || lock(&count.0).len() as u64 == publisher.status().sent);
    [&received, &count].iter().for_each(|lengths| lock(&lengths.0).clear());
    // The large message takes the queue, and the last one after it.
    let lengths = [1, LARGE, 2];
    for length in lengths {
        publisher.publish(&Text { data: "x".repeat(length) }).unwrap();
    }
    received.wait_for(&lengths);
    count.wait_for(&lengths);
}

#[test]
fn what_is_kept_reaches_late_subscriptions_without_a_hash() {
    let hosts = TwoHosts::new();
    let (here, there) = (Spun::new(&hosts.folders[0], "here"), Spun::new(&hosts.folders[1], "there"));
    let kept = QoS::keep_last(2).transient_local();
    let publisher = here.node.publisher::<Text>("/map").qos(kept).create().unwrap();
    for length in [1, 2, 3] {
        publisher.publish(&Text { data: "x".repeat(length) }).unwrap();
    }
    let other = there.node.subscription::<Text>("/map").qos(kept).callback(|_| {}).unwrap();
    wait("the subscription of the other host", || other.status().matched == 1);
    let humble = ZenohNode::connected_to(&hosts.bridges[0]);
    let received = Lengths::default();
    let into = received.clone();
    let subscriber = humble.session.declare_subscriber(key("/map", TEXT));
    let subscriber = subscriber.callback(move |sample| lock(&into.0).push(sample.payload().len()));
    let history = HistoryConfig::default().detect_late_publishers().max_samples(2);
    let _subscriber = subscriber.history(history).subscriber_detection().wait().unwrap();
    humble.announce(EntityKind::Subscription, "/map", (TEXT, TypeHash::UNKNOWN), kept);
    received.wait_for(&[2, 3]);
}

#[test]
fn messages_without_a_hash_reach_this_host_once() {
    let hosts = TwoHosts::new();
    let (here, there) = (Spun::new(&hosts.folders[0], "here"), Spun::new(&hosts.folders[1], "there"));
    let humble = ZenohNode::connected_to(&hosts.bridges[0]);
    let gid = humble.announce(
        EntityKind::Publisher,
        "/numbers",
        ("std_msgs/msg/UInt64", TypeHash::UNKNOWN),
        QoS::keep_last(10),
    );
    let received = [&here, &there].map(|host| Received::new(host, "/numbers", QoS::keep_last(10)));
    for one in &received {
        wait("the publisher", || one.subscription.status().matched == 1);
    }
    for (key, numbers) in keys("/numbers", "std_msgs/msg/UInt64").into_iter().zip([[1, 2], [3, 4]]) {
        for data in numbers {
            let put = humble.session.put(key.clone(), number(data));
            put.attachment(attachment(gid, data as i64)).wait().unwrap();
        }
    }
    received.iter().for_each(|one| one.wait_for(&[1, 2, 3, 4]));
}

#[test]
fn a_publisher_of_this_host_without_a_hash_reaches_others_once() {
    let hosts = TwoHosts::new();
    let (here, there) = (Spun::new(&hosts.folders[0], "here"), Spun::new(&hosts.folders[1], "there"));
    let ty = TypeId { name: "std_msgs/msg/UInt64".into(), hash: TypeHash::UNKNOWN, description: None };
    let publisher = here.node.generic_publisher("/numbers", &ty, QoS::keep_last(10)).unwrap();
    let received = Received::new(&there, "/numbers", QoS::keep_last(10));
    wait("the publisher", || received.subscription.status().matched == 1);
    // A node that knows the hash, and is on Zenoh without a bridge.
    let graph = here.context.graph();
    let hash =
        graph.endpoints.iter().map(|end| end.type_hash).find(|hash| *hash != TypeHash::UNKNOWN).unwrap();
    let client = ZenohNode::connected_to(&hosts.bridges[1]);
    let lengths = Lengths::default();
    let into = lengths.clone();
    let known = data_key(0, "/numbers", "std_msgs/msg/UInt64", hash).unwrap();
    let subscriber = client.session.declare_subscriber(known);
    let subscriber = subscriber.callback(move |sample| lock(&into.0).push(sample.payload().len()));
    let _subscriber = subscriber.wait().unwrap();
    wait("a message", || {
        publisher.publish(&number(1)).unwrap();
        !lock(&lengths.0).is_empty()
    });
    publisher.publish(&number(2)).unwrap();
    let sent = publisher.status().sent as usize;
    wait("all messages", || lock(&received.numbers).len() >= sent);
    let expected: Vec<u64> = vec![1; sent - 1].into_iter().chain([2]).collect();
    received.wait_for(&expected);
    assert_eq!(received.subscription.status().losses.total(), 0);
}

#[test]
fn calls_work_in_both_directions_without_a_hash() {
    let hosts = TwoHosts::new();
    let (here, there) = (Spun::new(&hosts.folders[0], "here"), Spun::new(&hosts.folders[1], "there"));
    let humble = ZenohNode::connected_to(&hosts.bridges[0]);
    let executed = Arc::<AtomicI64>::default();
    let count = executed.clone();
    let server = here.node.service::<AddTwoInts>("/add").callback(move |request| {
        count.fetch_add(1, Ordering::Relaxed);
        AddTwoInts_Response { sum: request.a + request.b }
    });
    let server = server.unwrap();
    let gid = humble.announce(EntityKind::Client, "/add", (ADD, TypeHash::UNKNOWN), QoS::keep_last(10));
    let [key_of_add, other_key_of_add] = &keys("/add", ADD);
    let call = |key: &String, sequence| {
        let query = humble.session.get(key).payload(numbers(&[sequence, 1]));
        let replies = query.target(QueryTarget::AllComplete).attachment(attachment(gid, sequence)).wait();
        let answers = replies
            .unwrap()
            .into_iter()
            .filter_map(|reply| Some(reply.result().ok()?.payload().to_bytes().into_owned()));
        answers.collect::<Vec<_>>()
    };
    wait("a response", || !call(key_of_add, 1).is_empty());
    assert_eq!(call(key_of_add, 2), [numbers(&[3])]);
    assert_eq!(call(other_key_of_add, 2), [numbers(&[3])]);
    assert_eq!(executed.load(Ordering::Relaxed), 2, "a request that is sent again is executed once");
    drop(server);
    // The other direction.
    for (name, number) in [("/sum", 0), ("/other_sum", 1)] {
        let key = keys(name, ADD)[number].clone();
        let queryable = humble.session.declare_queryable(key).complete(true);
        let queryable = queryable.callback(|query| {
            let payload = query.payload().unwrap().to_bytes();
            let [a, b] = [4, 12].map(|at| i64::from_le_bytes(payload[at..at + 8].try_into().unwrap()));
            let attachment = query.attachment().unwrap().clone();
            query.reply(query.key_expr(), numbers(&[a + b])).attachment(attachment).wait().unwrap();
        });
        let _queryable = queryable.wait().unwrap();
        // Last, as other implementations do: who sees a server calls it.
        humble.announce(EntityKind::Server, name, (ADD, TypeHash::UNKNOWN), QoS::keep_last(10));
        for host in [&here, &there] {
            let client = host.node.client::<AddTwoInts>(name).create().unwrap();
            assert!(host.context.wait_until(LONG, || client.service_is_ready()));
            assert_eq!(client.call(&AddTwoInts_Request { a: 20, b: 22 }, LONG).unwrap().sum, 42);
        }
    }
}
