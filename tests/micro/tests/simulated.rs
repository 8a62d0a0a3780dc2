//! The C client and the agent over a network that loses, duplicates and reorders messages. Time is simulated.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    collections::VecDeque,
    io::{BufReader, Read, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use saltus_micro_e2e::host_program;
use saltus_xrce::{
    Agent, AgentConfig, AgentHost, ClientKey, Departure, GraphObject, ObjectId, Profiles, ReadRequest,
    Request, Status, Written,
};

const MILLISECOND: u64 = 1_000_000;

/// An action of the client.
#[derive(Debug, PartialEq, Eq)]
enum ClientAction {
    Sent(Vec<u8>),
    Received(Vec<u8>),
    Event(u8, u32),
    Published(u8),
}

/// The events and results of the client that these tests know.
const READY: u8 = 1;
const DISCONNECTED: u8 = 2;
const OK: u8 = 0;
const FULL: u8 = 2;

/// The C client, as a process.
struct Client {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Client {
    fn start(mtu: usize, history: usize) -> Self {
        let mut child = Command::new(host_program("simulated"))
            .args([mtu.to_string(), history.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self { child, input, output }
    }

    fn bytes<const N: usize>(&mut self) -> [u8; N] {
        let mut bytes = [0; N];
        self.output.read_exact(&mut bytes).unwrap();
        bytes
    }

    fn block(&mut self) -> Vec<u8> {
        let mut bytes = vec![0; u16::from_le_bytes(self.bytes()).into()];
        self.output.read_exact(&mut bytes).unwrap();
        bytes
    }

    fn command(&mut self, command: &[u8]) -> Vec<ClientAction> {
        self.input.write_all(command).unwrap();
        let mut done = Vec::new();
        loop {
            done.push(match self.bytes::<1>()[0] {
                b'm' => ClientAction::Sent(self.block()),
                b'd' => ClientAction::Received(self.block()),
                b'e' => ClientAction::Event(self.bytes::<1>()[0], u32::from_le_bytes(self.bytes())),
                b'p' => ClientAction::Published(self.bytes::<1>()[0]),
                b'.' => return done,
                other => panic!("unknown output {other}"),
            });
        }
    }

    fn spin(&mut self, now: u64) -> Vec<ClientAction> {
        self.command(&[b"T".as_slice(), &now.to_le_bytes()].concat())
    }

    fn deliver(&mut self, message: &[u8]) -> Vec<ClientAction> {
        self.command(&[b"M".as_slice(), &(message.len() as u16).to_le_bytes(), message].concat())
    }

    fn publish(&mut self, id: u32, size: u16) -> Vec<ClientAction> {
        self.command(&[b"P".as_slice(), &id.to_le_bytes(), &size.to_le_bytes()].concat())
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The graph of the agent: records what arrives.
#[derive(Default)]
struct Graph {
    sent: Vec<Vec<u8>>,
    written: Vec<Vec<u8>>,
    reader: Option<(ClientKey, ObjectId)>,
}

impl AgentHost for Graph {
    type Address = u8;

    fn send(&mut self, _to: &u8, message: &[u8]) -> bool {
        self.sent.push(message.to_vec());
        true
    }

    fn system_time(&mut self) -> i64 {
        0
    }

    fn connected(&mut self, _client: ClientKey, _address: &u8) {}

    fn departed(&mut self, _client: ClientKey, _reason: Departure) {}

    fn create(&mut self, _client: ClientKey, _id: ObjectId, _object: GraphObject<'_>) -> Status {
        Status::Ok
    }

    fn delete(&mut self, _client: ClientKey, _id: ObjectId) {}

    fn read(&mut self, client: ClientKey, request: ReadRequest) {
        self.reader = Some((client, request.request.object));
    }

    fn write(&mut self, _client: ClientKey, _request: Request, data: &[u8]) -> Written {
        self.written.push(data.to_vec());
        Written::Published
    }

    fn has_room(&mut self, _client: ClientKey) {}
}

/// Random numbers that a seed determines (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

/// A direction of the network.
#[derive(Default)]
struct Wire(VecDeque<(u64, Vec<u8>)>);

impl Wire {
    /// Loses a message, or delivers it once or twice after up to 8 ms.
    fn carry(&mut self, now: u64, message: &[u8], loss: u64, random: &mut Random) {
        let copies = if random.below(100) < loss { 0 } else { 1 + u64::from(random.below(100) < loss / 2) };
        for _ in 0..copies {
            self.0.push_back((now + random.below(8) * MILLISECOND, message.to_vec()));
        }
    }

    fn due(&mut self, now: u64) -> Vec<Vec<u8>> {
        let (due, later) = self.0.drain(..).partition(|(at, _)| *at <= now);
        self.0 = later;
        let due: VecDeque<(u64, Vec<u8>)> = due;
        due.into_iter().map(|(_, message)| message).collect()
    }
}

/// A message of the test: its size, its number, and bytes that follow from both.
fn message(id: u32, size: u16) -> Vec<u8> {
    let mut bytes = u32::from(size).to_le_bytes().to_vec();
    bytes.extend_from_slice(&id.to_le_bytes());
    bytes.extend((8..u32::from(size) + 4).map(|index| id.wrapping_add(index) as u8));
    bytes
}

struct World {
    client: Client,
    agent: Agent<u8>,
    graph: Graph,
    up: Wire,
    down: Wire,
    random: Random,
    loss: u64,
    now: u64,
    events: Vec<(u8, u32)>,
    received: Vec<Vec<u8>>,
    published: Option<u8>,
}

impl World {
    fn new(seed: u64, mtu: usize, history: usize, loss: u64) -> Self {
        Self {
            client: Client::start(mtu, history),
            agent: Agent::new(AgentConfig::default(), Profiles::default()),
            graph: Graph::default(),
            up: Wire::default(),
            down: Wire::default(),
            random: Random(seed * 2 + 1),
            loss,
            now: 1_000_000_000,
            events: Vec::new(),
            received: Vec::new(),
            published: None,
        }
    }

    fn note(&mut self, done: Vec<ClientAction>) {
        for one in done {
            match one {
                ClientAction::Sent(bytes) => self.up.carry(self.now, &bytes, self.loss, &mut self.random),
                ClientAction::Received(bytes) => self.received.push(bytes),
                ClientAction::Event(event, detail) => self.events.push((event, detail)),
                ClientAction::Published(status) => self.published = Some(status),
            }
        }
    }

    fn flush(&mut self) {
        self.agent.flush(self.now, &mut self.graph);
        for bytes in std::mem::take(&mut self.graph.sent) {
            self.down.carry(self.now, &bytes, self.loss, &mut self.random);
        }
    }

    /// Advances the time by a millisecond.
    fn step(&mut self) {
        self.now += MILLISECOND;
        for bytes in self.up.due(self.now) {
            self.agent.handle(self.now, &1, &bytes, &mut self.graph);
        }
        self.agent.check(self.now, &mut self.graph);
        self.flush();
        for bytes in self.down.due(self.now) {
            let done = self.client.deliver(&bytes);
            self.note(done);
        }
        let done = self.client.spin(self.now);
        self.note(done);
    }

    fn step_until(&mut self, what: &str, mut is_so: impl FnMut(&mut Self) -> bool) {
        for _ in 0..60_000 {
            if is_so(self) {
                return;
            }
            self.step();
        }
        panic!(
            "{what}: {} up, {} down, events {:?}",
            self.graph.written.len(),
            self.received.len(),
            self.events
        );
    }

    fn connect(&mut self) {
        self.step_until("ready", |world| world.events.contains(&(READY, 0)));
    }

    /// Publishes a message of the client. Returns whether the stream has taken it.
    fn publish(&mut self, id: u32, size: u16) -> bool {
        let done = self.client.publish(id, size);
        self.note(done);
        let status = self.published.take().unwrap();
        assert!([OK, FULL].contains(&status), "publishing {size} bytes: status {status}");
        status == OK
    }

    fn deliver(&mut self, id: u32, size: u16) -> bool {
        let reader = self.graph.reader.unwrap();
        let content = message(id, size);
        let is_taken = self.agent.deliver(self.now, reader, &[], &content, &mut self.graph).is_ok();
        self.flush();
        is_taken
    }
}

/// The largest message that fits into a stream of this MTU and history, less than a slot for what else is sent.
fn largest(mtu: usize, history: usize) -> u64 {
    ((mtu - 8) * (history - 1).max(1) - 16).min(1500) as u64
}

/// Returns the index and the beginnings of the first two messages that differ.
fn first_difference(found: &[Vec<u8>], expected: &[Vec<u8>]) -> Option<String> {
    let head = |messages: &[Vec<u8>], index: usize| {
        messages.get(index).map(|one| (one.len(), one[..one.len().min(16)].to_vec()))
    };
    let index =
        (0..found.len().max(expected.len())).find(|index| found.get(*index) != expected.get(*index))?;
    Some(format!("message {index}: {:?} instead of {:?}", head(found, index), head(expected, index)))
}

fn run(seed: u64) {
    let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let mtu = [63, 128, 512][random.below(3) as usize];
    // The creation of a topic takes two messages of 63 bytes.
    let least = usize::from(mtu == 63) + 1;
    let history = [1, 2, 3, 4, 8, 16][random.below(6) as usize].max(least);
    let loss = [0, 5, 10, 20][random.below(4) as usize];
    let mut world = World::new(seed, mtu, history, loss);
    world.connect();
    let sizes: Vec<u16> = (0..40).map(|_| 4 + random.below(largest(mtu, history)) as u16).collect();
    let (mut up, mut down) = (0, 0);
    world.step_until("all messages", |world| {
        if up < sizes.len() && world.publish(up as u32, sizes[up]) {
            up += 1;
        }
        if down < sizes.len() && world.deliver(down as u32, sizes[down]) {
            down += 1;
        }
        world.graph.written.len() >= sizes.len() && world.received.len() >= sizes.len()
    });
    let expected: Vec<Vec<u8>> =
        sizes.iter().enumerate().map(|(id, size)| message(id as u32, *size)).collect();
    let case = format!("seed {seed}, MTU {mtu}, history {history}, loss {loss} %");
    assert_eq!(first_difference(&world.graph.written, &expected), None, "{case}: messages of the client");
    // The client tells what follows the size.
    let expected: Vec<Vec<u8>> = expected.iter().map(|message| message[4..].to_vec()).collect();
    assert_eq!(first_difference(&world.received, &expected), None, "{case}: messages of the agent");
    assert!(!world.events.iter().any(|(event, _)| *event == DISCONNECTED), "{case}: {:?}", world.events);
}

#[test]
fn reliable_messages_arrive_once_and_in_order_over_a_bad_network() {
    (0..150).for_each(run);
}
