//! Passes that end early: after one callback, or after a time.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use saltus_executor::{Executor, SingleThreadedExecutor};
use saltus_msgs::{
    example_interfaces::srv::{AddTwoInts, AddTwoInts_Request, AddTwoInts_Response},
    std_msgs::msg::UInt64,
};
use saltus_node::{Context, ContextOptions, Node};

const LONG: Duration = Duration::from_secs(20);

type Calls = Arc<Mutex<Vec<&'static str>>>;

fn context(folder: &tempfile::TempDir) -> Context {
    let options = ContextOptions::default().folder(folder.path());
    options.handle_signals(false).install_logging(false).rosout(false).create().unwrap()
}

/// Returns a domain of its own, a node, and an executor that runs the node.
fn scene() -> (tempfile::TempDir, Node, SingleThreadedExecutor) {
    let folder = tempfile::TempDir::new_in("/dev/shm").unwrap();
    let context = context(&folder);
    let node = context.node("node").create().unwrap();
    let executor = SingleThreadedExecutor::new(&context).unwrap();
    executor.add_node(&node);
    (folder, node, executor)
}

fn noted(calls: &Calls, name: &'static str) -> impl FnMut() + Send + 'static {
    let calls = calls.clone();
    move || calls.lock().unwrap().push(name)
}

#[test]
fn each_call_runs_one_callback_and_none_runs_twice_before_the_others() {
    let (_folder, node, mut executor) = scene();
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
    let (_folder, node, mut executor) = scene();
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
fn a_wake_ends_the_wait_for_a_callback_or_the_next_one() {
    let folder = tempfile::TempDir::new_in("/dev/shm").unwrap();
    let context = context(&folder);
    let mut executor = SingleThreadedExecutor::new(&context).unwrap();
    let handle = executor.handle();
    assert!(handle.is_of(&context));
    handle.wake();
    assert!(!executor.spin_one(None).unwrap());
    std::thread::scope(|scope| {
        // Either order passes.
        scope.spawn(|| handle.wake());
        assert!(!executor.spin_one(None).unwrap());
    });
}

#[test]
fn no_callback_begins_after_the_limit() {
    let (_folder, node, mut executor) = scene();
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

/// The entity that has run in an unfinished turn does not ring again for a message that came meanwhile.
#[test]
fn a_message_after_a_single_callback_is_received_by_each_kind_of_spin() {
    let (_folder, node, mut executor) = scene();
    let calls = Calls::default();
    let mut call = noted(&calls, "call");
    let _subscription = node.subscription::<UInt64>("a").callback(move |_| call()).unwrap();
    let publisher = node.publisher::<UInt64>("a").create().unwrap();
    assert!(publisher.wait_for_subscriptions(1, LONG));
    type Spin = fn(&mut SingleThreadedExecutor) -> bool;
    let spins: [Spin; 4] = [
        |executor| executor.spin_one(Some(Duration::ZERO)).unwrap(),
        |executor| executor.spin_some().unwrap(),
        |executor| executor.spin_some_for(Duration::MAX).unwrap(),
        |executor| executor.spin_once_or_interrupted(Some(0)).unwrap(),
    ];
    for (kind, spin) in spins.iter().enumerate() {
        publisher.publish(&UInt64 { data: 1 }).unwrap();
        assert!(executor.spin_one(Some(Duration::ZERO)).unwrap());
        publisher.publish(&UInt64 { data: 2 }).unwrap();
        assert!(spin(&mut executor), "kind {kind}");
    }
    assert_eq!(calls.lock().unwrap().len(), 2 * spins.len());
}

/// A program changes the state of a node with a message, and then calls a service of it that depends on that.
#[test]
fn a_message_is_handled_before_a_request_that_came_after_it() {
    let (folder, node, mut executor) = scene();
    let calls = Calls::default();
    let (mut request, mut message) = (noted(&calls, "request"), noted(&calls, "message"));
    let _server = node.service::<AddTwoInts>("add").callback(move |AddTwoInts_Request { a, b }| {
        request();
        AddTwoInts_Response { sum: a + b }
    });
    let other = context(&folder).node("other").create().unwrap();
    let publisher = other.publisher::<UInt64>("a").create().unwrap();
    let client = other.client::<AddTwoInts>("add").create().unwrap();
    let send_both = move |publisher: &saltus_node::Publisher<UInt64>| {
        publisher.publish(&UInt64 { data: 0 }).unwrap();
        client.call_async(&AddTwoInts_Request { a: 1, b: 2 }).unwrap()
    };
    // The callback of a message with another number than 0 sends the next message and a request, while the pass is under way.
    let (inner, own_publisher) = (send_both.clone(), publisher.clone());
    let _subscription = node
        .subscription::<UInt64>("a")
        .callback(move |UInt64 { data }| {
            message();
            if data > 0 {
                let _call = inner(&own_publisher);
            }
        })
        .unwrap();
    assert!(publisher.wait_for_subscriptions(1, LONG));
    let taken = || std::mem::take(&mut *calls.lock().unwrap());
    for _ in 0..3 {
        let _call = send_both(&publisher);
        assert!(executor.spin_some().unwrap());
        assert_eq!(taken(), ["message", "request"]);
    }
    // Single callbacks: the subscription has run already in the turn that goes on.
    publisher.publish(&UInt64 { data: 0 }).unwrap();
    assert!(executor.spin_one(Some(LONG)).unwrap());
    let _call = send_both(&publisher);
    (0..2).for_each(|_| assert!(executor.spin_one(Some(LONG)).unwrap()));
    assert_eq!(taken(), ["message", "message", "request"]);
    publisher.publish(&UInt64 { data: 1 }).unwrap();
    while executor.spin_some().unwrap() {}
    assert_eq!(taken(), ["message", "message", "request"]);
}
