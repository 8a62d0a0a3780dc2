//! Waiting with each strategy, for messages and for file descriptors. Also: a message that is too long is an error.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::{
    io::{PipeReader, PipeWriter, Write, pipe},
    time::{Duration, Instant},
};

use common::TestGraph;
use saltus_host::{MemoryError, PollFd, PollFlags, PublishError, WaitStrategy, monotonic_now};
use saltus_types::QoS;

const STRATEGIES: [WaitStrategy; 3] = [WaitStrategy::Block, WaitStrategy::Adaptive, WaitStrategy::Spin];

#[test]
fn every_strategy_wakes_for_each_of_many_messages() {
    for strategy in STRATEGIES {
        let graph = TestGraph::new();
        let (a, b) = (graph.context("a"), graph.context("b"));
        let (there, back) = (a.publisher("there", QoS::default()), b.publisher("back", QoS::default()));
        let (echo, reply) = (b.subscription("there", QoS::default()), a.subscription("back", QoS::default()));
        graph.match_up(&a, &there, &echo);
        graph.match_up(&b, &back, &reply);
        let (mut ping, mut pong) = (a.participant.waiter().unwrap(), b.participant.waiter().unwrap());
        reply.set_waker(Some(&ping.waker(3)));
        echo.set_waker(Some(&pong.waker(7)));
        std::thread::scope(|scope| {
            scope.spawn(move || {
                for _ in 0..200 {
                    let sample = loop {
                        if let Some(sample) = echo.take() {
                            break sample;
                        }
                        pong.wait(strategy, None);
                    };
                    back.publish_bytes(&sample).unwrap();
                }
            });
            for i in 0..200u8 {
                there.publish_bytes(&[i]).unwrap();
                let sample = loop {
                    if let Some(sample) = reply.take() {
                        break sample;
                    }
                    let ready = ping.wait(strategy, None);
                    // A late wake may come after its message was taken.
                    assert!(ready == 0 || ready == 1 << 3, "{ready:#x}");
                };
                assert_eq!(*sample, [i]);
            }
        });
    }
}

#[test]
fn a_deadline_ends_every_wait() {
    let graph = TestGraph::new();
    let a = graph.context("a");
    let mut waiter = a.participant.waiter().unwrap();
    for strategy in STRATEGIES {
        let start = Instant::now();
        assert_eq!(waiter.wait(strategy, Some(monotonic_now() + 5_000_000)), 0);
        assert!(start.elapsed() >= Duration::from_millis(5));
    }
    assert_eq!(waiter.wait_with_fds(&[], Some(monotonic_now() + 5_000_000)).unwrap(), (0, vec![]));
}

#[test]
fn a_wait_ends_for_messages_and_for_file_descriptors() {
    let graph = TestGraph::new();
    let (a, b) = (graph.context("a"), graph.context("b"));
    let publisher = a.publisher("t", QoS::default());
    let subscription = b.subscription("t", QoS::default());
    graph.match_up(&a, &publisher, &subscription);
    let mut waiter = b.participant.waiter().unwrap();
    subscription.set_waker(Some(&waiter.waker(0)));
    let (reader, mut writer): (PipeReader, PipeWriter) = pipe().unwrap();
    let fds = [PollFd::new(&reader, PollFlags::IN)];
    std::thread::scope(|scope| {
        scope.spawn(|| publisher.publish_bytes(b"message").unwrap());
        while subscription.take().is_none() {
            let (_, events) = waiter.wait_with_fds(&fds, None).unwrap();
            assert_eq!(events, [PollFlags::empty()]);
        }
    });
    std::thread::scope(|scope| {
        scope.spawn(|| writer.write_all(b"x").unwrap());
        while waiter.wait_with_fds(&fds, None).unwrap().1 != [PollFlags::IN] {
            assert!(subscription.take().is_none(), "only the pipe was written to");
        }
    });
}

#[test]
fn the_descriptor_for_another_event_loop_is_readable_when_there_is_a_message() {
    let graph = TestGraph::new();
    let (a, b) = (graph.context("a"), graph.context("b"));
    let publisher = a.publisher("t", QoS::default());
    let subscription = b.subscription("t", QoS::default());
    graph.match_up(&a, &publisher, &subscription);
    let mut waiter = b.participant.waiter().unwrap();
    let waker = waiter.waker(0);
    subscription.set_waker(Some(&waker));
    for _ in 0..100 {
        // The first time, the ring for the new connection may still be there, or may come while it is armed.
        while waiter.arm().unwrap() != 0 {
            assert!(!subscription.has_message());
        }
        publisher.publish_bytes(b"message").unwrap();
        let fd = waiter.fd().unwrap();
        let mut polls = [PollFd::from_borrowed_fd(fd, PollFlags::IN)];
        assert_eq!(rustix::event::poll(&mut polls, None).unwrap(), 1);
        assert!(subscription.take().is_some());
        assert_eq!(waiter.collect(), 1);
    }
}

#[test]
fn a_message_longer_than_a_segment_is_refused_and_the_next_one_is_sent() {
    let graph = TestGraph::new();
    let (a, b) = (graph.context("a"), graph.context("b"));
    let publisher = a.publisher("t", QoS::default());
    let subscription = b.subscription("t", QoS::default());
    graph.match_up(&a, &publisher, &subscription);
    let refused = publisher.loan(1 << 30);
    assert!(matches!(refused, Err(PublishError::Memory(MemoryError::TooLong { .. }))), "{refused:?}");
    publisher.publish_bytes(b"still works").unwrap();
    assert_eq!(*subscription.take().unwrap(), *b"still works");
}
