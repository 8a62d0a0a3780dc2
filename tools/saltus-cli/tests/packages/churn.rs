//! Many loads and unloads under traffic, and many kills.
//!
//! `SALTUS_LOADS` and `SALTUS_KILLS` set how many; `make components-chaos` runs many of them and shows the figures.

use std::{
    collections::BTreeMap,
    env, fs,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};
use saltus::{
    Executor, SingleThreadedExecutor,
    msgs::{
        composition_interfaces::srv::{LoadNode, LoadNode_Request, UnloadNode, UnloadNode_Request},
        std_msgs::msg::UInt64,
    },
    types::lock,
};

use crate::{LONG, Running, Scene};

fn number(variable: &str, default: u64) -> u64 {
    env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Returns the proportional set size of a process and of its children, in KB.
fn pss(container: &Running) -> u64 {
    let of = |pid: i32| -> u64 {
        let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap_or_default();
        let line = text.lines().find(|line| line.starts_with("Pss:")).unwrap_or_default().to_owned();
        line.split_whitespace().nth(1).and_then(|kb| kb.parse().ok()).unwrap_or(0)
    };
    of(container.child.id().cast_signed()) + container.children().into_keys().map(of).sum::<u64>()
}

/// Spins an executor with a node until this is dropped.
struct Spin {
    handle: saltus::executor::ExecutorHandle,
    thread: Option<thread::JoinHandle<()>>,
}

impl Spin {
    fn new(scene: &Scene, node: &saltus::Node) -> Self {
        let mut executor = SingleThreadedExecutor::new(&scene.context).unwrap();
        executor.add_node(node);
        let handle = executor.handle();
        Self { handle, thread: Some(thread::spawn(move || executor.spin().unwrap())) }
    }
}

impl Drop for Spin {
    fn drop(&mut self) {
        self.handle.cancel();
        self.thread.take().unwrap().join().unwrap();
    }
}

#[test]
fn loading_and_unloading_loses_no_message_of_others_and_no_memory() {
    let loads = number("SALTUS_LOADS", 100);
    let scene = Scene::new();
    let mut container = scene.container(&[]);
    scene.load("test-components", "test::Latch", &[]);
    let node = scene.context.node("traffic").create().unwrap();
    let numbers = node.publisher::<UInt64>("set").qos(1000).create().unwrap();
    let (sent, received) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let count = received.clone();
    let values = node.subscription::<UInt64>("value").qos(10_000).callback(move |value| {
        // Each value comes once, in order.
        assert_eq!(value.data, 1000 + count.fetch_add(1, Ordering::Relaxed));
    });
    let values = values.unwrap();
    assert!(numbers.wait_for_subscriptions(1, LONG));
    assert!(scene.context.wait_until(LONG, || values.status().matched == 1));
    let published = sent.clone();
    let timer = node.wall_timer(Duration::from_millis(1)).callback(move || {
        let data = 1000 + published.fetch_add(1, Ordering::Relaxed);
        numbers.publish(&UInt64 { data }).unwrap();
    });
    let timer = timer.unwrap();
    let spin = Spin::new(&scene, &node);
    let load = node.client::<LoadNode>("/c/_container/load_node").create().unwrap();
    let unload = node.client::<UnloadNode>("/c/_container/unload_node").create().unwrap();
    assert!(load.wait_for_service(LONG) && unload.wait_for_service(LONG));
    let request = LoadNode_Request {
        package_name: "perception".into(),
        plugin_name: "perception::Detector".into(),
        ..Default::default()
    };
    let mut memory = Vec::new();
    for round in 0..loads {
        let loaded = load.call(&request, LONG).unwrap();
        assert_eq!((loaded.unique_id, loaded.error_message), (round + 2, String::new()));
        let unloaded = unload.call(&UnloadNode_Request { unique_id: loaded.unique_id }, LONG).unwrap();
        assert!(unloaded.success, "{}", unloaded.error_message);
        if round % (loads / 10).max(1) == 0 {
            memory.push(pss(&container));
        }
    }
    timer.cancel();
    let sent = sent.load(Ordering::Relaxed);
    scene.wait_for(|| received.load(Ordering::Relaxed) == sent);
    println!(
        "{loads} loads and unloads: {sent} messages of others, 0 lost; PSS of the container in KB: {memory:?}"
    );
    drop(spin);
    assert_eq!(container.interrupt(), Some(0), "{}", container.log());
}

#[test]
fn kills_of_components_leave_their_neighbours_alone() {
    let kills = number("SALTUS_KILLS", 10);
    let scene = Scene::new();
    let mut container =
        scene.container(&["--crash-isolated", "--restart-delay", "0.05", "--max-restart-delay", "0.05"]);
    let names = ["a", "b", "c", "d"];
    let mut workers = BTreeMap::new();
    for name in names {
        let topic = format!("value:=value_{name}");
        scene.load("test-components", "test::Latch", &["-n", name, "-r", &topic, "-r", "set:=numbers"]);
        let new = container.children().into_keys().find(|pid| !workers.values().any(|known| known == pid));
        workers.insert(name, new.unwrap());
    }
    let node = scene.context.node("traffic").create().unwrap();
    let numbers = node.publisher::<UInt64>("numbers").qos(100).create().unwrap();
    let last: Arc<Mutex<BTreeMap<&str, (Instant, Duration)>>> = Arc::default();
    let subscribe = |name: &'static str| {
        let last = last.clone();
        let subscription = node.subscription::<UInt64>(&format!("value_{name}")).qos(1000);
        let subscription = subscription.callback(move |_| {
            let mut last = lock(&last);
            let now = Instant::now();
            let (before, longest) = last.entry(name).or_insert((now, Duration::ZERO));
            (*longest, *before) = ((*longest).max(now - *before), now);
        });
        subscription.unwrap()
    };
    let _subscriptions = names.map(subscribe);
    assert!(numbers.wait_for_subscriptions(names.len(), LONG));
    let mut data = 1000;
    let timer = node.wall_timer(Duration::from_millis(5)).callback(move || {
        data += 1;
        numbers.publish(&UInt64 { data }).unwrap();
    });
    let timer = timer.unwrap();
    let spin = Spin::new(&scene, &node);
    scene.wait_for(|| lock(&last).len() == names.len());
    let (mut longest_gap, mut restarts) = (Duration::ZERO, Vec::new());
    for kill in 0..kills {
        // Without a pattern, and the same in each run.
        let victim = names[(kill.wrapping_mul(6_364_136_223_846_793_005) >> 33) as usize % names.len()];
        lock(&last).values_mut().for_each(|(_, longest)| *longest = Duration::ZERO);
        let killed = Instant::now();
        kill_process(Pid::from_raw(workers[victim]).unwrap(), Signal::KILL).unwrap();
        // Numbers that the dead process has sent may still come for a moment.
        let mut new = None;
        scene.wait_for(|| {
            new = container.children().into_keys().find(|pid| !workers.values().any(|known| known == pid));
            new.is_some()
        });
        workers.insert(victim, new.unwrap());
        let restarted = Instant::now();
        scene.wait_for(|| lock(&last)[victim].0 > restarted);
        restarts.push(killed.elapsed());
        let last = lock(&last);
        let neighbours = last.iter().filter(|(name, _)| **name != victim);
        longest_gap = neighbours.map(|(_, (_, longest))| *longest).max().unwrap().max(longest_gap);
    }
    timer.cancel();
    restarts.sort();
    println!(
        "{kills} kills: longest gap of a neighbour {longest_gap:?}; from a kill to the next message, with the back-off: \
         median {:?}, longest {:?}",
        restarts[restarts.len() / 2],
        restarts[restarts.len() - 1]
    );
    drop(spin);
    assert_eq!(container.interrupt(), Some(0), "{}", container.log());
    names.iter().for_each(|name| scene.wait_for_node(name, false));
    assert!(container.children().is_empty());
}
