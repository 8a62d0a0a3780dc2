//! Two hosts with a bridge each: late subscriptions, calls, and bridges that are killed.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::{
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use common::{BridgeProcess, Spun, TwoHosts};
use saltus::{
    QoS, Subscription,
    msgs::{
        example_interfaces::srv::{AddTwoInts, AddTwoInts_Request, AddTwoInts_Response},
        std_msgs::msg::UInt64,
    },
};

/// The longest time that a test waits.
const LONG: Duration = Duration::from_secs(60);

/// A subscription, and the numbers that it has received.
struct Received {
    numbers: Arc<Mutex<Vec<u64>>>,
    subscription: Subscription<UInt64>,
}

impl Received {
    fn new(host: &Spun, topic: &str, qos: QoS) -> Self {
        let numbers = Arc::<Mutex<Vec<u64>>>::default();
        let into = numbers.clone();
        let subscription = host.node.subscription::<UInt64>(topic).qos(qos);
        let subscription = subscription.callback(move |message| into.lock().unwrap().push(message.data));
        Self { numbers, subscription: subscription.unwrap() }
    }

    fn wait_for(&self, expected: &[u64]) {
        wait(&format!("{expected:?}"), || self.numbers.lock().unwrap().len() >= expected.len());
        assert_eq!(*self.numbers.lock().unwrap(), expected);
    }
}

/// Waits until `is_so`, with pauses because it asks other processes.
fn wait(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < LONG, "{what}");
        // A pause between two questions.
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn late_subscriptions_receive_what_publishers_of_the_other_host_keep() {
    let hosts = TwoHosts::new();
    let (here, there) = (Spun::new(&hosts.folders[0], "talker"), Spun::new(&hosts.folders[1], "listener"));
    let kept = QoS::keep_last(2).transient_local();
    let publishers: Vec<_> =
        ["/map", "/map"].map(|topic| here.node.publisher::<UInt64>(topic).qos(kept).create().unwrap()).into();
    for (publisher, first) in publishers.iter().zip([10, 20]) {
        (first..first + 4).for_each(|data| publisher.publish(&UInt64 { data }).unwrap());
    }
    // The second subscription comes when the messages are at the other host already, while those of the first one go.
    for _ in 0..20 {
        let received = Received::new(&there, "/map", QoS::keep_last(10).transient_local());
        wait("all kept messages", || received.numbers.lock().unwrap().len() >= 4);
        let mut numbers = received.numbers.lock().unwrap().clone();
        numbers.sort_unstable();
        assert_eq!(numbers, [12, 13, 22, 23]);
    }
    let received = Received::new(&there, "/map", QoS::keep_last(10));
    // The publisher is matched with the bridge of its host all the time.
    wait("the subscription", || received.subscription.status().matched == 2);
    publishers[0].publish(&UInt64 { data: 14 }).unwrap();
    received.wait_for(&[14]);
}

#[test]
fn a_killed_bridge_leaves_nothing_and_another_one_takes_its_place() {
    let hosts = TwoHosts::new();
    let (here, there) = (Spun::new(&hosts.folders[0], "talker"), Spun::new(&hosts.folders[1], "listener"));
    let kept = QoS::keep_last(1).transient_local();
    let publisher = here.node.publisher::<UInt64>("/state").qos(kept).create().unwrap();
    publisher.publish(&UInt64 { data: 7 }).unwrap();
    let received = Received::new(&there, "/state", kept);
    received.wait_for(&[7]);
    let TwoHosts { folders, bridges: [first, second] } = hosts;
    second.kill();
    wait("the graph is alone", || there.context.graph().nodes.iter().all(|node| node.name != "talker"));
    publisher.publish(&UInt64 { data: 8 }).unwrap();
    let second = BridgeProcess::start(&folders[1], &["--connect", &first.address]);
    received.wait_for(&[7, 8]);
    drop((first, second));
}

#[test]
fn a_call_is_executed_once_and_ends_when_the_server_has_gone() {
    let hosts = TwoHosts::new();
    let (here, there) = (Spun::new(&hosts.folders[0], "server"), Spun::new(&hosts.folders[1], "client"));
    let executed = Arc::<Mutex<u64>>::default();
    let count = executed.clone();
    let server = here.node.service::<AddTwoInts>("/add").callback(move |request| {
        *count.lock().unwrap() += 1;
        AddTwoInts_Response { sum: request.a + request.b }
    });
    let client = there.node.client::<AddTwoInts>("/add").create().unwrap();
    assert!(there.context.wait_until(LONG, || client.service_is_ready()));
    for a in 0..100 {
        assert_eq!(client.call(&AddTwoInts_Request { a, b: 1 }, LONG).unwrap().sum, a + 1);
    }
    assert_eq!(*executed.lock().unwrap(), 100);
    drop(server);
    assert!(there.context.wait_until(LONG, || !client.service_is_ready()));
}
