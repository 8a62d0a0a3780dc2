//! Starts actors, and lists the files that they leave.

mod survivors;

pub use survivors::{Interval, Survivors, Verdict};

use std::{
    io::{BufRead, BufReader, Write},
    os::unix::process::ExitStatusExt,
    path::{Path, PathBuf},
    process::{Child, ChildStderr, ChildStdout, Command, ExitStatus, Stdio},
    sync::atomic::{AtomicU32, Ordering},
};

/// A folder on the memory file system that only one test uses. It is removed when this is dropped.
#[derive(Debug)]
pub struct Stage(PathBuf);

impl Stage {
    /// Makes the folder.
    ///
    /// # Panics
    /// If it can't.
    pub fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = PathBuf::from(format!("/dev/shm/saltus-e2e-{}-{count}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder in /dev/shm");
        Self(folder)
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.0
    }

    /// Returns the files in it and in the folders below it, by their relative paths, sorted. An empty folder
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

    /// Returns a command that runs an actor on this stage.
    pub fn command(&self, actor: &str, words: &[&str]) -> Command {
        let mut command = Command::new(actor);
        command.args(words).env("SALTUS_SHM_DIR", &self.0).env("ROS_DOMAIN_ID", "0");
        command
    }

    /// Starts an actor without waiting for it.
    ///
    /// # Panics
    /// If it can't be started.
    pub fn start(&self, actor: &str, words: &[&str]) -> Actor {
        Actor::start(&mut self.command(actor, words))
    }
}

impl Default for Stage {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A running actor. It is killed when this is dropped.
#[derive(Debug)]
pub struct Actor {
    child: Child,
    output: BufReader<ChildStdout>,
}

impl Actor {
    /// Starts a command as an actor.
    ///
    /// # Panics
    /// If it can't be started.
    pub fn start(command: &mut Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("an actor");
        let output = BufReader::new(child.stdout.take().expect("its output"));
        Self { child, output }
    }

    /// Returns the next line that it prints, or an empty string once it has ended.
    ///
    /// # Panics
    /// If its output can't be read.
    pub fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("a line");
        line.trim_end().to_owned()
    }

    /// Waits until it prints `ready`.
    ///
    /// # Panics
    /// If it prints anything else.
    pub fn wait_until_ready(&mut self) {
        assert_eq!(self.line(), "ready");
    }

    /// Sends it a line, and returns the line that it answers.
    ///
    /// # Panics
    /// If its standard input is closed.
    pub fn ask(&mut self, line: &str) -> String {
        self.tell(line);
        self.line()
    }

    /// Sends it a line.
    ///
    /// # Panics
    /// If its standard input is closed.
    pub fn tell(&mut self, line: &str) {
        self.try_tell(line).expect("its standard input is open");
    }

    /// Sends it a line.
    ///
    /// # Errors
    /// If its standard input is closed: it may have ended.
    pub fn try_tell(&mut self, line: &str) -> std::io::Result<()> {
        let input = self.child.stdin.as_mut().ok_or(std::io::ErrorKind::BrokenPipe)?;
        writeln!(input, "{line}")
    }

    /// Returns its standard error, for which its command must have a pipe.
    ///
    /// # Panics
    /// If there is no pipe, or if it was taken before.
    pub fn stderr(&mut self) -> ChildStderr {
        self.child.stderr.take().expect("its standard error")
    }

    /// Its process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Whether it has not ended.
    pub fn is_running(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Returns its exit status, or `None` if it still runs.
    pub fn has_ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    /// Kills it with SIGKILL and waits until it is gone.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Asks it to end, waits, and returns what it still printed.
    ///
    /// # Panics
    /// If it ends with an error.
    pub fn end(mut self) -> String {
        drop(self.child.stdin.take());
        let mut rest = Vec::new();
        loop {
            let line = self.line();
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

/// Returns what is wrong with a victim that has ended before it was killed, or `None` if nothing is wrong. An error
/// that it reported is not a fault: it may have no memory, no descriptor or no rights. A crash, a panic and a broken
/// guarantee are faults.
pub fn fault_of_victim(status: ExitStatus) -> Option<String> {
    const PANIC: i32 = 101;
    let is_fault =
        status.signal().is_some() || [Some(PANIC), Some(BROKEN_GUARANTEE)].contains(&status.code());
    is_fault.then(|| format!("a victim ended by itself: {status}"))
}

/// The exit code of a victim that has observed a broken guarantee.
const BROKEN_GUARANTEE: i32 = 3;

/// A small generator of pseudo-random numbers. The same seed gives the same numbers, so that a run can be repeated.
#[derive(Debug)]
pub struct Random(u64);

impl Random {
    /// Creates a generator whose numbers follow from the seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns a number below `bound`, which must not be 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    /// Returns another generator. If each step has its own one, the next step does not depend on how many numbers this
    /// step takes.
    pub fn split(&mut self) -> Self {
        Self(self.below(1 << 31) << 32 | self.below(1 << 31))
    }
}

/// Returns the number after `name=` in a line.
pub fn number(line: &str, name: &str) -> Option<u64> {
    line.split_whitespace().find_map(|word| word.strip_prefix(name)?.strip_prefix('=')?.parse().ok())
}
