//! The agent and a C program as processes, and a node of the host that talks to the program.

#![allow(dead_code, reason = "each test file uses its own part of this")]

pub(crate) mod checks;

use std::{
    io::{BufRead, BufReader},
    net::UdpSocket,
    process::{Child, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::{Duration, Instant},
};

use saltus::graph::Graph;
pub(crate) use saltus_e2e::Host;
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

    /// Returns the lines so far that contain a text.
    pub(crate) fn lines_with(&mut self, text: &str) -> Vec<String> {
        self.seen.extend(self.lines.try_iter());
        self.seen.iter().filter(|line| line.contains(text)).cloned().collect()
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
            let last = &self.seen[self.seen.len().saturating_sub(2)..];
            eprintln!("the process printed {} lines, the last ones: {last:?}", self.seen.len());
        }
    }
}

/// Starts an agent and waits until it listens.
pub(crate) fn agent(shm: &ShmFolder, transport: &str, location: &str) -> Program {
    let mut agent =
        Program::start(&mut shm.command(env!("CARGO_BIN_EXE_micro-agent"), &[transport, location]));
    agent.wait_for("listening");
    agent
}

/// Returns a port that no program uses.
pub(crate) fn free_port() -> String {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.local_addr().unwrap().port().to_string()
}

/// Returns whether the graph has a node of a device.
pub(crate) fn has_node(graph: &Graph, name: &str) -> bool {
    graph.nodes.iter().any(|node| format!("{}/{}", node.namespace, node.name) == name)
}
