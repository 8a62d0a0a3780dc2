//! After `fork` the child's handles do nothing or return an error, and the parent is unaffected.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(unsafe_code, reason = "fork is what is tested")]

mod common;

use common::TestGraph;
use saltus_host::{NodeSpec, OpenError, PublishError, Signals, Unusable, WaitStrategy, on_termination};
use saltus_types::{NodeName, QoS};

/// Runs `child` in a forked child and returns its exit code. The child never returns.
fn in_child(child: impl FnOnce() -> bool) -> i32 {
    // SAFETY: the child runs `child` and ends without unwinding or running destructors. What it
    // uses takes no lock that another thread might have held: that is what is tested.
    match unsafe { libc::fork() } {
        0 => {
            let is_ok = std::panic::catch_unwind(std::panic::AssertUnwindSafe(child)).unwrap_or(false);
            // SAFETY: ends the child at once.
            unsafe { libc::_exit(i32::from(!is_ok)) }
        }
        pid => {
            let mut status = 0;
            // SAFETY: waits for the child that was just forked.
            unsafe { libc::waitpid(pid, &mut status, 0) };
            status
        }
    }
}

#[test]
fn a_forked_childs_handles_are_inert_and_its_parents_still_work() {
    let graph = TestGraph::new();
    let (a, b) = (graph.context("a"), graph.context("b"));
    let publisher = a.publisher("t", QoS::keep_last(10));
    let subscription = b.subscription("t", QoS::keep_last(10));
    let mut waiter = b.participant.waiter().unwrap();
    subscription.set_waker(Some(&waiter.waker(0)));
    graph.match_up(&a, &publisher, &subscription);
    publisher.publish_bytes(b"before").unwrap();
    publisher.publish_bytes(b"also before").unwrap();
    assert_ne!(waiter.collect(), 0);
    publisher.publish_bytes(b"rung").unwrap();
    let held = subscription.take().unwrap();
    let loan = publisher.loan(10).unwrap();
    let name = NodeName::new("/", "n").unwrap();

    let mut all = Some((held, loan, publisher, subscription, a, b));
    let status = in_child(|| {
        let Some((held, loan, publisher, subscription, a, b)) = all.take() else { return false };
        let is_inert = matches!(publisher.publish_bytes(b"child"), Err(PublishError::Forked))
            && matches!(publisher.loan(1), Err(PublishError::Forked))
            && subscription.take().is_none()
            && matches!(a.participant.node(&NodeSpec::new(&name)), Err(OpenError::Forked))
            && matches!(a.participant.waiter(), Err(OpenError::Forked))
            && matches!(waiter.check(), Err(Unusable::Forked))
            && (waiter.collect(), waiter.wait(WaitStrategy::Block, None)) == (0, 0)
            && waiter.fd().is_err();
        // A child that ends without `exec` drops its copies.
        drop((held, loan, publisher, subscription, a, b));
        is_inert
    });
    assert_eq!(status, 0, "the child's handles were not inert");

    let (held, loan, publisher, subscription, a, _b) = all.unwrap();
    assert_eq!(*held, *b"before", "the child's copy of the sample released nothing");
    assert_eq!(*subscription.take().unwrap(), *b"also before", "the child took no message");
    assert_eq!(waiter.collect(), 1, "the child took no ring");
    drop((subscription.take().unwrap(), loan));
    publisher.publish_bytes(b"after").unwrap();
    assert_eq!(waiter.wait(WaitStrategy::Block, None), 1);
    assert_eq!(*subscription.take().unwrap(), *b"after");
    assert_eq!(publisher.status().matched, 1);
    graph.match_up(&a, &publisher, &subscription);
    // The member table, and a segment and a pipe for each of the two.
    assert_eq!(graph.files().len(), 5, "{:?}", graph.files());
}

#[test]
fn a_forked_child_may_take_part_itself_and_is_matched_with_its_parent() {
    let graph = TestGraph::new();
    let a = graph.context("a");
    let publisher = a.publisher("t", QoS::keep_last(1).transient_local());
    publisher.publish_bytes(b"parent").unwrap();
    let status = in_child(|| {
        let mine = graph.context("child");
        let subscription = mine.subscription("t", QoS::keep_last(1).transient_local());
        graph.wait(&mine, || subscription.has_message());
        let got = subscription.take().is_some_and(|sample| *sample == *b"parent");
        drop(subscription);
        drop(mine);
        // The member table, and the parent's segment and pipe: the child's are gone.
        got && graph.files().len() == 3
    });
    assert_eq!(status, 0);
    graph.wait(&a, || publisher.status().matched == 0);
    publisher.publish_bytes(b"on").unwrap();
}

#[test]
fn a_signal_to_a_forked_child_ends_the_child_and_does_not_reach_its_parent() {
    static REACHED: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let reached = || REACHED.load(std::sync::atomic::Ordering::SeqCst);
    on_termination(Signals::ALL, |_| {
        REACHED.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
    })
    .unwrap();
    let status = in_child(|| {
        // SAFETY: sends a signal to this process.
        unsafe { libc::raise(libc::SIGTERM) };
        false
    });
    assert_eq!(status, libc::SIGTERM, "the signal has ended the child");
    assert_eq!(reached(), 0);
    // SAFETY: as above; the handler is the one of this test.
    unsafe { libc::raise(libc::SIGTERM) };
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(10);
    while reached() == 0 && std::time::Instant::now() < deadline {
        std::thread::yield_now();
    }
    assert_eq!(reached(), 1);
}
