//! Processes with endpoints that come and go in simulated time, compared with a naive model.
//!
//! A world has several processes, each with a matcher. The entries of one process reach the others late and in
//! parts, as when registries are read. Each time that all entries have reached all processes, exactly the
//! compatible publishers and subscriptions of one topic must be connected, each pair once.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use proptest::prelude::*;
use saltus_types::{Gid, Liveliness, TypeHash};

use super::*;
use crate::{Activity, Entry, PublisherWatch, check_lease, entity::Origin};

/// Returns the id of an endpoint.
fn id(process: u64, serial: u64) -> EndpointId {
    EndpointId { process, serial }
}

fn endpoint(kind: EndpointKind, id: EndpointId, topic: &str) -> EndpointInfo {
    EndpointInfo {
        kind,
        id,
        gid: Gid::from_parts(id.process, id.serial),
        node: Gid::from_parts(id.process, 0),
        origin: Origin::Local,
        topic: topic.into(),
        type_name: "test/msg/Type".into(),
        type_hash: TypeHash::from_digest([1; 32]),
        qos: QoS::default(),
        only_from: None,
        port: 1,
        counters: 0,
    }
}

/// A process: its matcher, its entries, and the entries of others that have reached it.
struct Process {
    matcher: Matcher,
    entries: Vec<Entry>,
    /// The entries that it has read of each other process.
    received: BTreeMap<u64, Vec<Entry>>,
    /// The results of its commands, here and in the next fields.
    connected: BTreeSet<(EndpointId, EndpointId)>,
    attached: BTreeSet<(EndpointId, EndpointId)>,
    mismatched: BTreeMap<(EndpointId, EndpointId), LossCause>,
    events: Vec<GraphEvent>,
    opened: Vec<(OfferId, String)>,
    /// Whether connecting fails, as if there were no memory.
    is_full: bool,
}

impl Process {
    fn new(number: u64) -> Self {
        Self {
            matcher: Matcher::new(number),
            entries: Vec::new(),
            received: BTreeMap::new(),
            connected: BTreeSet::new(),
            attached: BTreeSet::new(),
            mismatched: BTreeMap::new(),
            events: Vec::new(),
            opened: Vec::new(),
            is_full: false,
        }
    }

    /// Returns the endpoints of other processes that have reached it.
    fn known(&self) -> Vec<EndpointInfo> {
        self.received.values().flatten().filter_map(Entry::endpoint).cloned().collect()
    }

    fn open(&mut self, info: EndpointInfo) {
        let known = self.known();
        self.entries.push(Entry::Endpoint(info.clone()));
        self.matcher.open(info, &known, false);
        self.carry_out();
    }

    fn close(&mut self, id: EndpointId) {
        self.matcher.close(id);
        self.entries.retain(|entry| match entry {
            Entry::Endpoint(info) => info.id != id,
            Entry::Connection(one) => one.publisher != id,
            Entry::Node(_) | Entry::Offer(_) | Entry::Type(_) | Entry::Device(_) => true,
        });
        self.connected.retain(|(publisher, _)| *publisher != id);
        self.attached.retain(|(_, subscription)| *subscription != id);
        self.mismatched.retain(|(local, _), _| *local != id);
        self.carry_out();
    }

    fn carry_out(&mut self) {
        while let Some(command) = self.matcher.next_command() {
            match command {
                Command::Connect { publisher, subscription } if self.is_full => {
                    self.matcher.not_connected(publisher, *subscription, "full".into());
                }
                Command::Connect { publisher, subscription } => {
                    let pair = (publisher, subscription.id);
                    assert!(self.connected.insert(pair), "{pair:?} is connected twice");
                    let queue = vec![1];
                    self.matcher.connected(publisher, subscription.id, &queue);
                    let connection = ConnectionInfo { publisher, subscription: subscription.id, queue };
                    self.entries.push(Entry::Connection(connection));
                }
                Command::Disconnect { publisher, subscription, .. } => {
                    assert!(self.connected.remove(&(publisher, subscription)), "it was not connected");
                    self.entries.retain(|entry| match entry {
                        Entry::Connection(one) => {
                            (one.publisher, one.subscription) != (publisher, subscription)
                        }
                        _ => true,
                    });
                }
                Command::Attach(one) => drop(self.attached.insert((one.publisher, one.subscription))),
                Command::End { subscription, publisher } => {
                    assert!(self.attached.remove(&(publisher, subscription)), "it was not attached");
                }
                Command::Mismatch { local, remote, mismatch } => {
                    let before = self.mismatched.insert((local, remote.id), mismatch.loss_cause());
                    assert_eq!(before, None, "it is reported twice");
                }
                Command::Forget { local, remote, cause } => {
                    assert_eq!(self.mismatched.remove(&(local, remote)), Some(cause));
                }
                Command::Open { offer, key } => self.opened.push((offer, key)),
                Command::Tell(event) => self.events.push(*event),
            }
        }
    }

    /// Reads the present entries of another process, as a reader of its records does.
    fn receive(&mut self, other: u64, entries: &[Entry]) {
        let before = self.received.insert(other, entries.to_vec()).unwrap_or_default();
        let gone: Vec<Entry> = before.iter().filter(|entry| !entries.contains(entry)).cloned().collect();
        let new: Vec<Entry> = entries.iter().filter(|entry| !before.contains(entry)).cloned().collect();
        let keys: BTreeSet<u16> = gone.iter().map(|entry| Key::of(entry).number()).collect();
        for connections in [true, false] {
            for key in keys.iter().map(|key| Key::of_number(*key)) {
                if key.is_connection() == connections {
                    self.matcher.retain(other, key, &present(entries, key));
                    self.carry_out();
                }
            }
            for entry in &new {
                match entry {
                    Entry::Connection(one) if connections => self.matcher.learn_connection(one),
                    Entry::Endpoint(info) if !connections => self.matcher.learn(info),
                    _ => {}
                }
                self.carry_out();
            }
        }
    }

    fn forget(&mut self, other: u64) {
        self.received.remove(&other);
        self.matcher.forget_process(other);
        self.carry_out();
    }
}

fn present(entries: &[Entry], key: Key) -> Present {
    let mut present = Present::default();
    for entry in entries.iter().filter(|entry| Key::of(entry) == key) {
        match entry {
            Entry::Endpoint(info) => drop(present.endpoints.insert(info.id)),
            Entry::Connection(one) => drop(present.connections.insert((one.publisher, one.subscription))),
            Entry::Node(_) | Entry::Offer(_) | Entry::Type(_) | Entry::Device(_) => {}
        }
    }
    present
}

/// All processes of a host.
struct World {
    processes: BTreeMap<u64, Process>,
    next: u64,
}

impl World {
    fn new(processes: u64) -> Self {
        Self { processes: (1..=processes).map(|number| (number, Process::new(number))).collect(), next: 1 }
    }

    fn process(&mut self, number: u64) -> &mut Process {
        self.processes.get_mut(&number).unwrap()
    }

    fn serial(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    /// Passes the present entries of one process to another.
    fn pass_entries(&mut self, from: u64, to: u64) {
        let Some(entries) = self.processes.get(&from).map(|process| process.entries.clone()) else { return };
        if from != to && self.processes.contains_key(&to) {
            self.process(to).receive(from, &entries);
        }
    }

    /// Passes the entries of all processes to all others, until no process has new entries.
    fn settle(&mut self) {
        let numbers: Vec<u64> = self.processes.keys().copied().collect();
        loop {
            let before: Vec<Vec<Entry>> = self.processes.values().map(|one| one.entries.clone()).collect();
            for from in &numbers {
                numbers.iter().for_each(|to| self.pass_entries(*from, *to));
            }
            if self.processes.values().map(|one| &one.entries).eq(&before) {
                break;
            }
        }
    }

    fn die(&mut self, number: u64) {
        self.processes.remove(&number);
        self.processes.values_mut().for_each(|process| process.forget(number));
        self.processes.insert(number, Process::new(number));
    }

    fn endpoints(&self) -> Vec<EndpointInfo> {
        let entries = self.processes.values().flat_map(|process| &process.entries);
        entries.filter_map(Entry::endpoint).cloned().collect()
    }

    /// Compares the processes with the naive model.
    fn check(&self) {
        let all = self.endpoints();
        let of = |kind| all.iter().filter(move |info| info.kind == kind);
        let (mut expected, mut incompatible) = (BTreeSet::new(), BTreeMap::new());
        for publisher in of(EndpointKind::Publisher) {
            for subscription in of(EndpointKind::Subscription) {
                if publisher.topic != subscription.topic {
                    continue;
                }
                let is_foreign = |end: &EndpointInfo| matches!(end.origin, Origin::Foreign(_));
                let is_for_another = subscription.only_from.is_some_and(|only| only != publisher.id);
                if is_for_another || is_foreign(publisher) && is_foreign(subscription) {
                    continue;
                }
                match Mismatch::between(publisher, subscription) {
                    None if subscription.port == 0 => {}
                    None => drop(expected.insert((publisher.id, subscription.id))),
                    Some(mismatch) => {
                        incompatible.insert((publisher.id, subscription.id), mismatch.loss_cause());
                        incompatible.insert((subscription.id, publisher.id), mismatch.loss_cause());
                    }
                }
            }
        }
        let gather = |of: fn(&Process) -> &BTreeSet<(EndpointId, EndpointId)>| -> BTreeSet<_> {
            self.processes.values().flat_map(|process| of(process).iter().copied()).collect()
        };
        assert_eq!(gather(|process| &process.connected), expected, "connected");
        assert_eq!(gather(|process| &process.attached), expected, "attached");
        let mismatched: BTreeMap<_, _> =
            self.processes.values().flat_map(|process| process.mismatched.clone()).collect();
        assert_eq!(mismatched, incompatible);
    }
}

/// A step of a test.
#[derive(Clone, Debug)]
enum Step {
    Open { process: u64, kind: EndpointKind, topic: u8, ty: u8, qos: QoS, role: u8 },
    Close { which: usize },
    Die { process: u64 },
    PassEntries { from: u64, to: u64 },
    Full { process: u64, is_full: bool },
    Retry { process: u64 },
}

const PROCESSES: u64 = 5;

fn qos() -> impl Strategy<Value = QoS> {
    let lease = prop_oneof![Just(None), (1_u64..3).prop_map(|ms| Some(Duration::from_millis(ms)))];
    (any::<bool>(), any::<bool>(), any::<bool>(), 1_u16..20, lease).prop_map(
        |(reliable, durable, keep_all, depth, lease)| {
            let qos = if keep_all { QoS::keep_all() } else { QoS::keep_last(depth) };
            let qos = if reliable { qos.reliable() } else { qos.best_effort() };
            let qos = if durable { qos.transient_local() } else { qos };
            lease.map_or(qos, |lease| qos.liveliness(Liveliness::ManualByTopic, lease))
        },
    )
}

fn step() -> impl Strategy<Value = Step> {
    let process = || 1..=PROCESSES;
    let kind = any::<bool>()
        .prop_map(|sends| if sends { EndpointKind::Publisher } else { EndpointKind::Subscription });
    prop_oneof![
        8 => (process(), kind, 0_u8..6, 0_u8..4, qos(), 0_u8..10)
            .prop_map(|(process, kind, topic, ty, qos, role)| Step::Open { process, kind, topic, ty, qos, role }),
        4 => any::<usize>().prop_map(|which| Step::Close { which }),
        1 => process().prop_map(|process| Step::Die { process }),
        8 => (process(), process()).prop_map(|(from, to)| Step::PassEntries { from, to }),
        1 => (process(), any::<bool>()).prop_map(|(process, is_full)| Step::Full { process, is_full }),
        1 => process().prop_map(|process| Step::Retry { process }),
    ]
}

impl World {
    fn apply(&mut self, step: &Step) {
        match step.clone() {
            Step::Open { process, kind, topic, ty, qos, role } => {
                let serial = self.serial();
                // Of four types, one has another name, one has another hash, and one has an unknown hash.
                let type_hash = match ty {
                    2 => TypeHash::from_digest([2; 32]),
                    3 => TypeHash::UNKNOWN,
                    _ => TypeHash::from_digest([1; 32]),
                };
                let type_name = if ty == 1 { "test/msg/Other" } else { "test/msg/Type" }.to_owned();
                let info = endpoint(kind, id(process, serial), &format!("/topic_{topic}"));
                let mut info = EndpointInfo { qos, type_hash, type_name, ..info };
                self.set_role(&mut info, role);
                self.process(process).open(info);
            }
            Step::Close { which } => {
                let all = self.endpoints();
                if let Some(info) = (!all.is_empty()).then(|| &all[which % all.len()]) {
                    let id = info.id;
                    self.process(id.process).close(id);
                }
            }
            Step::Die { process } => self.die(process),
            Step::PassEntries { from, to } => self.pass_entries(from, to),
            Step::Full { process, is_full } => self.process(process).is_full = is_full,
            Step::Retry { process } => {
                self.process(process).matcher.retry();
                self.process(process).carry_out();
            }
        }
    }

    /// Makes an endpoint represent an endpoint of another system, in one of several ways, or leaves it as it is.
    fn set_role(&self, info: &mut EndpointInfo, role: u8) {
        if role < 3 {
            info.origin = Origin::Foreign("elsewhere".into());
        }
        if info.kind == EndpointKind::Subscription {
            let is_publisher = |other: &EndpointInfo| other.kind == EndpointKind::Publisher;
            let publisher = self.endpoints().into_iter().find(is_publisher);
            match role {
                1 => info.port = 0,
                2 => info.only_from = publisher.map(|publisher| publisher.id),
                _ => {}
            }
        }
    }

    /// Gives all processes memory again, and passes all entries to all processes.
    fn recover(&mut self) {
        for process in self.processes.values_mut() {
            process.is_full = false;
            process.matcher.retry();
            process.carry_out();
        }
        self.settle();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_compatible_pair_is_connected_once_after_any_steps(
        steps in prop::collection::vec(step(), 0..250),
    ) {
        let mut world = World::new(PROCESSES);
        for (number, step) in steps.iter().enumerate() {
            world.apply(step);
            if number % 50 == 49 {
                world.recover();
                world.check();
            }
        }
        world.recover();
        world.check();
    }

    #[test]
    fn leases_and_deadlines_are_reported_as_a_naive_count_of_time_finds_them(
        period in 1_i64..50, lease in 1_i64..50, sends in prop::collection::btree_set(1_i64..500, 0..40),
    ) {
        let duration = |nanos: i64| Duration::from_nanos(nanos as u64);
        let qos = QoS::default()
            .deadline(duration(period))
            .liveliness(Liveliness::ManualByTopic, duration(lease));
        let mut watch = PublisherWatch::new(&qos).unwrap();
        let (mut missed, mut lost) = (0, 0);
        let (mut expected_missed, mut expected_lost) = (0, 0);
        let mut activity = Activity { sent_at: 0, asserted_at: 1, is_matched: true };
        let mut was_alive = true;
        watch.check(activity, 1);
        let mut since = 1;
        for now in 1..500 {
            let found = watch.check(activity, now);
            missed += found.missed;
            lost += u64::from(found.is_lost);
            // The naive count: each nanosecond at which a whole number of periods has passed since the last message.
            expected_missed += u64::from(now > since && (now - since) % period == 0);
            let active_at = activity.sent_at.max(activity.asserted_at);
            let is_alive = now < active_at + lease;
            expected_lost += u64::from(was_alive && !is_alive);
            was_alive = is_alive;
            prop_assert_eq!(check_lease(active_at, lease as u64, now).0, is_alive);
            if sends.contains(&now) {
                activity.sent_at = now;
                since = now;
                was_alive = true;
            }
        }
        prop_assert_eq!((missed, lost), (expected_missed, expected_lost));
    }
}

/// One to ten large robots have so many endpoints.
#[test]
fn a_thousand_random_endpoints_are_connected_and_disconnected() {
    use proptest::{strategy::ValueTree, test_runner::TestRunner};
    let mut runner = TestRunner::deterministic();
    let mut world = World::new(20);
    let strategy = (1_u64..=20, any::<bool>(), 0_u8..100, 0_u8..4, qos(), 0_u8..10);
    for _ in 0..1000 {
        let (process, sends, topic, ty, qos, role) = strategy.new_tree(&mut runner).unwrap().current();
        let kind = if sends { EndpointKind::Publisher } else { EndpointKind::Subscription };
        world.apply(&Step::Open { process, kind, topic, ty, qos, role });
    }
    world.settle();
    world.check();
    for process in (1..=20).step_by(3) {
        world.die(process);
    }
    for which in 0..200 {
        world.apply(&Step::Close { which: which * 7 });
    }
    world.settle();
    world.check();
}

#[test]
fn a_failed_connection_is_reported_once_and_tried_again() {
    let mut world = World::new(1);
    world.process(1).is_full = true;
    world.process(1).open(endpoint(EndpointKind::Publisher, id(1, 1), "/t"));
    world.process(1).open(endpoint(EndpointKind::Subscription, id(1, 2), "/t"));
    for _ in 0..3 {
        world.process(1).matcher.retry();
        world.process(1).carry_out();
    }
    assert!(matches!(world.process(1).events[..], [GraphEvent::NotConnected { .. }]));
    world.recover();
    world.check();
}

#[test]
fn an_offer_is_opened_for_present_and_later_endpoints_until_it_is_withdrawn() {
    let mut world = World::new(2);
    let keys = ["/here", "/there", "/later", "/never"].map(str::to_owned);
    world.process(1).open(endpoint(EndpointKind::Publisher, id(1, 1), "/here"));
    world.process(1).matcher.offer(OfferId(7), &keys, |key| key == "/there");
    world.process(2).open(endpoint(EndpointKind::Publisher, id(2, 2), "/later"));
    world.settle();
    let opened = |world: &mut World| -> Vec<String> {
        std::mem::take(&mut world.process(1).opened).into_iter().map(|(_, key)| key).collect()
    };
    assert_eq!(opened(&mut world), ["/here", "/there", "/later"]);
    world.process(1).matcher.withdraw(OfferId(7));
    world.process(2).open(endpoint(EndpointKind::Subscription, id(2, 3), "/never"));
    world.settle();
    assert!(opened(&mut world).is_empty());
}

#[test]
fn best_available_profiles_are_resolved_with_the_present_endpoints() {
    let mut matcher = Matcher::new(1);
    let best_effort = QoS::keep_last(5).best_effort();
    let own = endpoint(EndpointKind::Publisher, id(1, 1), "/t");
    matcher.open(EndpointInfo { qos: best_effort, ..own.clone() }, &[], false);
    let resolved = matcher.resolve(EndpointKind::Subscription, "/t", &QoS::best_available(), &[]);
    assert_eq!(resolved.reliability, best_effort.reliability);
    let other = EndpointInfo { id: id(2, 1), qos: QoS::keep_last(5).reliable(), ..own };
    let alone = Matcher::new(3).resolve(EndpointKind::Subscription, "/t", &QoS::best_available(), &[other]);
    assert_eq!(alone.reliability, saltus_types::Reliability::Reliable);
}
