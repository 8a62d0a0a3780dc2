//! Quality of service over shared memory: which profiles match, what is enforced, and the events of both sides.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::time::{Duration, Instant};

use common::{TestContext, TestGraph};
use saltus_host::{EndpointEvent, EndpointSpec, PublishError, Publisher, Subscription};
use saltus_types::{Durability, Liveliness, LossCause, QoS, Reliability};

const MS: Duration = Duration::from_millis(1);
const SHORT: Duration = Duration::from_millis(10);
const LONG: Duration = Duration::from_millis(20);

/// Returns every profile that differs in a policy that compatibility depends on.
fn profiles() -> Vec<QoS> {
    let periods = [None, Some(Duration::from_secs(1000)), Some(Duration::from_secs(2000))];
    let mut all = Vec::new();
    for reliability in [Reliability::Reliable, Reliability::BestEffort] {
        for durability in [Durability::Volatile, Durability::TransientLocal] {
            for liveliness in [Liveliness::Automatic, Liveliness::ManualByTopic] {
                for deadline in periods {
                    for lease in periods {
                        let base = QoS::keep_last(1);
                        all.push(QoS { reliability, durability, liveliness, deadline, lease, ..base });
                    }
                }
            }
        }
    }
    all
}

fn publisher_events(publisher: &Publisher) -> Vec<EndpointEvent> {
    std::iter::from_fn(|| publisher.take_event()).collect()
}

fn subscription_events(subscription: &Subscription) -> Vec<EndpointEvent> {
    std::iter::from_fn(|| subscription.take_event()).collect()
}

/// Waits a few seconds for an event of a kind, and returns it. Other events are dropped.
fn event_of(
    context: &TestContext,
    mut take: impl FnMut() -> Option<EndpointEvent>,
    is: fn(&EndpointEvent) -> bool,
) -> EndpointEvent {
    let mut waiter = context.participant.waiter().unwrap();
    let start = Instant::now();
    loop {
        if let Some(event) = std::iter::from_fn(&mut take).find(is) {
            return event;
        }
        assert!(start.elapsed() < Duration::from_secs(10), "the event did not come");
        let soon = saltus_host::monotonic_now() + 1_000_000;
        waiter.wait(saltus_host::WaitStrategy::Block, Some(soon));
    }
}

/// Every pair of an offered and a requested profile, between two contexts. The endpoints match, or both have the event
/// that names the policy.
#[test]
fn every_pair_matches_or_is_reported_on_both_sides() {
    let (graph, profiles) = (TestGraph::new(), profiles());
    let (a, b) = (graph.context("a"), graph.context("b"));
    let mut matched = 0;
    for (row, offered) in profiles.iter().enumerate() {
        let ends: Vec<_> = profiles
            .iter()
            .enumerate()
            .map(|(column, requested)| {
                let topic = format!("t{row}_{column}");
                (a.publisher(&topic, *offered), b.subscription(&topic, *requested), requested)
            })
            .collect();
        let known = |status: (usize, u64)| status.0 as u64 + status.1 == 1;
        graph.wait(&a, || ends.iter().all(|(p, ..)| known((p.status().matched, p.status().incompatible))));
        graph.wait(&b, || ends.iter().all(|(_, s, _)| known((s.status().matched, s.status().incompatible))));
        for (publisher, subscription, requested) in &ends {
            let of_publisher = publisher_events(publisher);
            let of_subscription = subscription_events(subscription);
            match offered.offers(requested) {
                Ok(()) => {
                    let event = EndpointEvent::Matched { total: 1, change: 1, current: 1, current_change: 1 };
                    assert_eq!(of_publisher, [event], "{offered:?} for {requested:?}");
                    let alive = EndpointEvent::LivelinessChanged {
                        alive: 1,
                        not_alive: 0,
                        alive_change: 1,
                        not_alive_change: 0,
                    };
                    assert_eq!(of_subscription, [event, alive], "{offered:?} for {requested:?}");
                    matched += 1;
                }
                Err(policy) => {
                    let event = EndpointEvent::IncompatibleQos { total: 1, change: 1, policy };
                    assert_eq!(of_publisher, [event], "{offered:?} for {requested:?}");
                    assert_eq!(of_subscription, [event], "{offered:?} for {requested:?}");
                }
            }
        }
    }
    assert_eq!((profiles.len(), matched), (72, 972), "some of the 5184 pairs match, and some do not");
}

#[test]
fn types_that_differ_are_reported_on_both_sides() {
    let graph = TestGraph::new();
    let (a, b) = (graph.context("a"), graph.context("b"));
    let publisher = a.publisher("t", QoS::default());
    let subscription = b.subscription_of("t", "other/msg/Type", QoS::default());
    graph.wait(&a, || publisher.status().incompatible == 1);
    graph.wait(&b, || subscription.status().incompatible == 1);
    let event = EndpointEvent::IncompatibleType { total: 1, change: 1 };
    assert_eq!(
        (publisher_events(&publisher), subscription_events(&subscription)),
        (vec![event], vec![event])
    );
}

#[test]
fn a_missed_deadline_is_reported_on_both_sides_once_a_period() {
    let graph = TestGraph::new();
    let (a, b) = (graph.context("a"), graph.context("b"));
    let qos = QoS::default().deadline(LONG);
    let (publisher, subscription) = (a.publisher("t", qos), b.subscription("t", qos));
    graph.match_up(&a, &publisher, &subscription);
    publisher.publish_bytes(&[1]).unwrap();
    let is = |event: &EndpointEvent| matches!(event, EndpointEvent::DeadlineMissed { .. });
    let offered = event_of(&a, || publisher.take_event(), is);
    let requested = event_of(&b, || subscription.take_event(), is);
    let total = |event| if let EndpointEvent::DeadlineMissed { total, .. } = event { total } else { 0 };
    assert!(total(offered) >= 1 && total(requested) >= 1);
    let again = event_of(&a, || publisher.take_event(), is);
    assert!(total(again) > total(offered), "the next period is reported too");
}

#[test]
fn a_panic_while_a_message_is_written_does_not_end_the_checks_of_its_deadline() {
    let graph = TestGraph::new();
    let context = graph.context("a");
    let qos = QoS::default().deadline(LONG);
    let (publisher, subscription) = (context.publisher("t", qos), context.subscription("t", qos));
    graph.match_up(&context, &publisher, &subscription);
    let write = |_: &mut [u8]| -> Result<(), PublishError> { panic!("expected by the test") };
    let failed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| publisher.publish_with(8, write)));
    assert!(failed.is_err());
    let _ = publisher_events(&publisher);
    let is = |event: &EndpointEvent| matches!(event, EndpointEvent::DeadlineMissed { .. });
    event_of(&context, || publisher.take_event(), is);
    let before = event_of(&context, || publisher.take_event(), is);
    assert_ne!(event_of(&context, || publisher.take_event(), is), before);
}

#[test]
fn manual_liveliness_is_lost_reported_and_regained() {
    let graph = TestGraph::new();
    let (a, b) = (graph.context("a"), graph.context("b"));
    // Long enough that no thread is delayed for so long between two checks.
    let qos = QoS::default().liveliness(Liveliness::ManualByTopic, Duration::from_secs(1));
    let (publisher, subscription) = (a.publisher("t", qos), b.subscription("t", qos));
    graph.match_up(&a, &publisher, &subscription);
    let lost = |event: &EndpointEvent| matches!(event, EndpointEvent::LivelinessLost { .. });
    assert_eq!(
        event_of(&a, || publisher.take_event(), lost),
        EndpointEvent::LivelinessLost { total: 1, change: 1 }
    );
    let silent = |event: &EndpointEvent| {
        matches!(event, EndpointEvent::LivelinessChanged { not_alive: 1, alive: 0, .. })
    };
    event_of(&b, || subscription.take_event(), silent);
    publisher.assert_liveliness();
    let alive = |event: &EndpointEvent| {
        matches!(event, EndpointEvent::LivelinessChanged { not_alive: 0, alive: 1, .. })
    };
    event_of(&b, || subscription.take_event(), alive);
    let again = event_of(&a, || publisher.take_event(), lost);
    assert_eq!(again, EndpointEvent::LivelinessLost { total: 2, change: 1 });
}

#[test]
fn the_process_renews_automatic_liveliness() {
    let graph = TestGraph::new();
    let (a, b) = (graph.context("a"), graph.context("b"));
    let qos = QoS::default().liveliness(Liveliness::Automatic, Duration::from_secs(1));
    let (publisher, subscription) = (a.publisher("t", qos), b.subscription("t", qos));
    graph.match_up(&a, &publisher, &subscription);
    // Waits for several leases, in which no message is published. A missed deadline ends the wait.
    let clock = b.subscription("clock", QoS::default().deadline(Duration::from_secs(3)));
    let _beat = a.publisher("clock", QoS::default().deadline(Duration::from_secs(3)));
    let is = |event: &EndpointEvent| matches!(event, EndpointEvent::DeadlineMissed { .. });
    event_of(&b, || clock.take_event(), is);
    let silent =
        |event: &EndpointEvent| matches!(event, EndpointEvent::LivelinessChanged { not_alive: 1.., .. });
    assert!(!subscription_events(&subscription).iter().any(silent));
    drop(publisher);
    let gone = |event: &EndpointEvent| matches!(event, EndpointEvent::LivelinessChanged { alive: 0, .. });
    event_of(&b, || subscription.take_event(), gone);
}

#[test]
fn best_available_is_compatible_with_all_present_endpoints() {
    let graph = TestGraph::new();
    let context = graph.context("a");
    let strong =
        QoS::keep_last(2).transient_local().liveliness(Liveliness::ManualByTopic, Duration::from_secs(9));
    let weak = QoS::keep_last(2).best_effort();
    let first = context.publisher("t", strong);
    let subscription = context.subscription("t", QoS::best_available());
    let QoS { durability, liveliness, lease, .. } = subscription.info().qos;
    assert_eq!((durability, liveliness), (Durability::TransientLocal, Liveliness::ManualByTopic));
    assert_eq!(lease, Some(Duration::from_secs(9)));
    let _second = context.publisher("t", weak);
    let both = context.subscription("t", QoS::best_available());
    assert_eq!(both.info().qos.reliability, Reliability::BestEffort);
    graph.wait(&context, || both.status().matched == 2);
    assert_eq!(first.status().matched, 2);
    let publisher = context.publisher("other", QoS::best_available());
    let demanding = context.subscription("other", QoS::default().transient_local());
    graph.match_up(&context, &publisher, &demanding);
}

#[test]
fn a_publisher_waits_for_room_in_a_queue_that_keeps_all_and_goes_on_when_there_is() {
    let graph = TestGraph::new();
    let (a, b) = (graph.context("a"), graph.context("b"));
    let publisher = a.publisher("t", QoS::keep_all());
    let subscription = b.subscription("t", QoS::keep_all());
    graph.match_up(&a, &publisher, &subscription);
    let limit = saltus_types::History::KEEP_ALL_LIMIT;
    (0..limit).for_each(|_| publisher.publish_bytes(&[1]).unwrap());
    std::thread::scope(|scope| {
        let sent =
            scope.spawn(|| (0..1000).map(|_| publisher.publish_bytes(&[2])).filter(Result::is_ok).count());
        let mut taken = 0;
        while taken < usize::from(limit) + 1000 {
            taken += usize::from(subscription.take().is_some());
        }
        assert_eq!(sent.join().unwrap(), 1000, "none was refused");
    });
    (0..limit).for_each(|_| publisher.publish_bytes(&[3]).unwrap());
    let start = Instant::now();
    assert!(matches!(publisher.publish_bytes(&[4]), Err(PublishError::QueueFull { .. })));
    assert!(start.elapsed() >= saltus_types::History::MAX_BLOCKING - MS, "it waited {:?}", start.elapsed());
    assert_eq!(publisher.status().losses[LossCause::Refused], 1);
    assert_eq!(subscription.status().losses[LossCause::Refused], 1);
}

#[test]
fn a_late_subscription_gets_no_expired_message() {
    let graph = TestGraph::new();
    let (a, b) = (graph.context("a"), graph.context("b"));
    let publisher = a.publisher("t", QoS::keep_last(9).transient_local().lifespan(SHORT));
    publisher.publish_bytes(&[1]).unwrap();
    let sent = saltus_host::system_now().as_nanos();
    while saltus_host::system_now().as_nanos() <= sent + SHORT.as_nanos() as i64 {
        std::hint::spin_loop();
    }
    let late = b.subscription("t", QoS::keep_last(9).transient_local());
    graph.match_up(&a, &publisher, &late);
    assert!(late.take().is_none());
    assert_eq!(late.status().losses.total(), 0, "the message was sent before the subscription was opened");
}

/// Opens an endpoint that is not connected to those of its process that are opened like this, too.
fn skipping<T>(context: &TestContext, qos: QoS, open: impl FnOnce(&EndpointSpec<'_>) -> T) -> T {
    context.with_spec("t", "test/msg/Type", qos, |spec| open(&EndpointSpec { skips_own: true, ..*spec }))
}

#[test]
fn endpoints_that_skip_their_own_are_connected_to_all_others() {
    let graph = TestGraph::new();
    let (a, b) = (graph.context("a"), graph.context("b"));
    let subscribe = |context: &TestContext, qos| {
        skipping(context, qos, |spec| context.participant.subscription(spec).unwrap())
    };
    let before = subscribe(&a, QoS::default());
    let publisher = skipping(&a, QoS::default(), |spec| a.participant.publisher(spec).unwrap());
    let after = subscribe(&a, QoS::default());
    let (usual, elsewhere) = (a.subscription("t", QoS::default()), subscribe(&b, QoS::default()));
    graph.wait(&a, || publisher.status().matched == 2);
    assert_eq!([&before, &after, &usual].map(|subscription| subscription.status().matched), [0, 0, 1]);
    graph.wait(&b, || elsewhere.status().matched == 1);
    drop((usual, elsewhere));
    graph.wait(&a, || publisher.status().matched == 0);
}

#[test]
fn endpoints_that_skip_their_own_are_reported_if_they_are_incompatible() {
    let graph = TestGraph::new();
    let a = graph.context("a");
    let best_effort = QoS::default().best_effort();
    let _publisher = skipping(&a, best_effort, |spec| a.participant.publisher(spec).unwrap());
    let _subscription = skipping(&a, QoS::default(), |spec| a.participant.subscription(spec).unwrap());
    assert_eq!(a.wait_for_events(2).len(), 2);
}
