//! Twenty clients over a network that loses, duplicates and reorders datagrams. The agent is killed, clients are reset,
//! and junk is sent to the agent. What the agent has acknowledged arrives, once and in order, also if it was killed then.
//!
//! `SALTUS_MICRO_ROUNDS` sets the number of kills of the agent (2 by default; `make micro-chaos` sets it to 50). After
//! each one, four clients are reset. `SALTUS_MICRO_JUNK` sets the number of datagrams (20,000 by default).

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BinaryHeap},
    net::UdpSocket,
    process::Command,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use common::*;
use rustix::event::{PollFd, PollFlags, poll};
use saltus::{QoS, context::ContextOptions, graph::Report, msgs::std_msgs::msg::UInt64, qos::History};
use saltus_e2e::ShmFolder;
use saltus_micro_e2e::host_program;

const CLIENTS: u32 = 20;
/// The client of number 0 has this key.
const FIRST_KEY: u32 = 100;
const RESETS: u32 = 4;
/// The number of messages that each client delivers between two kills.
const MESSAGES: usize = 100;
/// A dead device is gone this long after its lease at the latest.
const GHOST: Duration = Duration::from_secs(2);
/// The lease of the clients.
const LEASE: Duration = Duration::from_secs(1);

fn setting(name: &str, otherwise: u32) -> u32 {
    std::env::var(name).map_or(otherwise, |text| text.parse().unwrap())
}

/// Random numbers that a seed determines (xorshift).
struct Random(u64);

impl Random {
    fn percent(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % 100
    }
}

/// The network: loses 10 % of the datagrams, duplicates 5 %, and delays 5 % so that later ones overtake them.
struct Network {
    ports: Vec<String>,
    ends: Arc<AtomicBool>,
    running: Option<JoinHandle<()>>,
}

/// A datagram on its way: when it arrives, for which client, in which direction.
type Datagram = Reverse<(Instant, usize, bool, Vec<u8>)>;

impl Network {
    fn new(agent: &str) -> Self {
        let bind = || {
            let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
            socket.set_nonblocking(true).unwrap();
            socket
        };
        let sockets: Vec<[UdpSocket; 2]> = (0..CLIENTS).map(|_| [bind(), bind()]).collect();
        for [_, to_agent] in &sockets {
            to_agent.connect(format!("127.0.0.1:{agent}")).unwrap();
        }
        let ports = sockets.iter().map(|[port, _]| port.local_addr().unwrap().port().to_string()).collect();
        let ends = Arc::new(AtomicBool::new(false));
        let stop = ends.clone();
        let running = Some(thread::spawn(move || carry(&sockets, &stop)));
        Self { ports, ends, running }
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::Release);
        self.running.take().map(JoinHandle::join);
    }
}

fn carry(sockets: &[[UdpSocket; 2]], stop: &AtomicBool) {
    let mut random = Random(88_172_645_463_325_252);
    let mut waiting: BinaryHeap<Datagram> = BinaryHeap::new();
    let mut clients = vec![None; sockets.len()];
    let mut buffer = vec![0; 2048];
    while !stop.load(Ordering::Acquire) {
        let mut polled: Vec<PollFd<'_>> =
            sockets.iter().flatten().map(|socket| PollFd::new(socket, PollFlags::IN)).collect();
        let timeout = rustix::event::Timespec { tv_sec: 0, tv_nsec: 1_000_000 };
        poll(&mut polled, Some(&timeout)).unwrap();
        for (number, pair) in sockets.iter().enumerate() {
            while let Ok((len, from)) = pair[0].recv_from(&mut buffer) {
                clients[number] = Some(from);
                send(&mut waiting, &mut random, (number, true), &buffer[..len]);
            }
            // An error says that no agent listens.
            while let Ok(len) = pair[1].recv(&mut buffer) {
                send(&mut waiting, &mut random, (number, false), &buffer[..len]);
            }
        }
        while waiting.peek().is_some_and(|Reverse((at, ..))| *at <= Instant::now()) {
            let Some(Reverse((_, number, to_agent, bytes))) = waiting.pop() else { break };
            let _ = match clients[number] {
                _ if to_agent => sockets[number][1].send(&bytes),
                Some(client) => sockets[number][0].send_to(&bytes, client),
                None => Ok(0),
            };
        }
    }
}

fn send(
    waiting: &mut BinaryHeap<Datagram>,
    random: &mut Random,
    (number, to_agent): (usize, bool),
    bytes: &[u8],
) {
    let copies = match random.percent() {
        0..10 => 0,
        10..15 => 2,
        _ => 1,
    };
    for _ in 0..copies {
        let delay = if random.percent() < 5 { Duration::from_millis(5) } else { Duration::ZERO };
        waiting.push(Reverse((Instant::now() + delay, number, to_agent, bytes.to_vec())));
    }
}

/// The numbers that arrived, by client.
type Arrived = Arc<Mutex<BTreeMap<u32, Vec<u64>>>>;

/// Checks that the numbers of each connection begin with 0 and have no gap, no duplicate and no other order. Returns the
/// next number of each run and connection.
fn check_numbers(key: u32, numbers: &[u64]) -> BTreeMap<(u64, u64), u64> {
    let mut next = BTreeMap::new();
    for number in numbers {
        let (run, connection, number) = (number >> 48, (number >> 32) & 0xFFFF, number & 0xFFFF_FFFF);
        let expected: &mut u64 = next.entry((run, connection)).or_default();
        assert_eq!(number, *expected, "client {key}, run {run}, connection {connection}");
        *expected += 1;
    }
    next
}

struct World {
    host: Host,
    arrived: Arrived,
    network: Network,
    clients: Vec<Program>,
    _subscriptions: Vec<Box<dyn std::any::Any>>,
}

impl World {
    fn new(shm: &ShmFolder, agent: &str) -> Self {
        let host = Host::new(shm, "host");
        let arrived = Arrived::default();
        let subscribe = |number| {
            let (key, into) = (FIRST_KEY + number, arrived.clone());
            let subscription = host
                .node
                .subscription::<UInt64>(&format!("/chaos_{key}"))
                .qos(QoS { history: History::KeepAll, ..QoS::keep_last(1000) })
                .callback(move |message: UInt64| {
                    into.lock().unwrap().entry(key).or_default().push(message.data);
                })
                .unwrap();
            Box::new(subscription) as Box<dyn std::any::Any>
        };
        let subscriptions = (0..CLIENTS).map(subscribe).collect();
        let network = Network::new(agent);
        let mut world = Self { host, arrived, network, clients: Vec::new(), _subscriptions: subscriptions };
        world.clients = (0..CLIENTS).map(|number| world.start(number)).collect();
        world
    }

    fn start(&self, number: u32) -> Program {
        let port = &self.network.ports[number as usize];
        let key = (FIRST_KEY + number).to_string();
        Program::start(Command::new(host_program("chaotic")).args(["127.0.0.1", port, &key]))
    }

    fn devices(&self) -> usize {
        self.host.context.graph().nodes.iter().filter(|node| node.name.starts_with("chaos_")).count()
    }

    /// Waits until each client is in the graph once.
    fn wait_until_all_are_there(&self) {
        self.host.wait("all clients", || self.devices() == CLIENTS as usize);
    }

    fn count(&self) -> usize {
        self.arrived.lock().unwrap().values().map(Vec::len).sum()
    }

    /// Waits until each client has delivered some messages more.
    fn wait_for_more(&self, messages: usize, what: &str) {
        let before: BTreeMap<u32, usize> =
            self.arrived.lock().unwrap().iter().map(|(key, numbers)| (*key, numbers.len())).collect();
        self.host.wait(what, || {
            let arrived = self.arrived.lock().unwrap();
            (FIRST_KEY..FIRST_KEY + CLIENTS).all(|key| {
                arrived.get(&key).map_or(0, Vec::len) >= before.get(&key).copied().unwrap_or(0) + messages
            })
        });
    }

    /// Ends all clients, and checks that everything that the agents have acknowledged has arrived: in each connection all
    /// but what the client counts as lost, and in the last one all that it has accepted.
    fn end(mut self) {
        for (client, key) in std::mem::take(&mut self.clients).iter_mut().zip(FIRST_KEY..) {
            client.terminate();
            let line = client.wait_for("end run=");
            let next = |line: &str| {
                let arrived = self.arrived.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                let numbers = arrived.get(&key).map_or(&[][..], Vec::as_slice);
                let all = check_numbers(key, numbers);
                all.get(&(value(line, "run"), value(line, "connection"))).copied().unwrap_or(0)
            };
            let disconnected = client.lines_with("disconnected ");
            // The client may be ended while it has no connection. Then the last one has ended with losses.
            let connection = |line: &str| (value(line, "run"), value(line, "connection"));
            let own = disconnected.iter().find(|other| connection(other) == connection(&line));
            assert!(own.is_some() || value(&line, "acknowledged") == 1, "client {key}: {line}");
            let lost = own.map_or(0, |own| value(own, "lost"));
            let accepted = value(&line, "next");
            self.host.wait("everything that was accepted", || next(&line) >= accepted.saturating_sub(lost));
            assert!(next(&line) <= accepted, "client {key}: {} arrived of {line}", next(&line));
            for line in disconnected {
                let acknowledged = value(&line, "next").saturating_sub(value(&line, "lost"));
                assert!(next(&line) >= acknowledged, "client {key}: {} arrived of {line}", next(&line));
            }
        }
        self.host.wait("no ghost", || self.devices() == 0);
    }
}

/// Returns a value of a line of `name=value` words.
fn value(line: &str, name: &str) -> u64 {
    let mut words = line.split_whitespace().filter_map(|word| word.split_once('='));
    words.find(|(key, _)| *key == name).unwrap().1.parse().unwrap()
}

/// Returns the messages without a session that the agent has counted.
fn strange_messages(shm: &ShmFolder) -> u64 {
    let domain = ContextOptions::default().domain(0).folder(shm.path()).domain_id().unwrap();
    let report = Report::observe(domain).unwrap();
    let agent = report.devices.iter().find(|device| device.name == "agent").unwrap();
    agent.counts.lost.iter().sum()
}

/// Returns the memory of a process that is its own, in KB.
fn memory(pid: u32) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

#[test]
fn clients_deliver_what_was_accepted_although_agents_and_clients_are_killed() {
    let rounds = setting("SALTUS_MICRO_ROUNDS", 2);
    let shm = ShmFolder::new();
    let port = free_port();
    let mut agent = agent(&shm, "udp", &port);
    let mut world = World::new(&shm, &port);
    world.wait_until_all_are_there();
    for round in 0..rounds {
        world.wait_for_more(MESSAGES, "messages after a reconnection");
        agent.kill();
        let killed = Instant::now();
        world.host.wait("no ghost of the killed agent", || world.devices() == 0);
        assert!(killed.elapsed() < GHOST, "ghosts for {:?}", killed.elapsed());
        agent = common::agent(&shm, "udp", &port);
        world.wait_until_all_are_there();
        for number in (0..RESETS).map(|reset| (round * RESETS + reset) % CLIENTS) {
            world.clients[number as usize].kill();
            world.clients[number as usize] = world.start(number);
        }
        world.wait_until_all_are_there();
    }
    // A client that does not come back is gone after its lease.
    world.clients[0].kill();
    let killed = Instant::now();
    world.host.wait("the ghost is gone", || world.devices() == CLIENTS as usize - 1);
    assert!(killed.elapsed() < LEASE + GHOST, "a ghost for {:?}", killed.elapsed());
    world.clients[0] = world.start(0);
    world.wait_until_all_are_there();
    println!("{} messages", world.count());
    world.end();
}

#[test]
fn the_memory_of_an_agent_stays_flat_while_clients_are_reset() {
    let resets = RESETS * setting("SALTUS_MICRO_ROUNDS", 2) + CLIENTS;
    let shm = ShmFolder::new();
    let port = free_port();
    let agent = agent(&shm, "udp", &port);
    let mut world = World::new(&shm, &port);
    world.wait_until_all_are_there();
    let mut early = 0;
    for reset in 0..resets {
        let number = reset % CLIENTS;
        world.clients[number as usize].kill();
        world.clients[number as usize] = world.start(number);
        if reset == CLIENTS {
            // Each client was reset once.
            world.wait_for_more(1, "messages after each client was reset");
            early = memory(agent.id());
        }
    }
    world.wait_for_more(1, "messages after all resets");
    let late = memory(agent.id());
    println!("memory after {CLIENTS} resets {early} KB, after {resets} {late} KB");
    assert!(late < early + 256, "{early} KB became {late} KB");
    world.end();
}

#[test]
fn junk_does_not_disturb_clients() {
    let count = setting("SALTUS_MICRO_JUNK", 20_000);
    let shm = ShmFolder::new();
    let port = free_port();
    let agent = agent(&shm, "udp", &port);
    let mut world = World::new(&shm, &port);
    world.wait_until_all_are_there();
    world.wait_for_more(1, "messages before the junk");
    let (before, memory_before) = (world.count(), memory(agent.id()));
    let begun = Instant::now();
    let mut random = Random(1);
    let sockets: Vec<UdpSocket> = (0..8).map(|_| UdpSocket::bind("127.0.0.1:0").unwrap()).collect();
    for number in 0..count as usize {
        let len = (random.percent() * random.percent() % 600) as usize;
        let mut bytes: Vec<u8> = (0..len).map(|_| random.percent() as u8 ^ (random.0 >> 32) as u8).collect();
        // Half of it looks like a message of a session or the begin of one.
        if number % 2 == 0 && len > 8 {
            bytes[0] = [0x81, 0x80, 0x01, 0x00][number / 2 % 4];
            bytes[1] = [0x00, 0x01, 0x80][number / 2 % 3];
            bytes[4] %= 16;
        }
        let _ = sockets[number % sockets.len()].send_to(&bytes, format!("127.0.0.1:{port}"));
    }
    let took = begun.elapsed();
    // The agent updates the counts that tools read five times in a second. The system drops what is too much for it.
    world.host.wait("the junk at the agent", || strange_messages(&shm) > u64::from(count) / 20);
    world.wait_for_more(1, "messages after the junk");
    let during = world.count() - before;
    println!(
        "{count} junk datagrams in {took:?}, {} at the agent; {during} messages meanwhile; memory {memory_before} to {} KB",
        strange_messages(&shm),
        memory(agent.id())
    );
    assert!(memory(agent.id()) < memory_before + 4096);
    let disconnected: Vec<String> =
        world.clients.iter_mut().flat_map(|client| client.lines_with("disconnected")).collect();
    assert!(disconnected.is_empty(), "{disconnected:?}");
    world.end();
}
