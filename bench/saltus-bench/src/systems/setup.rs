//! The setup of a system, and its processes while it runs.

use std::{
    fs::{self, File},
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use saltus_bench_traffic::System;

use crate::{child::wait_until_ended, error::RunError, interrupt};

/// The longest time that the nodes may take to find each other, and to end.
pub(super) const NODES_TIMEOUT: Duration = Duration::from_secs(60);
/// The longest time that the processes may take to end after an error. Then they are killed.
const GRACE: Duration = Duration::from_secs(5);
/// The interval at which a wait checks whether Ctrl-C was pressed.
pub(super) const CHECK: Duration = Duration::from_millis(100);

/// The way in which a system runs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Setup<'a> {
    pub(super) wait: &'a str,
    pub(super) in_place: bool,
    /// The name of the system or the path of its file.
    pub(super) name: &'a str,
    pub(super) system: &'a System,
    /// The prefix in which the component is installed.
    pub(super) prefix: &'a Path,
    /// A copy of this program for nodes that are compiled in. Its memory is not shared with this process.
    pub(super) program: &'a Path,
    /// A folder for the graph.
    pub(super) shm: &'a Path,
    /// A folder for files.
    pub(super) files: &'a Path,
}

/// The processes of a running system. They end when this value is dropped.
pub(super) struct Running {
    roots: Vec<Child>,
    log: PathBuf,
    /// Whether the processes end with their standard input. Others end with the signal of Ctrl-C.
    ends_with_input: bool,
    is_interrupted: bool,
}

impl Setup<'_> {
    /// Returns the names of the nodes.
    pub(super) fn nodes(&self) -> Vec<&str> {
        self.system.nodes.iter().map(|node| node.name.as_str()).collect()
    }

    /// Starts something for each node.
    pub(super) fn each(&self, start: impl FnMut(&str) -> Result<(), RunError>) -> Result<(), RunError> {
        self.nodes().into_iter().try_for_each(start)
    }

    /// Returns the command of a program in the domain of the system.
    pub(super) fn command(&self, program: &Path, words: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(words).env("SALTUS_SHM_DIR", self.shm).env("ROS_DOMAIN_ID", "0");
        command.env("SALTUS_PREFIX_PATH", self.prefix).env_remove("SALTUS_PLACEMENT");
        command
    }

    /// Whether the nodes do nothing.
    pub(super) fn is_idle(&self) -> bool {
        self.system.nodes.iter().all(|node| node.inputs().next().is_none() && node.outputs().next().is_none())
    }
}

impl Running {
    /// Returns no processes yet.
    pub(super) fn new(setup: &Setup<'_>, ends_with_input: bool) -> Self {
        Self { roots: Vec::new(), log: setup.files.join("log"), ends_with_input, is_interrupted: false }
    }

    /// Starts a process.
    pub(super) fn spawn(&mut self, command: Result<Command, RunError>) -> Result<(), RunError> {
        let mut command = command?;
        let program = command.get_program().to_string_lossy().into_owned();
        let failed = |error| RunError::Start(program.clone(), error);
        let log = File::options().create(true).append(true).open(&self.log).map_err(failed)?;
        // In process groups of their own, so that Ctrl-C does not reach them. This process ends them.
        command.process_group(0).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(log);
        let root = command.spawn().map_err(failed)?;
        interrupt::begin_group(Pid::from_child(&root));
        self.roots.push(root);
        Ok(())
    }

    /// Returns an error if a process has ended, if the time is over, or if Ctrl-C was pressed.
    pub(super) fn check(&mut self, end: Instant) -> Result<(), RunError> {
        interrupt::check()?;
        for root in &mut self.roots {
            if let Ok(Some(status)) = root.try_wait() {
                return Err(RunError::Failed("a process of the system".into(), status.to_string()));
            }
        }
        if Instant::now() < end {
            return Ok(());
        }
        Err(RunError::Failed(
            "the system".into(),
            format!("is not complete after {} s", NODES_TIMEOUT.as_secs()),
        ))
    }

    /// Adds the last line of the log to an error.
    pub(super) fn explain(&self, error: RunError) -> RunError {
        let log = fs::read_to_string(&self.log).unwrap_or_default();
        match (error, log.lines().last()) {
            (RunError::Failed(what, how), Some(line)) => RunError::Failed(what, format!("{how}: {line}")),
            (error, _) => error,
        }
    }

    /// Returns the ids of the processes that were started.
    pub(super) fn roots(&self) -> impl Iterator<Item = u32> {
        self.roots.iter().map(Child::id)
    }

    /// Ends all processes, so that the nodes write what they have received.
    pub(super) fn end(mut self) -> Result<(), RunError> {
        self.interrupt();
        let end = Instant::now() + NODES_TIMEOUT;
        let failed = |how: &str| RunError::Failed("a process of the system".into(), how.into());
        let mut result = Ok(());
        for root in &mut self.roots {
            let status = loop {
                interrupt::check()?;
                match root.try_wait().map_err(|e| RunError::Start("a process of the system".into(), e))? {
                    Some(status) => break status,
                    None if Instant::now() > end => return Err(failed("does not end")),
                    None => wait_until_ended(root, Instant::now() + CHECK).map_err(|e| failed(&e))?,
                }
            };
            if !status.success() {
                result = Err(failed(&status.to_string()));
            }
        }
        result.map_err(|error| self.explain(error))
    }

    fn interrupt(&mut self) {
        // A second Ctrl-C would end a program before it cleans up.
        if std::mem::replace(&mut self.is_interrupted, true) {
            return;
        }
        for root in &mut self.roots {
            if self.ends_with_input {
                drop(root.stdin.take());
            } else if let Ok(None) = root.try_wait() {
                let _ = kill_process(Pid::from_child(root), Signal::INT);
            }
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.interrupt();
        let end = Instant::now() + GRACE;
        for root in &mut self.roots {
            // If the wait fails, the process is killed at once.
            if let Ok(None) = root.try_wait() {
                let _ = wait_until_ended(root, end);
            }
            // An error means that all processes of the group have ended.
            let _ = kill_process_group(Pid::from_child(root), Signal::KILL);
            interrupt::end_group(Pid::from_child(root));
            let _ = root.wait();
        }
    }
}
