//! Processes that the harness starts, measures and ends, and the lines that they print.

use std::{
    ffi::OsString,
    io::{BufRead, BufReader, Read, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdout, Command, Stdio},
    sync::atomic::{AtomicU32, Ordering},
};

use saltus::Context;
use saltus_verb::programs::{Program, first_word};

use crate::error::RunError;

type Error = Box<dyn std::error::Error>;

/// Returns the words that begin a command line of `saltus`.
pub(crate) fn saltus_words() -> Result<[OsString; 2], RunError> {
    let path = Program::Saltus.path();
    let path = path.map_err(|error| RunError::Failed("saltus".into(), error.to_string()))?;
    Ok([path.into(), first_word().into()])
}

/// Returns a command that starts `saltus`.
pub(crate) fn saltus_command() -> Result<Command, RunError> {
    let [program, first] = saltus_words()?;
    let mut command = Command::new(program);
    command.arg(first);
    Ok(command)
}

/// Returns the proportional set size of all processes together, in KB.
pub(crate) fn pss_of(processes: &[Process]) -> Result<u64, RunError> {
    processes.iter().map(|process| pss(process.child.id())).sum()
}

/// Returns the proportional set size of a process in KB.
pub(crate) fn pss(pid: u32) -> Result<u64, RunError> {
    let path = format!("/proc/{pid}/smaps_rollup");
    let text = std::fs::read_to_string(&path).map_err(|e| RunError::Start(path.clone(), e))?;
    let kb =
        text.lines().find_map(|line| line.strip_prefix("Pss:")?.trim().strip_suffix(" kB")?.parse().ok());
    kb.ok_or_else(|| RunError::Failed(path, "has no Pss".into()))
}

/// A folder that only this measurement uses, such as that of a domain. It is removed when this value is dropped, also after an
/// error.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn new() -> Result<Self, RunError> {
        Self::create(PathBuf::from(format!("/dev/shm/saltus-scale-{}", std::process::id())))
    }

    /// Returns a folder for shared memory. `name` tells several of a process apart.
    pub(crate) fn shared(name: &str) -> Result<Self, RunError> {
        Self::create(PathBuf::from(format!("/dev/shm/saltus-bench-{}-{name}", std::process::id())))
    }

    /// Returns a folder for files that need no shared memory.
    pub(crate) fn on_disk() -> Result<Self, RunError> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        Self::create(std::env::temp_dir().join(format!("saltus-bench-{}-{count}", std::process::id())))
    }

    fn create(path: PathBuf) -> Result<Self, RunError> {
        std::fs::create_dir_all(&path).map_err(|e| RunError::Start(path.display().to_string(), e))?;
        Ok(Self(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A process of a measurement. It ends when its standard input closes.
pub(crate) struct Process {
    child: Child,
    output: BufReader<ChildStdout>,
}

impl Process {
    /// Starts a process, and waits until it prints that it is ready.
    pub(crate) fn start(role: &str, words: &[String]) -> Result<Self, RunError> {
        Self::spawn(role, words)?.wait_until_ready(role)
    }

    /// Same as [`Process::start`], but the process joins the domain of `folder`.
    pub(crate) fn start_in(role: &str, words: &[String], folder: &Path) -> Result<Self, RunError> {
        Self::spawn_in(role, words, Some(folder))?.wait_until_ready(role)
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Makes the process end, and returns the line that it prints then.
    pub(crate) fn close_and_read(&mut self) -> String {
        drop(self.child.stdin.take());
        self.line()
    }

    /// Writes an empty line to the process.
    pub(crate) fn go_on(&mut self) -> Result<(), RunError> {
        let written = self.child.stdin.as_mut().map_or(Ok(()), |input| input.write_all(b"\n"));
        written.map_err(|e| RunError::Start("role".into(), e))
    }

    pub(crate) fn wait_until_ready(self, role: &str) -> Result<Self, RunError> {
        let mut process = self;
        match process.line().as_str() {
            "ready" => Ok(process),
            other => Err(RunError::Failed(role.into(), format!("expected `ready`, found `{other}`"))),
        }
    }

    pub(crate) fn spawn(role: &str, words: &[String]) -> Result<Self, RunError> {
        Self::spawn_in(role, words, None)
    }

    pub(crate) fn spawn_in(role: &str, words: &[String], folder: Option<&Path>) -> Result<Self, RunError> {
        let program = std::env::current_exe().map_err(|e| RunError::Start(role.into(), e))?;
        let mut command = Command::new(program);
        command.args(["bench", "role", role]).args(words).stdin(Stdio::piped()).stdout(Stdio::piped());
        if let Some(folder) = folder {
            command.env("SALTUS_SHM_DIR", folder);
        }
        let mut child = command.spawn().map_err(|e| RunError::Start(role.into(), e))?;
        let output =
            child.stdout.take().ok_or_else(|| RunError::Failed(role.into(), "has no output".into()))?;
        Ok(Self { child, output: BufReader::new(output) })
    }

    /// Returns the next line that the process prints, or an empty string if there is no next line.
    pub(crate) fn line(&mut self) -> String {
        let mut line = String::new();
        let _ = self.output.read_line(&mut line);
        line.trim_end().to_owned()
    }

    pub(crate) fn end(mut self) -> Result<(), RunError> {
        drop(self.child.stdin.take());
        let status = self.child.wait().map_err(|e| RunError::Start("role".into(), e))?;
        if status.success() { Ok(()) } else { Err(RunError::Failed("role".into(), status.to_string())) }
    }
}

/// Usually, the process has ended already. Otherwise, closing its standard input makes it clean up and end.
impl Drop for Process {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

/// Prints a line for the parent process.
pub(crate) fn print_line(line: &str) -> Result<(), Error> {
    writeln!(std::io::stdout(), "{line}")?;
    Ok(std::io::stdout().flush()?)
}

/// Calls `end` when the standard input is closed.
pub(crate) fn at_end_of_stdin(end: impl FnOnce() + Send + 'static) {
    std::thread::spawn(move || {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        end();
    });
}

/// Shuts the context down when the standard input is closed.
pub(crate) fn shut_down_at_end_of_stdin(context: &Context) {
    let context = context.clone();
    at_end_of_stdin(move || context.shut_down());
}
