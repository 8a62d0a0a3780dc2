//! Chaos: processes that exchange messages, and everything that can happen to them on a host, at random.
//!
//! `chaos --seconds N --seed N [--python PATH]` starts survivors in Rust and Python in a memory file system of their
//! own. Then it does what [`actions`] lists, to them and to other processes. In the end, the survivors' accounts must
//! agree about every message, and no file may be left in the folder. The same seed repeats the choice of actions.
//!
//! It needs root: it mounts a file system in a namespace of its own, and runs programs as other users.

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
use saltus_e2e::{Stage, Survivors};

/// How many survivors there are in each language.
const IN_RUST: usize = 3;
const IN_PYTHON: usize = 2;
/// How often each publishes.
const PERIOD: Duration = Duration::from_millis(10);
/// The size of the memory file system.
const MEMORY: &str = "size=256m";
/// The environment variable that is set in the process with its own mount namespace.
const INNER: &str = "SALTUS_CHAOS_INNER";
/// How often the progress is printed.
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

/// Runs this program again in its own mount namespace, so that no other process sees what it mounts.
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
    let stage = Stage::new();
    mount(stage.folder())?;
    let actor = beside("actor")?;
    let mut commands: Vec<(String, Command)> =
        (0..IN_RUST).map(|number| (format!("rust_{number}"), stage.command(&actor, &["survivor"]))).collect();
    if let Some(python) = &options.python {
        let script = source("survivor.py");
        let command = |number: usize| {
            (format!("python_{number}"), stage.command(&python.to_string_lossy(), &["-u", &script]))
        };
        commands.extend((0..IN_PYTHON).map(command));
    }
    let names: Vec<String> = commands.iter().map(|(name, _)| name.clone()).collect();
    println!("chaos: seed {}, {} s, survivors {}", options.seed, options.seconds, names.join(" "));
    let mut survivors = Survivors::start(commands, PERIOD);
    let mut chaos = Chaos::new(&stage, actor, options.python.clone(), options.seed, survivors.processes())?;
    let (begun, mut told) = (Instant::now(), Instant::now());
    while begun.elapsed() < Duration::from_secs(options.seconds) {
        chaos.act()?;
        if !survivors.are_running() {
            return Err("a survivor has ended".into());
        }
        if told.elapsed() >= PROGRESS {
            told = Instant::now();
            println!("chaos: {} s: {}", begun.elapsed().as_secs(), chaos.counts());
        }
    }
    let (counts, reasons, mut faults) = chaos.end();
    let verdict = survivors.end(&reasons);
    faults.extend(verdict.faults.clone());
    let left = stage.files();
    if !left.is_empty() {
        faults.push(format!("files left: {left:?}"));
    }
    println!("chaos: {counts}");
    println!(
        "chaos: {} messages sent to survivors, {} received, {} overwritten in full queues, {} not sent for want of \
         memory, {} of victims; {} pauses with a reason; {:.1} s without a CPU; {} files left; {} faults",
        verdict.sent,
        verdict.received,
        verdict.overflowed,
        verdict.out_of_memory,
        verdict.noise,
        verdict.explained,
        verdict.stalled.as_secs_f64(),
        left.len(),
        faults.len()
    );
    faults.iter().for_each(|fault| println!("chaos: fault: {fault}"));
    unmount(stage.folder());
    Ok(faults.is_empty())
}

/// Mounts a memory file system there. Every user may write to it, as to `/dev/shm`.
fn mount(folder: &Path) -> Result<(), Error> {
    let status = Command::new("mount").args(["-t", "tmpfs", "-o", MEMORY, "tmpfs"]).arg(folder).status()?;
    if !status.success() {
        return Err("no memory file system could be mounted".into());
    }
    Ok(std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o1777))?)
}

fn unmount(folder: &Path) {
    // If this fails, the end of the namespace unmounts it.
    let _ = Command::new("umount").arg("--lazy").arg(folder).status();
}
