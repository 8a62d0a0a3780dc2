//! Chaos: processes that exchange messages while random events happen to them, as they can happen on a host.
//!
//! `chaos --seconds N --seed N [--python PATH]` starts survivors in Rust and Python, in a memory file system that only
//! they use. Then it performs the events of [`actions`] on them and on other processes. At the end, the accounts of the
//! survivors must agree about every message, and no file may be left in the folder. The same seed makes the same
//! choices.
//!
//! It must run as root: it mounts a file system in its own mount namespace, and runs programs as other users.

mod actions;
mod programs;

use std::{
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
    time::{Duration, Instant},
};

use actions::Chaos;
use programs::{Error, beside, source};
use saltus_e2e::{ShmFolder, Survivors};

/// The number of survivors in each language.
const IN_RUST: usize = 3;
const IN_PYTHON: usize = 2;
/// The period at which each survivor publishes.
const PERIOD: Duration = Duration::from_millis(10);
/// The size of the memory file system.
const MEMORY: &str = "size=256m";
/// The environment variable that is set in the process with its own mount namespace.
const INNER: &str = "SALTUS_CHAOS_INNER";
/// The period at which the progress is printed.
const PROGRESS: Duration = Duration::from_secs(10);

/// The options of the command line.
struct Options {
    seconds: u64,
    seed: u64,
    python: Option<PathBuf>,
}

impl Options {
    fn parse() -> Result<Self, Error> {
        let mut options = Self { seconds: 60, seed: 1, python: None };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let value = words.next().ok_or("usage: chaos --seconds N --seed N --python PATH")?;
            match word.as_str() {
                "--seconds" => options.seconds = value.parse()?,
                "--seed" => options.seed = value.parse()?,
                "--python" => options.python = Some(std::path::absolute(value)?),
                _ => return Err(format!("no such option: {word}").into()),
            }
        }
        Ok(options)
    }
}

fn main() -> ExitCode {
    let done = match std::env::var_os(INNER) {
        None => run_in_a_namespace(),
        Some(_) => Options::parse().and_then(|options| run(&options)),
    };
    match done {
        Ok(is_fine) => ExitCode::from(u8::from(!is_fine)),
        Err(error) => {
            eprintln!("chaos: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs this program again in its own mount namespace, so that no other process sees the mounted file system.
fn run_in_a_namespace() -> Result<bool, Error> {
    if !nix::unistd::geteuid().is_root() {
        return Err(
            "programs must run as other users: run chaos as root (in a container, or with sudo)".into()
        );
    }
    let mut inner = Command::new("unshare");
    inner.arg("--mount").arg(std::env::current_exe()?).args(std::env::args_os().skip(1)).env(INNER, "1");
    Ok(inner.status()?.success())
}

fn run(options: &Options) -> Result<bool, Error> {
    let shm = ShmFolder::new();
    mount(shm.path())?;
    let actor = beside("actor")?;
    let mut commands: Vec<(String, Command)> =
        (0..IN_RUST).map(|number| (format!("rust_{number}"), shm.command(&actor, &["survivor"]))).collect();
    if let Some(python) = &options.python {
        let script = source("survivor.py");
        let command = |number: usize| {
            (format!("python_{number}"), shm.command(&python.to_string_lossy(), &["-u", &script]))
        };
        commands.extend((0..IN_PYTHON).map(command));
    }
    let names: Vec<String> = commands.iter().map(|(name, _)| name.clone()).collect();
    println!("chaos: seed {}, {} s, survivors {}", options.seed, options.seconds, names.join(" "));
    let mut survivors = Survivors::start(commands, PERIOD);
    let mut chaos = Chaos::new(&shm, actor, options.python.clone(), options.seed, survivors.processes())?;
    let (begun, mut printed) = (Instant::now(), Instant::now());
    while begun.elapsed() < Duration::from_secs(options.seconds) {
        chaos.act()?;
        if !survivors.are_running() {
            return Err("a survivor has ended".into());
        }
        if printed.elapsed() >= PROGRESS {
            printed = Instant::now();
            println!("chaos: {} s: {}", begun.elapsed().as_secs(), chaos.counts());
        }
    }
    let (counts, reasons, mut faults) = chaos.end();
    let summary = survivors.end(&reasons);
    faults.extend(summary.faults.clone());
    let left = shm.files();
    if !left.is_empty() {
        faults.push(format!("files left: {left:?}"));
    }
    println!("chaos: {counts}");
    println!(
        "chaos: {} messages sent to survivors, {} received, {} overwritten in full queues, {} not sent \
         because memory was full, {} from victims; {} pauses with a reason; {:.1} s without a CPU; {} files left; {} faults",
        summary.sent,
        summary.received,
        summary.overflowed,
        summary.out_of_memory,
        summary.from_victims,
        summary.explained,
        summary.stalled.as_secs_f64(),
        left.len(),
        faults.len()
    );
    faults.iter().for_each(|fault| println!("chaos: fault: {fault}"));
    unmount(shm.path());
    Ok(faults.is_empty())
}

/// Mounts a memory file system on a folder. Every user may write to it, as to `/dev/shm`.
fn mount(folder: &Path) -> Result<(), Error> {
    let status = Command::new("mount").args(["-t", "tmpfs", "-o", MEMORY, "tmpfs"]).arg(folder).status()?;
    if !status.success() {
        return Err("can't mount a memory file system".into());
    }
    Ok(std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o1777))?)
}

fn unmount(folder: &Path) {
    // If this fails, the end of the namespace unmounts the file system.
    let _ = Command::new("umount").arg("--lazy").arg(folder).status();
}
