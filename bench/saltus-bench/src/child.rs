//! The processes of a row, and the line that each of them prints.

use std::{
    io,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
    process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open},
};

use crate::{interrupt, peer::Peer};

/// The longest time that a pair of processes may run beyond its measuring time.
pub(crate) const GRACE: Duration = Duration::from_secs(30);

/// The period in which a wait checks for Ctrl-C.
const CHECK: Duration = Duration::from_millis(100);

/// Sleeps until the child has ended or the deadline has passed. It does not spin, because the measured processes
/// need the CPUs.
pub(crate) fn wait_until_ended(child: &Child, deadline: Instant) -> Result<(), String> {
    let pid = Pid::from_raw(child.id() as i32).ok_or("no process id")?;
    let fd = pidfd_open(pid, PidfdFlags::empty()).map_err(|e| e.to_string())?;
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let timeout = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: left.subsec_nanos().into() };
        match poll(&mut [PollFd::new(&fd, PollFlags::IN)], Some(&timeout)) {
            Err(Errno::INTR) => {}
            other => return other.map(drop).map_err(|e| e.to_string()),
        }
    }
}

/// A child process. It is ended when this value is dropped, so it never outlives its measurement.
pub(crate) struct ChildProcess(Child);

impl ChildProcess {
    pub(crate) fn new(child: Child) -> Self {
        Self(child)
    }

    /// Waits until the child has ended. Returns the last line that it printed, or an error if the child failed.
    pub(crate) fn line_before(&mut self, deadline: Instant) -> Result<String, String> {
        self.end_before(deadline)?;
        let mut text = String::new();
        if let Some(stdout) = &mut self.0.stdout {
            io::Read::read_to_string(stdout, &mut text).map_err(|e| e.to_string())?;
        }
        text.lines().last().map(str::to_owned).ok_or_else(|| "printed nothing".into())
    }

    /// Waits until the child has ended. Returns an error if the child failed.
    pub(crate) fn end_before(&mut self, deadline: Instant) -> Result<(), String> {
        if self.has_ended_before(deadline)? { Ok(()) } else { Err("took too long".into()) }
    }

    /// Waits until the child has ended or the deadline has passed. Returns whether it has ended, or an error if it
    /// failed, or if Ctrl-C was pressed: the process that it works with may have ended then.
    pub(crate) fn has_ended_before(&mut self, deadline: Instant) -> Result<bool, String> {
        loop {
            // The output is one or two lines. It fits into the pipe, so it can be read after the child has ended.
            wait_until_ended(&self.0, deadline.min(Instant::now() + CHECK))?;
            match self.0.try_wait().map_err(|e| e.to_string())? {
                Some(status) if status.success() => return Ok(true),
                Some(status) => return Err(format!("{status}: {}", self.stderr())),
                None if Instant::now() >= deadline => return Ok(false),
                None => interrupt::check().map_err(|e| e.to_string())?,
            }
        }
    }

    fn stderr(&mut self) -> String {
        let mut text = String::new();
        if let Some(stderr) = &mut self.0.stderr {
            let _ = io::Read::read_to_string(stderr, &mut text);
        }
        text.lines().last().unwrap_or_default().to_owned()
    }
}

/// Asks the child to end, so that it can clean up. Kills it if it does not end in time.
impl Drop for ChildProcess {
    fn drop(&mut self) {
        for (signal, grace_period) in [(Signal::TERM, Duration::from_secs(2)), (Signal::KILL, GRACE)] {
            let Ok(None) = self.0.try_wait() else { return };
            if let Some(pid) = Pid::from_raw(self.0.id() as i32) {
                let _ = kill_process(pid, signal);
            }
            let _ = wait_until_ended(&self.0, Instant::now() + grace_period);
        }
        let _ = self.0.try_wait();
    }
}

/// Returns the value of `name=value` in a line.
pub(crate) fn word(line: &str, name: &str) -> Option<String> {
    line.split(' ')
        .find_map(|pair| pair.split_once('=').filter(|(n, _)| *n == name))
        .map(|(_, v)| v.to_owned())
}

pub(crate) fn number(line: &str, name: &str) -> Result<u64, String> {
    word(line, name)
        .and_then(|value| value.parse().ok())
        .ok_or_else(|| format!("expected {name}=NUMBER in `{line}`"))
}

/// Returns the command of a row, with its first arguments and its environment. Its standard input is empty. Its
/// standard output and standard error are pipes.
pub(crate) fn command(peer: &Peer) -> Result<Command, String> {
    let (program, first) = peer.command.split_first().ok_or("no program")?;
    let mut command = Command::new(program);
    command.envs(peer.environment.iter().map(|(name, value)| (name, value)));
    command.args(first).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    Ok(command)
}
