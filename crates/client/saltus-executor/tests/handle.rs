//! Handles: nodes, groups and waitables are added and removed while an executor spins. Also: re-entrant callbacks, and
//! futures that wait for a clock.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use saltus_executor::{Executor, ExecutorHandle, MultiThreadedExecutor, SingleThreadedExecutor};
use saltus_msgs::{example_interfaces::srv::AddTwoInts, std_msgs::msg::UInt64};
use saltus_node::{
    CallbackGroupKind, Clock, Context, ContextOptions, Executed, Node, Received, Timer, Waitable, Waker,
};
use saltus_types::Time;

const LONG: Duration = Duration::from_secs(60);

/// The fields are dropped in this order, so that the context leaves its folder before the folder is removed.
struct Scene {
    context: Context,
    _folder: tempfile::TempDir,
}

fn scene() -> Scene {
    let folder = tempfile::TempDir::new_in("/dev/shm").unwrap();
    let context = ContextOptions::default().folder(folder.path()).handle_signals(false).create().unwrap();
    Scene { context, _folder: folder }
}

fn node(context: &Context, name: &str) -> Node {
    context.node(name).start_parameter_services(false).create().unwrap()
}

/// A guard that cancels a spin on another thread. Without it, a failed check would hang instead of failing the test.
struct CancelOnDrop(ExecutorHandle);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Runs `body` while the executor spins on another thread.
fn while_spinning<T>(mut executor: impl Executor + Send, body: impl FnOnce(&ExecutorHandle) -> T) -> T {
    thread::scope(|scope| {
        let cancel = CancelOnDrop(executor.handle());
        let spinning = scope.spawn(move || executor.spin());
        let value = body(&cancel.0);
        drop(cancel);
        spinning.join().unwrap().unwrap();
        value
    })
}

/// A node with a timer. The callback of the timer removes the node from its executor, and counts the calls.
struct ShortLivedNode {
    calls: Arc<AtomicU32>,
    timer: Mutex<Option<Timer>>,
}

/// The number of nodes that were removed.
type Removed = Arc<AtomicUsize>;

impl ShortLivedNode {
    fn add(context: &Context, handle: &ExecutorHandle, number: usize, removed: &Removed) -> Arc<Self> {
        let added = Arc::new(Self { calls: Arc::default(), timer: Mutex::default() });
        let node = node(context, &format!("node_{number}"));
        let (calls, own, removed) = (added.calls.clone(), handle.clone(), removed.clone());
        let own_node = node.clone();
        let timer = node.wall_timer(Duration::from_nanos(1)).callback(move || {
            own.remove_node(&own_node);
            calls.fetch_add(1, Ordering::Relaxed);
            removed.fetch_add(1, Ordering::Release);
        });
        *added.timer.lock().unwrap() = Some(timer.unwrap());
        handle.add_node(&node);
        added
    }
}

/// Adds nodes from two threads and from a callback. Drops them after all were removed.
fn add_and_remove_ten_thousand_nodes(executor: impl Executor + Send, context: &Context) {
    // `make tsan` uses fewer nodes, because ThreadSanitizer makes this a hundred times slower.
    let nodes = std::env::var("SALTUS_TEST_NODES").map_or(10_000, |text| text.parse().unwrap());
    let each = usize::div_ceil(nodes, 3);
    let removed = Removed::default();
    let all: Arc<Mutex<Vec<Arc<ShortLivedNode>>>> = Arc::default();
    let host = node(context, "host");
    executor.add_node(&host);
    let handle = executor.handle();
    let (of_callback, noted, callback_context) = (removed.clone(), all.clone(), context.clone());
    let mut next = 0;
    let _timer = host.wall_timer(Duration::from_nanos(1)).callback(move || {
        if next < each {
            let added = ShortLivedNode::add(&callback_context, &handle, next, &of_callback);
            noted.lock().unwrap().push(added);
            next += 1;
        }
    });
    let _timer = _timer.unwrap();
    while_spinning(executor, |handle| {
        thread::scope(|scope| {
            for first in [each, 2 * each] {
                let (all, removed) = (&all, &removed);
                scope.spawn(move || {
                    for number in first..first + each {
                        let added = ShortLivedNode::add(context, handle, number, removed);
                        all.lock().unwrap().push(added);
                    }
                });
            }
        });
        let start = Instant::now();
        while removed.load(Ordering::Acquire) < 3 * each {
            assert!(start.elapsed() < LONG, "{removed:?} of {} nodes were removed", 3 * each);
            thread::yield_now();
        }
        assert_eq!(handle.nodes(), [host]);
    });
    let nodes = all.lock().unwrap();
    assert_eq!(nodes.len(), 3 * each);
    // A timer is not called again after its callback has removed its node, because the callback can't overlap itself.
    assert!(nodes.iter().all(|node| node.calls.load(Ordering::Relaxed) == 1));
}

#[test]
fn ten_thousand_nodes_are_added_and_removed_while_one_thread_spins() {
    let Scene { context, _folder } = scene();
    add_and_remove_ten_thousand_nodes(SingleThreadedExecutor::new(&context).unwrap(), &context);
}

#[test]
fn ten_thousand_nodes_are_added_and_removed_while_several_threads_spin() {
    let Scene { context, _folder } = scene();
    add_and_remove_ten_thousand_nodes(MultiThreadedExecutor::new(&context).unwrap().threads(4), &context);
}

/// A waitable that is always ready.
#[derive(Default)]
struct AlwaysReady {
    calls: AtomicUsize,
    waker: Mutex<Option<Waker>>,
}

impl Waitable for AlwaysReady {
    fn set_waker(&self, waker: Option<&Waker>) {
        *self.waker.lock().unwrap() = waker.cloned();
        waker.inspect(|waker| waker.ring());
    }

    fn execute(&self) -> Executed {
        self.calls.fetch_add(1, Ordering::Release);
        Executed::Ran(None)
    }
}

/// A waitable whose first call ends when it is let go.
struct Blocking {
    begun: mpsc::Sender<()>,
    go: Mutex<mpsc::Receiver<()>>,
}

impl Waitable for Blocking {
    fn set_waker(&self, waker: Option<&Waker>) {
        waker.inspect(|waker| waker.ring());
    }

    fn execute(&self) -> Executed {
        let _ = self.begun.send(());
        let _ = self.go.lock().unwrap().recv();
        Executed::Ran(None)
    }
}

/// The group of a waitable that is removed while it runs is free when the call has ended.
#[test]
fn a_group_is_free_after_a_waitable_that_was_removed_while_it_ran() {
    let Scene { context, _folder } = scene();
    let node = node(&context, "node");
    let group = node.manual_callback_group(CallbackGroupKind::MutuallyExclusive);
    let ((begun, has_begun), (let_go, go)) = (mpsc::channel(), mpsc::channel());
    let blocking: Arc<dyn Waitable> = Arc::new(Blocking { begun, go: Mutex::new(go) });
    let ready = Arc::<AlwaysReady>::default();
    let as_waitable: Arc<dyn Waitable> = ready.clone();
    // This guard condition shows that the executor has listed what has changed.
    let (sender, receiver) = mpsc::channel();
    let other = context.node("other").start_parameter_services(false).create().unwrap();
    let pass = other.guard_condition(move || {
        let _ = sender.send(());
    });
    let executor = MultiThreadedExecutor::new(&context).unwrap().threads(2);
    executor.add_node(&other);
    while_spinning(executor, |handle| {
        group.add(Arc::downgrade(&blocking));
        group.add(Arc::downgrade(&as_waitable));
        handle.add_callback_group(&group);
        has_begun.recv_timeout(LONG).unwrap();
        group.remove(&Arc::downgrade(&blocking));
        for _ in 0..2 {
            pass.trigger();
            receiver.recv_timeout(LONG).unwrap();
        }
        let before = ready.calls.load(Ordering::Acquire);
        let_go.send(()).unwrap();
        let start = Instant::now();
        while ready.calls.load(Ordering::Acquire) < before + 10 {
            assert!(start.elapsed() < LONG, "the group is still busy");
            thread::yield_now();
        }
    });
}

fn add_and_remove_groups_and_waitables(executor: impl Executor + Send, context: &Context) {
    let node = node(context, "node");
    let ready = Arc::<AlwaysReady>::default();
    let group = node.manual_callback_group(CallbackGroupKind::MutuallyExclusive);
    let as_waitable: Arc<dyn Waitable> = ready.clone();
    let weak = Arc::downgrade(&as_waitable);
    let calls = || ready.calls.load(Ordering::Acquire);
    let is_called = || {
        let (before, start) = (calls(), Instant::now());
        while calls() < before + 10 {
            assert!(start.elapsed() < LONG, "the waitable is not called");
            thread::yield_now();
        }
    };
    // This guard condition shows that the executor has begun another pass.
    let (sender, receiver) = mpsc::channel();
    let other = context.node("other").start_parameter_services(false).create().unwrap();
    let pass = other.guard_condition(move || {
        let _ = sender.send(());
    });
    executor.add_node(&other);
    // A running call continues, and the group is free when it has ended. One more call may be about to begin.
    let is_not_called = || {
        while group.try_enter().is_none() {}
        let before = calls();
        for _ in 0..10 {
            pass.trigger();
            receiver.recv_timeout(LONG).unwrap();
        }
        assert!(calls() <= before + 1, "the waitable is still called");
    };
    while_spinning(executor, |handle| {
        for _ in 0..100 {
            group.add(weak.clone());
            handle.add_callback_group(&group);
            is_called();
            group.remove(&weak);
            is_not_called();
            group.add(weak.clone());
            is_called();
            handle.remove_callback_group(&group);
            is_not_called();
            group.remove(&weak);
        }
    });
}

#[test]
fn groups_and_waitables_are_added_and_removed_while_one_thread_spins() {
    let Scene { context, _folder } = scene();
    add_and_remove_groups_and_waitables(SingleThreadedExecutor::new(&context).unwrap(), &context);
}

#[test]
fn groups_and_waitables_are_added_and_removed_while_several_threads_spin() {
    let Scene { context, _folder } = scene();
    add_and_remove_groups_and_waitables(MultiThreadedExecutor::new(&context).unwrap().threads(2), &context);
}

/// The messages of the node are delivered, although the executor did not notice that it was removed.
#[test]
fn a_node_that_was_removed_and_added_again_is_run() {
    let Scene { context, _folder } = scene();
    let node = node(&context, "node");
    let (sender, receiver) = mpsc::channel();
    let subscription = node.subscription::<UInt64>("t").callback(move |message| {
        let _ = sender.send(message.data);
    });
    let _subscription = subscription.unwrap();
    let publisher = node.publisher::<UInt64>("t").create().unwrap();
    let mut executor = SingleThreadedExecutor::new(&context).unwrap();
    executor.add_node(&node);
    while executor.spin_some().unwrap() {}
    executor.remove_node(&node);
    executor.add_node(&node);
    while executor.spin_some().unwrap() {}
    publisher.publish(&UInt64 { data: 7 }).unwrap();
    assert!(executor.spin_once(Some(LONG)).unwrap());
    assert_eq!(receiver.try_iter().collect::<Vec<_>>(), [7]);
}

/// The executor still lists new groups of the node, and the groups after the one that another executor has taken.
#[test]
fn the_other_groups_of_a_node_stay_when_another_executor_takes_one() {
    let Scene { context, _folder } = scene();
    let node = node(&context, "node");
    let groups = [0; 3].map(|_| node.callback_group(CallbackGroupKind::MutuallyExclusive));
    let (sender, receiver) = mpsc::channel();
    let subscription = |number: usize| {
        let sender = sender.clone();
        let subscription = node.subscription::<UInt64>("t").callback_group(&groups[number]);
        subscription
            .callback(move |_| {
                let _ = sender.send(number);
            })
            .unwrap()
    };
    let (_subscriptions, publisher) =
        ([0, 1, 2].map(subscription), node.publisher::<UInt64>("t").create().unwrap());
    assert!(publisher.wait_for_subscriptions(3, LONG));
    let mut executor = SingleThreadedExecutor::new(&context).unwrap();
    let mut other = SingleThreadedExecutor::new(&context).unwrap();
    executor.add_node(&node);
    while executor.spin_some().unwrap() {}
    other.add_callback_group(&groups[1]);
    while executor.spin_some().unwrap() | other.spin_some().unwrap() {}
    // A new group makes the executor list the node again.
    let _wait = node.sleep_for(&Clock::steady(), LONG);
    while executor.spin_some().unwrap() {}
    publisher.publish(&UInt64 { data: 1 }).unwrap();
    while executor.spin_some().unwrap() {}
    let mut received: Vec<usize> = receiver.try_iter().collect();
    received.sort_unstable();
    assert_eq!(received, [0, 2]);
    while other.spin_some().unwrap() {}
    assert_eq!(receiver.try_iter().collect::<Vec<_>>(), [1]);
}

#[test]
fn a_group_may_be_removed_from_an_executor_that_has_its_node() {
    let Scene { context, _folder } = scene();
    let node = node(&context, "node");
    let (sender, receiver) = mpsc::channel();
    let of_timer = sender.clone();
    let _timer = node
        .wall_timer(Duration::from_nanos(1))
        .callback(move || {
            let _ = of_timer.send(0);
        })
        .unwrap();
    let _subscription = node
        .subscription::<UInt64>("t")
        .callback(move |m| {
            let _ = sender.send(m.data);
        })
        .unwrap();
    let publisher = node.publisher::<UInt64>("t").create().unwrap();
    assert!(publisher.wait_for_subscriptions(1, LONG));
    let mut executor = SingleThreadedExecutor::new(&context).unwrap();
    // The group is added by itself and with its node. It is still one group, so each message is delivered once.
    executor.add_node(&node);
    executor.add_callback_group(node.default_callback_group());
    publisher.publish(&UInt64 { data: 7 }).unwrap();
    while !receiver.try_iter().any(|data| data == 7) {
        executor.spin_once(Some(LONG)).unwrap();
    }
    executor.spin_some().unwrap();
    executor.remove_callback_group(node.default_callback_group());
    let again = receiver.try_iter().filter(|data| *data == 7).count();
    assert_eq!(again, 0);
    publisher.publish(&UInt64 { data: 8 }).unwrap();
    assert!(!executor.spin_once(Some(Duration::from_millis(2))).unwrap());
    assert_eq!(receiver.try_iter().count(), 0, "neither the timer nor the subscription is called");
}

/// A publisher that floods a subscription can't keep the thread in one pass for ever.
#[test]
fn a_flood_of_messages_does_not_starve_timers() {
    let Scene { context, _folder } = scene();
    let node = node(&context, "node");
    let _subscription = node.subscription::<UInt64>("t").callback(|_| {}).unwrap();
    let publisher = node.publisher::<UInt64>("t").create().unwrap();
    let mut executor = SingleThreadedExecutor::new(&context).unwrap();
    let (handle, mut left) = (executor.handle(), 1000);
    let timer = node.wall_timer(Duration::from_nanos(1)).callback(move || {
        left -= 1;
        if left == 0 {
            handle.cancel();
        }
    });
    let _timer = timer.unwrap();
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let is_over = &is_over;
        scope.spawn(move || {
            while !is_over.load(Ordering::Relaxed) {
                publisher.publish(&UInt64 { data: 1 }).unwrap();
            }
        });
        executor.spin_node(&node).unwrap();
        is_over.store(true, Ordering::Relaxed);
    });
}

/// The second executor takes a group while the first executor is running a callback of it. The second executor can't
/// run a timer of the group then, but must run it later.
#[test]
fn a_timer_that_could_not_run_and_was_reset_runs_later() {
    let Scene { context, _folder } = scene();
    let node = node(&context, "node");
    let mut first = SingleThreadedExecutor::new(&context).unwrap();
    let mut second = SingleThreadedExecutor::new(&context).unwrap();
    first.add_node(&node);
    let (sender, receiver) = mpsc::channel();
    let (entered, is_entered) = mpsc::channel();
    let (leave, may_leave) = mpsc::channel::<()>();
    let timer = node.wall_timer(Duration::from_millis(1)).callback(move || {
        let _ = sender.send(());
    });
    let timer = Arc::new(timer.unwrap());
    timer.cancel();
    let watchdog = timer.clone();
    let guard = node.guard_condition(move || {
        // The timer is due at once. It is reset before this callback ends.
        watchdog.reset_at(Time::from_nanos(1));
        entered.send(()).unwrap();
        may_leave.recv_timeout(LONG).unwrap();
        watchdog.reset();
    });
    guard.trigger();
    thread::scope(|scope| {
        let cancel = CancelOnDrop(first.handle());
        scope.spawn(move || first.spin().unwrap());
        is_entered.recv_timeout(LONG).unwrap();
        second.add_node(&node);
        assert!(!second.spin_some().unwrap(), "the group is busy");
        leave.send(()).unwrap();
        let start = Instant::now();
        while receiver.try_recv().is_err() {
            assert!(start.elapsed() < LONG, "the timer is not called");
            second.spin_once(Some(LONG)).unwrap();
        }
        drop(cancel);
    });
}

#[test]
fn a_handle_of_a_dropped_executor_does_nothing() {
    let Scene { context, _folder } = scene();
    let node = node(&context, "node");
    let handle = SingleThreadedExecutor::new(&context).unwrap().handle();
    handle.add_node(&node);
    assert!(handle.nodes().is_empty());
    handle.remove_node(&node);
    handle.cancel();
    let mut executor = SingleThreadedExecutor::new(&context).unwrap();
    let _timer = node.wall_timer(Duration::from_nanos(1)).callback(|| {}).unwrap();
    executor.add_node(&node);
    assert!(executor.spin_once(Some(LONG)).unwrap());
}

/// A barrier: threads wait in it until `count` threads have entered.
struct Overlap {
    count: usize,
    entered: Mutex<usize>,
    changed: std::sync::Condvar,
    done: mpsc::Sender<()>,
}

impl Overlap {
    fn new(count: usize) -> (Arc<Self>, mpsc::Receiver<()>) {
        let (done, receiver) = mpsc::channel();
        (Arc::new(Self { count, entered: Mutex::new(0), changed: std::sync::Condvar::new(), done }), receiver)
    }

    fn enter(&self) {
        let mut entered = self.entered.lock().unwrap();
        *entered += 1;
        self.changed.notify_all();
        while *entered < self.count {
            entered = self.changed.wait_timeout(entered, LONG).unwrap().0;
        }
        let _ = self.done.send(());
    }
}

/// Several calls of a callback in a re-entrant group may run at the same time, as in the ROS 2 documentation "Using
/// Callback Groups".
#[test]
fn a_reentrant_callback_overlaps_itself_on_all_threads() {
    const THREADS: usize = 3;
    let Scene { context, _folder } = scene();
    let node = node(&context, "node");
    let group = node.callback_group(CallbackGroupKind::Reentrant);
    let executor = MultiThreadedExecutor::new(&context).unwrap().threads(THREADS);
    executor.add_node(&node);

    let (overlap, of_values) = Overlap::new(THREADS);
    let values = node.subscription::<UInt64>("values").callback_group(&group);
    let _values = values.reentrant_callback(move |_: UInt64| overlap.enter()).unwrap();
    let (overlap, of_kept) = Overlap::new(THREADS);
    let kept = node.subscription::<UInt64>("kept").callback_group(&group);
    let _kept = kept.reentrant_received(move |_: Received<UInt64>| overlap.enter()).unwrap();
    let (overlap, of_calls) = Overlap::new(THREADS);
    let server = node.service::<AddTwoInts>("add").callback_group(&group);
    let server = server.reentrant_callback(move |request| {
        overlap.enter();
        saltus_msgs::example_interfaces::srv::AddTwoInts_Response { sum: request.a + request.b }
    });
    let _server = server.unwrap();
    let (publishers, client) = (
        ["values", "kept"].map(|topic| node.publisher::<UInt64>(topic).create().unwrap()),
        node.client::<AddTwoInts>("add").create().unwrap(),
    );
    while_spinning(executor, |_| {
        for (publisher, receiver) in publishers.iter().zip([of_values, of_kept]) {
            assert!(publisher.wait_for_subscriptions(1, LONG));
            (0..THREADS).for_each(|_| publisher.publish(&UInt64 { data: 1 }).unwrap());
            (0..THREADS).for_each(|_| receiver.recv_timeout(LONG).unwrap());
        }
        assert!(client.wait_for_service(LONG));
        let request = saltus_msgs::example_interfaces::srv::AddTwoInts_Request { a: 1, b: 2 };
        let calls: Vec<_> = (0..THREADS).map(|_| client.call_async(&request).unwrap()).collect();
        (0..THREADS).for_each(|_| of_calls.recv_timeout(LONG).unwrap());
        drop(calls);
        let (overlap, of_timer) = Overlap::new(THREADS);
        let timer = node.timer(Duration::from_millis(1)).callback_group(&group);
        let _timer = timer.reentrant_callback(move || overlap.enter()).unwrap();
        (0..THREADS).for_each(|_| of_timer.recv_timeout(LONG).unwrap());
    });
}

/// The same callbacks exclude each other in a node's default group.
#[test]
fn a_reentrant_callback_does_not_overlap_itself_in_an_exclusive_group() {
    let Scene { context, _folder } = scene();
    let node = node(&context, "node");
    let executor = MultiThreadedExecutor::new(&context).unwrap().threads(3);
    executor.add_node(&node);
    let (running, (sender, receiver)) = (AtomicU32::new(0), mpsc::channel());
    let subscription = node.subscription::<UInt64>("t").qos(100).reentrant_callback(move |_: UInt64| {
        let others = running.fetch_add(1, Ordering::SeqCst);
        thread::yield_now();
        running.fetch_sub(1, Ordering::SeqCst);
        let _ = sender.send(others);
    });
    let _subscription = subscription.unwrap();
    let publisher = node.publisher::<UInt64>("t").qos(100).create().unwrap();
    while_spinning(executor, |_| {
        (0..100).for_each(|data| publisher.publish(&UInt64 { data }).unwrap());
        (0..100).for_each(|_| assert_eq!(receiver.recv_timeout(LONG).unwrap(), 0));
    });
}

/// Waits for two times of a clock in one future, and checks what the clock shows then. Also checks waits that end
/// early.
fn wait_for_clocks(mut executor: impl Executor, context: &Context) {
    let node = node(context, "node");
    executor.add_node(&node);
    let clock = Clock::steady();
    for clock in [clock.clone(), Clock::system(), node.clock().clone()] {
        let until = Time::from_nanos(clock.now().as_nanos() + 2_000_000);
        let waits = async {
            let both = (node.sleep_until(&clock, until), node.sleep_for(&clock, Duration::from_millis(1)));
            (both.0.await, both.1.await)
        };
        let came = executor.spin_until_future_complete(waits, Some(LONG)).unwrap();
        assert_eq!(came, Some((true, true)));
        assert!(clock.now() >= until, "{:?}", clock.kind());
    }
    let past = node.sleep_until(&clock, Time::from_nanos(1));
    assert_eq!(executor.spin_until_future_complete(past, Some(Duration::ZERO)).unwrap(), Some(true));
    let long = node.sleep_for(&clock, LONG);
    assert_eq!(executor.spin_until_future_complete(long, Some(Duration::from_millis(1))).unwrap(), None);
    // The future was dropped, so its deadline does not wake the executor any more.
    node.use_sim_time(true).unwrap();
    let simulated = node.sleep_for(node.clock(), Duration::from_nanos(1));
    let soon = Some(Duration::from_millis(1));
    assert_eq!(executor.spin_until_future_complete(simulated, soon).unwrap(), None, "no time is published");
    let changed = node.sleep_for(node.clock(), LONG);
    node.use_sim_time(false).unwrap();
    assert_eq!(executor.spin_until_future_complete(changed, Some(LONG)).unwrap(), Some(false));
}

#[test]
fn one_thread_waits_for_clocks() {
    let Scene { context, _folder } = scene();
    wait_for_clocks(SingleThreadedExecutor::new(&context).unwrap(), &context);
}

#[test]
fn several_threads_wait_for_clocks() {
    let Scene { context, _folder } = scene();
    wait_for_clocks(MultiThreadedExecutor::new(&context).unwrap().threads(2), &context);
}

/// The executor does not spin again after the node was removed.
#[test]
fn a_removed_node_leaves_the_graph_when_it_is_dropped() {
    let Scene { context, _folder } = scene();
    let node = node(&context, "node");
    let mut executor = SingleThreadedExecutor::new(&context).unwrap();
    executor.add_node(&node);
    executor.spin_some().unwrap();
    executor.remove_node(&node);
    drop(node);
    assert!(context.graph().nodes.is_empty());
}
