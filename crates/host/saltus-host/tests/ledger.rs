//! Counts of losses. Each test causes losses of one kind. The subscription, the publisher, and a tool that reads the
//! domain from outside must count them exactly.
//!
//! The causes that need a process to die, or memory to be full, are tested in `tests/e2e`.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::time::Duration;

use common::{TestContext, TestGraph};
use saltus_host::{DomainId, EndpointEvent, Publisher, Report, Subscription, system_now};
use saltus_types::{LossCause, Losses, NetworkLoss, QoS};

struct Pair {
    graph: TestGraph,
    a: TestContext,
    b: TestContext,
}

impl Pair {
    fn new() -> Self {
        let graph = TestGraph::new();
        Self { a: graph.context("a"), b: graph.context("b"), graph }
    }

    fn matched(&self, offered: QoS, requested: QoS) -> (Publisher, Subscription) {
        let (publisher, subscription) = (self.a.publisher("t", offered), self.b.subscription("t", requested));
        self.graph.match_up(&self.a, &publisher, &subscription);
        (publisher, subscription)
    }

    fn send(&self, publisher: &Publisher, count: u64) {
        (0..count).for_each(|_| publisher.publish_bytes(&[1]).unwrap());
    }

    /// Returns the report of a tool that reads the domain from outside.
    fn report(&self) -> Report {
        Report::observe(DomainId::in_folder(self.graph.folder(), 0)).unwrap()
    }

    /// Checks that both ends, and a tool, have counted these losses and no others. `writer` is `None` if the publisher
    /// can't know of them.
    fn expect(&self, ends: (&Publisher, &Subscription), cause: LossCause, writer: Option<u64>, reader: u64) {
        let only = |count| {
            let mut losses = Losses::default();
            losses.add(cause, count);
            losses
        };
        let (publisher, subscription) = ends;
        let report = self.report();
        let seen = |gid| report.endpoints[&gid].losses;
        assert_eq!(subscription.status().losses, only(reader), "the reader, {cause}");
        assert_eq!(seen(subscription.info().gid), only(reader), "the reader from outside, {cause}");
        assert_eq!(publisher.status().losses, only(writer.unwrap_or(0)), "the writer, {cause}");
        assert_eq!(seen(publisher.info().gid), only(writer.unwrap_or(0)), "the writer from outside, {cause}");
    }
}

/// Takes all messages, and returns how many there were.
fn take_all(subscription: &Subscription) -> u64 {
    std::iter::from_fn(|| subscription.take()).count() as u64
}

#[test]
fn queue_overflow() {
    let pair = Pair::new();
    let (publisher, subscription) = pair.matched(QoS::keep_last(1), QoS::keep_last(5));
    pair.send(&publisher, 12);
    assert_eq!(take_all(&subscription), 5);
    pair.expect((&publisher, &subscription), LossCause::QueueOverflow, Some(7), 7);
    let lost = EndpointEvent::MessageLost { total: 7, change: 7 };
    assert!(std::iter::from_fn(|| subscription.take_event()).any(|event| event == lost));
}

#[test]
fn the_depth_over_several_publishers() {
    let pair = Pair::new();
    let (first, subscription) = pair.matched(QoS::default(), QoS::keep_last(3));
    let second = pair.a.publisher("t", QoS::default());
    pair.graph.wait(&pair.b, || subscription.status().matched == 2);
    pair.send(&first, 3);
    pair.send(&second, 3);
    assert_eq!(take_all(&subscription), 3);
    // Only the subscription knows which publisher's messages were dropped.
    pair.expect((&first, &subscription), LossCause::QueueOverflow, None, 3);
}

/// A request is sent to every server with room in its queue. A server without room does not change what is lost to
/// servers of another type.
#[test]
fn requests_to_servers_without_room_and_of_another_type() {
    let pair = Pair::new();
    let (requests, _responses) = pair.a.client("s");
    let (free, _) = pair.b.server("s", "test/srv/Type");
    let _full = pair.b.server("s", "test/srv/Type");
    let _other = pair.b.server("s", "test/srv/Other");
    let matched = || (requests.status().matched, requests.status().incompatible) == (2, 1);
    pair.graph.wait(&pair.a, matched);
    let depth = u64::from(requests.info().qos.history.depth());
    for number in 1..=depth + 3 {
        assert_eq!(requests.loan(1).unwrap().request(1).unwrap(), number);
        assert!(free.take().is_some());
    }
    let losses = requests.status().losses;
    assert_eq!((losses[LossCause::Refused], losses[LossCause::TypeMismatch]), (3, depth + 3));
}

#[test]
fn lifespan_expired() {
    let pair = Pair::new();
    let age = Duration::from_millis(20);
    let (publisher, subscription) = pair.matched(QoS::default().lifespan(age), QoS::default());
    pair.send(&publisher, 4);
    let sent = system_now().as_nanos();
    while system_now().as_nanos() <= sent + age.as_nanos() as i64 {
        std::hint::spin_loop();
    }
    assert_eq!(take_all(&subscription), 0);
    pair.expect((&publisher, &subscription), LossCause::LifespanExpired, None, 4);
}

#[test]
fn deserialization_error() {
    let pair = Pair::new();
    let (publisher, subscription) = pair.matched(QoS::default(), QoS::default());
    pair.send(&publisher, 2);
    // `saltus-node` does this with each message that it can't decode.
    while let Some(sample) = subscription.take() {
        assert_eq!(*sample, [1]);
        subscription.count_unreadable();
    }
    pair.expect((&publisher, &subscription), LossCause::Deserialization, None, 2);
}

#[test]
fn out_of_memory() {
    let pair = Pair::new();
    let (publisher, subscription) = pair.matched(QoS::default(), QoS::default());
    for _ in 0..3 {
        assert!(publisher.loan(1 << 40).is_err(), "a segment can't be that long");
    }
    pair.send(&publisher, 1);
    assert_eq!(take_all(&subscription), 1);
    pair.expect((&publisher, &subscription), LossCause::OutOfMemory, Some(3), 3);
}

/// A bridge tells what never came to this host, and what it has taken and not passed on.
#[test]
fn lost_by_the_network() {
    for (loss, cause) in [
        (NetworkLoss::Congestion, LossCause::Congestion),
        (NetworkLoss::RateLimit, LossCause::RateLimit),
        (NetworkLoss::LinkLost, LossCause::LinkLost),
    ] {
        let pair = Pair::new();
        let (publisher, subscription) = pair.matched(QoS::default(), QoS::default());
        publisher.count_missing(loss, 3);
        pair.expect((&publisher, &subscription), cause, Some(3), 3);
        let pair = Pair::new();
        let (publisher, subscription) = pair.matched(QoS::default(), QoS::default());
        subscription.count_not_passed(loss, 2);
        pair.expect((&publisher, &subscription), cause, None, 2);
    }
}

#[test]
fn type_mismatch() {
    let pair = Pair::new();
    let publisher = pair.a.publisher("t", QoS::default());
    pair.send(&publisher, 2);
    let subscription = pair.b.subscription_of("t", "other/msg/Type", QoS::default());
    mismatched(&pair, publisher, subscription, LossCause::TypeMismatch);
}

#[test]
fn qos_mismatch() {
    let pair = Pair::new();
    let publisher = pair.a.publisher("t", QoS::default().best_effort());
    pair.send(&publisher, 2);
    let subscription = pair.b.subscription("t", QoS::default());
    mismatched(&pair, publisher, subscription, LossCause::QosMismatch);
}

/// A message that is sent after both endpoints have found each other counts as lost. One that was sent before does not.
fn mismatched(pair: &Pair, publisher: Publisher, subscription: Subscription, cause: LossCause) {
    pair.graph.wait(&pair.a, || publisher.status().incompatible == 1);
    pair.graph.wait(&pair.b, || subscription.status().incompatible == 1);
    pair.send(&publisher, 5);
    pair.expect((&publisher, &subscription), cause, Some(5), 5);
    let report = pair.report();
    assert_eq!(report.mismatches.len(), 1);
    assert_eq!(report.mismatches[0].cause, cause);
    drop(publisher);
    // This publisher is opened at once, so that it may reuse the memory of the dropped publisher.
    let again = pair.a.publisher("t", QoS::default());
    pair.graph
        .wait(&pair.b, || subscription.status().matched + subscription.status().incompatible as usize >= 2);
    assert_eq!(subscription.status().losses[cause], 5, "lost messages are still counted");
    drop(again);
}

#[test]
fn refused() {
    let pair = Pair::new();
    let (publisher, subscription) = pair.matched(QoS::keep_all(), QoS::keep_all());
    pair.send(&publisher, saltus_types::History::KEEP_ALL_LIMIT.into());
    for _ in 0..2 {
        assert!(publisher.publish_bytes(&[1]).is_err());
    }
    take_all(&subscription);
    pair.expect((&publisher, &subscription), LossCause::Refused, Some(2), 2);
}

#[test]
fn closed() {
    let pair = Pair::new();
    let (publisher, subscription) = pair.matched(QoS::default(), QoS::default());
    pair.send(&publisher, 6);
    drop((subscription.take(), subscription));
    pair.graph.wait(&pair.a, || publisher.status().losses[LossCause::Closed] == 5);
    assert_eq!(publisher.status().losses.total(), 5);
}

#[test]
fn no_losses_are_counted_when_all_messages_arrive() {
    let pair = Pair::new();
    let (publisher, subscription) = pair.matched(QoS::default(), QoS::keep_last(100));
    pair.send(&publisher, 100);
    assert_eq!(take_all(&subscription), 100);
    pair.expect((&publisher, &subscription), LossCause::QueueOverflow, Some(0), 0);
    let report = pair.report();
    let counts = |gid| report.endpoints[&gid].messages;
    assert_eq!((counts(publisher.info().gid), counts(subscription.info().gid)), (100, 100));
    let connection = &report.connections[0];
    assert_eq!((connection.transport.count(), connection.waiting, connection.depth), (100, 0, 100));
    assert!(connection.transport.quantile(0.5).unwrap() <= connection.transport.max().unwrap());
    assert_eq!((report.processes.len(), report.orphans.len(), report.unreachable.len()), (2, 0, 0));
    assert!(report.processes.iter().all(|p| p.pid == std::process::id() && p.memory > 0));
}
