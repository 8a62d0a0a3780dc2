//! The processes around the launcher. If the launcher dies, the kernel gives its processes to one of these, which ends them.
//!
//! The user starts the command, the command starts the guard, and the guard starts the launcher. The launcher is in the process
//! group of the command, because it uses the terminal. The guard has a process group of its own: the signals that a shell or a
//! terminal sends to the job of the user do not reach it. All three are subreapers: a process whose parent dies becomes a child
//! of the next of them that lives. A process whose own parent dies gets `SIGTERM`, and ends everything. The processes that the
//! launcher starts get `SIGKILL` if the launcher dies, so they end even if all three die at once.

use std::{
    env, io,
    os::unix::process::{CommandExt, ExitStatusExt},
    process::{Command, ExitStatus},
    time::{Duration, Instant},
};

use nix::{
    sys::{
        signal::{SigSet, Signal, kill},
        signalfd::{SfdFlags, SignalFd, siginfo},
    },
    unistd::{Pid, getpgid},
};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    process::{
        WaitOptions, getpgrp, getpid, getppid, set_child_subreaper, set_parent_process_death_signal, wait,
    },
    termios::{OptionalActions, tcgetattr, tcgetpgrp, tcsetattr},
};

/// The environment variable with the numbers of the processes above the guard or the launcher. No other process has it.
pub(crate) const VARIABLE: &str = "SALTUS_LAUNCH_GUARD";

/// The environment variable with the path of the socket of a program in Python that has started this launch itself. The program
/// then runs the launch files in Python. No process of the launch has it.
pub(crate) const SERVER: &str = "SALTUS_LAUNCH_SERVER";

/// The time for which the processes that are left at the end may go on.
const GRACE_PERIOD: Duration = Duration::from_secs(1);

/// The signals that end a launch.
const END_SIGNALS: [Signal; 4] = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP, Signal::SIGQUIT];

/// The signals that stop a process of the background that uses its terminal.
const TERMINAL_SIGNALS: [Signal; 2] = [Signal::SIGTTIN, Signal::SIGTTOU];

/// The code of a signal that the kernel sends, such as for Ctrl-C: it has gone to all processes of the terminal.
const FROM_KERNEL: i32 = 0x80;

/// Returns a descriptor that is readable when a signal that ends a launch has arrived, when a child has ended, or when this
/// process goes on after it was stopped. These signals have no other effect on this thread and on the threads that it starts. A
/// `SIGHUP` that was ignored stays ignored, as `nohup` wants it. A shell also lets programs in the background ignore `SIGINT`,
/// but a user who sends one wants to end the launch.
pub(crate) fn signal_fd() -> io::Result<SignalFd> {
    let ignored =
        procfs::process::Process::myself().and_then(|own| own.status()).map_or(0, |status| status.sigign);
    let is_ignored = |signal: Signal| ignored & (1 << (signal as i32 - 1)) != 0;
    let ending = END_SIGNALS.into_iter().filter(|signal| *signal != Signal::SIGHUP || !is_ignored(*signal));
    let set: SigSet = ending.chain([Signal::SIGCHLD, Signal::SIGCONT]).collect();
    set.thread_block()?;
    TERMINAL_SIGNALS.into_iter().collect::<SigSet>().thread_block()?;
    Ok(SignalFd::with_flags(&set, SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK)?)
}

/// Returns a descriptor that is readable when a signal that ends a launch was blocked and has arrived. The signal stays there
/// for the one that [`signal_fd`] has returned.
pub(crate) fn ending_fd() -> io::Result<SignalFd> {
    Ok(SignalFd::with_flags(
        &END_SIGNALS.into_iter().collect(),
        SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK,
    )?)
}

/// Whether a signal says that this process goes on after it was stopped.
pub(crate) fn is_stop_over(signal: &siginfo) -> bool {
    signal.ssi_signo == Signal::SIGCONT as u32
}

/// Whether this process may read keys. A shell may have put it into the background.
pub(crate) fn is_foreground() -> bool {
    tcgetpgrp(io::stdin()).is_ok_and(|group| group == getpgrp())
}

/// Whether a signal waits to be read.
pub(crate) fn has_signal(signals: &SignalFd) -> bool {
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut [PollFd::new(signals, PollFlags::IN)], Some(&now)).is_ok_and(|count| count > 0)
}

/// The role of a process in a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The command that the user has started.
    Command,
    /// The guard.
    Guard {
        /// The number of the command.
        command: i32,
    },
    /// The launcher.
    Launcher,
}

impl Role {
    /// Returns the role of this process, and requests a `SIGTERM` for the death of its parent, if that belongs to the launch.
    ///
    /// # Errors
    ///
    /// Returns an error if the parent has died already, or if the kernel refuses the signal for its death.
    pub fn of_this_process() -> io::Result<Self> {
        let (role, parent) = match above()[..] {
            [] => {
                if env::var_os(SERVER).is_some() {
                    set_parent_process_death_signal(Some(rustix::process::Signal::TERM))?;
                }
                return Ok(Self::Command);
            }
            [command] => (Self::Guard { command }, command),
            [.., guard] => (Self::Launcher, guard),
        };
        // The parent blocks signals, and a process inherits this.
        SigSet::empty().thread_set_mask()?;
        set_parent_process_death_signal(Some(rustix::process::Signal::TERM))?;
        // So that this process can end the processes that its processes leave, too.
        set_child_subreaper(Some(getpid()))?;
        // The parent may have died before.
        if getppid().map(|pid| pid.as_raw_nonzero().get()) == Some(parent) {
            return Ok(role);
        }
        Err(io::Error::other("the process that guards this launch has died"))
    }
}

/// Returns the numbers of the processes above this one: none, the command, or the command and the guard.
fn above() -> Vec<i32> {
    let value = env::var(VARIABLE).unwrap_or_default();
    value.split(' ').filter_map(|number| number.parse().ok()).collect()
}

/// Returns the number of the process that the user has started.
pub fn visible_pid() -> u32 {
    above().first().and_then(|pid| u32::try_from(*pid).ok()).unwrap_or_else(std::process::id)
}

/// Runs the guard or the launcher, and ends all processes that it leaves. Returns its exit status.
///
/// # Errors
///
/// Returns an error if it can't be started.
pub fn guard(program: &mut Command, role: Role) -> io::Result<ExitStatus> {
    let signals = signal_fd()?;
    set_child_subreaper(Some(getpid()))?;
    let terminal = tcgetattr(io::stdin()).ok();
    let own = getpid().as_raw_nonzero();
    match role {
        Role::Guard { command } => {
            let group = getpgid(Some(Pid::from_raw(command)))?;
            program.env(VARIABLE, format!("{command} {own}")).process_group(group.as_raw());
        }
        _ => drop(program.env(VARIABLE, own.to_string()).process_group(0)),
    }
    let child = program.spawn()?;
    let child = Pid::from_raw(i32::try_from(child.id()).map_err(io::Error::other)?);
    let status = loop {
        wait_readable(&signals, None)?;
        while let Some(signal) = signals.read_signal()? {
            let number = i32::try_from(signal.ssi_signo).ok().and_then(|raw| Signal::try_from(raw).ok());
            if let Some(number) = number.filter(|number| END_SIGNALS.contains(number))
                && signal.ssi_code != FROM_KERNEL
            {
                // An error means that it has ended. A stopped process must continue, or it does not end.
                let _ = kill(child, number).and_then(|()| kill(child, Signal::SIGCONT));
            }
        }
        if let Some(status) = reap(child)? {
            break status;
        }
    };
    end_the_rest(&signals)?;
    if let Some(terminal) = terminal.filter(|_| is_foreground()) {
        // A launcher that was killed has left the terminal as the live table needs it.
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &terminal);
    }
    Ok(status)
}

fn wait_readable(fd: &SignalFd, timeout: Option<Duration>) -> io::Result<()> {
    let timeout = timeout.and_then(|timeout| Timespec::try_from(timeout).ok());
    match poll(&mut [PollFd::new(fd, PollFlags::IN)], timeout.as_ref()) {
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Collects all processes that have ended. Returns the exit status of the program, if it is among them.
fn reap(program: Pid) -> io::Result<Option<ExitStatus>> {
    let mut found = None;
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some((pid, status))) if pid.as_raw_nonzero().get() == program.as_raw() => {
                found = Some(ExitStatus::from_raw(status.as_raw()));
            }
            Ok(Some(_)) => {}
            Ok(None) | Err(rustix::io::Errno::CHILD) => return Ok(found),
            Err(error) => return Err(error.into()),
        }
    }
}

/// Ends the processes that are left: they get `SIGTERM`, and `SIGKILL` if they have not ended in time.
pub(crate) fn end_the_rest(signals: &SignalFd) -> io::Result<()> {
    signal_children(Signal::SIGTERM);
    let end = Instant::now() + GRACE_PERIOD;
    while !have_all_ended()? {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            break;
        }
        wait_readable(signals, Some(left))?;
        while signals.read_signal()?.is_some() {}
    }
    // The children of a killed process become those of this one. A process of another user can't be killed.
    while signal_children(Signal::SIGKILL) && wait(WaitOptions::empty()).is_ok() {}
    Ok(())
}

/// Collects all processes that have ended. Returns whether there are no others.
fn have_all_ended() -> io::Result<bool> {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some(_)) => {}
            Ok(None) => return Ok(false),
            Err(rustix::io::Errno::CHILD) => return Ok(true),
            Err(error) => return Err(error.into()),
        }
    }
}

/// Sends a signal to all children. Returns whether there was one that could get it.
fn signal_children(signal: Signal) -> bool {
    let pids = children();
    let sent = pids.into_iter().filter(|pid| kill(*pid, signal).is_ok());
    sent.count() > 0
}

/// Returns the children of this process.
fn children() -> Vec<Pid> {
    let own = Pid::this();
    let Ok(processes) = procfs::process::all_processes() else { return Vec::new() };
    let stats = processes.flatten().filter_map(|process| process.stat().ok());
    stats
        .filter(|stat| stat.ppid == own.as_raw() && stat.state != 'Z')
        .map(|stat| Pid::from_raw(stat.pid))
        .collect()
}
