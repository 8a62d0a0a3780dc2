//! Hosts with a bridge each: late subscriptions, calls, and bridges that are killed.
//!
//! `SALTUS_BRIDGE_KILLS` sets how often a bridge is killed (2 by default).

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use common::{BridgeProcess, LONG, Received, Spun, TwoHosts, ZenohNode, start_on, wait};
use saltus::{
    QoS, Server,
    cdr::{Service, encode},
    graph::{EndpointInfo, EndpointKind},
    msgs::{
        example_interfaces::srv::{AddTwoInts, AddTwoInts_Request, AddTwoInts_Response},
        std_msgs::msg::{String as Text, UInt64},
    },
    qos::{EndpointEvent, LossCause, Losses},
    types::Gid,
};
use saltus_bench_network::{LinkOptions, Network};
use saltus_e2e::ShmFolder;
use saltus_rmw::{Attachment, data_key};
use zenoh::{
    Wait,
    query::{ConsolidationMode, QueryTarget},
};

/// Returns how often a bridge is killed.
fn kills() -> u64 {
    std::env::var("SALTUS_BRIDGE_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(2)
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

/// The lengths of the texts that a late subscription of a host receives.
fn lengths(host: &Spun, expected: &[usize]) {
    let received = Arc::<Mutex<Vec<usize>>>::default();
    let into = received.clone();
    let late = host.node.subscription::<Text>("/map").qos(QoS::keep_last(10).transient_local());
    let _late = late.callback(move |text| into.lock().unwrap().push(text.data.len())).unwrap();
    wait(&format!("{expected:?}"), || received.lock().unwrap().len() >= expected.len());
    assert_eq!(*received.lock().unwrap(), expected);
}

#[test]
fn large_messages_that_are_kept_reach_late_subscriptions_also_after_small_ones() {
    const LARGE: usize = 200_000;
    let TwoHosts { folders, bridges: [first, _second] } = TwoHosts::new();
    let third = ShmFolder::new();
    let _third = BridgeProcess::start(&third, &["--connect", &first.address]);
    let (here, there) = (Spun::new(&folders[0], "talker"), Spun::new(&folders[1], "listener"));
    let third = Spun::new(&third, "late");
    let publisher = here.node.publisher::<Text>("/map").qos(QoS::keep_last(2).transient_local());
    let publisher = publisher.create().unwrap();
    let publish = |length| publisher.publish(&Text { data: "x".repeat(length) }).unwrap();
    let received = Arc::<Mutex<Vec<usize>>>::default();
    let into = received.clone();
    let subscription = there.node.subscription::<Text>("/map").qos(QoS::keep_last(10).transient_local());
    // It keeps the publisher open in the network.
    let open = subscription.callback(move |text| into.lock().unwrap().push(text.data.len())).unwrap();
    let (mut expected, mut all) = (Vec::new(), Vec::new());
    // The small message is sent at once. The next ones take the queue. What was sent at once is needed after one of them, and not after
    // two.
    for length in [5, LARGE, LARGE + 1, 7] {
        publish(length);
        all.push(length);
        wait(&format!("{all:?}"), || received.lock().unwrap().len() >= all.len());
        assert_eq!(*received.lock().unwrap(), all);
        expected.push(length);
        expected = expected.split_off(expected.len().saturating_sub(2));
        lengths(&third, &expected);
    }
    // One that comes when all of it is there already.
    drop(open);
    lengths(&third, &expected);
}

/// Publishes numbers until it is dropped, a thousand in a second.
struct Traffic {
    is_over: Arc<AtomicBool>,
    /// How often its publisher was connected to a subscription.
    matches: Arc<AtomicU64>,
    thread: Option<JoinHandle<(u64, Losses)>>,
}

/// Returns a callback for events that notes how often an endpoint was connected.
fn count_matches(matches: &Arc<AtomicU64>) -> impl FnMut(EndpointEvent) + Send + use<> {
    let matches = matches.clone();
    move |event| {
        if let EndpointEvent::Matched { total, .. } = event {
            matches.store(total, Ordering::Relaxed);
        }
    }
}

impl Traffic {
    fn new(host: &Spun, topic: &str) -> Self {
        let matches = Arc::default();
        let builder = host.node.publisher::<UInt64>(topic).on_event(count_matches(&matches));
        let publisher = builder.create().unwrap();
        let is_over = Arc::<AtomicBool>::default();
        let over = is_over.clone();
        let publish = move || {
            let mut data = 0;
            while !over.load(Ordering::Relaxed) {
                publisher.publish(&UInt64 { data }).unwrap();
                data += 1;
                // The rate of the traffic.
                thread::sleep(Duration::from_millis(1));
            }
            (data, publisher.status().losses)
        };
        Self { is_over, matches, thread: Some(thread::spawn(publish)) }
    }

    fn stop(&mut self) -> thread::Result<(u64, Losses)> {
        self.is_over.store(true, Ordering::Relaxed);
        self.thread.take().map_or(Ok(Default::default()), JoinHandle::join)
    }

    /// Ends it. Prints what has become of its messages, and returns how many are missing between the first and the last that
    /// was received.
    fn end(mut self, received: &Received) -> u64 {
        let (sent, losses) = self.stop().unwrap();
        let (missing, count) = {
            let numbers = received.numbers.lock().unwrap();
            (numbers[numbers.len() - 1] - numbers[0] + 1 - numbers.len() as u64, numbers.len())
        };
        println!(
            "{sent} messages were sent and {count} received, {missing} are missing between them; lost: publisher {losses}, \
             subscription {}",
            received.subscription.status().losses
        );
        missing
    }
}

impl Drop for Traffic {
    fn drop(&mut self) {
        // Only a test that has failed has not ended it.
        let _ = self.stop();
    }
}

/// Checks that no message came twice or late, and that messages come again.
fn is_in_order(received: &Received) {
    let before = received.numbers.lock().unwrap().len();
    wait("messages again", || received.numbers.lock().unwrap().len() > before);
    let numbers = received.numbers.lock().unwrap();
    assert!(numbers.is_sorted_by(|a, b| a < b), "a message came twice, or after a later one");
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
    let traffic = Received::new(&there, "/traffic", QoS::keep_last(1000));
    let sent = Traffic::new(&here, "/traffic");
    let TwoHosts { folders, bridges: [first, mut second] } = hosts;
    let mut longest = Duration::ZERO;
    for data in 8..8 + kills() {
        let before = subscriptions(&here);
        second.kill();
        let killed = Instant::now();
        wait("the graph is alone", || there.context.graph().nodes.iter().all(|node| node.name != "talker"));
        publisher.publish(&UInt64 { data }).unwrap();
        second = BridgeProcess::start(&folders[1], &["--connect", &first.address]);
        received.wait_for(&(7..=data).collect::<Vec<_>>());
        wait("only what the new bridge has announced", || {
            let now = subscriptions(&here);
            now.len() == 2 && now.iter().all(|gid| !before.contains(gid))
        });
        longest = longest.max(killed.elapsed());
        is_in_order(&traffic);
    }
    println!(
        "{longest:?} after the kill at most, the new bridge had brought everything, and nothing of the first was left"
    );
    sent.end(&traffic);
}

/// Returns the subscriptions to the two topics that a host sees.
fn subscriptions(host: &Spun) -> Vec<Gid> {
    let is_one = |end: &&EndpointInfo| {
        ["/state", "/traffic"].contains(&end.topic.as_str()) && end.kind == EndpointKind::Subscription
    };
    host.context.graph().endpoints.iter().filter(is_one).map(|end| end.gid).collect()
}

#[test]
fn a_router_that_is_killed_and_started_again_brings_everything_back() {
    let TwoHosts { folders, bridges: [mut router, _second] } = TwoHosts::new();
    let (here, there) = (Spun::new(&folders[0], "talker"), Spun::new(&folders[1], "listener"));
    let kept = QoS::keep_last(1).transient_local();
    let publisher = here.node.publisher::<UInt64>("/state").qos(kept).create().unwrap();
    publisher.publish(&UInt64 { data: 0 }).unwrap();
    let received = Received::new(&there, "/state", kept);
    received.wait_for(&[0]);
    let traffic = Received::new(&there, "/traffic", QoS::keep_last(1000));
    let sent = Traffic::new(&here, "/traffic");
    for data in 1..=kills() {
        let address = router.address.clone();
        router.kill();
        publisher.publish(&UInt64 { data }).unwrap();
        router = BridgeProcess::start(&folders[0], &["--router", "--listen", &address]);
        received.wait_for(&(0..=data).collect::<Vec<_>>());
        is_in_order(&traffic);
    }
    sent.end(&traffic);
}

#[test]
fn a_router_between_two_hosts_that_is_killed_makes_nothing_flicker() {
    let folders = [ShmFolder::new(), ShmFolder::new(), ShmFolder::new()];
    let mut network = Network::new(3).unwrap();
    // The two hosts do not reach each other.
    let links = [1, 2].map(|host| network.join(0, host, &LinkOptions::default()).unwrap());
    let start = |host: usize, words: &[&str]| start_on(&network, host, &folders[host], words);
    let start_router = || start(0, &["--router", "--listen", "tcp/0.0.0.0:7447"]);
    let mut router = start_router();
    let _bridges = [1, 2].map(|host| {
        let address = format!("tcp/{}:7447", network.address(links[host - 1], 0));
        start(host, &["--connect", &address])
    });
    let (here, there) = (Spun::new(&folders[1], "talker"), Spun::new(&folders[2], "listener"));
    let kept = QoS::keep_last(1).transient_local();
    let publisher = here.node.publisher::<UInt64>("/state").qos(kept).create().unwrap();
    publisher.publish(&UInt64 { data: 0 }).unwrap();
    let received = Received::new(&there, "/state", kept);
    received.wait_for(&[0]);
    let matches = Arc::default();
    let traffic = Received::with_events(&there, "/traffic", QoS::keep_last(1000), count_matches(&matches));
    let sent = Traffic::new(&here, "/traffic");
    wait("the traffic", || !traffic.numbers.lock().unwrap().is_empty());
    for data in 1..=kills() {
        router.kill();
        publisher.publish(&UInt64 { data }).unwrap();
        router = start_router();
        received.wait_for(&(0..=data).collect::<Vec<_>>());
        is_in_order(&traffic);
    }
    let matched = [&matches, &sent.matches].map(|count| count.load(Ordering::Relaxed));
    let missing = sent.end(&traffic);
    assert_eq!(matched, [1, 1], "a host saw that the other one went and came back");
    wait("the last losses", || traffic.subscription.status().losses.total() >= missing);
    assert_eq!(
        traffic.subscription.status().losses.total(),
        missing,
        "each message is received once or counted"
    );
}

#[test]
fn a_second_bridge_of_a_host_waits_and_takes_the_place_of_the_first() {
    let TwoHosts { folders, bridges: [first, second] } = TwoHosts::new();
    let mut standby = BridgeProcess::spawn(&folders[1], &["--connect", &first.address]);
    let line = standby.read_line();
    assert!(line.contains("already; waits until it ends"), "{line}");
    let (here, there) = (Spun::new(&folders[0], "talker"), Spun::new(&folders[1], "listener"));
    let publisher = here.node.publisher::<UInt64>("/numbers").create().unwrap();
    let received = Received::new(&there, "/numbers", QoS::keep_last(10));
    wait("the subscription", || received.subscription.status().matched == 1);
    publisher.publish(&UInt64 { data: 1 }).unwrap();
    received.wait_for(&[1]);
    second.kill();
    let killed = Instant::now();
    standby.wait_until_it_listens();
    println!("the second bridge listens after {:?}", killed.elapsed());
    // The publisher of the first bridge may be known for a moment still.
    wait("the subscription again", || {
        let graph = there.context.graph();
        let publishers = graph.endpoints.iter().filter(|end| end.topic == "/numbers");
        received.subscription.status().matched == 1 && publishers.count() == 2
    });
    publisher.publish(&UInt64 { data: 2 }).unwrap();
    received.wait_for(&[1, 2]);
}

#[test]
fn only_what_the_rules_name_passes() {
    let folders = [ShmFolder::new(), ShmFolder::new()];
    let rules = folders[1].path().join("rules.yaml");
    std::fs::write(&rules, "{default: deny, rules: [{allow: /open, direction: in}]}").unwrap();
    let first = BridgeProcess::start(&folders[0], &["--router", "--listen", "tcp/127.0.0.1:0"]);
    let _second = BridgeProcess::start(
        &folders[1],
        &["--connect", &first.address, "--rules", &rules.display().to_string()],
    );
    let (here, there) = (Spun::new(&folders[0], "here"), Spun::new(&folders[1], "there"));
    let publisher = |host: &Spun, topic| host.node.publisher::<UInt64>(topic).create().unwrap();
    let publishers = [publisher(&here, "/closed"), publisher(&here, "/open")];
    let _there = publisher(&there, "/of_the_robot");
    let has = |host: &Spun, topic: &str| host.context.graph().endpoints.iter().any(|end| end.topic == topic);
    wait("the open topic", || has(&there, "/open"));
    // A message that passes shows that both bridges have seen all that was before it.
    let received = Received::new(&there, "/open", QoS::keep_last(10));
    wait("the subscription", || received.subscription.status().matched == 1);
    publishers[1].publish(&UInt64 { data: 1 }).unwrap();
    received.wait_for(&[1]);
    assert!(!has(&there, "/closed") && !has(&here, "/of_the_robot"));
}

#[test]
fn rules_rename_hide_and_limit_and_what_they_hold_back_is_counted() {
    let folders = [ShmFolder::new(), ShmFolder::new()];
    let rules = folders[0].path().join("rules.yaml");
    let text = "{namespace: robot1, rules: [{allow: /fast, rate: 20}, {allow: /hidden, announce: false}]}";
    std::fs::write(&rules, text).unwrap();
    let words = ["--router", "--listen", "tcp/127.0.0.1:0", "--rules", &rules.display().to_string()];
    let first = BridgeProcess::start(&folders[0], &words);
    let _second = BridgeProcess::start(&folders[1], &["--connect", &first.address]);
    let (here, there) = (Spun::new(&folders[0], "here"), Spun::new(&folders[1], "there"));
    let _hidden = here.node.publisher::<UInt64>("/hidden").create().unwrap();
    let publisher = here.node.publisher::<UInt64>("/fast").qos(QoS::keep_last(200)).create().unwrap();
    let received = Received::new(&there, "/robot1/fast", QoS::keep_last(200));
    wait("the subscription", || received.subscription.status().matched == 1);
    (0..100).for_each(|data| publisher.publish(&UInt64 { data }).unwrap());
    // Longer than the time between two messages that may pass.
    thread::sleep(Duration::from_millis(100));
    publisher.publish(&UInt64 { data: 100 }).unwrap();
    wait("the last message", || received.numbers.lock().unwrap().last() == Some(&100));
    let numbers = received.numbers.lock().unwrap().clone();
    assert!(numbers.len() < 20, "{numbers:?}");
    assert_eq!(numbers[0], 0);
    let lost = received.subscription.status().losses;
    assert_eq!(lost[LossCause::RateLimit], 101 - numbers.len() as u64);
    assert_eq!(lost.total(), lost[LossCause::RateLimit]);
    let has = |topic: &str| there.context.graph().endpoints.iter().any(|end| end.topic == topic);
    assert!(!has("/robot1/hidden") && !has("/hidden") && !has("/fast"));
}

#[test]
fn a_call_is_executed_once_and_the_client_sees_that_the_server_has_gone() {
    let hosts = TwoHosts::new();
    let (here, there) = (Spun::new(&hosts.folders[0], "server"), Spun::new(&hosts.folders[1], "client"));
    let executed = Arc::<Mutex<u64>>::default();
    let server = serve(&here, &executed);
    let client = there.node.client::<AddTwoInts>("/add").create().unwrap();
    assert!(there.context.wait_until(LONG, || client.service_is_ready()));
    for a in 0..100 {
        assert_eq!(client.call(&AddTwoInts_Request { a, b: 1 }, LONG).unwrap().sum, a + 1);
    }
    assert_eq!(*executed.lock().unwrap(), 100);
    drop(server);
    assert!(there.context.wait_until(LONG, || !client.service_is_ready()));
}

/// Opens a server of `/add` that counts its calls.
fn serve(host: &Spun, executed: &Arc<Mutex<u64>>) -> Server<AddTwoInts> {
    let count = executed.clone();
    let server = host.node.service::<AddTwoInts>("/add").callback(move |request| {
        *count.lock().unwrap() += 1;
        AddTwoInts_Response { sum: request.a + request.b }
    });
    server.unwrap()
}

/// Returns the number of servers of `/add` that a host sees.
fn servers(host: &Spun) -> usize {
    host.context.graph().servers.iter().filter(|server| server.topic == "/add").count()
}

#[test]
fn each_of_two_servers_on_two_hosts_executes_a_call_once() {
    let hosts = TwoHosts::new();
    let (here, there) = (Spun::new(&hosts.folders[0], "here"), Spun::new(&hosts.folders[1], "there"));
    let executed = [0, 1].map(|_| Arc::<Mutex<u64>>::default());
    let _servers = [serve(&here, &executed[0]), serve(&there, &executed[1])];
    let client = there.node.client::<AddTwoInts>("/add").create().unwrap();
    assert!(there.context.wait_until(LONG, || servers(&there) == 2));
    assert!(there.context.wait_until(LONG, || client.service_is_ready()));
    for a in 0..20 {
        assert_eq!(client.call(&AddTwoInts_Request { a, b: 1 }, LONG).unwrap().sum, a + 1);
    }
    // The server of the other host executes what the nearer one has answered already.
    wait("the other server", || *executed[0].lock().unwrap() >= 20);
    assert_eq!(executed.map(|count| *count.lock().unwrap()), [20, 20]);
}

#[test]
fn a_server_that_is_created_again_at_once_answers() {
    let hosts = TwoHosts::new();
    let (here, there) = (Spun::new(&hosts.folders[0], "server"), Spun::new(&hosts.folders[1], "client"));
    let executed = Arc::<Mutex<u64>>::default();
    for round in 0..4 {
        let server = serve(&here, &executed);
        // While it comes and goes, a call may end with an error. But soon it is answered again.
        let client = there.node.client::<AddTwoInts>("/add").create().unwrap();
        let call = || client.call(&AddTwoInts_Request { a: round, b: 1 }, Duration::from_secs(2));
        wait("an answer", || call().is_ok_and(|response| response.sum == round + 1));
        drop((client, server));
    }
}

#[test]
fn a_program_that_announces_no_client_is_served_once_by_each_of_two_servers() {
    let hosts = TwoHosts::new();
    let nodes = ["one", "two"].map(|name| Spun::new(&hosts.folders[0], name));
    let executed = [0, 1].map(|_| Arc::<Mutex<u64>>::default());
    let _servers = [serve(&nodes[0], &executed[0]), serve(&nodes[1], &executed[1])];
    let there = Spun::new(&hosts.folders[1], "there");
    assert!(there.context.wait_until(LONG, || servers(&there) == 2));
    let program = ZenohNode::connected_to(&hosts.bridges[1]);
    let key = data_key(0, "/add", AddTwoInts::TYPE.name, AddTwoInts::TYPE.hash).unwrap();
    let call = |sequence: i64| {
        let attachment = Attachment { sequence, source_time: Default::default(), gid: Gid::from_parts(7, 7) };
        let request = encode(&AddTwoInts_Request { a: sequence, b: 1 }).unwrap();
        let query = program.session.get(&key).payload(request).attachment(attachment.to_bytes());
        let replies = query.target(QueryTarget::AllComplete).consolidation(ConsolidationMode::None).wait();
        let bytes =
            replies.unwrap().into_iter().map(|one| one.result().unwrap().payload().to_bytes().into_owned());
        bytes.collect::<Vec<_>>()
    };
    for sequence in 1..=20 {
        let expected = encode(&AddTwoInts_Response { sum: sequence + 1 }).unwrap();
        assert_eq!(call(sequence), [expected.clone(), expected]);
    }
    assert_eq!(executed.map(|count| *count.lock().unwrap()), [20, 20]);
}
