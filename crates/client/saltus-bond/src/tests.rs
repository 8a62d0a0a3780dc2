//! The states of a bond, and bonds between nodes.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use proptest::prelude::*;
use saltus::{
    Context, Executor, Node, QoS, SingleThreadedExecutor, context::ContextOptions, msgs::bond::msg::Status,
};

use super::*;
use crate::machine::{BondState, DEAD_PERIOD, Machine};

const fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

#[test]
fn a_bond_is_formed_and_broken_by_silence() {
    let mut machine = Machine::new(BondSettings::default(), millis(0));
    assert_eq!((machine.tick(millis(0)), machine.tick(millis(500))), (Some(true), None));
    assert_eq!(machine.receive(true, millis(600)), Some(true));
    assert_eq!((machine.state(), machine.was_formed()), (BondState::Alive, true));
    assert_eq!(machine.tick(millis(1000)), Some(true));
    machine.receive(true, millis(4000));
    machine.tick(millis(7999));
    assert_eq!(machine.state(), BondState::Alive);
    assert_eq!((machine.tick(millis(8000)), machine.state()), (None, BondState::Dead));
    // Nothing wakes it up again.
    assert!(machine.receive(true, millis(8001)).is_none() && !machine.end(millis(8002)));
    assert_eq!(machine.state(), BondState::Dead);
    let patient = BondSettings { heartbeat_timeout: None, ..BondSettings::default() };
    let mut machine = Machine::new(patient, millis(0));
    machine.receive(true, millis(1));
    machine.tick(millis(100_000));
    assert_eq!(machine.state(), BondState::Alive);
}

#[test]
fn a_bond_that_is_not_formed_in_time_is_broken() {
    let mut machine = Machine::new(BondSettings::default(), millis(0));
    machine.tick(millis(9999));
    assert_eq!(machine.state(), BondState::Waiting);
    machine.tick(millis(10_000));
    assert_eq!((machine.state(), machine.was_formed()), (BondState::Dead, false));
}

#[test]
fn the_end_of_a_bond_is_published_until_it_is_answered() {
    let formed = || {
        let mut machine = Machine::new(BondSettings::default(), millis(0));
        machine.receive(true, millis(0));
        machine
    };
    let mut machine = formed();
    assert!(machine.end(millis(100)));
    assert_eq!((machine.tick(millis(149)), machine.tick(millis(150))), (None, Some(false)));
    assert_eq!(machine.receive(true, millis(160)), None);
    assert_eq!(machine.state(), BondState::Ending);
    assert_eq!(machine.receive(false, millis(170)), None);
    assert_eq!(machine.state(), BondState::Dead);
    // Without an answer it ends after two seconds.
    let mut machine = formed();
    machine.end(millis(0));
    let published = (0..100).filter(|tick| machine.tick(DEAD_PERIOD * *tick) == Some(false)).count();
    assert_eq!((published, machine.state()), (39, BondState::Dead));
    // The other side answers.
    let mut machine = formed();
    assert_eq!(machine.receive(false, millis(100)), Some(false));
    assert_eq!(machine.state(), BondState::Dead);
}

#[test]
fn a_pause_is_not_made_up_for() {
    let mut machine =
        Machine::new(BondSettings { heartbeat_timeout: None, ..BondSettings::default() }, millis(0));
    machine.receive(true, millis(0));
    machine.tick(millis(0));
    assert_eq!(machine.tick(millis(60_000)), Some(true));
    assert_eq!((machine.tick(millis(60_001)), machine.tick(millis(60_500))), (None, Some(true)));
}

proptest! {
    /// If both sides run, a bond holds whatever messages are late; once one side ends it, both are dead soon.
    #[test]
    fn both_sides_agree_in_the_end(
        delays in prop::collection::vec(0_u64..900, 1..20),
        ends_at in 2000_u64..20_000,
        second_ends in any::<bool>(),
    ) {
        let settings = BondSettings::default();
        let mut sides = [Machine::new(settings, millis(0)), Machine::new(settings, millis(300))];
        let mut delays = delays.iter().cycle();
        let mut messages: Vec<(u64, usize, bool)> = Vec::new();
        for now in (0..ends_at + 3000).step_by(50) {
            if now >= ends_at && now < ends_at + 50 {
                prop_assert!(sides.iter().all(|side| side.state() == BondState::Alive));
                let who = usize::from(second_ends);
                if sides[who].end(millis(now)) {
                    messages.push((now + delays.next().unwrap(), 1 - who, false));
                }
            }
            let (due, later): (Vec<_>, Vec<_>) = messages.into_iter().partition(|message| message.0 <= now);
            messages = later;
            for (_, to, is_alive) in due {
                if let Some(is_alive) = sides[to].receive(is_alive, millis(now)) {
                    messages.push((now + delays.next().unwrap(), 1 - to, is_alive));
                }
            }
            for (from, side) in sides.iter_mut().enumerate() {
                if let Some(is_alive) = side.tick(millis(now)) {
                    messages.push((now + delays.next().unwrap(), 1 - from, is_alive));
                }
            }
        }
        prop_assert!(sides.iter().all(|side| side.state() == BondState::Dead));
    }
}

/// Two nodes in one graph.
struct Scene {
    _folder: tempfile::TempDir,
    context: Context,
    nodes: [Node; 2],
}

const FAST: BondSettings = BondSettings {
    connect_timeout: Duration::from_secs(20),
    heartbeat_timeout: Some(Duration::from_secs(1)),
    disconnect_timeout: Duration::from_secs(1),
    heartbeat_period: millis(100),
};

impl Scene {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let context = ContextOptions::default().folder(folder.path()).create().unwrap();
        let nodes = ["manager", "server"].map(|name| context.node(name).create().unwrap());
        Self { _folder: folder, context, nodes }
    }

    fn executor(&self, nodes: &[&Node]) -> SingleThreadedExecutor {
        let executor = SingleThreadedExecutor::new(&self.context).unwrap();
        nodes.iter().for_each(|node| executor.add_node(node));
        executor
    }
}

/// Spins until something is so. It must be within 20 s.
fn wait(executor: &mut SingleThreadedExecutor, is_so: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(20);
    while !is_so() {
        assert!(Instant::now() < end, "it takes too long");
        executor.spin_once(Some(millis(100))).unwrap();
    }
}

#[test]
fn a_side_learns_that_the_other_one_has_ended_the_bond() {
    let scene = Scene::new();
    let [manager, server] = &scene.nodes;
    let (bonds, others) = (Bonds::new(manager, "bond").unwrap(), Bonds::new(server, "bond").unwrap());
    let bond = bonds.start("server", FAST).unwrap();
    assert_eq!(bonds.start("server", FAST).unwrap_err(), "there is a bond `server` already");
    let other = others.start("server", FAST).unwrap();
    let mut executor = scene.executor(&[manager, server]);
    wait(&mut executor, || bond.is_formed() && other.is_formed());
    let broken = Arc::new(AtomicUsize::new(0));
    let count = broken.clone();
    bond.on_broken(move || {
        count.fetch_add(1, Ordering::Relaxed);
    });
    drop(other);
    wait(&mut executor, || bond.is_broken());
    bond.end();
    assert_eq!((bond.id(), broken.load(Ordering::Relaxed)), ("server", 1));
    // The id is free again.
    drop(bond);
    let bond = bonds.start("server", FAST).unwrap();
    let _other = others.start("server", FAST).unwrap();
    wait(&mut executor, || bond.is_formed());
    assert!(!bond.is_broken());
}

#[test]
fn a_side_learns_that_the_other_one_has_fallen_silent() {
    let scene = Scene::new();
    let [manager, server] = &scene.nodes;
    let (bonds, others) = (Bonds::new(manager, "bond").unwrap(), Bonds::new(server, "bond").unwrap());
    let bond = bonds.start("server", FAST).unwrap();
    let other = others.start("server", BondSettings { heartbeat_timeout: None, ..FAST }).unwrap();
    let mut both = scene.executor(&[manager, server]);
    wait(&mut both, || bond.is_formed() && other.is_formed());
    drop(both);
    // Only one of the nodes goes on.
    let mut executor = scene.executor(&[manager]);
    let silent_since = Instant::now();
    wait(&mut executor, || bond.is_broken());
    assert!(silent_since.elapsed() > millis(700), "{:?}", silent_since.elapsed());
    assert!(!other.is_broken());
}

/// A node that is started anew does not keep the bond of the one before, as it is not configured as that one was.
#[test]
fn a_bond_is_with_one_instance() {
    let scene = Scene::new();
    let [manager, server] = &scene.nodes;
    let bonds = Bonds::new(manager, "bond").unwrap();
    let bond = bonds.start("server", FAST).unwrap();
    let publisher = server.publisher::<Status>("bond").create().unwrap();
    let say = |instance: &str, active: bool| {
        let status =
            Status { id: "server".into(), instance_id: instance.into(), active, ..Status::default() };
        publisher.publish(&status).unwrap();
    };
    let mut executor = scene.executor(&[manager, server]);
    // One that has ended before is not the other side.
    wait(&mut executor, || {
        say("old", false);
        say("first", true);
        bond.is_formed()
    });
    assert!(!bond.is_broken());
    wait(&mut executor, || {
        say("second", true);
        bond.is_broken()
    });
}

/// The published messages are those that ROS 2's nodes expect.
#[test]
fn the_messages_are_those_of_bond() {
    let scene = Scene::new();
    let [manager, server] = &scene.nodes;
    let received = Arc::new(std::sync::Mutex::new(Vec::new()));
    let list = received.clone();
    let push = move |status: Status| list.lock().unwrap().push(status);
    let _subscription = server.subscription("bond").qos(QoS::keep_last(100)).callback(push).unwrap();
    let bonds = Bonds::new(manager, "bond").unwrap();
    let bond = bonds.start("map_server", FAST).unwrap();
    let mut executor = scene.executor(&[manager, server]);
    wait(&mut executor, || received.lock().unwrap().len() >= 3);
    drop(bond);
    wait(&mut executor, || !received.lock().unwrap().last().unwrap().active);
    let all = received.lock().unwrap();
    let first = &all[0];
    assert!(first.active && first.id == "map_server" && first.instance_id.len() == 36);
    assert_eq!((first.heartbeat_timeout, first.heartbeat_period), (1.0, 0.1));
    assert!(all.iter().all(|status| status.instance_id == first.instance_id));
}
