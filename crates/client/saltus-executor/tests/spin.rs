//! Spinning: which callbacks run in which order, how executors wait, and when a spin ends.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    io::{Read, Write, pipe},
    os::fd::OwnedFd,
    path::PathBuf,
    sync::{
        Arc, Mutex, OnceLock,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

use saltus_executor::{Executor, Interest, MultiThreadedExecutor, SingleThreadedExecutor, WaitStrategy};
use saltus_msgs::{
    std_msgs::msg::{String as Text, UInt64},
    std_srvs::srv::Empty,
};
use saltus_node::{
    CallbackGroupKind, Clock, Context, ContextOptions, Executed, Node, Timer, Waitable, Waker,
};

const LONG: Duration = Duration::from_secs(10);

/// A folder for one test. It is removed when the test ends.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Creates a context, a node and its executor. The caller must drop the folder last, because the context uses it until
/// the context is dropped.
fn scene() -> (Folder, Context, Node, SingleThreadedExecutor) {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let folder = PathBuf::from(format!("/dev/shm/saltus-spin-{}-{count}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let context = ContextOptions::default().folder(&folder).handle_signals(false).create().unwrap();
    let node = context.node("node").create().unwrap();
    let executor = SingleThreadedExecutor::new(&context).unwrap();
    executor.add_node(&node);
    (Folder(folder), context, node, executor)
}

/// Returns a counter, and a callback that counts its calls.
fn counter() -> (Arc<AtomicU32>, impl FnMut() + Send + 'static) {
    let count = Arc::new(AtomicU32::new(0));
    let counted = count.clone();
    (count, move || {
        counted.fetch_add(1, Ordering::Relaxed);
    })
}

#[test]
fn timers_have_absolute_deadlines_and_can_be_cancelled_and_reset() {
    let (_folder, _context, node, mut executor) = scene();
    let times = Arc::new(Mutex::new(Vec::new()));
    let noted = times.clone();
    let start = Instant::now();
    let timer = node
        .wall_timer(Duration::from_millis(10))
        .callback(move || noted.lock().unwrap().push(start.elapsed()));
    let timer = timer.unwrap();
    while times.lock().unwrap().len() < 5 {
        executor.spin_once(None).unwrap();
    }
    let first = times.lock().unwrap().clone();
    for (i, time) in (1..).zip(&first) {
        assert!(*time >= Duration::from_millis(10) * i - Duration::from_millis(1), "{first:?}");
    }
    timer.cancel();
    assert!(!executor.spin_once(Some(Duration::from_millis(30))).unwrap());
    assert!(timer.is_cancelled() && timer.time_until_next_call().is_none());
    timer.reset();
    assert!(executor.spin_once(None).unwrap());
    assert!(node.wall_timer(Duration::ZERO).callback(|| ()).is_err());
}

#[test]
fn every_strategy_delivers_values_and_views_in_order() {
    for strategy in [WaitStrategy::Block, WaitStrategy::Adaptive, WaitStrategy::Spin] {
        let (_folder, _context, node, executor) = scene();
        let mut executor = executor.strategy(strategy);
        let received = Arc::new(Mutex::new(Vec::new()));
        let (by_value, by_view) = (received.clone(), received.clone());
        let publisher = node.publisher::<Text>("chatter").create().unwrap();
        let _value = node
            .subscription::<Text>("chatter")
            .callback(move |text| by_value.lock().unwrap().push(text.data));
        let _view = node
            .subscription::<Text>("chatter")
            .view(move |text| by_view.lock().unwrap().push(text.data().to_owned()));
        for i in 0..5 {
            publisher.publish(&Text { data: format!("message {i}") }).unwrap();
        }
        while received.lock().unwrap().len() < 10 {
            executor.spin_once(None).unwrap();
        }
        let received = received.lock().unwrap();
        let want: Vec<String> =
            (0..5).flat_map(|i| [format!("message {i}"), format!("message {i}")]).collect();
        assert_eq!(*received, want);
    }
}

#[test]
fn a_flooded_subscription_does_not_starve_the_others() {
    let (_folder, _context, node, mut executor) = scene();
    let (flood, single) = (
        node.publisher::<UInt64>("flood").qos(1000).create().unwrap(),
        node.publisher::<UInt64>("single").create().unwrap(),
    );
    let order = Arc::new(Mutex::new(Vec::new()));
    let (a, b) = (order.clone(), order.clone());
    let _a = node.subscription::<UInt64>("flood").qos(1000).callback(move |_| a.lock().unwrap().push('f'));
    let _b = node.subscription::<UInt64>("single").callback(move |_| b.lock().unwrap().push('s'));
    (0..1000).for_each(|data| flood.publish(&UInt64 { data }).unwrap());
    single.publish(&UInt64 { data: 0 }).unwrap();
    executor.spin_some().unwrap();
    assert_eq!(*order.lock().unwrap(), ['f', 's'], "one message of each in a pass");
}

#[test]
fn dropped_entities_are_not_called_again() {
    let (_folder, _context, node, mut executor) = scene();
    let publisher = node.publisher::<UInt64>("t").create().unwrap();
    let (count, mut call) = counter();
    let subscription = node.subscription::<UInt64>("t").callback(move |_| call()).unwrap();
    let (ticks, tick) = counter();
    let timer = node.wall_timer(Duration::from_millis(1)).callback(tick).unwrap();
    publisher.publish(&UInt64 { data: 1 }).unwrap();
    while count.load(Ordering::Relaxed) == 0 || ticks.load(Ordering::Relaxed) == 0 {
        executor.spin_once(None).unwrap();
    }
    drop((subscription, timer));
    let seen = (count.load(Ordering::Relaxed), ticks.load(Ordering::Relaxed));
    publisher.publish(&UInt64 { data: 2 }).unwrap();
    assert!(!executor.spin_once(Some(Duration::from_millis(20))).unwrap());
    assert_eq!((count.load(Ordering::Relaxed), ticks.load(Ordering::Relaxed)), seen);
    assert_eq!(publisher.subscription_count(), 0);
}

#[test]
fn entities_created_in_callbacks_are_called() {
    let (_folder, _context, node, mut executor) = scene();
    let created = Arc::new(Mutex::new(None));
    let (count, call) = counter();
    let (keep, inner) = (created.clone(), node.clone());
    let mut call = Some(call);
    let _creator = node.wall_timer(Duration::from_millis(1)).callback(move || {
        if let Some(call) = call.take() {
            *keep.lock().unwrap() = Some(inner.wall_timer(Duration::from_millis(1)).callback(call).unwrap());
        }
    });
    while count.load(Ordering::Relaxed) == 0 {
        executor.spin_once(None).unwrap();
    }
}

#[test]
fn a_spin_ends_when_cancelled_and_when_the_context_shuts_down() {
    for round in 0..200 {
        let (_folder, context, node, executor) = scene();
        let mut executor = executor.strategy(WaitStrategy::Block);
        let handle = executor.handle();
        std::thread::scope(|scope| {
            scope.spawn(move || if round % 2 == 0 { handle.cancel() } else { context.shut_down() });
            executor.spin_node(&node).unwrap();
        });
    }
}

/// The executor must not wait if the pass has taken the ring of the cancellation already.
#[test]
fn a_cancellation_from_a_callback_ends_the_spin() {
    let (_folder, _context, node, executor) = scene();
    let mut executor = executor.strategy(WaitStrategy::Block);
    let handle = executor.handle();
    let publisher = node.publisher::<UInt64>("t").create().unwrap();
    let _subscription = node.subscription::<UInt64>("t").callback(move |_| handle.cancel()).unwrap();
    for _ in 0..100 {
        publisher.publish(&UInt64::default()).unwrap();
        executor.spin().unwrap();
    }
}

#[test]
fn a_node_belongs_to_the_last_executor_that_took_it_even_if_another_is_dropped() {
    let (_folder, context, node, mut first) = scene();
    let publisher = node.publisher::<UInt64>("t").create().unwrap();
    let (count, call) = counter();
    let mut call = call;
    let _subscription = node.subscription::<UInt64>("t").callback(move |_| call()).unwrap();
    let mut second = SingleThreadedExecutor::new(&context).unwrap().strategy(WaitStrategy::Block);
    second.add_node(&node);
    second.add_node(&node);
    publisher.publish(&UInt64::default()).unwrap();
    assert!(!first.spin_some().unwrap(), "the node belongs to the second executor");
    drop(first);
    assert!(second.spin_once(Some(Duration::from_secs(10))).unwrap());
    publisher.publish(&UInt64::default()).unwrap();
    assert!(second.spin_once(Some(Duration::from_secs(10))).unwrap(), "the second executor is still rung");
    assert!(!second.spin_some().unwrap());
    assert_eq!(
        count.load(Ordering::Relaxed),
        2,
        "each message is delivered once, although the node was added twice"
    );
}

/// A callback may spin its own node, for example to wait for a response.
#[test]
fn a_node_returns_to_the_executor_before_when_the_other_one_ends() {
    let (_folder, context, node, mut first) = scene();
    let publisher = node.publisher::<UInt64>("t").create().unwrap();
    let (count, mut call) = counter();
    let _subscription = node.subscription::<UInt64>("t").callback(move |_| call()).unwrap();
    first.add_node(&node);
    let second = || SingleThreadedExecutor::new(&context).unwrap().strategy(WaitStrategy::Block);
    for (round, is_removed) in (1..).zip([true, false, true, false]) {
        let mut other = second();
        other.add_node(&node);
        while other.spin_some().unwrap() || first.spin_some().unwrap() {}
        // The executor before does not know this group.
        let group = node.callback_group(CallbackGroupKind::MutuallyExclusive);
        let (late, mut call) = counter();
        let _late = node.subscription::<UInt64>("t").callback_group(&group).callback(move |_| call());
        if is_removed {
            other.remove_node(&node);
        } else {
            drop(other);
        }
        publisher.publish(&UInt64::default()).unwrap();
        while count.load(Ordering::Relaxed) < round || late.load(Ordering::Relaxed) < 1 {
            assert!(first.spin_once(Some(Duration::from_secs(10))).unwrap());
        }
    }
    let (mut third, fourth) = (second(), second());
    third.add_node(&node);
    fourth.add_node(&node);
    drop(first);
    drop(fourth);
    publisher.publish(&UInt64::default()).unwrap();
    while count.load(Ordering::Relaxed) < 5 {
        assert!(third.spin_once(Some(Duration::from_secs(10))).unwrap(), "an executor below was dropped");
    }
}

#[test]
fn a_callback_spins_its_own_node_to_wait_for_a_response() {
    let (_folder, context, node, mut executor) = scene();
    let group = node.callback_group(CallbackGroupKind::MutuallyExclusive);
    let _service = node.service::<Empty>("e").callback_group(&group).callback(|_| Default::default());
    let client = node.client::<Empty>("e").callback_group(&group).create().unwrap();
    let (count, mut call) = counter();
    let (inner, own) = (context.clone(), node.downgrade());
    let _timer = node.wall_timer(Duration::from_millis(1)).callback(move || {
        let mut other = SingleThreadedExecutor::new(&inner).unwrap();
        other.add_node(&own.upgrade().unwrap());
        let response = client.call_async(&Default::default()).unwrap();
        assert!(other.spin_until_future_complete(response, Some(LONG)).unwrap().unwrap().is_ok());
        call();
    });
    while count.load(Ordering::Relaxed) < 3 {
        assert!(executor.spin_once(Some(LONG)).unwrap());
    }
}

#[test]
fn removing_a_node_that_was_not_added_removes_no_group_of_it() {
    let (_folder, context, node, _second) = scene();
    let publisher = node.publisher::<UInt64>("t").create().unwrap();
    let group = node.callback_group(CallbackGroupKind::MutuallyExclusive);
    let (count, mut call) = counter();
    let _subscription = node.subscription::<UInt64>("t").callback_group(&group).callback(move |_| call());
    let mut first = SingleThreadedExecutor::new(&context).unwrap();
    first.add_callback_group(&group);
    first.remove_node(&node);
    publisher.publish(&UInt64::default()).unwrap();
    assert!(first.spin_once(Some(LONG)).unwrap());
    assert_eq!(count.load(Ordering::Relaxed), 1);
}

/// A group that is created while a second executor runs the node belongs to the first one, too.
#[test]
fn a_new_group_belongs_to_all_executors_of_its_node() {
    let (_folder, context, node, mut first) = scene();
    let publisher = node.publisher::<UInt64>("t").create().unwrap();
    let executor = || SingleThreadedExecutor::new(&context).unwrap();
    let (second, third) = (executor(), executor());
    first.add_node(&node);
    second.add_node(&node);
    let group = node.callback_group(CallbackGroupKind::MutuallyExclusive);
    third.add_callback_group(&group);
    drop(second);
    third.remove_callback_group(&group);
    let (count, mut call) = counter();
    let _subscription = node.subscription::<UInt64>("t").callback_group(&group).callback(move |_| call());
    // A group that the first executor has removed does not return to it.
    let removed = node.callback_group(CallbackGroupKind::MutuallyExclusive);
    first.remove_callback_group(&removed);
    let fourth = executor();
    fourth.add_node(&node);
    drop(fourth);
    let (never, mut call) = counter();
    let _other = node.subscription::<UInt64>("t").callback_group(&removed).callback(move |_| call());
    publisher.publish(&UInt64::default()).unwrap();
    while count.load(Ordering::Relaxed) < 1 {
        assert!(first.spin_once(Some(LONG)).unwrap());
    }
    while first.spin_some().unwrap() {}
    assert_eq!(never.load(Ordering::Relaxed), 0);
}

#[test]
fn a_group_returns_to_the_executor_of_its_node() {
    let (_folder, context, node, mut first) = scene();
    let publisher = node.publisher::<UInt64>("t").create().unwrap();
    let group = node.callback_group(CallbackGroupKind::MutuallyExclusive);
    let (count, mut call) = counter();
    let _subscription = node.subscription::<UInt64>("t").callback_group(&group).callback(move |_| call());
    first.add_node(&node);
    let mut second = SingleThreadedExecutor::new(&context).unwrap();
    second.add_callback_group(&group);
    while first.spin_some().unwrap() {}
    publisher.publish(&UInt64::default()).unwrap();
    assert!(second.spin_once(Some(Duration::from_secs(10))).unwrap() && !first.spin_some().unwrap());
    second.remove_callback_group(&group);
    publisher.publish(&UInt64::default()).unwrap();
    while count.load(Ordering::Relaxed) < 2 {
        assert!(first.spin_once(Some(Duration::from_secs(10))).unwrap());
    }
}

#[test]
fn file_descriptors_and_messages_share_a_wait() {
    let (_folder, _context, node, mut executor) = scene();
    let publisher = node.publisher::<UInt64>("t").create().unwrap();
    let (messages, mut message) = counter();
    let _subscription = node.subscription::<UInt64>("t").callback(move |_| message());
    let (mut reader, mut writer) = pipe().unwrap();
    let fd = OwnedFd::from(reader.try_clone().unwrap());
    let (bytes, mut byte) = counter();
    let handle = executor.add_fd(fd, Interest::Readable, move || {
        reader.read_exact(&mut [0]).unwrap();
        byte();
    });
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for data in 0..5 {
                writer.write_all(b"x").unwrap();
                publisher.publish(&UInt64 { data }).unwrap();
            }
        });
        while messages.load(Ordering::Relaxed) < 5 || bytes.load(Ordering::Relaxed) < 5 {
            executor.spin_once(None).unwrap();
        }
    });
    drop(handle);
    writer.write_all(b"x").unwrap();
    assert!(!executor.spin_once(Some(Duration::from_millis(20))).unwrap());
    assert_eq!(bytes.load(Ordering::Relaxed), 5);
}

#[test]
fn another_event_loop_can_wait_for_an_executor() {
    let (_folder, _context, node, mut executor) = scene();
    let publisher = node.publisher::<UInt64>("t").create().unwrap();
    let (count, mut call) = counter();
    let _subscription = node.subscription::<UInt64>("t").callback(move |_| call());
    while executor.spin_some().unwrap() {}
    assert_eq!(executor.arm().unwrap(), None, "nothing is ready, and there is no timer");
    publisher.publish(&UInt64 { data: 1 }).unwrap();
    let fd = executor.fd().unwrap().try_clone_to_owned().unwrap();
    let mut byte = [0];
    std::fs::File::from(fd).read_exact(&mut byte).unwrap();
    assert!(executor.spin_some().unwrap());
    assert_eq!(count.load(Ordering::Relaxed), 1);
    let _timer = node.wall_timer(Duration::from_secs(1)).callback(|| ()).unwrap();
    let wait = executor.arm().unwrap().unwrap();
    assert!(wait <= Duration::from_secs(1));
}

#[test]
fn waiting_for_a_match_ends_when_the_context_shuts_down() {
    let (_folder, context, node, _executor) = scene();
    let publisher = node.publisher::<UInt64>("t").create().unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| context.shut_down());
        assert!(!publisher.wait_for_subscriptions(1, Duration::from_secs(60)));
    });
}

#[test]
fn no_timer_is_early_and_messages_come_between_timers() {
    let (_folder, context, node, single) = scene();
    let mut multi = MultiThreadedExecutor::new(&context).unwrap().threads(2);
    let topic = node.publisher::<Text>("topic").create().unwrap();
    let (received, mut count) = counter();
    let _subscription = node.subscription::<Text>("topic").callback(move |_| count()).unwrap();
    let early = Arc::<AtomicU32>::default();
    let (noted, period, mut calls) = (early.clone(), Duration::from_millis(2), 0);
    let (handle, other) = (single.handle(), multi.handle());
    let mut single = single.spin_tail(Duration::from_micros(200));
    let timer = Arc::<OnceLock<Timer>>::default();
    // The callback has only a weak reference to the timer, because the timer owns the callback.
    let itself = Arc::downgrade(&timer);
    let called = node.timer(period).clock(&Clock::steady()).callback(move || {
        calls += 1;
        let due = itself.upgrade().and_then(|timer| timer.get()?.last_due()).unwrap();
        noted.fetch_add(u32::from(Clock::steady().now() < due), Ordering::Relaxed);
        topic.publish(&Text::default()).unwrap();
        match calls {
            50 => handle.cancel(),
            100 => other.cancel(),
            _ => {}
        }
    });
    assert!(timer.set(called.unwrap()).is_ok());
    single.spin_node(&node).unwrap();
    multi.spin_node(&node).unwrap();
    assert_eq!(early.load(Ordering::Relaxed), 0);
    assert!(received.load(Ordering::Relaxed) >= 98, "all but perhaps the last of each spin");
}

#[test]
fn a_spin_tail_makes_no_timer_early_and_a_message_ends_it() {
    let (_folder, _context, node, executor) = scene();
    let mut executor = executor.spin_tail(Duration::from_secs(10));
    let started = Instant::now();
    let (calls, count) = counter();
    let timer = node.wall_timer(Duration::from_millis(20)).callback(count).unwrap();
    assert!(executor.spin_once(None).unwrap());
    assert!(started.elapsed() >= Duration::from_millis(20));
    assert_eq!(calls.load(Ordering::Relaxed), 1);
    let (received, count) = counter();
    let topic = node.publisher::<Text>("topic").create().unwrap();
    let mut count = count;
    let _subscription = node.subscription::<Text>("topic").callback(move |_| count()).unwrap();
    let slow = node.wall_timer(Duration::from_secs(100)).callback(|| {}).unwrap();
    drop(timer);
    let sender = std::thread::spawn(move || topic.publish(&Text::default()).unwrap());
    while received.load(Ordering::Relaxed) == 0 {
        executor.spin_once(Some(Duration::from_secs(10))).unwrap();
    }
    assert!(slow.time_until_next_call().unwrap() > Duration::from_secs(50), "the timer is not due yet");
    sender.join().unwrap();
}

#[test]
fn a_timer_knows_when_it_was_called_and_its_period_may_change() {
    let (_folder, _context, node, mut executor) = scene();
    let timer = node.wall_timer(Duration::from_millis(5)).callback(|| {}).unwrap();
    assert!(executor.spin_once(None).unwrap());
    assert!(timer.time_since_last_call() < Duration::from_millis(5));
    timer.set_period(Duration::from_secs(100));
    timer.reset();
    assert_eq!(timer.period(), Duration::from_secs(100));
    assert!(timer.time_until_next_call().unwrap() > Duration::from_secs(50));
}

/// A message that a timer publishes does not wait for all timers that are due at the same time.
#[test]
fn a_message_that_a_timer_publishes_comes_before_the_next_timer() {
    let (_folder, context, node, _) = scene();
    let order = Arc::new(Mutex::new(Vec::new()));
    let note = |what: &'static str| {
        let order = order.clone();
        move || order.lock().unwrap().push(what)
    };
    let (first, second) = (note("first topic"), note("second topic"));
    let publisher = node.publisher::<UInt64>("second").create().unwrap();
    let _second = node.subscription::<UInt64>("second").callback(move |_| second()).unwrap();
    assert!(publisher.wait_for_subscriptions(1, LONG));
    let subscription = node.subscription::<UInt64>("first").callback(move |message| {
        first();
        publisher.publish(&message).unwrap();
    });
    let _subscription = subscription.unwrap();
    let publisher = node.publisher::<UInt64>("first").create().unwrap();
    let tick = note("timer");
    assert!(publisher.wait_for_subscriptions(1, LONG));
    let publishing = node.wall_timer(Duration::from_nanos(1)).callback(move || {
        tick();
        publisher.publish(&UInt64 { data: 1 }).unwrap();
    });
    let _publishing = publishing.unwrap();
    let _other = node.wall_timer(Duration::from_nanos(1)).callback(note("other timer")).unwrap();
    let mut executor = SingleThreadedExecutor::new(&context).unwrap();
    executor.add_node(&node);
    executor.spin_some().unwrap();
    assert_eq!(*order.lock().unwrap(), ["timer", "first topic", "second topic", "other timer"]);
}

/// Two callbacks publish to each other for ever.
#[test]
fn messages_do_not_starve_timers() {
    let (_folder, context, node, _) = scene();
    let mut kept = Vec::new();
    for (from, to) in [("ping", "pong"), ("pong", "ping")] {
        let publisher = node.publisher::<UInt64>(to).create().unwrap();
        let answer = move |message: UInt64| publisher.publish(&message).unwrap();
        kept.push(node.subscription::<UInt64>(from).callback(answer).unwrap());
    }
    let publisher = node.publisher::<UInt64>("ping").create().unwrap();
    assert!(kept.iter().all(|subscription| subscription.wait_for_publishers(1, LONG)));
    publisher.publish(&UInt64 { data: 1 }).unwrap();
    let mut executor = SingleThreadedExecutor::new(&context).unwrap();
    let (handle, mut left) = (executor.handle(), 100);
    let _timer = node.wall_timer(Duration::from_nanos(1)).callback(move || {
        left -= 1;
        if left == 0 {
            handle.cancel();
        }
    });
    let _timer = _timer.unwrap();
    executor.spin_node(&node).unwrap();
}

/// A timer that is never due, and counts how often it is asked for its deadline.
struct Asked(AtomicU32);

impl Waitable for Asked {
    fn set_waker(&self, _waker: Option<&Waker>) {}

    fn is_timer(&self) -> bool {
        true
    }

    fn deadline(&self) -> Option<u64> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Some(u64::MAX - 1)
    }

    fn execute(&self) -> Executed {
        Executed::Nothing
    }
}

#[test]
fn the_call_of_a_timer_asks_few_others_for_their_deadlines() {
    let (_folder, _context, node, mut executor) = scene();
    let others: Vec<Arc<Asked>> = (0..1000).map(|_| Arc::new(Asked(AtomicU32::new(0)))).collect();
    for other in &others {
        let other: Arc<dyn Waitable> = other.clone();
        node.default_callback_group().add(Arc::downgrade(&other));
    }
    let (calls, call) = counter();
    let _timer = node.wall_timer(Duration::from_nanos(1)).callback(call).unwrap();
    while calls.load(Ordering::Relaxed) < 100 {
        executor.spin_once(Some(LONG)).unwrap();
    }
    let asked: u32 = others.iter().map(|other| other.0.load(Ordering::Relaxed)).sum();
    assert!(asked < 10_000, "{asked}");
}

#[test]
fn a_pass_runs_each_due_timer_once_although_a_callback_adds_and_removes_nodes() {
    let (_folder, context, node, mut executor) = scene();
    let order = Arc::new(Mutex::new(Vec::new()));
    let note = |number: u32| {
        let order = order.clone();
        move || order.lock().unwrap().push(number)
    };
    let timer = |node: &Node, callback: Box<dyn FnMut() + Send>| {
        node.wall_timer(Duration::from_nanos(1)).callback(callback).unwrap()
    };
    let [kept, removed, added] =
        ["kept", "removed", "added"].map(|name| context.node(name).create().unwrap());
    let (handle, noted, old, new) = (executor.handle(), note(0), removed.clone(), added.clone());
    let change = move || {
        noted();
        handle.remove_node(&old);
        handle.add_node(&new);
    };
    let _timers = [
        timer(&node, Box::new(change)),
        timer(&kept, Box::new(note(1))),
        timer(&removed, Box::new(note(2))),
        timer(&added, Box::new(note(3))),
    ];
    executor.add_node(&kept);
    executor.add_node(&removed);
    // A node that is added during a pass runs in the next one.
    for want in [&[0, 1][..], &[0, 1, 3]] {
        assert!(executor.spin_once(Some(LONG)).unwrap());
        assert_eq!(std::mem::take(&mut *order.lock().unwrap()), want);
    }
}
