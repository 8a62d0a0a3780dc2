//! Starts one process, in a process group of its own.

#![expect(
    unsafe_code,
    reason = "a process that dies with the launcher must request it between fork and exec"
)]

use std::{
    env,
    ffi::{OsStr, OsString},
    io,
    os::{
        fd::OwnedFd,
        unix::{
            ffi::{OsStrExt, OsStringExt},
            process::CommandExt,
        },
    },
    process::{Command, Stdio},
};

use nix::sys::signal::{SigHandler, SigSet, Signal, signal};
use rustix::{
    io::{FdFlags, fcntl_setfd},
    process::{
        self, Pid, Resource, Rlimit, getpid, getppid, getrlimit, kill_process_group,
        set_parent_process_death_signal, setrlimit,
    },
};
use saltus_launch_file::plan::Process;
use saltus_node::Placement;
use saltus_package::{LIBRARY_PATH, PackagePath};

use crate::{
    guard::{SERVER, VARIABLE},
    lines::Stream,
};

/// A process that runs. Its number is also the number of its process group.
#[derive(Debug)]
pub(crate) struct Child {
    pub(crate) pid: Pid,
    /// The standard output.
    pub(crate) out: Stream,
    /// The standard error.
    pub(crate) err: Stream,
}

impl Child {
    /// Starts a process with the arguments of its node, its placement, and the number of files that it may open. It dies when
    /// this thread ends.
    pub(crate) fn start(
        process: &Process,
        arguments: &[String],
        placement: Placement,
        files: Rlimit,
    ) -> io::Result<Self> {
        let mut command = command(process, arguments)?;
        command.stdin(Stdio::null()).process_group(0);
        let launcher = getpid();
        // SAFETY: The function runs in the child, between fork and exec. It makes system calls, and allocates only for the
        // error of a placement that was possible a moment ago; the allocator of the C library may be used there.
        unsafe {
            command.pre_exec(move || {
                // Signals that this thread blocks would stay blocked.
                SigSet::empty().thread_set_mask()?;
                // Signals that it ignores would stay ignored, but these are needed to end the process.
                signal(Signal::SIGINT, SigHandler::SigDfl)?;
                signal(Signal::SIGQUIT, SigHandler::SigDfl)?;
                set_parent_process_death_signal(Some(process::Signal::KILL))?;
                setrlimit(Resource::Nofile, files)?;
                placement.apply().map_err(|_| rustix::io::Errno::PERM)?;
                // The launcher may have died before.
                if getppid() == Some(launcher) { Ok(()) } else { Err(rustix::io::Errno::SRCH.into()) }
            });
        }
        if process.emulate_tty {
            // One for each output, as in ROS 2: launch tests ask for the standard error.
            let ((out, their_out), (err, their_err)) = (terminal()?, terminal()?);
            command.stdout(their_out).stderr(their_err);
            let child = command.spawn()?;
            return Ok(Self { pid: Pid::from_child(&child), out: Stream::new(out)?, err: Stream::new(err)? });
        }
        let (out, their_out) = io::pipe()?;
        let (err, their_err) = io::pipe()?;
        command.stdout(their_out).stderr(their_err);
        let child = command.spawn()?;
        Ok(Self {
            pid: Pid::from_child(&child),
            out: Stream::new(out.into())?,
            err: Stream::new(err.into())?,
        })
    }

    /// Sends a signal to the process and to those that it has started, as a terminal does.
    pub(crate) fn signal(&self, signal: process::Signal) {
        // An error means that the process has ended.
        let _ = kill_process_group(self.pid, signal);
    }
}

/// Opens a pseudo-terminal. Returns its two ends: that of the launcher, and that of the process.
fn terminal() -> io::Result<(OwnedFd, OwnedFd)> {
    let terminal = nix::pty::openpty(None, None)?;
    // Other processes would keep the terminal open.
    fcntl_setfd(&terminal.master, FdFlags::CLOEXEC)?;
    fcntl_setfd(&terminal.slave, FdFlags::CLOEXEC)?;
    Ok((terminal.master, terminal.slave))
}

/// Unblocks all signals in a program. It would inherit the signals that this thread blocks.
pub(crate) fn with_all_signals(command: &mut Command) -> &mut Command {
    // SAFETY: The function runs in the child, between fork and exec. It makes one system call.
    unsafe { command.pre_exec(|| Ok(SigSet::empty().thread_set_mask()?)) }
}

/// Raises the number of files that this process may open to the maximum: each process of a launch needs five, and each connection
/// of an agent one. Returns the limit before, for the processes of a launch.
pub fn raise_file_limit() -> Rlimit {
    let before = getrlimit(Resource::Nofile);
    // An error leaves the limit as it was.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: before.maximum, maximum: before.maximum });
    before
}

/// Returns a path as a quoted word for a shell.
fn quoted(path: OsString) -> OsString {
    let bytes = path.as_bytes().split(|byte| *byte == b'\'').collect::<Vec<_>>().join(&br"'\''"[..]);
    OsString::from_vec([b"'", &bytes[..], b"'"].concat())
}

fn command(process: &Process, arguments: &[String]) -> io::Result<Command> {
    let mut words: Vec<OsString> = process.command.iter().chain(arguments).map(OsString::from).collect();
    // The program itself, because `PATH` may have another version.
    if let Some(program) = words.get_mut(process.prefix).filter(|program| *program == "saltus") {
        let own = env::current_exe()?.into_os_string();
        *program = if process.shell { quoted(own) } else { own };
    }
    let mut command = if process.shell {
        let line = words.join(OsStr::new(" "));
        let mut shell = Command::new("/bin/sh");
        shell.arg("-c").arg(line);
        shell
    } else {
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]);
        command
    };
    command.env_remove(VARIABLE).env_remove(SERVER);
    // Programs in C++ need it, as the setup files of a prefix set it.
    command.envs(PackagePath::from_environment().library_path().map(|folders| (LIBRARY_PATH, folders)));
    for (name, value) in &process.environment {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    if let Some(cwd) = &process.cwd {
        if !cwd.is_dir() {
            let text = format!("there is no folder {}", cwd.display());
            return Err(io::Error::new(io::ErrorKind::NotFound, text));
        }
        command.current_dir(cwd);
    }
    // Otherwise Python keeps the lines of a pipe until there are many of them.
    if env::var_os("PYTHONUNBUFFERED").is_none() {
        command.env("PYTHONUNBUFFERED", "1");
    }
    Ok(command)
}
