//! Runs the rows, interleaved, and collects the recorded data.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command},
    time::{Duration, Instant},
};

use crate::{
    bridged::{self, Bridge},
    child::{ChildProcess, GRACE, command, number, word},
    error::RunError,
    fan_out, interrupt,
    one_process::{self, Data},
    options::{Options, Pace, Pin},
    peer::{Peer, UNTOUCHED, rows},
    progress::Progress,
    report::Report,
    row::{Key, Recorded},
};

/// Runs a benchmark of topics, services or Python programs. Reports it on the terminal and in files.
pub(crate) fn run_exchange(options: &Options) -> Result<(), RunError> {
    let peers = prepared(options, || rows(options))?;
    report(options, &peers, |folder, report| measure(options, &peers, folder, report))
}

/// Returns the rows of a run. If the peers are to be installed, installs them first and looks the rows up again,
/// because more rows can run after the installation.
pub(crate) fn prepared(
    options: &Options,
    rows: impl Fn() -> Result<Vec<Peer>, RunError>,
) -> Result<Vec<Peer>, RunError> {
    // A wrong `--peers` is reported before anything is installed.
    let peers = rows()?;
    if !options.install_peers {
        return Ok(peers);
    }
    install(&options.peers_folder)?;
    rows()
}

/// Runs `measure` with a folder for the data that the processes record, and writes its report.
pub(crate) fn report(
    options: &Options,
    peers: &[Peer],
    measure: impl FnOnce(&Path, &mut Report) -> Result<(), RunError>,
) -> Result<(), RunError> {
    interrupt::install_handler()?;
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

/// Checks that the results can be written, before hours of measuring.
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
    let steps = options.paces.len() * options.pins.len() * options.sizes.len() * present.len()
        + extras.map_or(0, |_| one_process + fan_out::steps(&options.sizes));
    let mut progress = Progress::new(steps * options.runs);
    for run in 0..options.runs {
        for cell in cells(options) {
            // Each run begins with another row, because the first row may be slower than the others (cold caches).
            let (last, first) = present.split_at(run % present.len().max(1));
            for peer in first.iter().chain(last) {
                let key = cell.key(peer, options.scenario.word());
                progress.step(&key);
                let outcome = ping_pong(peer, cell, options, folder);
                interrupt::check()?;
                report.add(key, outcome);
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

/// The pace, placement and size at which all rows are measured before the next cell.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell {
    pub(crate) pace: Pace,
    pub(crate) pin: Pin,
    pub(crate) size: usize,
}

/// Returns the cells that the options select.
fn cells(options: &Options) -> Vec<Cell> {
    let mut cells = Vec::new();
    for pace in &options.paces {
        for pin in &options.pins {
            cells.extend(options.sizes.iter().map(|size| Cell { pace: *pace, pin: *pin, size: *size }));
        }
    }
    cells
}

impl Cell {
    pub(crate) fn key(self, peer: &Peer, scenario: &str) -> Key {
        Key {
            scenario: scenario.into(),
            peer: peer.name.into(),
            mode: peer.mode.into(),
            data: peer.data.into(),
            wait: peer.wait.into(),
            pin: self.pin.word().into(),
            pace: self.pace.name(),
            size: self.size,
        }
    }
}

/// Runs one pair of processes.
pub(crate) fn ping_pong(
    peer: &Peer,
    cell: Cell,
    options: &Options,
    folder: &Path,
) -> Result<Recorded, String> {
    static COUNT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let count = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let tag = format!("{}_{count}", std::process::id());
    let out = folder.join(format!("nanos-{tag}"));
    let (ping_cpu, pong_cpu) = cell.pin.cpus();
    let bridge = Bridge::start_for(peer, (ping_cpu, pong_cpu))?;
    let start = |role: &str, cpu: i32| start(peer, role, cpu, &tag, cell, &out, options);
    let mut pong = ChildProcess::new(start("pong", pong_cpu)?);
    let mut ping = ChildProcess::new(start("ping", ping_cpu)?);
    let deadline = Instant::now() + Duration::from_secs(options.seconds * 2) + GRACE;
    let ping_line = ping.line_before(deadline).map_err(|e| format!("ping: {e}"))?;
    let pong_line =
        pong.line_before(Instant::now() + Duration::from_secs(5)).map_err(|e| format!("pong: {e}"))?;
    let bridge_line = bridge.map(Bridge::end).unwrap_or_default();
    let of_bridge = |name: &str| number(&bridge_line, name).unwrap_or_default();
    let bytes = fs::read(&out).map_err(|e| format!("{}: {e}", out.display()))?;
    let _ = fs::remove_file(&out);
    Ok(Recorded {
        nanos: bytes.as_chunks::<4>().0.iter().map(|nanos| u32::from_le_bytes(*nanos)).collect(),
        lost: number(&ping_line, "lost")?,
        wall_ns: number(&ping_line, "wall_ns")?,
        cpu_ns: Some(number(&ping_line, "cpu_ns")? + number(&pong_line, "cpu_ns")? + of_bridge("cpu_ns")),
        switches: Some(number(&ping_line, "ctxsw")? + number(&pong_line, "ctxsw")? + of_bridge("ctxsw")),
        carried: peer.data != UNTOUCHED,
        feedback: number(&ping_line, "feedback").ok(),
        cpu_counts: number(&ping_line, "same_cpu").ok().zip(number(&ping_line, "other_cpu").ok()),
        version: word(&ping_line, "version").unwrap_or_default(),
    })
}

fn start(
    peer: &Peer,
    role: &str,
    cpu: i32,
    tag: &str,
    cell: Cell,
    out: &Path,
    options: &Options,
) -> Result<Child, String> {
    let iterations = cell.pace.iterations(options.iterations, options.seconds);
    let warmup = (iterations / 10).clamp(20, 1000);
    let mut command = command(peer)?;
    bridged::place_pong(peer, role, &mut command);
    command
        .arg(role)
        .args(["--mode", peer.mode, "--tag", tag, "--cpu", &cpu.to_string()])
        .args(["--size", &cell.size.to_string(), "--iterations", &iterations.to_string()])
        .args(["--warmup", &warmup.to_string(), "--seconds", &options.seconds.to_string()])
        .args(["--period-us", &cell.pace.period_us().to_string()])
        .arg("--out")
        .arg(out)
        .spawn()
        .map_err(|e| format!("{}: {e}", peer.name))
}

/// Installs and builds the peers that are available in package registries.
fn install(peers: &Path) -> Result<(), RunError> {
    let script: PathBuf = peers.join("install.sh");
    let status = Command::new("bash").arg(&script).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(RunError::Install(format!("{}: {status}", script.display()))),
        Err(error) => Err(RunError::Install(format!("{}: {error}", script.display()))),
    }
}
