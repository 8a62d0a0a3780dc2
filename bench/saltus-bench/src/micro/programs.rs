//! The programs of the benchmark: the C programs, agents, and the lines that they print.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    net::UdpSocket,
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread,
    time::{Duration, Instant},
};

use crate::{error::RunError, interrupt, process::saltus_words};

/// The CPU of clients.
pub(super) const CLIENT_CPU: &str = "0";
/// The CPU of agents.
pub(super) const AGENT_CPU: &str = "1";
/// The longest time that a program may take to begin.
const BEGIN: Duration = Duration::from_secs(20);

fn failed(what: &str, why: impl std::fmt::Display) -> RunError {
    RunError::Failed(what.into(), why.to_string())
}

/// The root of the working tree.
pub(super) fn root() -> Result<PathBuf, RunError> {
    let root = PathBuf::from(".");
    if root.join("micro/CMakeLists.txt").exists() {
        return Ok(root);
    }
    Err(failed(
        "bench micro",
        "run it in the root of the working tree of Saltus, because it builds programs from micro/",
    ))
}

/// Builds the C programs of this host.
pub(super) fn build() -> Result<(), RunError> {
    run(Command::new("make").args(["--silent", "micro-tools", "micro-host"]).current_dir(root()?)).map(|_| ())
}

/// Runs a program, and returns what it prints.
pub(super) fn run(command: &mut Command) -> Result<String, RunError> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|e| RunError::Start(name.clone(), e))?;
    if !output.status.success() {
        return Err(failed(&name, String::from_utf8_lossy(&output.stderr)));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Returns the C program in a mode, on the CPU of clients. Options are `name=value`.
pub(super) fn client(mode: &str, link: &Link, options: &[String]) -> Result<Command, RunError> {
    let mut command = Command::new(root()?.join("target/micro/host/bench"));
    command.args([mode, link.transport, &link.address, &link.port]);
    command.args(options).arg(format!("cpu={CLIENT_CPU}"));
    Ok(command)
}

/// A program that runs. It is ended, and at last killed, when this value is dropped.
pub(super) struct Program {
    name: String,
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Program {
    pub(super) fn start(command: &mut Command) -> Result<Self, RunError> {
        let name = command.get_program().to_string_lossy().into_owned();
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|e| RunError::Start(name.clone(), e))?;
        let input = child.stdin.take();
        let (sender, lines) = channel();
        if let Some(output) = child.stdout.take() {
            thread::spawn(move || {
                // It ends when the program does, or when nobody reads any more.
                let _ = BufReader::new(output)
                    .lines()
                    .map_while(Result::ok)
                    .try_for_each(|line| sender.send(line));
            });
        }
        Ok(Self { name, child, input, lines })
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Returns the next line, or `None` if the program has ended.
    pub(super) fn line(&mut self, timeout: Duration) -> Result<Option<String>, RunError> {
        let end = Instant::now() + timeout;
        loop {
            interrupt::check()?;
            match self.lines.recv_timeout(Duration::from_millis(100)) {
                Ok(line) => return Ok(Some(line)),
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
                Err(RecvTimeoutError::Timeout) if Instant::now() < end => {}
                Err(RecvTimeoutError::Timeout) => return Err(failed(&self.name, "it does not answer")),
            }
        }
    }

    /// Waits for a line that contains a text.
    pub(super) fn wait_for(&mut self, text: &str) -> Result<String, RunError> {
        self.wait_for_within(text, BEGIN)
    }

    /// Waits for a line that contains a text, for at most this time between two lines.
    pub(super) fn wait_for_within(&mut self, text: &str, timeout: Duration) -> Result<String, RunError> {
        loop {
            match self.line(timeout)? {
                Some(line) if line.contains(text) => return Ok(line),
                Some(_) => {}
                None => return Err(failed(&self.name, "it has ended without the line that was expected")),
            }
        }
    }

    /// Writes an empty line to the program.
    pub(super) fn go_on(&mut self) -> Result<(), RunError> {
        let written =
            self.input.as_mut().map_or(Ok(()), |input| input.write_all(b"\n").and_then(|()| input.flush()));
        written.map_err(|e| RunError::Start(self.name.clone(), e))
    }

    /// Returns the CPU time of the program in seconds.
    pub(super) fn cpu_seconds(&self) -> f64 {
        const TICKS_PER_SECOND: f64 = 100.0;
        let text = fs::read_to_string(format!("/proc/{}/stat", self.id())).unwrap_or_default();
        let fields: Vec<&str> = text.rsplit(')').next().unwrap_or("").split_whitespace().collect();
        // User and system time are the fields 14 and 15, counted from 1; the first two are cut off.
        let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0);
        (ticks(11) + ticks(12)) / TICKS_PER_SECOND
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = Command::new("kill").args(["-TERM", &self.id().to_string()]).stderr(Stdio::null()).status();
        let end = Instant::now() + Duration::from_secs(2);
        while Instant::now() < end {
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                return;
            }
            // The standard library has no wait for a child with a limit of time.
            thread::sleep(Duration::from_millis(5));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The connection of clients to an agent.
#[derive(Clone, Debug)]
pub(super) struct Link {
    /// The transport, as the C program names it.
    pub(super) transport: &'static str,
    pub(super) address: String,
    pub(super) port: String,
}

/// Starts a CAN bus on a socket.
pub(super) fn start_bus(folder: &Path) -> Result<Program, RunError> {
    let link =
        Link { transport: "can", address: folder.join("bus").display().to_string(), port: String::new() };
    let mut bus = Program::start(&mut client("bus", &link, &[])?)?;
    bus.wait_for("ready")?;
    Ok(bus)
}

/// Returns a port that no program uses.
pub(super) fn free_port() -> Result<String, RunError> {
    let port =
        UdpSocket::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).map(|address| address.port());
    port.map(|port| port.to_string()).map_err(|e| RunError::Start("a port".into(), e))
}

/// Starts an agent on its CPU: the one of this program, or another one with the same flags. Returns how to reach it.
pub(super) fn start_agent(
    other: Option<&Path>,
    transport: &'static str,
    folder: &Path,
) -> Result<(Program, Link), RunError> {
    let mut command = Command::new("taskset");
    command.args(["-c", AGENT_CPU]).env("SALTUS_SHM_DIR", folder);
    match other {
        Some(other) => command.arg(other),
        None => command.args(saltus_words()?).arg("agent"),
    };
    if transport == "serial" {
        return start_at_terminal(command);
    }
    if transport == "can" {
        let bus = folder.join("bus");
        let address = bus.display().to_string();
        let agent = Program::start(command.args(["canfd", "--dev", &address]))?;
        return Ok((agent, Link { transport, address, port: "0x123".into() }));
    }
    let port = free_port()?;
    let mut agent = Program::start(command.args([&format!("{transport}4"), "--port", &port]))?;
    // Another agent may print nothing. Clients try again until it listens.
    if other.is_none() {
        agent.wait_for("listening")?;
    }
    Ok((agent, Link { transport, address: "127.0.0.1".into(), port }))
}

/// Starts an agent that creates a pseudo-terminal and prints its path.
fn start_at_terminal(mut command: Command) -> Result<(Program, Link), RunError> {
    let mut agent = Program::start(command.arg("pseudoterminal"))?;
    let line = agent.wait_for("/dev/pts/")?;
    let address = line.split_whitespace().find(|word| word.starts_with("/dev/pts/")).unwrap_or("").to_owned();
    Ok((agent, Link { transport: "serial", address, port: "115200".into() }))
}

/// Returns a value of a line of `name=value` words.
pub(super) fn value(line: &str, name: &str) -> f64 {
    let words = line.split_whitespace().filter_map(|word| word.split_once('='));
    words.filter(|(key, _)| *key == name).find_map(|(_, value)| value.parse().ok()).unwrap_or(f64::NAN)
}
