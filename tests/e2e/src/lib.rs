//! Starts and ends the processes of end-to-end tests, and lists the files that they leave behind.

mod host;
mod survivors;

pub use host::Host;
pub use survivors::{Interval, Summary, Survivors};

use std::{
    io::{BufRead, BufReader, Write},
    os::unix::process::ExitStatusExt,
    path::{Path, PathBuf},
    process::{Child, ChildStderr, ChildStdout, Command, ExitStatus, Stdio},
    sync::atomic::{AtomicU32, Ordering},
};

/// A folder for shared memory that only one test uses. It is removed when this value is dropped.
#[derive(Debug)]
pub struct ShmFolder(PathBuf);

impl ShmFolder {
    /// Creates the folder.
    ///
    /// # Panics
    /// Panics if the folder can't be created.
    pub fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = PathBuf::from(format!("/dev/shm/saltus-e2e-{}-{count}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder in /dev/shm");
        Self(folder)
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Returns the files in the folder and in the folders below it: their relative paths, sorted. An empty folder
    /// counts as a file.
    pub fn files(&self) -> Vec<String> {
        let inside = |folder: &Path| std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut files = Vec::new();
        for entry in inside(&self.0).map(|entry| entry.path()) {
            let below: Vec<PathBuf> = inside(&entry).map(|entry| entry.path()).collect();
            files.extend(if below.is_empty() { vec![entry] } else { below });
        }
        let name = |path: PathBuf| path.strip_prefix(&self.0).unwrap_or(&path).display().to_string();
        let mut files: Vec<String> = files.into_iter().map(name).collect();
        files.sort();
        files
    }

    /// Returns a command that starts an actor, which uses this folder.
    pub fn command(&self, actor: &str, words: &[&str]) -> Command {
        let mut command = Command::new(actor);
        self.on(command.args(words));
        command
    }

    /// Makes a command join the graph of this folder.
    pub fn on<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command.env("SALTUS_SHM_DIR", &self.0).env("ROS_DOMAIN_ID", "0")
    }

    /// Starts an actor. Does not wait until it is ready.
    ///
    /// # Panics
    /// Panics if the actor can't be started.
    pub fn start(&self, actor: &str, words: &[&str]) -> Actor {
        Actor::start(&mut self.command(actor, words))
    }
}

impl Default for ShmFolder {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for ShmFolder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A process that a test has started. The test communicates with it by lines on its standard input and output. The
/// process is killed when this value is dropped.
#[derive(Debug)]
pub struct Actor {
    child: Child,
    output: BufReader<ChildStdout>,
}

impl Actor {
    /// Starts an actor with a command.
    ///
    /// # Panics
    /// Panics if the actor can't be started.
    pub fn start(command: &mut Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("an actor");
        let output = BufReader::new(child.stdout.take().expect("its output"));
        Self { child, output }
    }

    /// Reads the next line that the actor prints. Returns an empty string if the actor has ended.
    ///
    /// # Panics
    /// Panics if the output can't be read.
    pub fn read_line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("a line");
        line.trim_end().to_owned()
    }

    /// Waits until the actor prints `ready`.
    ///
    /// # Panics
    /// Panics if the actor prints anything else.
    pub fn wait_until_ready(&mut self) {
        assert_eq!(self.read_line(), "ready");
    }

    /// Sends a line to the actor, and returns the line that it answers.
    ///
    /// # Panics
    /// Panics if the standard input of the actor is closed.
    pub fn request(&mut self, line: &str) -> String {
        self.send_line(line);
        self.read_line()
    }

    /// Sends a line to the actor.
    ///
    /// # Panics
    /// Panics if the standard input of the actor is closed.
    pub fn send_line(&mut self, line: &str) {
        self.try_send_line(line).expect("its standard input is open");
    }

    /// Sends a line to the actor.
    ///
    /// # Errors
    /// Returns an error if the standard input of the actor is closed, for example because the actor has ended.
    pub fn try_send_line(&mut self, line: &str) -> std::io::Result<()> {
        let input = self.child.stdin.as_mut().ok_or(std::io::ErrorKind::BrokenPipe)?;
        writeln!(input, "{line}")
    }

    /// Returns the standard error of the actor. The command must have a pipe for it.
    ///
    /// # Panics
    /// Panics if there is no pipe, or if the pipe was taken before.
    pub fn stderr(&mut self) -> ChildStderr {
        self.child.stderr.take().expect("its standard error")
    }

    /// Returns the process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Returns whether the actor is running.
    pub fn is_running(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Returns the exit status, or `None` if the actor has not ended.
    pub fn exit_status(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    /// Kills the actor with SIGKILL, and waits until it has ended.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Makes the actor end by closing its standard input. Waits for it, and returns the lines that it still printed.
    ///
    /// # Panics
    /// Panics if the actor ends with an error.
    pub fn end(mut self) -> String {
        drop(self.child.stdin.take());
        let mut rest = Vec::new();
        loop {
            let line = self.read_line();
            if line.is_empty() {
                break;
            }
            rest.push(line);
        }
        let status = self.child.wait().expect("its status");
        assert!(status.success(), "{status}: {rest:?}");
        rest.join("\n")
    }
}

impl Drop for Actor {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Returns the fault of a victim that has ended before it was killed, or `None` if that is no fault. An error that the
/// victim reported is no fault: it may have had no memory, no descriptor or no rights. A crash, a panic and a broken
/// guarantee are faults.
pub fn fault_of_victim(status: ExitStatus) -> Option<String> {
    const PANIC: i32 = 101;
    let is_fault =
        status.signal().is_some() || [Some(PANIC), Some(BROKEN_GUARANTEE)].contains(&status.code());
    is_fault.then(|| format!("a victim ended before it was killed: {status}"))
}

/// The exit code of a victim that has found a broken guarantee.
const BROKEN_GUARANTEE: i32 = 3;

/// A generator of pseudo-random numbers. The same seed gives the same numbers, so that a run can be repeated.
#[derive(Debug)]
pub struct Random(u64);

impl Random {
    /// Creates a generator with a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns a number below `bound`. `bound` must not be 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    /// Returns another generator. If each step of a run has its own generator, the next step does not depend on how
    /// many numbers this step uses.
    pub fn split(&mut self) -> Self {
        Self(self.below(1 << 31) << 32 | self.below(1 << 31))
    }
}

/// Returns the median of times. A busy machine delays single ones.
///
/// # Panics
/// Panics if there are none.
pub fn median(times: &mut [u64]) -> u64 {
    times.sort_unstable();
    times[times.len() / 2]
}

/// Returns the number after `name=` in a line.
pub fn number(line: &str, name: &str) -> Option<u64> {
    line.split_whitespace().find_map(|word| word.strip_prefix(name)?.strip_prefix('=')?.parse().ok())
}
