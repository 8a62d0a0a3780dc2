//! The agent and a C program as processes, and a node of the host that talks to the program.

#![allow(dead_code, reason = "each test file uses its own part of this")]

pub(crate) mod checks;

use std::{
    io::{BufRead, BufReader},
    net::UdpSocket,
    path::Path,
    process::{Child, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use saltus::{Context, Executor, Node, SingleThreadedExecutor, context::ContextOptions, graph::Graph};
use saltus_e2e::ShmFolder;

/// The longest time that a test waits for something.
pub(crate) const LONG: Duration = Duration::from_secs(30);

/// A process whose output is read line by line. It is killed when this value is dropped.
pub(crate) struct Program {
    child: Child,
    lines: Receiver<String>,
    /// All lines that were read, for the message of a test that fails.
    seen: Vec<String>,
}

impl Program {
    pub(crate) fn start(command: &mut Command) -> Self {
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        thread::spawn(move || {
            // It ends when the process does, or when the test does not want more lines.
            let _ = output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line));
        });
        Self { child, lines, seen: Vec::new() }
    }

    /// Waits for a line that contains a text, and returns it.
    pub(crate) fn wait_for(&mut self, text: &str) -> String {
        let end = Instant::now() + LONG;
        while let Some(left) = end.checked_duration_since(Instant::now()) {
            let Ok(line) = self.lines.recv_timeout(left) else { break };
            self.seen.push(line.clone());
            if line.contains(text) {
                return line;
            }
        }
        panic!("`{text}` was not printed, but: {:?}", self.seen);
    }

    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Returns the lines so far that contain a text and were not read by `wait_for`.
    pub(crate) fn lines_so_far(&self, text: &str) -> Vec<String> {
        self.lines.try_iter().filter(|line| line.contains(text)).collect()
    }

    /// Asks the process to end.
    pub(crate) fn terminate(&self) {
        Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status().unwrap();
    }

    /// Asks the process to end, and returns whether it ended with success.
    pub(crate) fn ends_well(&mut self) -> bool {
        self.terminate();
        self.child.wait().unwrap().success()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if thread::panicking() {
            self.seen.extend(self.lines.try_iter());
            eprintln!("output of the process: {:?}", self.seen);
        }
    }
}

/// Starts an agent and waits until it listens.
pub(crate) fn agent(shm: &ShmFolder, transport: &str, place: &str) -> Program {
    let mut agent = Program::start(&mut shm.command(env!("CARGO_BIN_EXE_micro-agent"), &[transport, place]));
    agent.wait_for("listening");
    agent
}

/// Returns a port that no program uses.
pub(crate) fn free_port() -> String {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.local_addr().unwrap().port().to_string()
}

/// A context with a node that a thread spins.
pub(crate) struct Host {
    pub(crate) context: Context,
    pub(crate) node: Node,
    spinning: Option<JoinHandle<()>>,
}

impl Host {
    pub(crate) fn new(folder: &Path) -> Self {
        let options = ContextOptions::default().domain(0).folder(folder).handle_signals(false);
        let context = options.rosout(false).create().unwrap();
        let node = context.node("host").start_parameter_services(false).create().unwrap();
        let mut executor = SingleThreadedExecutor::new(&context).unwrap();
        executor.add_node(&node);
        let spinning = Some(thread::spawn(move || executor.spin().unwrap()));
        Self { context, node, spinning }
    }

    /// Waits until a condition is true. The graph wakes the wait, and so does a short time.
    pub(crate) fn wait(&self, what: &str, mut is_so: impl FnMut() -> bool) {
        let end = Instant::now() + LONG;
        while !is_so() {
            assert!(Instant::now() < end, "{what}: {:#?}", self.context.graph());
            self.context.wait_until(Duration::from_millis(10), || false);
        }
    }

    /// Waits until the graph is as `is_so` wants it.
    pub(crate) fn wait_for(&self, what: &str, is_so: impl Fn(&Graph) -> bool) {
        let is_now = self.context.wait_until(LONG, || is_so(&self.context.graph()));
        assert!(is_now, "{what}: {:#?}", self.context.graph());
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.context.shut_down();
        self.spinning.take().map(JoinHandle::join);
    }
}

/// Whether the graph has a node of a device.
pub(crate) fn has_node(graph: &Graph, name: &str) -> bool {
    graph.nodes.iter().any(|node| format!("{}/{}", node.namespace, node.name) == name)
}
