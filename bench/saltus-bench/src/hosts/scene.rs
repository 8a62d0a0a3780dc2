//! Two hosts, and the programs that run on them.

use std::{
    ffi::OsStr,
    fs,
    io::{BufRead, BufReader},
    path::PathBuf,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};
use saltus_bench_network::{LinkOptions, Network};

use crate::{
    child::wait_until_ended,
    process::{Folder, pss},
};

type Error = Box<dyn std::error::Error>;

/// The longest time that a program may take to end.
const END: Duration = Duration::from_secs(10);

/// Two hosts on a network of their own.
pub(super) struct Hosts {
    // The programs end before their network.
    pub(super) bridges: Vec<Program>,
    pub(super) folders: [Folder; 2],
    network: Network,
    link: usize,
    /// The CPU that all programs run on; `None` for any.
    cpu: Option<usize>,
}

/// A program on a host. It ends when this is dropped.
pub(super) struct Program {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: BufReader<ChildStdout>,
}

/// What a program has used.
#[derive(Clone, Copy, Debug)]
pub(super) struct Used {
    pub(super) cpu: Duration,
    /// The proportional set size in KB.
    pub(super) pss: u64,
}

/// Returns a program that is built beside this one.
fn beside(name: &str) -> Result<PathBuf, Error> {
    let path = std::env::current_exe()?.with_file_name(name);
    if path.exists() {
        Ok(path)
    } else {
        Err(format!("{} is missing: `make bench-bridge` builds it", path.display()).into())
    }
}

impl Hosts {
    /// Creates the hosts, without bridges.
    pub(super) fn new(options: &LinkOptions, cpu: Option<usize>) -> Result<Self, Error> {
        let mut network = Network::new(2)?;
        let link = network.join(0, 1, options)?;
        let folders = [Folder::shared("here")?, Folder::shared("there")?];
        Ok(Self { bridges: Vec::new(), folders, network, link, cpu })
    }

    /// Starts the bridges. That of the first host is the router. `tuning` is added to the configuration of their sessions.
    pub(super) fn start_bridges(&mut self, tuning: &str) -> Result<(), Error> {
        let address = self.address();
        for (host, words) in [["--router", "--listen"], ["--network=default", "--connect"]].iter().enumerate()
        {
            let mut command = self.command(host, beside("saltus-bridge")?.as_os_str());
            command.arg("bridge").args(words).arg(&address).env("SALTUS_SHM_DIR", self.folders[host].path());
            if !tuning.is_empty() {
                command.env("ZENOH_CONFIG_OVERRIDE", tuning);
            }
            let mut bridge = Program::start(command)?;
            let line = bridge.line()?;
            if !line.starts_with("bridge: listens at") {
                return Err(format!("the bridge says `{line}`").into());
            }
            self.bridges.push(bridge);
        }
        Ok(())
    }

    /// The address of the first host, where the router listens.
    fn address(&self) -> String {
        format!("tcp/{}:7447", self.network.address(self.link, 0))
    }

    /// Returns a command that runs a program on a host, with the network of the host.
    fn command(&self, host: usize, program: &OsStr) -> Command {
        match self.cpu {
            None => self.network.command(host, program),
            Some(cpu) => {
                let mut command = self.network.command(host, "taskset");
                command.args(["-c", &cpu.to_string()]).arg(program);
                command
            }
        }
    }

    /// Returns a command for zenoh alone. On the first host it listens, and on the second it connects.
    pub(super) fn bare_zenoh(&self, host: usize) -> Result<Command, Error> {
        let mut command = self.command(host, beside("bare-zenoh")?.as_os_str());
        let name = if host == 0 { "BARE_ZENOH_LISTEN" } else { "BARE_ZENOH_CONNECT" };
        command.env(name, self.address());
        Ok(command)
    }

    /// Returns a command for a role of this program on a host. It needs no network, only the shared memory of the host.
    pub(super) fn role(&self, host: usize) -> Result<Command, Error> {
        let program = std::env::current_exe()?;
        let mut command = match self.cpu {
            None => Command::new(program),
            Some(cpu) => {
                let mut command = Command::new("taskset");
                command.args(["-c", &cpu.to_string()]).arg(program);
                command
            }
        };
        command.args(["bench", "role"]).env("SALTUS_SHM_DIR", self.folders[host].path());
        Ok(command)
    }

    /// Changes the rate of the link, in kbit/s.
    pub(super) fn limit(&self, rate: u32) -> Result<(), Error> {
        Ok(self.network.limit(self.link, rate)?)
    }

    /// Returns the CPU time of all bridges.
    pub(super) fn cpu_of_bridges(&self) -> Result<Duration, Error> {
        self.bridges.iter().map(|bridge| Ok(bridge.used()?.cpu)).sum()
    }
}

impl Program {
    pub(super) fn start(mut command: Command) -> Result<Self, Error> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let lines = BufReader::new(stdout.ok_or("a program without output")?);
        Ok(Self { child, stdin, lines })
    }

    /// Starts a program, and waits until it is ready.
    pub(super) fn start_ready(command: Command) -> Result<Self, Error> {
        let mut program = Self::start(command)?;
        match program.line()?.as_str() {
            "ready" => Ok(program),
            other => Err(format!("expected `ready`, found `{other}`").into()),
        }
    }

    pub(super) fn line(&mut self) -> Result<String, Error> {
        let mut line = String::new();
        self.lines.read_line(&mut line)?;
        Ok(line.trim_end().to_owned())
    }

    /// Ends its input, and returns the rest of its lines.
    pub(super) fn end(mut self) -> Result<Vec<String>, Error> {
        self.stdin = None;
        Ok((&mut self.lines).lines().collect::<Result<_, _>>()?)
    }

    /// Returns what the program has used so far.
    pub(super) fn used(&self) -> Result<Used, Error> {
        let pid = self.child.id();
        let mut cpu = Duration::ZERO;
        for task in fs::read_dir(format!("/proc/{pid}/task"))? {
            // A thread may have ended meanwhile.
            let text = fs::read_to_string(task?.path().join("schedstat")).unwrap_or_default();
            let nanos = text.split(' ').next().and_then(|text| text.parse().ok());
            cpu += Duration::from_nanos(nanos.unwrap_or_default());
        }
        Ok(Used { cpu, pss: pss(pid)? })
    }
}

/// Asks the program to end, and kills it if it does not.
impl Drop for Program {
    fn drop(&mut self) {
        self.stdin = None;
        if let Some(pid) = Pid::from_raw(self.child.id() as i32) {
            // It fails if the program has ended.
            let _ = kill_process(pid, Signal::INT);
        }
        let _ = wait_until_ended(&self.child, Instant::now() + END);
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
