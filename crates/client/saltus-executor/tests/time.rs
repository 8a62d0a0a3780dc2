//! Simulated time: how often timers are called, and which jumps are reported.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use saltus_executor::{Executor, SingleThreadedExecutor};
use saltus_msgs::{builtin_interfaces::msg::Time as TimeMessage, rosgraph_msgs::msg::Clock as ClockMessage};
use saltus_node::{
    Clock, ClockChange, ClockKind, Context, ContextOptions, JumpThreshold, Node, Publisher, TimeJump, Timer,
    WaitStrategy, monotonic_now,
};

const LONG: Duration = Duration::from_secs(10);
const MS: i64 = 1_000_000;

struct Scene {
    executor: SingleThreadedExecutor,
    /// The publisher of simulated time.
    simulator: Publisher<ClockMessage>,
    node: Node,
    context: Context,
    _folder: tempfile::TempDir,
}

impl Scene {
    fn new() -> Self {
        let folder = tempfile::TempDir::new_in("/dev/shm").unwrap();
        let options = ContextOptions::default().folder(folder.path()).handle_signals(false);
        let context = options.create().unwrap();
        let node = context.node("node").create().unwrap();
        let simulator = context.node("simulator").create().unwrap().publisher("/clock").create().unwrap();
        let executor = SingleThreadedExecutor::new(&context).unwrap();
        executor.add_node(&node);
        Self { executor, simulator, node, context, _folder: folder }
    }

    fn simulate(&self) {
        self.node.use_sim_time(true).unwrap();
        assert!(self.simulator.wait_for_subscriptions(1, LONG));
    }

    fn publish(&self, nanos: i64) {
        self.simulator.publish(&clock_message(nanos)).unwrap();
    }

    /// Runs callbacks until there is nothing to do.
    fn settle(&mut self) {
        while self.executor.spin_some().unwrap() {}
    }

    fn now(&self) -> i64 {
        self.node.clock().now().as_nanos()
    }
}

fn clock_message(nanos: i64) -> ClockMessage {
    let (sec, nanosec) = ((nanos / 1_000_000_000) as i32, (nanos % 1_000_000_000) as u32);
    ClockMessage { clock: TimeMessage { sec, nanosec } }
}

fn counting(scene: &Scene, period: Duration) -> (Arc<AtomicU64>, Timer) {
    let count = Arc::<AtomicU64>::default();
    let counted = count.clone();
    let timer = scene.node.timer(period).callback(move || {
        counted.fetch_add(1, Ordering::Relaxed);
    });
    (count, timer.unwrap())
}

#[test]
fn timers_are_called_once_per_period_at_ten_times_real_speed() {
    let mut scene = Scene::new();
    scene.simulate();
    let periods = [7, 20, 50, 333].map(Duration::from_millis);
    let timers = periods.map(|period| counting(&scene, period));
    let (begin, end) = (1_000_000 * MS, 1_005_000 * MS);
    scene.publish(begin);
    scene.settle();
    let Scene { executor, simulator, context, .. } = &mut scene;
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        // Like a simulator, another thread advances simulated time by 10 ms each millisecond.
        scope.spawn(|| {
            let mut waiter = context.waiter().unwrap();
            let start = monotonic_now();
            for step in 1..=(end - begin) / (10 * MS) {
                waiter.wait(WaitStrategy::Block, Some(start + step as u64 * MS as u64));
                simulator.publish(&clock_message(begin + step * 10 * MS)).unwrap();
            }
            is_over.store(true, Ordering::Release);
        });
        // The executor does not take every message: a message that was not taken is replaced by the next one.
        while !is_over.load(Ordering::Acquire) {
            executor.spin_once(Some(Duration::from_millis(1))).unwrap();
        }
    });
    scene.settle();
    assert_eq!(scene.now(), end);
    for (period, (count, _)) in periods.iter().zip(&timers) {
        let want = (end - begin) as u64 / period.as_nanos() as u64;
        assert_eq!(count.load(Ordering::Relaxed), want, "every {period:?}");
    }
}

#[test]
fn simulated_time_is_zero_until_the_first_message_and_ends_when_it_is_switched_off() {
    let mut scene = Scene::new();
    assert!(scene.now() > 0 && scene.node.clock().kind() == ClockKind::Ros);
    scene.simulate();
    scene.settle();
    assert_eq!(scene.now(), 0);
    let (count, timer) = counting(&scene, Duration::from_millis(10));
    scene.publish(500 * MS);
    scene.settle();
    assert_eq!(
        (scene.now(), count.load(Ordering::Relaxed)),
        (500 * MS, 0),
        "the first message is not a step of time"
    );
    assert_eq!(timer.time_until_next_call(), Some(Duration::from_millis(10)));
    scene.publish(510 * MS);
    scene.settle();
    assert_eq!(count.load(Ordering::Relaxed), 1);
    scene.publish(509 * MS);
    scene.settle();
    assert_eq!(
        timer.time_until_next_call(),
        Some(Duration::from_millis(10)),
        "time went back to before the last call"
    );
    scene.publish(100 * MS);
    scene.settle();
    assert_eq!(timer.time_until_next_call(), Some(Duration::from_millis(10)), "time went back");
    scene.publish(100_000 * MS);
    scene.settle();
    assert_eq!(
        count.load(Ordering::Relaxed),
        2,
        "after a step of thousands of periods the timer is called once"
    );
    scene.node.use_sim_time(false).unwrap();
    assert!(scene.now() > 1_000_000_000_000 * MS, "the clock shows the time of day again");
    assert_eq!(scene.simulator.subscription_count(), 0);
}

#[test]
fn jumps_beyond_their_thresholds_are_reported() {
    let mut scene = Scene::new();
    let jumps = Arc::<Mutex<Vec<TimeJump>>>::default();
    let threshold = JumpThreshold {
        min_forward: Some(Duration::from_millis(100)),
        min_backward: Some(Duration::from_millis(1)),
        on_clock_change: true,
    };
    let seen = jumps.clone();
    let handle = scene.node.clock().on_jump(threshold, move |jump| seen.lock().unwrap().push(jump));
    scene.simulate();
    for time in [1000, 1050, 1200, 1199] {
        scene.publish(time * MS);
        scene.settle();
    }
    let jump = |delta: i64| TimeJump { change: ClockChange::SameSource, delta: delta * MS };
    let reported = std::mem::take(&mut *jumps.lock().unwrap());
    assert_eq!(reported[0].change, ClockChange::SimTimeActivated);
    assert_eq!(reported[1..], [jump(1000), jump(150), jump(-1)]);
    drop(handle);
    scene.publish(5000 * MS);
    scene.settle();
    assert!(jumps.lock().unwrap().is_empty());
}

#[test]
fn a_timer_uses_the_clock_that_it_was_given() {
    let mut scene = Scene::new();
    scene.simulate();
    for clock in [Clock::steady(), Clock::system()] {
        let calls = Arc::<AtomicU64>::default();
        let counted = calls.clone();
        let timer = scene.node.timer(Duration::from_millis(1)).clock(&clock);
        let _timer = timer
            .callback(move || {
                counted.fetch_add(1, Ordering::Relaxed);
            })
            .unwrap();
        while calls.load(Ordering::Relaxed) < 3 {
            assert!(scene.executor.spin_once(Some(LONG)).unwrap(), "{clock:?}: simulated time stands still");
        }
    }
}

#[test]
fn with_a_clock_thread_time_goes_on_though_nobody_spins() {
    let scene = Scene::new();
    let node = scene.context.node("unspun").clock_thread(true).create().unwrap();
    let (sender, times) = std::sync::mpsc::channel();
    let threshold = JumpThreshold { min_forward: Some(Duration::from_nanos(1)), ..JumpThreshold::default() };
    let _jumps = node.clock().on_jump(threshold, move |jump| {
        let _ = sender.send(jump.delta);
    });
    for round in 1..=2 {
        node.use_sim_time(true).unwrap();
        assert!(scene.simulator.wait_for_subscriptions(1, LONG), "round {round}");
        scene.publish(5 * MS);
        assert_eq!(times.recv_timeout(LONG), Ok(5 * MS));
        scene.publish(7 * MS);
        assert_eq!(times.recv_timeout(LONG), Ok(2 * MS));
        node.use_sim_time(false).unwrap();
        let is_gone = || scene.simulator.subscription_count() == 0;
        assert!(scene.context.wait_until(LONG, is_gone), "round {round}");
    }
}
