//! Passes that end early: after one callback, or after a time.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use saltus_executor::{Executor, SingleThreadedExecutor};
use saltus_msgs::std_msgs::msg::UInt64;
use saltus_node::{Context, ContextOptions};

const LONG: Duration = Duration::from_secs(20);

type Calls = Arc<Mutex<Vec<&'static str>>>;

fn context(folder: &tempfile::TempDir) -> Context {
    let options = ContextOptions::default().folder(folder.path());
    options.handle_signals(false).install_logging(false).rosout(false).create().unwrap()
}

fn noted(calls: &Calls, name: &'static str) -> impl FnMut() + Send + 'static {
    let calls = calls.clone();
    move || calls.lock().unwrap().push(name)
}

#[test]
fn each_call_runs_one_callback_and_none_runs_twice_before_the_others() {
    let folder = tempfile::TempDir::new_in("/dev/shm").unwrap();
    let context = context(&folder);
    let node = context.node("node").create().unwrap();
    let mut executor = SingleThreadedExecutor::new(&context).unwrap();
    executor.add_node(&node);
    let calls = Calls::default();
    let (mut a, mut b) = (noted(&calls, "a"), noted(&calls, "b"));
    let _a = node.subscription::<UInt64>("a").callback(move |_| a()).unwrap();
    let _b = node.subscription::<UInt64>("b").callback(move |_| b()).unwrap();
    let publishers = ["a", "b"].map(|topic| node.publisher::<UInt64>(topic).create().unwrap());
    for publisher in &publishers {
        assert!(publisher.wait_for_subscriptions(1, LONG));
        (0..3).for_each(|data| publisher.publish(&UInt64 { data }).unwrap());
    }
    let _timer = node.wall_timer(LONG * 100).callback(|| ()).unwrap();
    for done in 1..=6 {
        assert!(executor.spin_one(Some(LONG)).unwrap());
        assert_eq!(calls.lock().unwrap().len(), done);
    }
    assert_eq!(*calls.lock().unwrap(), ["a", "b", "a", "b", "a", "b"]);
    assert!(!executor.spin_one(Some(Duration::ZERO)).unwrap());
}

#[test]
fn timers_that_are_due_at_the_same_time_run_in_turn() {
    let folder = tempfile::TempDir::new_in("/dev/shm").unwrap();
    let context = context(&folder);
    let node = context.node("node").create().unwrap();
    let mut executor = SingleThreadedExecutor::new(&context).unwrap();
    executor.add_node(&node);
    let calls = Calls::default();
    // With this period both are always due.
    let timers = ["a", "b"]
        .map(|name| node.wall_timer(Duration::from_nanos(1)).callback(noted(&calls, name)).unwrap());
    for _ in 0..6 {
        assert!(executor.spin_one(Some(LONG)).unwrap());
    }
    assert_eq!(*calls.lock().unwrap(), ["a", "b", "a", "b", "a", "b"]);
    drop(timers);
}

#[test]
fn a_wake_ends_the_wait_for_a_callback() {
    let folder = tempfile::TempDir::new_in("/dev/shm").unwrap();
    let context = context(&folder);
    let mut executor = SingleThreadedExecutor::new(&context).unwrap();
    let handle = executor.handle();
    assert!(handle.is_of(&context));
    let has_returned = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // The first wakes may come before the other thread waits.
            while !has_returned.load(Ordering::Acquire) {
                handle.wake();
                std::thread::yield_now();
            }
        });
        assert!(!executor.spin_one(None).unwrap());
        has_returned.store(true, Ordering::Release);
    });
}

#[test]
fn no_callback_begins_after_the_limit() {
    let folder = tempfile::TempDir::new_in("/dev/shm").unwrap();
    let context = context(&folder);
    let node = context.node("node").create().unwrap();
    let mut executor = SingleThreadedExecutor::new(&context).unwrap();
    executor.add_node(&node);
    let calls = Calls::default();
    let timers = ["a", "b", "c"]
        .map(|name| node.wall_timer(Duration::from_nanos(1)).callback(noted(&calls, name)).unwrap());
    assert!(
        !executor.spin_some_for(Duration::ZERO).unwrap(),
        "the limit is reached before the first callback"
    );
    assert!(executor.spin_some_for(LONG).unwrap());
    assert_eq!(*calls.lock().unwrap(), ["a", "b", "c"], "each runs once");
    drop(timers);
}
