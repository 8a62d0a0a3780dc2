//! Domain bridges: which messages they forward, how often, and what is left when they are killed.
//!
//! `SALTUS_RING_SECONDS` sets how long messages are sent in the ring (2 by default).

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use saltus::{
    Context, Executor, Node, Publisher, QoS, Server, SingleThreadedExecutor, Subscription,
    context::ContextOptions,
    msgs::{
        example_interfaces::srv::{AddTwoInts, AddTwoInts_Request, AddTwoInts_Response},
        std_msgs::msg::UInt64,
    },
    qos::Losses,
    topic::MessageInfo,
};
use saltus_domain_bridge::{BridgeOptions, Config, DomainBridge, Kind, Pattern, Rule};
use saltus_e2e::{Actor, Random, ShmFolder};

const ACTOR: &str = env!("CARGO_BIN_EXE_actor");
const LONG: Duration = Duration::from_secs(10);

/// A context in one domain, with a node that a thread spins.
struct Participant {
    context: Context,
    node: Node,
    spinning: Option<JoinHandle<()>>,
}

impl Participant {
    fn new(shm: &ShmFolder, domain: u32, name: &str) -> Self {
        let options = ContextOptions::default().domain(domain).folder(shm.path()).handle_signals(false);
        let context = options.rosout(false).create().unwrap();
        let node = context.node(name).start_parameter_services(false).create().unwrap();
        let mut executor = SingleThreadedExecutor::new(&context).unwrap();
        executor.add_node(&node);
        let spinning = Some(thread::spawn(move || executor.spin().unwrap()));
        Self { context, node, spinning }
    }

    fn subscribe(&self, topic: &str, qos: QoS) -> Received {
        let messages = Arc::<Mutex<Vec<(u64, MessageInfo)>>>::default();
        let into = messages.clone();
        let subscription = self.node.subscription::<UInt64>(topic).qos(qos).received(move |message| {
            let number = message.value().unwrap().data;
            into.lock().unwrap().push((number, message.info()));
        });
        Received { messages, subscription: subscription.unwrap() }
    }

    fn publisher(&self, topic: &str, qos: QoS) -> Publisher<UInt64> {
        self.node.publisher(topic).qos(qos).create().unwrap()
    }

    /// Waits until this domain's graph contains nothing from another domain.
    fn wait_until_alone(&self) {
        let is_alone = || {
            let graph = self.context.graph();
            let nodes = graph.nodes.iter().all(|node| node.origin.name().is_empty());
            let ends = graph.endpoints.iter().chain(&graph.servers).chain(&graph.clients);
            let mut ends = ends.filter(|end| !end.origin.name().is_empty());
            nodes && ends.next().is_none()
        };
        assert!(
            self.context.wait_until(LONG, is_alone),
            "the graph still contains other domains: {:?}",
            self.context.graph()
        );
    }
}

impl Drop for Participant {
    fn drop(&mut self) {
        self.context.shut_down();
        let joined = self.spinning.take().map(JoinHandle::join);
        assert!(thread::panicking() || joined.is_some_and(|joined| joined.is_ok()));
    }
}

/// A subscription, and the messages that it has received.
struct Received {
    messages: Arc<Mutex<Vec<(u64, MessageInfo)>>>,
    subscription: Subscription<UInt64>,
}

impl Received {
    fn numbers(&self) -> Vec<u64> {
        self.messages.lock().unwrap().iter().map(|(number, _)| *number).collect()
    }

    fn count(&self) -> u64 {
        self.messages.lock().unwrap().len() as u64
    }

    /// Waits until the subscription has received `count` messages.
    fn wait(&self, count: u64) {
        let until = Instant::now() + LONG;
        while self.count() < count && Instant::now() < until {
            thread::yield_now();
        }
        assert!(self.count() >= count, "{} of {count}: {:?}", self.count(), self.subscription.status());
    }
}

fn send(publisher: &Publisher<UInt64>, numbers: impl Iterator<Item = u64>) {
    numbers.for_each(|data| publisher.publish(&UInt64 { data }).unwrap());
}

/// Opens a server of `/add` that counts its calls.
fn serve(participant: &Participant, served: &Arc<AtomicU64>) -> Server<AddTwoInts> {
    let count = served.clone();
    let server = participant.node.service::<AddTwoInts>("/add").callback(move |request| {
        count.fetch_add(1, Ordering::Relaxed);
        AddTwoInts_Response { sum: request.a + request.b }
    });
    server.unwrap()
}

fn bridge(shm: &ShmFolder, from: u32, to: u32) -> Actor {
    let mut bridge = shm.start(ACTOR, &["bridge", &from.to_string(), &to.to_string()]);
    bridge.wait_until_ready();
    bridge
}

#[test]
fn messages_keep_their_publisher_time_and_number() {
    let shm = ShmFolder::new();
    let (here, there) = (Participant::new(&shm, 0, "talker"), Participant::new(&shm, 1, "listener"));
    let bridge = bridge(&shm, 0, 1);
    let publisher = here.publisher("/numbers", QoS::keep_last(100));
    let before = here.subscribe("/numbers", QoS::keep_last(100));
    let after = there.subscribe("/numbers", QoS::keep_last(100));
    assert!(publisher.wait_for_subscriptions(2, LONG));
    send(&publisher, 0..100);
    before.wait(100);
    after.wait(100);
    let metadata = |received: &Received| -> Vec<_> {
        let messages = received.messages.lock().unwrap();
        messages
            .iter()
            .map(|(number, info)| (*number, info.publisher, info.sequence, info.source_time))
            .collect()
    };
    assert_eq!(metadata(&before), metadata(&after));
    let graph = there.context.graph();
    let node = graph.nodes.iter().find(|node| node.name == "talker").unwrap();
    assert_eq!((node.origin.name(), node.gid), ("domain 0", here.node.gid()));
    let shown = graph.endpoints.iter().find(|end| end.gid == publisher.info().gid).unwrap();
    assert_eq!((shown.origin.name(), shown.node, shown.qos), ("domain 0", node.gid, publisher.info().qos));
    bridge.end();
    there.wait_until_alone();
}

#[test]
fn a_slow_keep_all_subscription_misses_no_message() {
    let shm = ShmFolder::new();
    let (here, there) = (Participant::new(&shm, 0, "talker"), Participant::new(&shm, 1, "listener"));
    let bridge = bridge(&shm, 0, 1);
    let publisher = here.publisher("/all", QoS::keep_all());
    let quick = there.subscribe("/all", QoS::keep_last(10));
    assert!(publisher.wait_for_subscriptions(1, LONG));
    send(&publisher, 0..10);
    quick.wait(10);
    // This subscription is opened later. It needs longer queues than the bridge has had so far.
    let slow = there.node.subscription::<UInt64>("/all").qos(QoS::keep_all()).create().unwrap();
    assert!(slow.wait_for_publishers(1, LONG));
    let mut messages = Vec::new();
    let mut random = Random::new(7);
    let until = Instant::now() + 6 * LONG;
    let sending = thread::spawn(move || {
        for data in 10..20_000 {
            while publisher.publish(&UInt64 { data }).is_err() {}
        }
        publisher
    });
    while messages.last() != Some(&19_999) && Instant::now() < until {
        messages.extend(slow.take().map(|taken| taken.unwrap().0.data));
        if random.below(5000) == 0 {
            // Simulates that the subscriber is busy.
            thread::sleep(Duration::from_millis(20));
        }
    }
    drop(sending.join().unwrap());
    let first = messages[0];
    let unexpected = (first..20_000).zip(&messages).find(|(number, message)| number != *message);
    assert_eq!(unexpected, None, "expected and received");
    assert_eq!(messages.len() as u64, 20_000 - first);
    bridge.end();
}

#[test]
fn a_killed_bridge_leaves_nothing_and_loses_at_most_the_messages_that_it_held() {
    const ROUNDS: u64 = 50;
    let shm = ShmFolder::new();
    let (here, there) = (Participant::new(&shm, 0, "talker"), Participant::new(&shm, 1, "listener"));
    let publisher = here.publisher("/numbers", QoS::keep_last(1000));
    let received = there.subscribe("/numbers", QoS::keep_last(1000));
    let served = Arc::<AtomicU64>::default();
    let server = serve(&there, &served);
    let client = here.node.client::<AddTwoInts>("/add").create().unwrap();
    let (mut random, mut next, mut matched, mut answered) = (Random::new(50), 0, 0, 0);
    for round in 0..ROUNDS {
        let mut bridge = bridge(&shm, 0, 1);
        assert!(publisher.wait_for_subscriptions(1, LONG), "round {round}");
        assert!(client.wait_for_service(LONG), "round {round}");
        // Otherwise the bridge may forward messages before anybody receives them.
        assert!(received.subscription.wait_for_publishers(1, LONG), "round {round}");
        let mut call = client.call_async(&AddTwoInts_Request { a: round as i64, b: 1 }).unwrap();
        let (pid, delay) = (bridge.id(), random.below(20_000));
        let killing = thread::spawn(move || {
            // The bridge is killed at a random time while it works.
            thread::sleep(Duration::from_micros(delay));
            let _ = rustix::process::kill_process(
                rustix::process::Pid::from_raw(pid as i32).unwrap(),
                rustix::process::Signal::KILL,
            );
        });
        while publisher.subscription_count() > 0 {
            send(&publisher, next..next + 1);
            (next, matched) = (next + 1, matched + 1);
        }
        killing.join().unwrap();
        bridge.kill();
        match call.wait(LONG) {
            Ok(response) => {
                assert_eq!(response.sum, round as i64 + 1);
                answered += 1;
            }
            Err(error) => assert!(!error.to_string().contains("time"), "round {round}: {error}"),
        }
        here.wait_until_alone();
        there.wait_until_alone();
    }
    let numbers = received.numbers();
    assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]), "each once, in order");
    // The queue from the publisher to the bridge may overflow, and the one from the bridge to the subscription.
    let ends = [publisher.status().losses, received.subscription.status().losses];
    let lost: u64 = ends.iter().map(Losses::total).sum();
    println!(
        "{ROUNDS} kills: {matched} sent, {} received, {lost} counted as lost, {answered} calls answered",
        numbers.len()
    );
    let missing = matched - numbers.len() as u64;
    println!("{missing} missing, served {}", served.load(Ordering::Relaxed));
    // In each round, two messages may be missing without being counted: one that the bridge held when it was killed,
    // and one that was sent just before the publisher learned that the bridge was gone.
    assert!(missing <= lost + 2 * ROUNDS);
    assert!(answered > 0 && served.load(Ordering::Relaxed) <= ROUNDS);
    drop((here, there, publisher, received, client, server));
    assert_eq!(shm.files(), [""; 0]);
}

/// The process of the bridge continues to run, so anything that the bridge does not free stays in the graph.
#[test]
fn a_bridge_that_ends_frees_its_contexts() {
    let shm = ShmFolder::new();
    let (here, there) = (Participant::new(&shm, 0, "server"), Participant::new(&shm, 1, "client"));
    let _server = serve(&here, &Arc::default());
    let client = there.node.client::<AddTwoInts>("/add").create().unwrap();
    let mut config = Config::default();
    let rule = Rule::new(Kind::Service, Pattern::any());
    config.add(&"0".parse().unwrap(), &"1".parse().unwrap(), true, &rule);
    let folder = Some(shm.path().to_owned());
    let options = BridgeOptions { folder, handle_signals: false, ..BridgeOptions::default() };
    let bridge = DomainBridge::join(&config, &options).unwrap();
    let stopper = bridge.stopper();
    let running = thread::spawn(move || bridge.run().unwrap());
    assert!(client.wait_for_service(LONG));
    assert_eq!(client.call(&AddTwoInts_Request { a: 1, b: 2 }, LONG).unwrap().sum, 3);
    stopper.stop();
    running.join().unwrap();
    drop(stopper);
    for participant in [&here, &there] {
        participant.wait_until_alone();
        let is_gone = || participant.context.graph().nodes.len() == 1;
        assert!(participant.context.wait_until(LONG, is_gone), "{:?}", participant.context.graph().nodes);
    }
}

#[test]
fn each_of_many_late_subscriptions_receives_what_is_kept_once() {
    let shm = ShmFolder::new();
    let (here, there) = (Participant::new(&shm, 0, "talker"), Participant::new(&shm, 1, "listener"));
    let bridge = bridge(&shm, 0, 1);
    let kept = QoS::keep_last(2).transient_local();
    let publisher = here.publisher("/map", kept);
    send(&publisher, 0..4);
    // Each subscription comes at the moment at which the bridge closes its publisher for the one before.
    for _ in 0..100 {
        let received = there.subscribe("/map", kept);
        received.wait(2);
        assert_eq!(received.numbers(), [2, 3]);
    }
    bridge.end();
}

#[test]
fn in_a_ring_of_three_domains_each_message_arrives_once() {
    let seconds: u64 = std::env::var("SALTUS_RING_SECONDS").map_or(2, |text| text.parse().unwrap());
    let shm = ShmFolder::new();
    let participants: Vec<Participant> =
        (0..3).map(|domain| Participant::new(&shm, domain, &format!("node_{domain}"))).collect();
    let bridges = [(0, 1), (1, 2), (2, 0)].map(|(from, to)| bridge(&shm, from, to));
    let publishers: Vec<_> =
        participants.iter().map(|participant| participant.publisher("/ring", QoS::keep_last(1000))).collect();
    let all_received: Vec<_> =
        participants.iter().map(|participant| participant.subscribe("/ring", QoS::keep_last(1000))).collect();
    for publisher in &publishers {
        assert!(publisher.wait_for_subscriptions(3, LONG));
    }
    let served: Vec<Arc<AtomicU64>> = (0..3).map(|_| Arc::default()).collect();
    let _servers: Vec<_> =
        participants.iter().zip(&served).map(|(participant, count)| serve(participant, count)).collect();
    let client = participants[0].node.client::<AddTwoInts>("/add").create().unwrap();
    assert!(participants[0].context.wait_until(LONG, || client.status().servers == 3));
    let (begin, mut sent, mut calls) = (Instant::now(), 0, 0);
    while begin.elapsed() < Duration::from_secs(seconds) {
        publishers.iter().for_each(|publisher| send(publisher, sent..sent + 1));
        sent += 1;
        if sent % 100 == 0 {
            assert_eq!(client.call(&AddTwoInts_Request { a: 1, b: 2 }, LONG).unwrap().sum, 3);
            calls += 1;
            // No queue overflows, however late a process is.
            all_received.iter().for_each(|received| received.wait(3 * sent));
        }
        // This sets the rate of the traffic.
        thread::sleep(Duration::from_millis(1));
    }
    for received in &all_received {
        received.wait(3 * sent);
    }
    // Each of these calls reaches all domains. A message that was passed around the ring would arrive before the last
    // call.
    for _ in 0..100 {
        assert_eq!(client.call(&AddTwoInts_Request { a: 1, b: 2 }, LONG).unwrap().sum, 3);
        calls += 1;
    }
    let deadline = Instant::now() + LONG;
    while served.iter().any(|count| count.load(Ordering::Relaxed) < calls) && Instant::now() < deadline {
        thread::yield_now();
    }
    println!("{seconds} s: {} messages to each of 3 domains, {calls} calls to each of 3 servers", 3 * sent);
    for received in &all_received {
        let messages = received.messages.lock().unwrap();
        for publisher in &publishers {
            let of_one = messages.iter().filter(|(_, info)| info.publisher == publisher.info().gid);
            let numbers: Vec<u64> = of_one.map(|(number, _)| *number).collect();
            assert_eq!(numbers, (0..sent).collect::<Vec<u64>>());
        }
    }
    assert_eq!(served.iter().map(|count| count.load(Ordering::Relaxed)).collect::<Vec<_>>(), [calls; 3]);
    bridges.into_iter().for_each(|bridge| drop(bridge.end()));
    participants.iter().for_each(Participant::wait_until_alone);
}
