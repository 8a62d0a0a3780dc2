//! Publishers and subscriptions of one or two contexts exchange bytes, with various QoS.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::time::Duration;

use common::{TestContext, TestGraph};
use saltus_host::{
    DomainId, EndpointSpec, GraphEvent, NodeSpec, Participant, PublishError, TypeText, observe,
};
use saltus_types::{LossCause, NodeName, QoS, QosMismatch, TopicName, TypeHash};

const SOON: Duration = Duration::from_secs(5);

/// Returns how many messages were dropped from the queue for newer ones.
fn overflowed(subscription: &saltus_host::Subscription) -> u64 {
    subscription.status().losses[LossCause::QueueOverflow]
}

/// Runs a test with the two ends in different contexts, and with both in one context.
fn in_one_and_two_contexts(run: impl Fn(&TestGraph, &TestContext, &TestContext)) {
    let graph = TestGraph::new();
    let (a, b) = (graph.context("a"), graph.context("b"));
    run(&graph, &a, &b);
    let alone = graph.context("alone");
    run(&graph, &alone, &alone);
}

#[test]
fn messages_arrive_whole_in_order_and_stamped() {
    in_one_and_two_contexts(|graph, a, b| {
        let publisher = a.publisher("t", QoS::keep_last(100));
        let subscription = b.subscription("t", QoS::keep_last(100));
        graph.match_up(a, &publisher, &subscription);
        for i in 0..100u8 {
            publisher.publish_bytes(&vec![i; usize::from(i) + 1]).unwrap();
        }
        for i in 0..100u8 {
            let sample = subscription.take().unwrap();
            assert_eq!(*sample, vec![i; usize::from(i) + 1]);
            assert_eq!((sample.sequence(), sample.publisher()), (u64::from(i) + 1, publisher.info().gid));
            assert!(sample.source_time().as_nanos() > 0);
        }
        assert!(subscription.take().is_none());
    });
}

#[test]
fn each_subscription_drops_the_oldest_beyond_its_own_depth_and_counts_it() {
    in_one_and_two_contexts(|graph, a, b| {
        let publisher = a.publisher("t", QoS::keep_last(1));
        let (shallow, deep) =
            (b.subscription("t", QoS::keep_last(3)), b.subscription("t", QoS::keep_last(1000)));
        graph.match_up(a, &publisher, &shallow);
        graph.match_up(a, &publisher, &deep);
        for i in 0..500u16 {
            publisher.publish_bytes(&i.to_le_bytes()).unwrap();
        }
        let taken = |s: &saltus_host::Subscription| -> Vec<u16> {
            std::iter::from_fn(|| s.take()).map(|m| u16::from_le_bytes([m[0], m[1]])).collect()
        };
        assert_eq!(taken(&shallow), [497, 498, 499]);
        assert_eq!(taken(&deep), (0..500).collect::<Vec<_>>());
        assert_eq!((overflowed(&shallow), overflowed(&deep)), (497, 0));
        assert_eq!(publisher.status().losses[LossCause::QueueOverflow], 497);
    });
}

#[test]
fn the_depth_holds_over_all_publishers_together() {
    in_one_and_two_contexts(|graph, a, b| {
        let subscription = b.subscription("t", QoS::keep_last(4));
        let publishers = [a.publisher("t", QoS::default()), a.publisher("t", QoS::default())];
        graph.wait(a, || publishers.iter().all(|p| p.status().matched == 1));
        graph.wait(b, || subscription.status().matched == 2);
        for i in 0..6u8 {
            publishers[usize::from(i % 2)].publish_bytes(&[i]).unwrap();
        }
        let taken: Vec<u8> = std::iter::from_fn(|| subscription.take()).map(|m| m[0]).collect();
        assert_eq!(taken, [2, 3, 4, 5], "the newest, in the order in which they were sent");
        assert_eq!(overflowed(&subscription), 2);
    });
}

#[test]
fn messages_grow_from_64_bytes_to_64_megabytes_without_configuration() {
    in_one_and_two_contexts(|graph, a, b| {
        let publisher = a.publisher("t", QoS::keep_last(1));
        let subscription = b.subscription("t", QoS::keep_last(1));
        graph.match_up(a, &publisher, &subscription);
        for shift in 6..=26 {
            let len = 1usize << shift;
            publisher
                .publish_with::<PublishError>(len, |bytes| {
                    bytes[0] = shift as u8;
                    bytes[len - 1] = shift as u8;
                    Ok(())
                })
                .unwrap();
            let sample = subscription.take().unwrap();
            assert_eq!((sample.len(), sample[0], sample[len - 1]), (len, shift as u8, shift as u8));
        }
    });
}

/// Small messages are written on the stack, large ones in place.
#[test]
fn a_body_of_any_length_is_written_and_read_at_the_beginning_of_a_cache_line() {
    in_one_and_two_contexts(|graph, a, b| {
        let publisher = a.publisher("t", QoS::keep_last(1));
        let subscription = b.subscription("t", QoS::keep_last(1));
        graph.match_up(a, &publisher, &subscription);
        for len in (0..600).chain([40_000]) {
            let write = |message: &mut [u8]| -> Result<(), PublishError> {
                assert_eq!((message.len(), (message.as_ptr() as usize + 4) % 64), (len, 0));
                (0..).zip(message).for_each(|(i, byte): (usize, _)| *byte = (i ^ len) as u8);
                Ok(())
            };
            publisher.publish_with(len, write).unwrap();
            let sample = subscription.take().unwrap();
            assert_eq!((sample.len(), (sample.as_ptr() as usize + 4) % 64), (len, 0));
            assert!(sample.iter().enumerate().all(|(i, byte)| *byte == (i ^ len) as u8));
        }
    });
}

#[test]
fn the_times_of_messages_never_go_back_whichever_thread_sends_them() {
    const EACH: u64 = 10_000;
    let graph = TestGraph::new();
    let a = graph.context("a");
    let publisher = a.publisher("t", QoS::keep_last(100));
    let subscription = a.subscription("t", QoS::keep_last(100));
    graph.match_up(&a, &publisher, &subscription);
    std::thread::scope(|scope| {
        for len in [8, 8, 1000, 1000] {
            let publisher = &publisher;
            scope.spawn(move || (0..EACH).for_each(|_| publisher.publish_bytes(&vec![0; len]).unwrap()));
        }
        let mut last = (0, 0, 0);
        while last.0 < 4 * EACH {
            let Some(sample) = subscription.take() else { continue };
            let this = (sample.sequence(), sample.sent_at(), sample.source_time().as_nanos());
            assert!(this.0 > last.0 && this.1 >= last.1 && this.2 >= last.2, "{last:?} {this:?}");
            last = this;
        }
    });
}

#[test]
fn a_late_subscription_gets_the_messages_that_a_transient_local_publisher_kept() {
    in_one_and_two_contexts(|graph, a, b| {
        let kept = QoS::keep_last(3).transient_local();
        let publisher = a.publisher("t", kept);
        for i in 0..5u8 {
            publisher.publish_bytes(&[i]).unwrap();
        }
        let late = b.subscription("t", QoS::keep_last(10).transient_local());
        let shallow = b.subscription("t", QoS::keep_last(2).transient_local());
        let volatile = b.subscription("t", QoS::keep_last(10));
        for subscription in [&late, &shallow, &volatile] {
            graph.match_up(a, &publisher, subscription);
        }
        let taken = |s: &saltus_host::Subscription| -> Vec<u8> {
            std::iter::from_fn(|| s.take()).map(|m| m[0]).collect()
        };
        assert_eq!(taken(&late), [2, 3, 4], "the publisher never publishes again");
        assert_eq!(taken(&shallow), [3, 4]);
        assert_eq!(taken(&volatile), [0u8; 0]);
        publisher.publish_bytes(&[9]).unwrap();
        assert_eq!((taken(&late), taken(&volatile)), (vec![9], vec![9]));
    });
}

#[test]
fn a_full_queue_that_keeps_all_refuses_the_publisher() {
    in_one_and_two_contexts(|graph, a, b| {
        let publisher = a.publisher("t", QoS::keep_all());
        let (all, some) = (b.subscription("t", QoS::keep_all()), b.subscription("t", QoS::keep_last(1)));
        graph.match_up(a, &publisher, &all);
        graph.match_up(a, &publisher, &some);
        let limit = u64::from(saltus_types::History::KEEP_ALL_LIMIT);
        for _ in 0..limit {
            publisher.publish_bytes(&[1]).unwrap();
        }
        let refused = publisher.publish_bytes(&[2]);
        assert!(
            matches!(refused, Err(PublishError::QueueFull { depth, .. }) if depth == limit),
            "{refused:?}"
        );
        assert_eq!(some.take().unwrap()[0], 1, "no subscription got the refused message");
        assert_eq!(publisher.status().losses[LossCause::Refused], 2, "one for each subscription");
        drop(all.take().unwrap());
        publisher.publish_bytes(&[3]).unwrap();
        assert_eq!(overflowed(&all), 0);
    });
}

#[test]
fn a_subscription_that_keeps_all_drops_nothing_of_two_publishers() {
    in_one_and_two_contexts(|graph, a, b| {
        let all = b.subscription("t", QoS::keep_all());
        let publishers = [a.publisher("t", QoS::keep_all()), a.publisher("t", QoS::keep_all())];
        for publisher in &publishers {
            graph.wait(a, || publisher.status().matched == 1);
            (0..3000).for_each(|_| publisher.publish_bytes(&[1]).unwrap());
        }
        assert_eq!(std::iter::from_fn(|| all.take()).count(), 6000);
        assert_eq!(overflowed(&all), 0);
    });
}

#[test]
fn a_best_effort_publisher_is_never_refused() {
    in_one_and_two_contexts(|graph, a, b| {
        let publisher = a.publisher("t", QoS::default().best_effort());
        let all = b.subscription("t", QoS::keep_all().best_effort());
        graph.match_up(a, &publisher, &all);
        let limit = u64::from(saltus_types::History::KEEP_ALL_LIMIT);
        (0..limit + 5).for_each(|_| publisher.publish_bytes(&[1]).unwrap());
        assert_eq!((overflowed(&all), publisher.status().losses[LossCause::Refused]), (5, 0));
    });
}

#[test]
fn a_message_of_a_matched_publisher_arrives_although_the_publisher_is_dropped_at_once() {
    in_one_and_two_contexts(|graph, a, b| {
        for _ in 0..50 {
            let subscription = b.subscription("t", QoS::default());
            let publisher = a.publisher("t", QoS::default());
            graph.wait(a, || publisher.status().matched == 1);
            publisher.publish_bytes(b"once").unwrap();
            drop(publisher);
            assert_eq!(*subscription.take().unwrap(), *b"once");
        }
    });
}

#[test]
fn a_message_that_was_queued_before_the_subscription_reads_is_kept_for_it() {
    let graph = TestGraph::new();
    let (a, b) = (graph.context("a"), graph.context("b"));
    let subscription = b.subscription("t", QoS::default());
    for _ in 0..50 {
        graph.wait(&a, || a.participant.graph().endpoints.len() == 1);
        let publisher = a.publisher("t", QoS::default());
        publisher.publish_bytes(b"early").unwrap();
        drop(publisher);
        let mut sample = None;
        graph.wait(&b, || {
            sample = sample.take().or_else(|| subscription.take());
            sample.is_some()
        });
        assert_eq!(*sample.unwrap(), *b"early");
        // Then the subscription learns that the publisher has gone.
        graph.wait(&b, || subscription.status().matched == 0);
    }
}

#[test]
fn a_late_joiners_short_queue_is_no_loss() {
    in_one_and_two_contexts(|graph, a, b| {
        let publisher = a.publisher("t", QoS::keep_last(5).transient_local());
        (1..=5).for_each(|i| publisher.publish_bytes(&[i]).unwrap());
        let late = b.subscription("t", QoS::keep_last(2).transient_local());
        graph.match_up(a, &publisher, &late);
        let taken: Vec<u8> = std::iter::from_fn(|| late.take()).map(|sample| sample[0]).collect();
        assert_eq!(taken, [4, 5]);
        assert_eq!((overflowed(&late), publisher.status().losses.total()), (0, 0));
    });
}

#[test]
fn samples_outlive_their_subscription_and_their_publisher() {
    in_one_and_two_contexts(|graph, a, b| {
        let publisher = a.publisher("t", QoS::default());
        let subscription = b.subscription("t", QoS::default());
        graph.match_up(a, &publisher, &subscription);
        publisher.publish_bytes(b"first").unwrap();
        publisher.publish_bytes(b"unread").unwrap();
        let first = subscription.take().unwrap();
        drop(publisher);
        assert_eq!(
            *subscription.take().unwrap(),
            *b"unread",
            "a message is read after its publisher is gone"
        );
        drop(subscription);
        let other = a.publisher("u", QoS::default());
        for _ in 0..100 {
            other.publish_bytes(b"other").unwrap();
        }
        assert_eq!(*first, *b"first", "no publisher writes to the memory of a sample");
    });
}

#[test]
fn a_loan_is_sent_in_place_and_grows_with_one_counted_copy() {
    in_one_and_two_contexts(|graph, a, b| {
        let publisher = a.publisher("t", QoS::default());
        let subscription = b.subscription("t", QoS::default());
        graph.match_up(a, &publisher, &subscription);
        let mut loan = publisher.loan(8).unwrap();
        assert_eq!((loan.as_ptr() as usize + 4) % 64, 0, "the body is aligned for any type");
        loan[..8].copy_from_slice(b"original");
        loan.grow(8, 100_000).unwrap();
        loan[99_999] = 7;
        loan.publish(100_000).unwrap();
        drop(publisher.loan(64).unwrap());
        let sample = subscription.take().unwrap();
        assert_eq!((&sample[..8], sample[99_999], sample.len()), (&b"original"[..], 7, 100_000));
        assert_eq!(publisher.status().regrown, 1);
        assert!(subscription.take().is_none(), "a dropped loan is not sent");
    });
}

#[test]
fn a_loan_keeps_its_publisher() {
    in_one_and_two_contexts(|graph, a, b| {
        let publisher = a.publisher("t", QoS::default());
        let subscription = b.subscription("t", QoS::default());
        graph.match_up(a, &publisher, &subscription);
        let mut loan = publisher.loan(300_000).unwrap();
        drop(publisher);
        let other = a.publisher("u", QoS::default());
        other.publish_bytes(&vec![9; 300_000]).unwrap();
        loan[..4].copy_from_slice(b"loan");
        loan.publish(4).unwrap();
        assert_eq!(*subscription.take().unwrap(), *b"loan");
        graph.wait(b, || subscription.status().matched == 0);
    });
}

#[test]
fn a_writer_that_fails_or_panics_loses_no_memory_and_sends_nothing() {
    let graph = TestGraph::new();
    let a = graph.context("a");
    let publisher = a.publisher("t", QoS::default());
    let mut addresses = std::collections::BTreeSet::new();
    for round in 0..100 {
        let write = || {
            publisher.publish_with(1000, |message| -> Result<(), PublishError> {
                addresses.insert(message.as_ptr() as usize);
                if round % 2 == 0 { panic!("expected by the test") } else { Err(PublishError::Forked) }
            })
        };
        let failed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(write));
        assert!(failed.is_err() || failed.is_ok_and(|result| result.is_err()));
    }
    assert_eq!((publisher.status().sent, addresses.len()), (0, 1), "each time the same chunk");
    let endless = publisher.publish_with(usize::MAX, |_| -> Result<(), PublishError> { Ok(()) });
    assert!(matches!(endless, Err(PublishError::Memory(_))), "{endless:?}");
}

#[test]
fn incompatible_qos_and_types_are_reported_on_both_sides_and_counted() {
    let graph = TestGraph::new();
    let (a, b) = (graph.context("a"), graph.context("b"));
    let publisher = a.publisher("t", QoS::default().best_effort());
    let subscription = b.subscription("t", QoS::default());
    let other = b.subscription_of("t", "other/msg/Type", QoS::default());
    graph.wait(&a, || publisher.status().incompatible == 2);
    graph.wait(&b, || subscription.status().incompatible == 1 && other.status().incompatible == 1);
    assert_eq!((publisher.status().matched, subscription.status().matched), (0, 0));
    let qos = |events: &[GraphEvent]| {
        events
            .iter()
            .any(|e| matches!(e, GraphEvent::IncompatibleQos { policy: QosMismatch::Reliability, .. }))
    };
    let types =
        |events: &[GraphEvent]| events.iter().any(|e| matches!(e, GraphEvent::IncompatibleType { .. }));
    for context in [&a, &b] {
        let events = context.wait_for_events(2);
        assert!(qos(&events) && types(&events), "{events:?}");
    }
}

#[test]
fn a_mismatch_within_one_context_is_reported_for_both_endpoints() {
    let graph = TestGraph::new();
    let a = graph.context("a");
    let publisher = a.publisher("t", QoS::default().best_effort());
    let subscription = a.subscription("t", QoS::default());
    assert_eq!((publisher.status().incompatible, subscription.status().incompatible), (1, 1));
    assert_eq!(a.events().len(), 2);
}

#[test]
fn a_waiting_thread_sees_changes_of_its_own_context_and_may_wait_for_ever() {
    let graph = TestGraph::new();
    let a = graph.context("a");
    let publisher = a.publisher("t", QoS::default());
    std::thread::scope(|scope| {
        let waiting =
            scope.spawn(|| a.participant.wait_until(Duration::MAX, || publisher.status().matched > 0));
        let subscription = a.subscription("t", QoS::default());
        assert!(waiting.join().unwrap());
        drop(subscription);
    });
}

#[test]
fn an_event_handler_may_use_the_graph() {
    let graph = TestGraph::new();
    let slot = std::sync::Arc::<std::sync::OnceLock<Participant>>::default();
    // The participant owns its handler. So the handler must not keep the participant alive.
    let (seen, count) =
        (std::sync::Arc::downgrade(&slot), std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0)));
    let counted = count.clone();
    let handler = Box::new(move |_: &GraphEvent| {
        let slot = seen.upgrade();
        let participant = slot.as_ref().and_then(|slot| slot.get());
        let endpoints = participant.map_or(0, |participant| participant.graph().endpoints.len());
        counted.store(endpoints, std::sync::atomic::Ordering::Relaxed);
    });
    let participant = Participant::join(DomainId::in_folder(graph.folder(), 0), handler).unwrap();
    slot.set(participant.clone()).unwrap();
    let name = NodeName::new("/", "n").unwrap();
    let node = participant.node(&NodeSpec::new(&name)).unwrap();
    let topic = TopicName::expand("t", &name).unwrap();
    let type_hash = TypeHash::from_digest([1; 32]);
    let spec = |qos| EndpointSpec {
        node: node.info().gid,
        foreign: None,
        only_from: None,
        skips_own: false,
        topic: &topic,
        type_name: "test/msg/Type",
        type_hash,
        qos,
        description: TypeText::Whole("{}"),
    };
    let _publisher = participant.publisher(&spec(QoS::default().best_effort())).unwrap();
    let _subscription = participant.subscription(&spec(QoS::default())).unwrap();
    assert_eq!(count.load(std::sync::atomic::Ordering::Relaxed), 2);
    assert_eq!(participant.description(TypeHash::from_digest([1; 32])).as_deref(), Some("{}"));
    assert_eq!(participant.description(TypeHash::from_digest([2; 32])), None);
}

#[test]
fn an_observer_distinguishes_an_empty_domain_from_a_missing_folder() {
    let graph = TestGraph::new();
    let domain = |folder: &std::path::Path| DomainId::in_folder(folder, 0);
    assert!(observe(&domain(graph.folder())).unwrap().nodes.is_empty());
    assert!(observe(&domain(&graph.folder().join("missing"))).is_err());
}

#[test]
fn domains_are_separate() {
    let graph = TestGraph::new();
    let (a, b) = (graph.context("a"), graph.context_in(1, "b"));
    let publisher = a.publisher("t", QoS::default());
    let subscription = b.subscription("t", QoS::default());
    let same = a.subscription("t", QoS::default());
    graph.match_up(&a, &publisher, &same);
    assert_eq!((publisher.status().matched, subscription.status().matched), (1, 0));
    assert_eq!(b.participant.graph().endpoints.len(), 1);
}

#[test]
fn a_participant_that_leaves_is_forgotten_and_leaves_no_files() {
    let graph = TestGraph::new();
    let a = graph.context("a");
    let publisher = a.publisher("t", QoS::default());
    {
        let b = graph.context("b");
        let subscription = b.subscription("t", QoS::default());
        graph.match_up(&a, &publisher, &subscription);
        drop(subscription);
    }
    graph.wait(&a, || publisher.status().matched == 0);
    drop(publisher);
    drop(a);
    assert_eq!(graph.files(), [""; 0]);
}

/// The housekeeping thread may be running while the last handle is dropped. It must not drop the last presence.
#[test]
fn a_process_has_left_when_its_last_handle_is_dropped() {
    let graph = TestGraph::new();
    for _ in 0..100 {
        let (a, b) = (graph.context("a"), graph.context("b"));
        let (publisher, subscription) =
            (a.publisher("t", QoS::default()), b.subscription("t", QoS::default()));
        drop((subscription, b, publisher, a));
        assert_eq!(graph.files(), [""; 0]);
    }
}

/// A connection that has failed is made as soon as that is possible.
#[test]
fn the_513th_subscription_is_connected_when_another_has_gone() {
    in_one_and_two_contexts(|_, a, b| {
        let publisher = a.publisher("crowded", QoS::default());
        let mut readers: Vec<_> = (0..513).map(|_| b.subscription("crowded", QoS::keep_last(1))).collect();
        assert!(a.participant.wait_until(SOON, || publisher.status().matched == 512));
        let is_unmatched = |reader: &saltus_host::Subscription| reader.status().matched == 0;
        let left_out = readers.iter().position(is_unmatched).unwrap();
        let left_out = readers.swap_remove(left_out);
        drop(readers.pop());
        assert!(a.participant.wait_until(SOON, || left_out.status().matched == 1));
    });
}

#[test]
fn a_publisher_serves_300_subscriptions_and_a_subscription_512_publishers() {
    let graph = TestGraph::new();
    let (a, b) = (graph.context("a"), graph.context("b"));
    let one = a.publisher("many_readers", QoS::default());
    let readers: Vec<_> = (0..300).map(|_| b.subscription("many_readers", QoS::keep_last(1))).collect();
    let reader = b.subscription("many_writers", QoS::keep_last(1000));
    let writers: Vec<_> = (0..512).map(|_| a.publisher("many_writers", QoS::default())).collect();
    assert!(a.participant.wait_until(SOON, || one.status().matched == 300));
    assert!(b.participant.wait_until(SOON, || reader.status().matched == 512));
    graph.wait(&b, || readers.iter().all(|reader| reader.status().matched == 1));
    one.publish_bytes(b"all").unwrap();
    assert!(readers.iter().all(|reader| reader.take().is_some_and(|sample| *sample == *b"all")));
    writers.iter().for_each(|writer| writer.publish_bytes(b"one").unwrap());
    assert_eq!(std::iter::from_fn(|| reader.take()).count(), 512);
}

/// For example, a log message from the code that writes a message opens `/rosout`.
#[test]
fn code_that_writes_a_message_may_open_endpoints_and_publish() {
    let (done, is_done) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let graph = TestGraph::new();
        let a = graph.context("a");
        let publisher = a.publisher("t", QoS::default());
        let over = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !over.load(std::sync::atomic::Ordering::Relaxed) {
                    drop(a.subscription("t", QoS::default()));
                }
            });
            for round in 0..300 {
                let write = |message: &mut [u8]| -> Result<(), PublishError> {
                    drop(a.subscription("t", QoS::default()));
                    publisher.publish_bytes(b"inner")?;
                    message.fill(1);
                    Ok(())
                };
                publisher.publish_with(if round % 2 == 0 { 5 } else { 5000 }, write).unwrap();
            }
            over.store(true, std::sync::atomic::Ordering::Relaxed);
        });
        done.send(publisher.status().sent).unwrap();
    });
    assert_eq!(is_done.recv_timeout(4 * SOON), Ok(600), "a deadlock");
}

#[test]
fn messages_beyond_the_borrow_limit_are_copied_and_the_publisher_keeps_few() {
    let graph = TestGraph::new();
    let (a, b) = (graph.context("a"), graph.context("b"));
    let publishers = [a.publisher("t", QoS::keep_last(1)), a.publisher("t", QoS::keep_last(1))];
    let subscription = b.subscription("t", QoS::keep_last(4));
    graph.wait(&b, || subscription.status().matched == 2);
    let mut addresses = std::collections::BTreeSet::new();
    let mut round = |number: u8, kept: &mut Vec<saltus_host::Sample>| {
        for publisher in &publishers {
            let write = |message: &mut [u8]| -> Result<(), PublishError> {
                addresses.insert(message.as_ptr() as usize);
                message.fill(number);
                Ok(())
            };
            publisher.publish_with(3000, write).unwrap();
            kept.extend(subscription.take());
        }
    };
    let mut kept = Vec::new();
    (0..100).for_each(|number| round(number, &mut kept));
    assert_eq!(subscription.status().copied, 200 - saltus_host::Subscription::BORROW_LIMIT as u64);
    let is_right = |(index, sample): (usize, &saltus_host::Sample)| {
        let aligned = (sample.as_ptr() as usize + 4).is_multiple_of(64);
        aligned && sample.len() == 3000 && sample.iter().all(|byte| usize::from(*byte) == index / 2)
    };
    assert!(kept.iter().enumerate().all(is_right));
    assert_eq!((kept[199].sequence(), kept[199].publisher()), (100, publishers[1].info().gid));
    assert!(kept.is_sorted_by_key(saltus_host::Sample::sent_at));
    kept.clear();
    round(7, &mut kept);
    assert_eq!(subscription.status().copied, 184, "after a release, messages are borrowed again");
    subscription.set_borrow_limit(0);
    round(8, &mut kept);
    assert_eq!(subscription.status().copied, 186);
    assert!(
        addresses.len() <= 20,
        "{} chunks are used: more than may be borrowed, and two for each publisher to write",
        addresses.len()
    );
}

#[test]
fn endpoints_move_between_threads() {
    let graph = TestGraph::new();
    let (a, b) = (graph.context("a"), graph.context("b"));
    let publisher = a.publisher("t", QoS::keep_all());
    let subscription = b.subscription("t", QoS::keep_all());
    graph.match_up(&a, &publisher, &subscription);
    let (publisher, subscription) = (&publisher, &subscription);
    std::thread::scope(|scope| {
        for thread in 0..4u8 {
            scope.spawn(move || {
                (0..500).for_each(|_| publisher.publish_bytes(&[thread]).unwrap());
            });
        }
        let takers: Vec<_> = (0..2)
            .map(|_| {
                scope.spawn(move || {
                    let mut taken = 0;
                    while subscription.status().received < 2000 {
                        taken += usize::from(subscription.take().is_some());
                    }
                    taken
                })
            })
            .collect();
        assert_eq!(takers.into_iter().map(|taker| taker.join().unwrap()).sum::<usize>(), 2000);
    });
}

#[test]
fn leaving_ends_even_if_another_process_removed_the_files() {
    let graph = TestGraph::new();
    let context = graph.context("a");
    std::fs::remove_dir_all(graph.folder()).unwrap();
    drop(context);
}
