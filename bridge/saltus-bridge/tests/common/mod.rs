//! Hosts that bridges join: each has its own folder of shared memory.

#![allow(dead_code, reason = "each test file uses its own part of this")]

use std::{
    io::{BufRead, BufReader, Lines},
    path::PathBuf,
    process::{Child, ChildStdout, Command, Stdio},
    sync::{Arc, Mutex, mpsc},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use saltus::{
    Context, Executor, MultiThreadedExecutor, Node, QoS, Subscription,
    advanced::TypeHash,
    context::ContextOptions,
    msgs::std_msgs::msg::UInt64,
    qos::EndpointEvent,
    types::{Gid, NodeName},
};
use saltus_bench_network::{LinkOptions, Network};
use saltus_e2e::ShmFolder;
use saltus_rmw::{EndpointToken, EntityKind, Token, gid_of};
use serde_json::Value;
use zenoh::{Session, Wait, liveliness::LivelinessToken};

/// A bridge in a process of its own. It is killed when this is dropped.
pub(crate) struct BridgeProcess {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
    /// The address at which it listens.
    pub(crate) address: String,
}

impl BridgeProcess {
    /// Starts a bridge of the host with the given folder, and waits until it listens.
    pub(crate) fn start(shm: &ShmFolder, arguments: &[&str]) -> Self {
        let mut bridge = Self::spawn(shm, arguments);
        bridge.wait_until_it_listens();
        bridge
    }

    /// Starts a bridge.
    pub(crate) fn spawn(shm: &ShmFolder, arguments: &[&str]) -> Self {
        Self::run(shm.command(env!("CARGO_BIN_EXE_saltus-bridge"), &["bridge"]), arguments)
    }

    /// Starts a bridge whose errors go to a pipe.
    pub(crate) fn spawn_with(shm: &ShmFolder, arguments: &[&str], errors: Stdio) -> Self {
        let mut command = shm.command(env!("CARGO_BIN_EXE_saltus-bridge"), &["bridge"]);
        command.stderr(errors);
        Self::run(command, arguments)
    }

    /// Reads its errors until it says a text, ends, or has taken too long. Returns whether it has said it. The rest of its errors is read, too,
    /// so that it never waits.
    pub(crate) fn says(&mut self, expected: &str) -> bool {
        self.says_one_of(&[expected])
    }

    /// As [`BridgeProcess::says`], with several texts of which it says one.
    pub(crate) fn says_one_of(&mut self, expected: &[&str]) -> bool {
        let errors = BufReader::new(self.child.stderr.take().unwrap());
        let expected: Vec<String> = expected.iter().map(|&text| text.to_owned()).collect();
        let (sender, said) = mpsc::channel();
        thread::spawn(move || {
            let is_it = |line: &String| expected.iter().any(|text| line.contains(text));
            for line in errors.lines().map_while(Result::ok).filter(is_it) {
                // It fails if nobody waits any more.
                let _ = sender.send(line);
            }
        });
        said.recv_timeout(LONG).is_ok()
    }

    /// Starts a bridge with a command.
    pub(crate) fn run(mut command: Command, arguments: &[&str]) -> Self {
        let mut child = command.args(arguments).stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, lines, address: String::new() }
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn read_line(&mut self) -> String {
        self.lines.next().unwrap().unwrap()
    }

    pub(crate) fn wait_until_it_listens(&mut self) {
        let line = self.read_line();
        assert!(line.starts_with("bridge: listens at "), "{line}");
        self.address = line.rsplit(' ').next().unwrap().to_owned();
    }

    /// Ends it as Ctrl-C does, and waits until it has ended.
    pub(crate) fn interrupt(mut self) {
        let status = Command::new("kill").args(["-INT", &self.id().to_string()]).status();
        assert!(status.unwrap().success());
        assert!(self.child.wait().unwrap().success());
    }

    /// Kills it. Its connections are closed at once, as they are not if a host loses its power.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for BridgeProcess {
    fn drop(&mut self) {
        // It may have been killed already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Two hosts. The bridge of the first is the router.
pub(crate) struct TwoHosts {
    pub(crate) folders: [ShmFolder; 2],
    pub(crate) bridges: [BridgeProcess; 2],
}

impl TwoHosts {
    pub(crate) fn new() -> Self {
        let folders = [ShmFolder::new(), ShmFolder::new()];
        let first = BridgeProcess::start(&folders[0], &["--router", "--listen", "tcp/127.0.0.1:0"]);
        let second = BridgeProcess::start(&folders[1], &["--connect", &first.address]);
        Self { folders, bridges: [first, second] }
    }
}

/// Two hosts on a network of their own. The bridge of the first is the router. The nodes of both run where the test runs: they use only
/// shared memory.
pub(crate) struct Networked {
    pub(crate) folders: [ShmFolder; 2],
    // The bridges end before their network.
    pub(crate) bridges: [BridgeProcess; 2],
    pub(crate) link: usize,
    pub(crate) network: Network,
}

impl Networked {
    pub(crate) fn new(options: &LinkOptions) -> Self {
        let mut network = Network::new(2).unwrap();
        let link = network.join(0, 1, options).unwrap();
        let folders = [ShmFolder::new(), ShmFolder::new()];
        let address = format!("tcp/{}:7447", network.address(link, 0));
        let start = |host: usize, words: &[&str]| start_on(&network, host, &folders[host], words);
        let first = start(0, &["--router", "--listen", &address]);
        let second = start(1, &["--connect", &address]);
        Self { folders, bridges: [first, second], link, network }
    }
}

/// Starts a bridge of a host of a network, and waits until it listens.
pub(crate) fn start_on(network: &Network, host: usize, shm: &ShmFolder, arguments: &[&str]) -> BridgeProcess {
    let mut command = network.command(host, env!("CARGO_BIN_EXE_saltus-bridge"));
    shm.on(command.arg("bridge"));
    let mut bridge = BridgeProcess::run(command, arguments);
    bridge.wait_until_it_listens();
    bridge
}

/// The node `zenoh_node` of a program on Zenoh that is no bridge.
pub(crate) struct ZenohNode {
    pub(crate) session: Session,
    tokens: Mutex<Vec<LivelinessToken>>,
}

impl ZenohNode {
    pub(crate) fn connected_to(bridge: &BridgeProcess) -> Self {
        let mut config = zenoh::Config::default();
        config.insert_json5("mode", "\"client\"").unwrap();
        config.insert_json5("scouting/multicast/enabled", "false").unwrap();
        config.insert_json5("connect/endpoints", &format!("[\"{}\"]", bridge.address)).unwrap();
        Self { session: zenoh::open(config).wait().unwrap(), tokens: Mutex::default() }
    }

    /// Announces an endpoint. Returns its gid.
    pub(crate) fn announce(
        &self,
        kind: EntityKind,
        name: &str,
        (type_name, type_hash): (&str, TypeHash),
        qos: QoS,
    ) -> Gid {
        let mut tokens = self.tokens.lock().unwrap();
        let token = Token {
            domain: 0,
            session: self.session.zid().to_string(),
            node_id: 0,
            id: tokens.len() as u64 + 1,
            enclave: "/".into(),
            node: NodeName::new("/", "zenoh_node").unwrap(),
            endpoint: Some(EndpointToken {
                kind,
                name: name.into(),
                type_name: type_name.into(),
                type_hash,
                qos,
                backends: None,
            }),
        };
        let text = token.to_string();
        tokens.push(self.session.liveliness().declare_token(text.clone()).wait().unwrap());
        gid_of(&text)
    }

    /// Takes back what it has announced first.
    pub(crate) fn withdraw(&self, count: usize) {
        self.tokens.lock().unwrap().drain(..count);
    }
}

/// A node that threads spin.
pub(crate) struct Spun {
    pub(crate) context: Context,
    pub(crate) node: Node,
    spinning: Option<JoinHandle<()>>,
}

impl Spun {
    pub(crate) fn new(shm: &ShmFolder, name: &str) -> Self {
        let options = ContextOptions::default().domain(0).folder(shm.path()).handle_signals(false);
        let context = options.rosout(false).create().unwrap();
        let node = context.node(name).start_parameter_services(false).create().unwrap();
        let mut executor = MultiThreadedExecutor::new(&context).unwrap().threads(2);
        executor.add_node(&node);
        let spinning = Some(thread::spawn(move || executor.spin().unwrap()));
        Self { context, node, spinning }
    }
}

impl Drop for Spun {
    fn drop(&mut self) {
        self.context.shut_down();
        let joined = self.spinning.take().map(JoinHandle::join);
        assert!(thread::panicking() || joined.is_some_and(|joined| joined.is_ok()));
    }
}

/// Returns the path of a program of the project's workspace, which is built beside the program of the bridge.
pub(crate) fn program(name: &str) -> PathBuf {
    let beside = PathBuf::from(env!("CARGO_BIN_EXE_saltus-bridge")).with_file_name(name);
    assert!(beside.exists(), "{} is missing: `make test-bridge` builds it", beside.display());
    beside
}

/// Returns a command that runs a program of the project's workspace on a host.
pub(crate) fn command(shm: &ShmFolder, name: &str, words: &[&str]) -> Command {
    shm.command(&program(name).display().to_string(), words)
}

/// Returns what the doctor says on a host.
pub(crate) fn doctor(shm: &ShmFolder) -> Value {
    let output = command(shm, "saltus", &["doctor", "--json"]).stderr(Stdio::inherit()).output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Returns the name and the message of each status of the bridge.
pub(crate) fn statuses(doctor: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let all = doctor["bridges"][0]["status"].as_array().unwrap();
    all.iter().map(|one| (text(&one["name"]), text(&one["message"]))).collect()
}

/// The longest time that a test waits.
pub(crate) const LONG: Duration = Duration::from_secs(60);

/// A subscription, and the numbers that it has received.
pub(crate) struct Received {
    pub(crate) numbers: Arc<Mutex<Vec<u64>>>,
    pub(crate) subscription: Subscription<UInt64>,
}

impl Received {
    pub(crate) fn new(host: &Spun, topic: &str, qos: QoS) -> Self {
        Self::with_events(host, topic, qos, |_| {})
    }

    pub(crate) fn with_events(
        host: &Spun,
        topic: &str,
        qos: QoS,
        on_event: impl FnMut(EndpointEvent) + Send + 'static,
    ) -> Self {
        let numbers = Arc::<Mutex<Vec<u64>>>::default();
        let into = numbers.clone();
        let subscription = host.node.subscription::<UInt64>(topic).qos(qos).on_event(on_event);
        let subscription = subscription.callback(move |message| into.lock().unwrap().push(message.data));
        Self { numbers, subscription: subscription.unwrap() }
    }

    pub(crate) fn wait_for(&self, expected: &[u64]) {
        wait(&format!("{expected:?}"), || self.numbers.lock().unwrap().len() >= expected.len());
        assert_eq!(*self.numbers.lock().unwrap(), expected);
    }
}

/// Waits until `is_so`, with pauses because it asks other processes.
pub(crate) fn wait(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < LONG, "{what}");
        // A pause between two questions.
        thread::sleep(Duration::from_millis(5));
    }
}
