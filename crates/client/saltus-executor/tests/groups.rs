//! Callback groups, several threads and several executors: callbacks of an exclusive group never overlap, no callback
//! starves, and every spin ends.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering},
        mpsc,
    },
    time::{Duration, Instant},
};

use saltus_executor::{Executor, ExecutorHandle, MultiThreadedExecutor, SingleThreadedExecutor};
use saltus_msgs::std_msgs::msg::UInt64;
use saltus_node::{CallbackGroupKind, Context, ContextOptions, Node, Publisher, Report};

const LONG: Duration = Duration::from_secs(60);

/// The fields are dropped in this order, so that the context leaves its folder before the folder is removed.
struct Scene {
    node: Node,
    context: Context,
    _folder: tempfile::TempDir,
}

fn scene() -> Scene {
    let folder = tempfile::TempDir::new_in("/dev/shm").unwrap();
    let context = ContextOptions::default().folder(folder.path()).handle_signals(false).create().unwrap();
    Scene { node: context.node("node").create().unwrap(), context, _folder: folder }
}

/// Returns a callback that sends a message for each call, as long as there is a receiver.
fn notify(sender: mpsc::Sender<()>) -> impl FnMut() {
    move || {
        let _ = sender.send(());
    }
}

/// A guard that cancels a spin on another thread. Without it, a failed check would hang instead of failing the test.
struct CancelOnDrop(ExecutorHandle);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// The statistics of one callback.
#[derive(Default)]
struct CallStats {
    calls: AtomicU32,
    last: Mutex<Option<Instant>>,
    longest_wait: Mutex<Duration>,
}

impl CallStats {
    fn note_call(&self) {
        let now = Instant::now();
        self.calls.fetch_add(1, Ordering::Relaxed);
        if let Some(last) = self.last.lock().unwrap().replace(now) {
            let mut longest = self.longest_wait.lock().unwrap();
            *longest = longest.max(now - last);
        }
    }
}

/// Runs 64 callbacks that always have something to do, in 8 mutually exclusive groups and a re-entrant one.
fn run_many_callbacks(threads: usize) {
    let Scene { node, context, _folder } = scene();
    let overlaps = Arc::<AtomicU32>::default();
    let stats: Arc<Vec<CallStats>> = Arc::new((0..64).map(|_| CallStats::default()).collect());
    let groups: Vec<_> = (0..8)
        .map(|_| node.callback_group(CallbackGroupKind::MutuallyExclusive))
        .chain([node.callback_group(CallbackGroupKind::Reentrant)])
        .collect();
    let running: Arc<Vec<AtomicU32>> = Arc::new((0..groups.len()).map(|_| AtomicU32::new(0)).collect());
    let at_once = Arc::<AtomicU32>::default();
    let mut kept: Vec<(Publisher<UInt64>, saltus_node::Subscription<UInt64>)> = Vec::new();
    for index in 0..64usize {
        let group_index = index % groups.len();
        let topic = format!("t{index}");
        let publisher = node.publisher::<UInt64>(&topic).qos(1000).create().unwrap();
        let (stats, running, overlaps, at_once) =
            (stats.clone(), running.clone(), overlaps.clone(), at_once.clone());
        let exclusive = groups[group_index].kind() == CallbackGroupKind::MutuallyExclusive;
        let callback = move |_: UInt64| {
            let others = running[group_index].fetch_add(1, Ordering::SeqCst);
            if exclusive && others > 0 {
                overlaps.fetch_add(1, Ordering::Relaxed);
            }
            at_once.fetch_max(others + 1, Ordering::Relaxed);
            stats[index].note_call();
            std::thread::yield_now();
            running[group_index].fetch_sub(1, Ordering::SeqCst);
        };
        let subscription = node.subscription::<UInt64>(&topic).qos(1000);
        let subscription = subscription.callback_group(&groups[group_index]).callback(callback).unwrap();
        kept.push((publisher, subscription));
    }
    const MESSAGES: u32 = 200;
    for (publisher, _) in &kept {
        (0..MESSAGES).for_each(|data| publisher.publish(&UInt64 { data: data.into() }).unwrap());
    }
    let mut executor = MultiThreadedExecutor::new(&context).unwrap().threads(threads);
    executor.add_node(&node);
    std::thread::scope(|scope| {
        let cancel = CancelOnDrop(executor.handle());
        let spinning = scope.spawn(|| executor.spin());
        let start = Instant::now();
        // A callback of a group runs at most once more than another callback of that group.
        while stats.iter().any(|one| one.calls.load(Ordering::Relaxed) < MESSAGES) {
            assert!(start.elapsed() < LONG, "not all callbacks were called");
            std::thread::yield_now();
        }
        drop(cancel);
        spinning.join().unwrap().unwrap();
    });
    let longest = stats.iter().map(|one| *one.longest_wait.lock().unwrap()).max().unwrap();
    println!("{threads} threads: longest wait {longest:?}, {} at once", at_once.load(Ordering::Relaxed));
    assert_eq!(overlaps.load(Ordering::Relaxed), 0, "callbacks of one group overlapped");
    assert!(stats.iter().all(|one| one.calls.load(Ordering::Relaxed) == MESSAGES));
}

#[test]
fn many_callbacks_on_one_two_and_four_threads() {
    [1, 2, 4].into_iter().for_each(run_many_callbacks);
}

/// Three callbacks of one group that always have something to do run in turn.
#[test]
fn no_callback_runs_twice_while_another_waits() {
    for threads in [1, 2, 4] {
        let Scene { node, context, _folder } = scene();
        let order = Arc::<Mutex<Vec<usize>>>::default();
        let mut kept = Vec::new();
        for index in 0..3usize {
            let topic = format!("t{index}");
            let publisher = node.publisher::<UInt64>(&topic).create().unwrap();
            let order = order.clone();
            let subscription = node.subscription::<UInt64>(&topic).qos(100);
            kept.push((
                publisher,
                subscription.callback(move |_| order.lock().unwrap().push(index)).unwrap(),
            ));
        }
        for (publisher, _) in &kept {
            (0..100).for_each(|data| publisher.publish(&UInt64 { data }).unwrap());
        }
        let mut executor = MultiThreadedExecutor::new(&context).unwrap().threads(threads);
        executor.add_node(&node);
        std::thread::scope(|scope| {
            let cancel = CancelOnDrop(executor.handle());
            let spinning = scope.spawn(|| executor.spin());
            let start = Instant::now();
            while order.lock().unwrap().len() < 300 {
                assert!(start.elapsed() < LONG);
                std::thread::yield_now();
            }
            drop(cancel);
            spinning.join().unwrap().unwrap();
        });
        let order = order.lock().unwrap();
        for window in order.windows(3) {
            let mut three = [window[0], window[1], window[2]];
            three.sort_unstable();
            assert_eq!(three, [0, 1, 2], "any three calls are of three callbacks: {order:?}");
        }
    }
}

#[test]
fn callbacks_of_a_reentrant_group_and_of_two_groups_overlap() {
    for kinds in [[CallbackGroupKind::Reentrant; 2], [CallbackGroupKind::MutuallyExclusive; 2]] {
        let Scene { node, context, _folder } = scene();
        let first = node.callback_group(kinds[0]);
        let second = match kinds[1] {
            CallbackGroupKind::Reentrant => first.clone(),
            kind @ CallbackGroupKind::MutuallyExclusive => node.callback_group(kind),
        };
        // Each callback waits for the other. Both return only if they run at the same time.
        let (to_second, from_first) = mpsc::channel();
        let (to_first, from_second) = mpsc::channel();
        let mut executor = MultiThreadedExecutor::new(&context).unwrap().threads(2);
        let handle = executor.handle();
        let timer =
            |group: &_, to: mpsc::Sender<()>, from: mpsc::Receiver<()>, then: Box<dyn Fn() + Send>| {
                let mut from = Some(from);
                node.timer(Duration::from_millis(1)).callback_group(group).callback(move || {
                    // This is done only in the first call. In the second call the other callback does not wait.
                    let Some(from) = from.take() else { return };
                    to.send(()).unwrap();
                    from.recv_timeout(LONG).unwrap();
                    then();
                })
            };
        let _a = timer(&first, to_second, from_second, Box::new(|| {})).unwrap();
        let _b = timer(&second, to_first, from_first, Box::new(move || handle.cancel())).unwrap();
        let start = Instant::now();
        executor.spin_node(&node).unwrap();
        assert!(start.elapsed() < LONG);
    }
}

#[test]
fn two_hundred_starts_and_stops_leak_no_memory() {
    let Scene { node, context, _folder } = scene();
    let publisher = node.publisher::<UInt64>("t").create().unwrap();
    let calls = Arc::<AtomicU64>::default();
    let count = calls.clone();
    let _subscription = node
        .subscription::<UInt64>("t")
        .callback(move |_| {
            count.fetch_add(1, Ordering::Relaxed);
        })
        .unwrap();
    for round in 0..200u64 {
        let mut executor = MultiThreadedExecutor::new(&context).unwrap().threads(1 + round as usize / 2 % 4);
        executor.add_node(&node);
        publisher.publish(&UInt64 { data: round }).unwrap();
        std::thread::scope(|scope| {
            let cancel = CancelOnDrop(executor.handle());
            let spinning = scope.spawn(|| executor.spin());
            // Half of the spins are cancelled at once, the others after a callback has run.
            let start = Instant::now();
            while round % 2 == 0 && calls.load(Ordering::Relaxed) <= round {
                assert!(start.elapsed() < LONG, "round {round}");
                std::thread::yield_now();
            }
            drop(cancel);
            spinning.join().unwrap().unwrap();
        });
    }
    // The next executor reuses the shared memory of a dropped one. 3,000 doorbells would need 190 KB.
    let memory = || {
        let domain = ContextOptions::default().folder(_folder.path()).domain_id().unwrap();
        Report::observe(domain).unwrap().processes[0].memory
    };
    let before = memory();
    (0..3000).for_each(|_| drop(MultiThreadedExecutor::new(&context).unwrap()));
    assert_eq!(memory(), before);
}

#[test]
fn shutting_the_context_down_ends_every_executor() {
    let Scene { node, context, _folder } = scene();
    let other = context.node("other").create().unwrap();
    let alone = context.node("alone").create().unwrap();
    let mut multi = MultiThreadedExecutor::new(&context).unwrap().threads(3);
    let mut second = MultiThreadedExecutor::new(&context).unwrap().threads(2);
    std::thread::scope(|scope| {
        let spinning = [scope.spawn(|| multi.spin_node(&node)), scope.spawn(|| second.spin_node(&other))];
        let single = scope.spawn(|| SingleThreadedExecutor::new(&context).unwrap().spin_node(&alone));
        context.shut_down();
        for one in spinning {
            one.join().unwrap().unwrap();
        }
        single.join().unwrap().unwrap();
    });
}

#[test]
fn a_panic_in_a_callback_ends_all_threads_and_is_passed_on() {
    let Scene { node, context, _folder } = scene();
    let _timer = node.wall_timer(Duration::from_millis(1)).callback(|| panic!("an intended panic")).unwrap();
    let mut executor = MultiThreadedExecutor::new(&context).unwrap().threads(4);
    let spun = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| executor.spin_node(&node)));
    assert!(spun.is_err());
}

#[test]
fn after_a_panic_the_executor_spins_again_and_runs_every_callback() {
    let Scene { node, context, _folder } = scene();
    let publisher = node.publisher::<UInt64>("t").create().unwrap();
    let (sender, receiver) = mpsc::channel();
    let mut executor = MultiThreadedExecutor::new(&context).unwrap().threads(2);
    let handle = executor.handle();
    let _subscription = node.subscription::<UInt64>("t").callback(move |message| {
        assert!(message.data > 0, "an intended panic");
        sender.send(message.data).unwrap();
        handle.cancel();
    });
    let _subscription = _subscription.unwrap();
    publisher.publish(&UInt64 { data: 0 }).unwrap();
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| executor.spin_node(&node))).is_err());
    publisher.publish(&UInt64 { data: 1 }).unwrap();
    executor.spin().unwrap();
    assert_eq!(receiver.try_iter().collect::<Vec<_>>(), [1]);
}

/// The entities in a group keep the group alive, until the last of them is dropped.
#[test]
fn a_group_lives_as_long_as_its_callbacks() {
    let Scene { node, context, _folder } = scene();
    let mut executor = SingleThreadedExecutor::new(&context).unwrap();
    executor.add_node(&node);
    let (sender, receiver) = mpsc::channel();
    let group = node.callback_group(CallbackGroupKind::Reentrant);
    let timer =
        node.timer(Duration::from_micros(100)).callback_group(&group).callback(notify(sender)).unwrap();
    drop(group);
    assert!(executor.spin_once(Some(LONG)).unwrap());
    assert_eq!(receiver.try_iter().count(), 1, "the timer keeps the group alive");
    drop(timer);
    assert!(!executor.spin_once(Some(Duration::from_millis(1))).unwrap());
}

#[test]
fn a_future_is_waited_for_while_others_run_callbacks() {
    let Scene { node, context, _folder } = scene();
    let mut executor = MultiThreadedExecutor::new(&context).unwrap().threads(2);
    executor.add_node(&node);
    let signal = Arc::<Signal>::default();
    let completer = signal.clone();
    let _timer = node.wall_timer(Duration::from_millis(1)).callback(move || completer.complete()).unwrap();
    assert_eq!(executor.spin_until_future_complete(signal.wait(), Some(LONG)).unwrap(), Some(7));
    let never = std::future::pending::<()>();
    assert_eq!(executor.spin_until_future_complete(never, Some(Duration::from_millis(5))).unwrap(), None);
    executor.handle().cancel();
    assert_eq!(executor.spin_until_future_complete(std::future::pending::<()>(), None).unwrap(), None);
    let broken = std::future::poll_fn(|_| -> std::task::Poll<()> { panic!("an intended panic") });
    let spin = || executor.spin_until_future_complete(broken, None);
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(spin)).is_err(), "the panic is passed on");
    let at_once = executor.spin_until_future_complete(std::future::ready(3), Some(Duration::ZERO));
    assert_eq!(at_once.unwrap(), Some(3), "a complete future needs no time");
    context.shut_down();
    assert_eq!(executor.spin_until_future_complete(std::future::pending::<()>(), None).unwrap(), None);
}

#[test]
fn a_group_may_belong_to_another_executor_than_its_node() {
    let Scene { node, context, _folder } = scene();
    let apart = node.manual_callback_group(CallbackGroupKind::MutuallyExclusive);
    let (sender, receiver) = mpsc::channel();
    let of_node = sender.clone();
    let name = || std::thread::current().name().map(str::to_owned);
    let _a = node
        .wall_timer(Duration::from_millis(1))
        .callback(move || drop(of_node.send(("node", name()))))
        .unwrap();
    let timer = node.timer(Duration::from_millis(1)).callback_group(&apart);
    let _b = timer.callback(move || drop(sender.send(("apart", name())))).unwrap();
    let mut first = SingleThreadedExecutor::new(&context).unwrap();
    let mut second = SingleThreadedExecutor::new(&context).unwrap();
    first.add_node(&node);
    second.add_callback_group(&apart);
    let named = |name: &str| std::thread::Builder::new().name(name.into());
    std::thread::scope(|scope| {
        let one = named("one").spawn_scoped(scope, || first.spin()).unwrap();
        let two = named("two").spawn_scoped(scope, || second.spin()).unwrap();
        let mut seen = [false; 2];
        while seen != [true; 2] {
            match receiver.recv_timeout(LONG).unwrap() {
                ("node", thread) => {
                    assert_eq!(thread.as_deref(), Some("one"));
                    seen[0] = true;
                }
                (_, thread) => {
                    assert_eq!(
                        thread.as_deref(),
                        Some("two"),
                        "the group does not belong to the first executor"
                    );
                    seen[1] = true;
                }
            }
        }
        context.shut_down();
        one.join().unwrap().unwrap();
        two.join().unwrap().unwrap();
    });
}

#[test]
fn entities_may_be_created_and_dropped_while_the_executor_spins() {
    let Scene { node, context, _folder } = scene();
    let mut executor = MultiThreadedExecutor::new(&context).unwrap().threads(2);
    std::thread::scope(|scope| {
        let handle = executor.handle();
        let spinning = scope.spawn(|| executor.spin_node(&node));
        for _ in 0..50 {
            let (sender, receiver) = mpsc::channel();
            let group = node.callback_group(CallbackGroupKind::Reentrant);
            let timer = node.timer(Duration::from_micros(100)).callback_group(&group);
            let timer = timer.callback(notify(sender)).unwrap();
            receiver.recv_timeout(LONG).unwrap();
            drop(timer);
            while receiver.recv_timeout(LONG).is_ok() {}
        }
        handle.cancel();
        spinning.join().unwrap().unwrap();
    });
}

#[test]
fn a_guard_condition_that_was_triggered_twice_calls_back_once() {
    let Scene { node, context, _folder } = scene();
    let (sender, receiver) = mpsc::channel();
    let guard = node.guard_condition(notify(sender));
    guard.trigger();
    guard.trigger();
    let mut executor = SingleThreadedExecutor::new(&context).unwrap();
    executor.add_node(&node);
    while executor.spin_some().unwrap() {}
    assert_eq!(receiver.try_iter().count(), 1);
    std::thread::scope(|scope| {
        scope.spawn(|| guard.trigger());
        assert!(executor.spin_once(Some(LONG)).unwrap());
    });
    assert_eq!(receiver.try_iter().count(), 1);
}

/// A future that another thread completes.
#[derive(Default)]
struct Signal {
    is_complete: AtomicBool,
    waker: Mutex<Option<std::task::Waker>>,
}

impl Signal {
    fn wait(self: &Arc<Self>) -> impl Future<Output = u32> + use<> {
        let signal = self.clone();
        std::future::poll_fn(move |task| {
            *signal.waker.lock().unwrap() = Some(task.waker().clone());
            match signal.is_complete.load(Ordering::Acquire) {
                true => std::task::Poll::Ready(7),
                false => std::task::Poll::Pending,
            }
        })
    }

    fn complete(&self) {
        self.is_complete.store(true, Ordering::Release);
        if let Some(waker) = self.waker.lock().unwrap().take() {
            waker.wake();
        }
    }
}

#[test]
fn spinning_ends_when_a_future_is_complete_or_the_time_is_up() {
    let Scene { node, context, _folder } = scene();
    let mut executor = SingleThreadedExecutor::new(&context).unwrap();
    executor.add_node(&node);
    let signal = Arc::<Signal>::default();
    let soon = Some(Duration::from_millis(5));
    assert_eq!(executor.spin_until_future_complete(signal.wait(), soon).unwrap(), None);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            signal.complete();
        });
        assert_eq!(executor.spin_until_future_complete(signal.wait(), Some(LONG)).unwrap(), Some(7));
    });
    let cancelled = executor.handle();
    cancelled.cancel();
    assert_eq!(executor.spin_until_future_complete(std::future::pending::<()>(), None).unwrap(), None);
}
