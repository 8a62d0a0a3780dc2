//! Topics: the subject as a publisher and as a subscription.

use std::{
    sync::mpsc::{Receiver, channel},
    time::Duration,
};

use saltus::{
    Publisher, QoS, Subscription,
    cdr::Message,
    executor::WaitStrategy,
    generic::TypeId,
    graph::EndpointKind,
    msgs::{
        sensor_msgs::msg::PointCloud2,
        std_msgs::msg::{String as Text, UInt64},
    },
    qos::{Durability, Reliability},
    time::monotonic_now,
};
use saltus_catalog::{Catalog, Typed};
use saltus_dynamic::{Schema, YamlStyle, arbitrary::Random, decode, encode, to_yaml};

use crate::case::{Case, Failure, LONG, Suite, expect};

pub(crate) const CASES: &[Case] = &[
    Case { rule: "a subscription receives all published messages, in order", run: receives },
    Case { rule: "the messages of a publisher are received in order", run: is_received },
    Case { rule: "a node receives its own messages", run: receives_own_messages },
    Case { rule: "messages with fields of every kind are relayed unchanged", run: relays },
    Case { rule: "a message of 8 MB is relayed unchanged", run: relays_large },
    Case {
        rule: "a late subscription receives the messages that a transient-local publisher has kept, and no older ones",
        run: is_received_later,
    },
    Case { rule: "a transient-local subscription receives kept messages", run: receives_later },
    Case { rule: "a volatile subscription does not receive kept messages", run: receives_nothing_old },
    Case { rule: "a message older than its lifespan is not received", run: lifespan_ends },
    Case {
        rule: "endpoints with incompatible profiles exchange no messages, and both learn why",
        run: profiles_differ,
    },
    Case {
        rule: "endpoints with different types exchange no messages, and both learn of it",
        run: types_differ,
    },
    Case {
        rule: "an unreadable message is not received, but the next message is received",
        run: survives_unreadable_messages,
    },
    Case { rule: "both endpoints learn of a missed deadline", run: deadline_is_missed },
    Case { rule: "both endpoints learn of a match", run: matches_are_reported },
    Case {
        rule: "endpoints are in the graph with their type, hash and profile until they are closed",
        run: is_in_the_graph,
    },
];

const RELIABLE: &str = "reliable/volatile/2000/0/0";

/// A subscription of the suite, and the numbers that it receives.
struct NumberSubscription {
    subscription: Subscription<UInt64>,
    received: Receiver<u64>,
}

impl NumberSubscription {
    fn open(suite: &Suite, topic: &str, qos: QoS) -> Result<Self, Failure> {
        let (sender, received) = channel();
        let subscription = suite.node.subscription::<UInt64>(topic).qos(qos);
        let subscription = subscription.callback(move |message: UInt64| {
            // This fails if the case has failed already and has dropped the receiver.
            let _ = sender.send(message.data);
        })?;
        Ok(Self { subscription, received })
    }

    fn expect(&self, expected: impl IntoIterator<Item = u64>) -> Result<(), Failure> {
        for number in expected {
            expect("what is received", self.received.recv_timeout(LONG)?, number)?;
        }
        Ok(())
    }
}

impl Suite {
    /// Makes the subject execute a command that must succeed. Returns the text of the response.
    pub(crate) fn must(&self, words: &[&str]) -> Result<String, Failure> {
        let (ok, text) = self.run_command(words)?;
        if ok { Ok(text) } else { Err(format!("{words:?}: {text}").into()) }
    }

    fn publisher(&self, topic: &str, qos: QoS) -> Result<Publisher<UInt64>, Failure> {
        Ok(self.node.publisher(topic).qos(qos).create()?)
    }

    /// Waits until an endpoint of the subject has received `count` numbers. Returns all numbers that it has received.
    fn received(&self, endpoint: &str, count: u64) -> Result<String, Failure> {
        self.must(&["received", endpoint, &count.to_string(), "10"])
    }
}

pub(crate) fn numbers(range: impl Iterator<Item = u64>) -> String {
    range.map(|number| number.to_string()).collect::<Vec<_>>().join(" ")
}

fn send(publisher: &Publisher<UInt64>, range: impl Iterator<Item = u64>) -> Result<(), Failure> {
    for data in range {
        publisher.publish(&UInt64 { data })?;
    }
    Ok(())
}

fn matched(is_matched: bool) -> Result<(), Failure> {
    if is_matched { Ok(()) } else { Err(format!("the endpoints did not match within {LONG:?}").into()) }
}

fn receives(suite: &Suite) -> Result<(), Failure> {
    let topic = suite.unique("numbers");
    suite.must(&["subscription", "s", &topic, RELIABLE])?;
    let publisher = suite.publisher(&topic, QoS::keep_last(10))?;
    matched(publisher.wait_for_subscriptions(1, LONG))?;
    send(&publisher, 0..1000)?;
    expect("what it received", suite.received("s", 1000)?, numbers(0..1000))
}

fn is_received(suite: &Suite) -> Result<(), Failure> {
    let topic = suite.unique("numbers");
    suite.must(&["publisher", "p", &topic, RELIABLE])?;
    let numbers = NumberSubscription::open(suite, &topic, QoS::keep_last(2000))?;
    matched(numbers.subscription.wait_for_publishers(1, LONG))?;
    suite.must(&["event", "p", "matched", "10"])?;
    suite.must(&["send", "p", "5", "1000"])?;
    numbers.expect(5..1005)
}

fn receives_own_messages(suite: &Suite) -> Result<(), Failure> {
    let topic = suite.unique("own");
    suite.must(&["publisher", "p", &topic, RELIABLE])?;
    suite.must(&["subscription", "s", &topic, RELIABLE])?;
    // Endpoints of one process match at once, so the test does not wait for a match.
    suite.must(&["send", "p", "0", "10"])?;
    expect("what it received", suite.received("s", 10)?, numbers(0..10))
}

/// How long a message may be on its way. Two ways of 8 MB over a link that loses every tenth packet take 2 to 10 s.
const FOR_A_MESSAGE: Duration = Duration::from_secs(60);

/// After which time a message is sent again that may have been lost.
const FOR_A_RELAY: Duration = Duration::from_millis(100);

/// Sends messages to relays of subjects, from one to the next. Each message must come back unchanged.
fn relay(
    subjects: &[&Suite],
    ty: &str,
    messages: impl Fn(&Schema) -> Result<Vec<Vec<u8>>, Failure>,
) -> Result<(), Failure> {
    let suite = subjects[0];
    let topics: Vec<String> = (0..=subjects.len()).map(|_| suite.unique("relay")).collect();
    let (there, back) = (&topics[0], &topics[subjects.len()]);
    let Typed { schema, hash, description } = Catalog::new(Vec::new()).typed(ty)?;
    let id = TypeId { name: ty.into(), hash, description: Some(description) };
    let publisher = suite.node.generic_publisher(there, &id, QoS::keep_last(10))?;
    let subscription = suite.node.generic_subscription(back, &id, QoS::keep_last(10))?;
    for (subject, ends) in subjects.iter().zip(topics.windows(2)) {
        subject.must(&["relay", ty, &ends[0], &ends[1]])?;
    }
    matched(publisher.wait_for_subscriptions(1, LONG))?;
    matched(suite.node.context().wait_until(LONG, || subscription.publisher_count() == 1))?;
    let mut waiter = suite.node.context().waiter()?;
    subscription.set_waker(Some(&waiter.waker(0)));
    // Relays that are not yet connected with each other lose messages. Such a message is sent again until it comes back.
    let first = encode(&schema, &Random::new(0).message(&schema))?;
    let until = monotonic_now() + LONG.as_nanos() as u64;
    loop {
        match subscription.take() {
            Some(sample) if is_same(&schema, &sample, &first)? => break,
            Some(_) => return Err(format!("{ty}, first message: was changed by the relay").into()),
            None if monotonic_now() > until => {
                return Err(format!("{ty}: the relays did not connect within {LONG:?}").into());
            }
            None => publisher.publish(&first)?,
        }
        waiter.wait(WaitStrategy::Block, Some(monotonic_now() + FOR_A_RELAY.as_nanos() as u64));
    }
    for (i, bytes) in messages(&schema)?.into_iter().enumerate() {
        publisher.publish(&bytes)?;
        let until = monotonic_now() + FOR_A_MESSAGE.as_nanos() as u64;
        loop {
            match subscription.take() {
                Some(sample) if is_same(&schema, &sample, &bytes)? => break,
                Some(sample) if is_same(&schema, &sample, &first)? => {}
                Some(_) => return Err(format!("{ty}, message {i}: was changed by the relay").into()),
                None if monotonic_now() > until => return Err(format!("{ty}, message {i}: lost").into()),
                None => drop(waiter.wait(WaitStrategy::Block, Some(until))),
            }
        }
    }
    Ok(())
}

/// Returns whether two messages have the same values. All NaNs count as the same value, because a language may not
/// preserve their bits.
fn is_same(schema: &Schema, a: &[u8], b: &[u8]) -> Result<bool, Failure> {
    let text = |bytes| decode(schema, bytes).map(|value| to_yaml(schema, &value, &YamlStyle::default()));
    Ok(a == b || a.len() == b.len() && text(a)? == text(b)?)
}

fn relays(suite: &Suite) -> Result<(), Failure> {
    relays_through(&[suite])
}

/// Sends messages with fields of every kind through relays of subjects.
pub(crate) fn relays_through(subjects: &[&Suite]) -> Result<(), Failure> {
    for ty in [
        "std_msgs/msg/String",
        "sensor_msgs/msg/JointState",
        "sensor_msgs/msg/PointCloud2",
        "nav_msgs/msg/Odometry",
        "visualization_msgs/msg/Marker",
        "diagnostic_msgs/msg/DiagnosticArray",
        "trajectory_msgs/msg/JointTrajectory",
    ] {
        relay(subjects, ty, |schema| {
            let message = |seed| Ok(encode(schema, &Random::new(seed).message(schema))?);
            (1..30).map(message).collect()
        })?;
    }
    Ok(())
}

fn relays_large(suite: &Suite) -> Result<(), Failure> {
    let data = (0..8u32 << 20).map(|i| (i % 251) as u8).collect();
    let cloud = PointCloud2 { width: 1 << 19, height: 1, point_step: 16, data, ..PointCloud2::default() };
    relay(&[suite], PointCloud2::TYPE_NAME, |_| Ok(vec![saltus::cdr::encode(&cloud)?; 3]))
}

const KEPT: &str = "reliable/transient_local/3/0/0";

fn is_received_later(suite: &Suite) -> Result<(), Failure> {
    let topic = suite.unique("kept");
    suite.must(&["publisher", "p", &topic, KEPT])?;
    suite.must(&["send", "p", "0", "10"])?;
    let late = NumberSubscription::open(suite, &topic, QoS::keep_last(10).transient_local())?;
    late.expect(7..10)?;
    suite.must(&["send", "p", "10", "1"])?;
    late.expect(10..11)
}

fn receives_later(suite: &Suite) -> Result<(), Failure> {
    let topic = suite.unique("kept");
    let publisher = suite.publisher(&topic, QoS::keep_last(3).transient_local())?;
    send(&publisher, 0..10)?;
    suite.must(&["subscription", "s", &topic, "reliable/transient_local/10/0/0"])?;
    expect("what it received", suite.received("s", 3)?, numbers(7..10))?;
    send(&publisher, 10..11)?;
    expect("what it received", suite.received("s", 4)?, numbers(7..11))
}

fn receives_nothing_old(suite: &Suite) -> Result<(), Failure> {
    let topic = suite.unique("kept");
    let publisher = suite.publisher(&topic, QoS::keep_last(3).transient_local())?;
    send(&publisher, 0..10)?;
    suite.must(&["subscription", "s", &topic, RELIABLE])?;
    matched(publisher.wait_for_subscriptions(1, LONG))?;
    send(&publisher, 10..11)?;
    expect("what it received", suite.received("s", 1)?, "10".into())
}

fn lifespan_ends(suite: &Suite) -> Result<(), Failure> {
    const LIFESPAN: Duration = Duration::from_millis(20);
    let topic = suite.unique("short");
    let publisher = suite.publisher(&topic, QoS::keep_last(3).transient_local().lifespan(LIFESPAN))?;
    send(&publisher, 0..3)?;
    // This wait is necessary: the test needs messages whose lifespan has expired.
    suite.node.context().wait_until(2 * LIFESPAN, || false);
    suite.must(&["subscription", "s", &topic, KEPT])?;
    matched(publisher.wait_for_subscriptions(1, LONG))?;
    send(&publisher, 3..4)?;
    // On a busy machine, the lifespan of the last message may also expire before the message is received.
    let (_, received) = suite.run_command(&["received", "s", "1", "1"])?;
    let is_old = received.split_whitespace().any(|number| number != "3");
    if is_old { Err(format!("received {received}").into()) } else { Ok(()) }
}

/// Checks that the subject's subscription `s` has received nothing on a topic, but does receive the message of a
/// compatible publisher.
fn receives_only_from_compatible(suite: &Suite, topic: &str) -> Result<(), Failure> {
    let compatible = suite.publisher(topic, QoS::keep_last(10))?;
    matched(compatible.wait_for_subscriptions(1, LONG))?;
    send(&compatible, [99].into_iter())?;
    expect("what it received", suite.received("s", 1)?, "99".into())
}

fn profiles_differ(suite: &Suite) -> Result<(), Failure> {
    let topic = suite.unique("weak");
    let weak = suite.publisher(&topic, QoS::keep_last(10).best_effort())?;
    suite.must(&["subscription", "s", &topic, RELIABLE])?;
    let policy = suite.must(&["event", "s", "incompatible_qos", "10"])?;
    expect("the policy", &*policy, "RELIABILITY")?;
    send(&weak, 0..3)?;
    receives_only_from_compatible(suite, &topic)?;
    let topic = suite.unique("weak");
    let numbers = NumberSubscription::open(suite, &topic, QoS::keep_last(10).transient_local())?;
    suite.must(&["publisher", "p", &topic, RELIABLE])?;
    let policy = suite.must(&["event", "p", "incompatible_qos", "10"])?;
    expect("the policy", &*policy, "DURABILITY")?;
    suite.must(&["send", "p", "0", "3"])?;
    suite.must(&["publisher", "q", &topic, KEPT])?;
    suite.must(&["send", "q", "99", "1"])?;
    numbers.expect([99])
}

fn types_differ(suite: &Suite) -> Result<(), Failure> {
    let topic = suite.unique("other");
    let publisher = suite.node.publisher::<Text>(&topic).create()?;
    suite.must(&["subscription", "s", &topic, RELIABLE])?;
    suite.must(&["event", "s", "incompatible_type", "10"])?;
    publisher.publish(&Text { data: "8 bytes!".into() })?;
    receives_only_from_compatible(suite, &topic)?;
    let topic = suite.unique("other");
    let (sender, received) = channel();
    let _subscription = suite.node.subscription::<Text>(&topic).callback(move |message: Text| {
        // This fails if the case has failed already and has dropped the receiver.
        let _ = sender.send(message.data);
    })?;
    suite.must(&["publisher", "p", &topic, RELIABLE])?;
    suite.must(&["event", "p", "incompatible_type", "10"])?;
    suite.must(&["send", "p", "0", "3"])?;
    let compatible = suite.node.publisher::<Text>(&topic).create()?;
    compatible.publish(&Text { data: "of its type".into() })?;
    expect("what is received", &*received.recv_timeout(LONG)?, "of its type")
}

fn survives_unreadable_messages(suite: &Suite) -> Result<(), Failure> {
    let topic = suite.unique("nonsense");
    suite.must(&["subscription", "s", &topic, RELIABLE])?;
    let publisher = suite.publisher(&topic, QoS::keep_last(10))?;
    matched(publisher.wait_for_subscriptions(1, LONG))?;
    for bytes in [&[0, 1, 0, 0, 9][..], &[0, 1, 0, 0], &[0xff; 12]] {
        publisher.publish_bytes(bytes)?;
    }
    send(&publisher, 1..3)?;
    expect("what it received", suite.received("s", 2)?, "1 2".into())
}

fn deadline_is_missed(suite: &Suite) -> Result<(), Failure> {
    let topic = suite.unique("late");
    let often = QoS::keep_last(10).deadline(Duration::from_millis(10));
    let publisher = suite.publisher(&topic, often)?;
    suite.must(&["subscription", "s", &topic, "reliable/volatile/10/10/0"])?;
    matched(publisher.wait_for_subscriptions(1, LONG))?;
    send(&publisher, 0..1)?;
    suite.must(&["event", "s", "deadline", "10"])?;
    let topic = suite.unique("late");
    let _numbers = NumberSubscription::open(suite, &topic, often)?;
    suite.must(&["publisher", "p", &topic, "reliable/volatile/10/10/0"])?;
    suite.must(&["event", "p", "deadline", "10"]).map(drop)
}

fn matches_are_reported(suite: &Suite) -> Result<(), Failure> {
    let topic = suite.unique("matched");
    suite.must(&["publisher", "p", &topic, RELIABLE])?;
    let _numbers = NumberSubscription::open(suite, &topic, QoS::keep_last(10))?;
    expect("matches", suite.must(&["event", "p", "matched", "10"])?, "1".into())?;
    let topic = suite.unique("matched");
    suite.must(&["subscription", "s", &topic, RELIABLE])?;
    let _publisher = suite.publisher(&topic, QoS::keep_last(10))?;
    expect("matches", suite.must(&["event", "s", "matched", "10"])?, "1".into())
}

fn is_in_the_graph(suite: &Suite) -> Result<(), Failure> {
    let topic = suite.unique("seen");
    suite.must(&["publisher", "p", &topic, "best_effort/transient_local/7/30/40"])?;
    suite.must(&["subscription", "s", &topic, "best_effort/volatile/9/50/0"])?;
    let context = suite.node.context();
    let endpoints =
        || -> Vec<_> { context.graph().endpoints.into_iter().filter(|end| end.topic == topic).collect() };
    matched(context.wait_until(LONG, || endpoints().len() == 2))?;
    let millis = Duration::from_millis;
    for end in endpoints() {
        expect("the type", &*end.type_name, UInt64::TYPE_NAME)?;
        expect("the hash", end.type_hash, UInt64::TYPE_HASH)?;
        expect("the reliability", end.qos.reliability, Reliability::BestEffort)?;
        let (depth, durability, deadline, lifespan) = match end.kind {
            EndpointKind::Publisher => (7, Durability::TransientLocal, Some(millis(30)), Some(millis(40))),
            _ => (9, Durability::Volatile, Some(millis(50)), None),
        };
        let found = (end.qos.history, end.qos.durability, end.qos.deadline, end.qos.lifespan);
        expect("the profile", found, (QoS::keep_last(depth).history, durability, deadline, lifespan))?;
    }
    for name in ["p", "s"] {
        suite.must(&["close", name])?;
    }
    matched(context.wait_until(LONG, || endpoints().is_empty()))
}
