//! Running the rows, interleaved, and collecting what they recorded.

use std::{
    fs, io,
    io::{IsTerminal, Write},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
    process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open},
};

use crate::{
    Options, Pin, fan_out, interrupt,
    one_process::{self, Data},
    peer::{Peer, rows},
    report::Report,
    row::{Key, Recorded},
};

/// What a pair of processes may take beyond its measuring time.
const GRACE: Duration = Duration::from_secs(30);

/// Why a run could not be made. A peer that fails is no such reason: its row says so.
#[derive(Debug)]
pub enum RunError {
    /// A process or a file can't be had.
    Start(String, io::Error),
    /// A process of Saltus's own failed.
    Failed(String, String),
    /// The peers can't be installed.
    Install(String),
    /// Ctrl-C was pressed.
    Interrupted,
}

impl std::fmt::Display for RunError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Start(what, error) => write!(f, "{what}: {error}"),
            Self::Failed(what, how) => write!(f, "{what}: {how}"),
            Self::Interrupted => f.write_str("interrupted"),
            Self::Install(why) => write!(f, "can't install the peers: {why}"),
        }
    }
}

impl std::error::Error for RunError {}

/// Runs the bake-off of topics or services and reports it on the terminal and in files.
pub fn run_exchange(options: &Options) -> Result<(), RunError> {
    let peers = rows(options)?;
    report(options, &peers, |folder, report| measure(options, &peers, folder, report))
}

/// Measures into a report, with a folder for what processes record.
pub(crate) fn report(
    options: &Options,
    peers: &[Peer],
    measure: impl FnOnce(&Path, &mut Report) -> Result<(), RunError>,
) -> Result<(), RunError> {
    if options.install_peers {
        install(&options.peers_folder)?;
    }
    interrupt::note()?;
    make_outputs(options)?;
    let folder = std::env::temp_dir().join(format!("saltus-bench-{}", std::process::id()));
    fs::create_dir_all(&folder).map_err(|e| RunError::Start(folder.display().to_string(), e))?;
    let mut report = Report::new(peers, options);
    let measured = measure(&folder, &mut report);
    let removed = fs::remove_dir_all(&folder).map_err(|e| RunError::Start(folder.display().to_string(), e));
    match measured {
        Err(RunError::Interrupted) => report.interrupted = true,
        other => removed.and(other)?,
    }
    report.write(options)
}

/// Makes sure before hours of measuring that the results can be written.
fn make_outputs(options: &Options) -> Result<(), RunError> {
    let fails = |path: &Path| {
        let path = path.display().to_string();
        move |error| RunError::Start(path, error)
    };
    if let Some(folder) = &options.out {
        fs::create_dir_all(folder).map_err(fails(folder))?;
    }
    if let Some(path) = &options.json {
        fs::File::options().create(true).append(true).open(path).map_err(fails(path))?;
    }
    Ok(())
}

fn measure(options: &Options, peers: &[Peer], folder: &Path, report: &mut Report) -> Result<(), RunError> {
    let present: Vec<&Peer> = peers.iter().filter(|peer| peer.available.is_ok()).collect();
    let saltus = present.iter().find(|peer| peer.name == "saltus").and_then(|peer| peer.command.first());
    let extras = if options.extras { saltus } else { None };
    let one_process = options.sizes.len() * 2;
    let steps = options.pins.len() * options.sizes.len() * present.len()
        + extras.map_or(0, |_| one_process + fan_out::steps(&options.sizes));
    let mut progress = Progress::new(steps * options.runs);
    for run in 0..options.runs {
        for pin in &options.pins {
            for size in &options.sizes {
                // Each run begins with another row: who comes first may find a cold machine.
                let (last, first) = present.split_at(run % present.len().max(1));
                for peer in first.iter().chain(last) {
                    let key = key(peer, options.scenario.word(), *pin, *size);
                    progress.step(&key);
                    let outcome = ping_pong(peer, *pin, *size, options, folder);
                    interrupt::check()?;
                    report.add(key, outcome);
                }
            }
        }
        if let Some(program) = extras {
            measure_extras(options, program, folder, &mut progress, report)?;
        }
    }
    progress.end();
    Ok(())
}

fn measure_extras(
    options: &Options,
    program: &Path,
    folder: &Path,
    progress: &mut Progress,
    report: &mut Report,
) -> Result<(), RunError> {
    let iterations = options.iterations.min(2000);
    fan_out::measure(iterations, program, folder, progress, &options.sizes, &mut |key, outcome| {
        report.add(key, outcome);
    })?;
    for (size, data) in options.sizes.iter().flat_map(|s| [(*s, Data::Copied), (*s, Data::Untouched)]) {
        let key = one_process::key(size, data);
        progress.step(&key);
        interrupt::check()?;
        report.add(key, one_process::measure(size, options.iterations, data).map_err(|e| e.to_string()));
    }
    Ok(())
}

pub(crate) fn key(peer: &Peer, scenario: &str, pin: Pin, size: usize) -> Key {
    Key {
        scenario: scenario.into(),
        peer: peer.name.into(),
        mode: peer.mode.into(),
        wait: peer.wait.into(),
        pin: pin.word().into(),
        size,
    }
}

/// Runs one pair of processes.
pub(crate) fn ping_pong(
    peer: &Peer,
    pin: Pin,
    size: usize,
    options: &Options,
    folder: &Path,
) -> Result<Recorded, String> {
    static COUNT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let count = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let tag = format!("{}_{count}", std::process::id());
    let out = folder.join(format!("nanos-{tag}"));
    let (ping_cpu, pong_cpu) = pin.cpus();
    let start = |role: &str, cpu: i32| start(peer, role, cpu, &tag, size, &out, options);
    let mut pong = Ended::new(start("pong", pong_cpu)?);
    let mut ping = Ended::new(start("ping", ping_cpu)?);
    let deadline = Instant::now() + Duration::from_secs(options.seconds * 2) + GRACE;
    let ping_line = ping.line_before(deadline).map_err(|e| format!("ping: {e}"))?;
    let pong_line =
        pong.line_before(Instant::now() + Duration::from_secs(5)).map_err(|e| format!("pong: {e}"))?;
    let bytes = fs::read(&out).map_err(|e| format!("{}: {e}", out.display()))?;
    let _ = fs::remove_file(&out);
    Ok(Recorded {
        nanos: bytes.as_chunks::<4>().0.iter().map(|nanos| u32::from_le_bytes(*nanos)).collect(),
        lost: number(&ping_line, "lost")?,
        wall_ns: number(&ping_line, "wall_ns")?,
        cpu_ns: Some(number(&ping_line, "cpu_ns")? + number(&pong_line, "cpu_ns")?),
        switches: Some(number(&ping_line, "ctxsw")? + number(&pong_line, "ctxsw")?),
        carried: !peer.mode.starts_with("untouched"),
        met: number(&ping_line, "same_cpu").ok().zip(number(&ping_line, "other_cpu").ok()),
        version: word(&ping_line, "version").unwrap_or_default(),
    })
}

fn start(
    peer: &Peer,
    role: &str,
    cpu: i32,
    tag: &str,
    size: usize,
    out: &Path,
    options: &Options,
) -> Result<Child, String> {
    let warmup = (options.iterations / 10).clamp(20, 1000);
    command(peer)?
        .arg(role)
        .args(["--mode", peer.mode, "--tag", tag, "--cpu", &cpu.to_string()])
        .args(["--size", &size.to_string(), "--iterations", &options.iterations.to_string()])
        .args(["--warmup", &warmup.to_string(), "--seconds", &options.seconds.to_string()])
        .args(["--pause-us", &options.pause_us.to_string()])
        .arg("--out")
        .arg(out)
        .spawn()
        .map_err(|e| format!("{}: {e}", peer.name))
}

/// The program of a row with its first arguments; nothing goes in, and both outputs are pipes.
pub(crate) fn command(peer: &Peer) -> Result<Command, String> {
    let (program, first) = peer.command.split_first().ok_or("no program")?;
    let mut command = Command::new(program);
    command.args(first).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    Ok(command)
}

/// A child that does not outlive its measurement.
pub(crate) struct Ended(Child);

impl Ended {
    pub(crate) fn new(child: Child) -> Self {
        Self(child)
    }

    /// The last line that the child prints, once it has ended well.
    pub(crate) fn line_before(&mut self, deadline: Instant) -> Result<String, String> {
        self.end_before(deadline)?;
        let mut text = String::new();
        if let Some(stdout) = &mut self.0.stdout {
            io::Read::read_to_string(stdout, &mut text).map_err(|e| e.to_string())?;
        }
        text.lines().last().map(str::to_owned).ok_or_else(|| "printed nothing".into())
    }

    /// Waits until the child has ended well.
    pub(crate) fn end_before(&mut self, deadline: Instant) -> Result<(), String> {
        // Its output is a line or two: it fits the pipe, so it can be read when the child has ended.
        self.wait_until(deadline)?;
        match self.0.try_wait().map_err(|e| e.to_string())? {
            Some(status) if status.success() => Ok(()),
            Some(status) => Err(format!("{status}: {}", self.stderr())),
            None => Err("took too long".into()),
        }
    }

    /// Sleeps until the child has ended or the deadline has come: the CPUs belong to what is measured.
    fn wait_until(&self, deadline: Instant) -> Result<(), String> {
        let pid = Pid::from_raw(self.0.id() as i32).ok_or("no process id")?;
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

    fn stderr(&mut self) -> String {
        let mut text = String::new();
        if let Some(stderr) = &mut self.0.stderr {
            let _ = io::Read::read_to_string(stderr, &mut text);
        }
        text.lines().last().unwrap_or_default().to_owned()
    }
}

/// Asks it to end, so that it tidies up; insists if it does not.
impl Drop for Ended {
    fn drop(&mut self) {
        for (signal, patience) in [(Signal::TERM, Duration::from_secs(2)), (Signal::KILL, GRACE)] {
            let Ok(None) = self.0.try_wait() else { return };
            if let Some(pid) = Pid::from_raw(self.0.id() as i32) {
                let _ = kill_process(pid, signal);
            }
            let _ = self.wait_until(Instant::now() + patience);
        }
        let _ = self.0.try_wait();
    }
}

/// The value of `name=value` in a line.
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

/// Installs and builds what can come from package registries.
fn install(peers: &Path) -> Result<(), RunError> {
    let script: PathBuf = peers.join("install.sh");
    let status = Command::new("bash").arg(&script).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(RunError::Install(format!("{}: {status}", script.display()))),
        Err(error) => Err(RunError::Install(format!("{}: {error}", script.display()))),
    }
}

/// Says on a terminal, or a line at a time elsewhere, how far the run has come.
pub(crate) struct Progress {
    done: usize,
    steps: usize,
    terminal: bool,
}

impl Progress {
    pub(crate) fn new(steps: usize) -> Self {
        Self { done: 0, steps, terminal: io::stderr().is_terminal() }
    }

    /// Another measurement begins.
    pub(crate) fn step(&mut self, key: &Key) {
        self.done += 1;
        let (done, steps) = (self.done, self.steps);
        let size = if key.size == 0 { String::new() } else { format!("{} B, ", key.size) };
        let what = format!("[{done}/{steps}] {} {} {}, {size}{}", key.scenario, key.peer, key.mode, key.pin);
        if self.terminal {
            eprint!("\r\x1b[K{what}");
            let _ = io::stderr().flush();
        } else if done == 1 || done.is_multiple_of(10) {
            eprintln!("{what}");
        }
    }

    pub(crate) fn end(&self) {
        if self.terminal {
            eprint!("\r\x1b[K");
        }
    }
}
