//! After `fork` the child's handles are inert and say so, and the parent is unaffected.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(unsafe_code, reason = "fork is what is tested")]

mod common;

use common::Scene;
use saltus_shm::{OpenError, PublishError, WaitStrategy};
use saltus_types::{NodeName, QoS};

/// Runs `child` in a forked child and returns its exit code. The child never returns.
fn in_child(child: impl FnOnce() -> bool) -> i32 {
    // SAFETY: the child runs `child` and ends without unwinding or running destructors; what it
    // touches takes no lock that another thread might have held, as that is what is tested.
    match unsafe { libc::fork() } {
        0 => {
            let fine = std::panic::catch_unwind(std::panic::AssertUnwindSafe(child)).unwrap_or(false);
            // SAFETY: ends the child at once.
            unsafe { libc::_exit(i32::from(!fine)) }
        }
        pid => {
            let mut status = 0;
            // SAFETY: waits for the child just made.
            unsafe { libc::waitpid(pid, &mut status, 0) };
            status
        }
    }
}

#[test]
fn a_forked_childs_handles_are_inert_and_its_parents_go_on() {
    let scene = Scene::new();
    let (a, b) = (scene.side("a"), scene.side("b"));
    let publisher = a.publisher("t", QoS::keep_last(10));
    let subscription = b.subscription("t", QoS::keep_last(10));
    let mut waiter = b.participant.waiter().unwrap();
    subscription.set_waker(Some(&waiter.waker(0)));
    scene.match_up(&a, &publisher, &subscription);
    publisher.publish_bytes(b"before").unwrap();
    publisher.publish_bytes(b"also before").unwrap();
    let held = subscription.take().unwrap();
    let loan = publisher.loan(10).unwrap();
    let name = NodeName::new("/", "n").unwrap();

    let mut all = Some((held, loan, publisher, subscription, a, b));
    let status = in_child(|| {
        let Some((held, loan, publisher, subscription, a, b)) = all.take() else { return false };
        let mute = matches!(publisher.publish_bytes(b"child"), Err(PublishError::Forked))
            && matches!(publisher.loan(1), Err(PublishError::Forked))
            && subscription.take().is_none()
            && matches!(a.participant.node(&name), Err(OpenError::Forked))
            && matches!(a.participant.waiter(), Err(OpenError::Forked));
        // As a child does that ends without exec.
        drop((held, loan, publisher, subscription, a, b));
        mute
    });
    assert_eq!(status, 0, "the child's handles were not inert");

    let (held, loan, publisher, subscription, a, _b) = all.unwrap();
    assert_eq!(*held, *b"before", "the child's copy released nothing");
    assert_eq!(*subscription.take().unwrap(), *b"also before", "and took nothing");
    drop(loan);
    waiter.collect();
    publisher.publish_bytes(b"after").unwrap();
    assert_eq!(waiter.wait(WaitStrategy::Block, None), 1);
    assert_eq!(*subscription.take().unwrap(), *b"after");
    assert_eq!(publisher.status().matched, 1);
    scene.match_up(&a, &publisher, &subscription);
    // The domain's file, and a segment and a bell for each of the two.
    assert_eq!(scene.files().len(), 5, "{:?}", scene.files());
}
