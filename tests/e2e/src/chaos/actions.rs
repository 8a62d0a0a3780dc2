//! The actions of chaos: events that can happen to processes on a host.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use saltus_e2e::{Actor, Interval, Random, ShmFolder, fault_of_victim};

use crate::programs::{Error, beside, source};

/// The id of a user who has no files here.
const NOBODY: u32 = 65534;
/// The largest number of victims at the same time, in Rust and in Python. Victims in Python live longer, because they
/// need more time to start.
const IN_RUST: usize = 5;
const IN_PYTHON: usize = 3;
/// The longest life of a victim in Python, in milliseconds.
const LIFE_IN_PYTHON: u64 = 5000;
/// The time in which a late joiner must find all survivors. A survivor whose files were removed lists itself again
/// within about a second, if it is not stopped.
const DISCOVERY: Duration = Duration::from_secs(5);

/// Performs an action. Returns `false` if it is not possible now.
type Action = fn(&mut Chaos<'_>) -> Result<bool, Error>;

/// All actions: the name, the weight in the random choice, and the function.
const ACTIONS: [(&str, u32, Action); 14] = [
    ("rust publisher", 12, |chaos| chaos.start_actor(&["victim-publisher"], 30)),
    ("rust subscriber", 12, |chaos| chaos.start_actor(&["victim-subscriber"], 300)),
    ("killed while it starts", 12, |chaos| chaos.start_actor(&["victim-subscriber"], 3)),
    ("exec", 6, |chaos| chaos.start_member(&["send 20 3000", "exec sleep 0.2"])),
    ("forked daemon", 6, |chaos| chaos.start_member(&["send 20 3000", "daemon"])),
    ("other user", 6, |chaos| chaos.start_member(&["become-user 65534", "send 20 3000", "leave"])),
    ("no descriptors", 6, |chaos| chaos.start_member(&["limit-descriptors 2", "send 20 3000"])),
    ("python", 4, |chaos| chaos.start_python()),
    ("late joiner", 8, |chaos| chaos.join_late()),
    ("stop", 10, |chaos| chaos.stop_a_survivor()),
    ("file removed", 8, |chaos| chaos.remove_a_file()),
    ("folder removed", 3, |chaos| chaos.remove_the_folder()),
    ("hostile files", 6, |chaos| chaos.create_hostile_files()),
    ("full memory", 4, |chaos| chaos.fill_memory()),
];

/// The modes of `victim.py`.
const PYTHON_MODES: [&str; 6] = ["keep", "fork", "exec", "close", "copy", "user"];

/// The state of a run.
pub(crate) struct Chaos<'a> {
    shm: &'a ShmFolder,
    actor: String,
    python: Option<PathBuf>,
    /// Chooses the action of each step.
    steps: Random,
    /// Makes the random choices within the present step.
    random: Random,
    survivors: Vec<(String, Pid)>,
    /// The victims, each with the time at which it is killed.
    victims: Vec<(Instant, Victim)>,
    /// A survivor that is stopped: the end of the stop, the process, and the start of the stop in monotonic
    /// nanoseconds.
    stopped: Option<(Instant, Pid, u64)>,
    /// The end and the start of the time in which memory is full, if it is full now.
    full: Option<(Instant, u64)>,
    /// The folder in which members have their files.
    usual: PathBuf,
    counts: BTreeMap<&'static str, u32>,
    reasons: Vec<Interval>,
    faults: Vec<String>,
    /// The path of a library with its own copy of Saltus.
    copy: PathBuf,
    number: u32,
}

enum Victim {
    Actor(Actor),
    Child(Child),
    Python(Child),
}

impl Victim {
    /// Kills the victim. If it had ended before, returns the fault, if that is a fault.
    fn kill(self) -> Option<String> {
        let ended = match self {
            Self::Actor(mut actor) => {
                let ended = actor.exit_status();
                actor.kill();
                ended
            }
            Self::Child(mut child) | Self::Python(mut child) => {
                let ended = child.try_wait().ok().flatten();
                let _ = child.kill();
                let _ = child.wait();
                ended
            }
        };
        ended.and_then(fault_of_victim)
    }
}

impl<'a> Chaos<'a> {
    pub(crate) fn new(
        shm: &'a ShmFolder,
        actor: String,
        python: Option<PathBuf>,
        seed: u64,
        survivors: Vec<(&str, u32)>,
    ) -> Result<Self, Error> {
        // A pid always fits into an i32, because it has at most 22 bits.
        let [usual] = &folders(shm)[..] else { return Err("the survivors have no folder".into()) };
        let survivor = |(name, pid): (&str, u32)| (name.to_owned(), Pid::from_raw(pid as i32));
        Ok(Self {
            shm,
            actor,
            python,
            steps: Random::new(seed),
            random: Random::new(seed),
            survivors: survivors.into_iter().map(survivor).collect(),
            victims: Vec::new(),
            stopped: None,
            full: None,
            usual: usual.clone(),
            counts: BTreeMap::new(),
            reasons: Vec::new(),
            faults: Vec::new(),
            copy: PathBuf::from(beside("examples/libcopy.so")?),
            number: 0,
        })
    }

    /// Performs one action. Ends earlier actions whose time is over.
    pub(crate) fn act(&mut self) -> Result<(), Error> {
        self.random = self.steps.split();
        let all: u32 = ACTIONS.iter().map(|(_, weight, _)| weight).sum();
        let mut choice = self.random.below(all.into()) as u32;
        for (name, weight, action) in ACTIONS {
            if choice < weight {
                let is_done = action(self)?;
                *self.counts.entry(name).or_default() += u32::from(is_done);
                break;
            }
            choice -= weight;
        }
        // The time between two actions is random too. Nothing else depends on this wait.
        let until = Instant::now() + Duration::from_millis(20 + self.random.below(150));
        while Instant::now() < until {
            self.end_expired(Instant::now());
            std::thread::sleep(Duration::from_millis(2));
        }
        Ok(())
    }

    fn end_expired(&mut self, now: Instant) {
        let over: Vec<(Instant, Victim)> = self.victims.extract_if(.., |(until, _)| *until <= now).collect();
        self.faults.extend(over.into_iter().filter_map(|(_, victim)| victim.kill()));
        if let Some((_, survivor, since)) = self.stopped.take_if(|(until, ..)| *until <= now) {
            let _ = kill(survivor, Signal::SIGCONT);
            self.reasons.push((since, saltus::time::monotonic_now()));
        }
        if let Some((_, since)) = self.full.take_if(|(until, _)| *until <= now) {
            let _ = fs::remove_file(self.filler());
            self.reasons.push((since, saltus::time::monotonic_now()));
        }
    }

    /// Returns the number of victims in Python.
    fn in_python(&self) -> usize {
        self.victims.iter().filter(|(_, victim)| matches!(victim, Victim::Python(_))).count()
    }

    /// Adds a victim, which is killed after at most `most_ms` milliseconds. If there are too many other victims than
    /// those in Python, kills the oldest of them.
    fn add(&mut self, victim: Victim, most_ms: u64) {
        let until = Instant::now() + Duration::from_millis(self.random.below(most_ms + 1));
        self.victims.push((until, victim));
        if self.victims.len() - self.in_python() > IN_RUST {
            let oldest = self.victims.iter().position(|(_, victim)| !matches!(victim, Victim::Python(_)));
            let fault = oldest.and_then(|index| self.victims.remove(index).1.kill());
            self.faults.extend(fault);
        }
    }

    /// Starts an actor that is killed after at most `most_ms` milliseconds, possibly while it starts.
    fn start_actor(&mut self, role: &[&str], most_ms: u64) -> Result<bool, Error> {
        self.number += 1;
        let number = self.number.to_string();
        let mut command = self.shm.command(&self.actor, &[role, &[&*number]].concat());
        let child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        self.add(Victim::Child(child), most_ms);
        Ok(true)
    }

    /// Starts a member and sends it commands. It is killed some time later.
    fn start_member(&mut self, commands: &[&str]) -> Result<bool, Error> {
        self.number += 1;
        let mut command = self.shm.command(&self.actor, &["member", &format!("victim_{}", self.number)]);
        let mut member = Actor::start(command.stderr(Stdio::null()));
        // An error means that the member could not join and has ended.
        let _ = commands.iter().try_for_each(|line| member.try_send_line(line));
        self.add(Victim::Actor(member), 300);
        Ok(true)
    }

    fn start_python(&mut self) -> Result<bool, Error> {
        let Some(python) = self.python.as_ref().filter(|_| self.in_python() < IN_PYTHON) else {
            return Ok(false);
        };
        let mode = PYTHON_MODES[self.random.below(PYTHON_MODES.len() as u64) as usize];
        let words = [&source("victim.py"), mode, &*self.copy.to_string_lossy()].map(str::to_owned);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut command = self.shm.command(&python.to_string_lossy(), &words);
        let child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        self.add(Victim::Python(child), LIFE_IN_PYTHON);
        Ok(true)
    }

    /// Starts a member, which must find all survivors, even if their files were removed.
    fn join_late(&mut self) -> Result<bool, Error> {
        if self.full.is_some() || self.stopped.is_some() {
            return Ok(false);
        }
        self.number += 1;
        let name = format!("late_{}", self.number);
        let mut command = self.shm.command(&self.actor, &["member", &name]);
        let mut late = Actor::start(command.stderr(Stdio::null()));
        let ready = late.read_line();
        let begun = Instant::now();
        let names: Vec<&str> = self.survivors.iter().map(|(name, _)| &**name).collect();
        let found = late.request(&format!("find {}", names.join(" ")));
        if ready != "ready" || found != "found all" || begun.elapsed() > DISCOVERY {
            self.faults.push(format!("{name} answered {ready:?} and {found:?} after {:?}", begun.elapsed()));
        }
        late.send_line("leave");
        if late.read_line() != "left" {
            self.faults.push(format!("{name} did not leave"));
        }
        Ok(true)
    }

    fn stop_a_survivor(&mut self) -> Result<bool, Error> {
        if self.stopped.is_some() {
            return Ok(false);
        }
        let (_, survivor) = self.survivors[self.random.below(self.survivors.len() as u64) as usize];
        let since = saltus::time::monotonic_now();
        kill(survivor, Signal::SIGSTOP)?;
        let until = Instant::now() + Duration::from_millis(20 + self.random.below(600));
        self.stopped = Some((until, survivor, since));
        Ok(true)
    }

    fn remove_a_file(&mut self) -> Result<bool, Error> {
        let files =
            folders(self.shm).into_iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten();
        let files: Vec<PathBuf> = files.map(|entry| entry.path()).collect();
        if files.is_empty() {
            return Ok(false);
        }
        // If another process has removed the file meanwhile, nothing is done.
        Ok(fs::remove_file(&files[self.random.below(files.len() as u64) as usize]).is_ok())
    }

    fn remove_the_folder(&mut self) -> Result<bool, Error> {
        folders(self.shm).iter().for_each(|folder| drop(fs::remove_dir_all(folder)));
        Ok(true)
    }

    /// Creates files that members must ignore: as another user, files with the names that members use; as the same
    /// user, invalid files beside those of the members.
    fn create_hostile_files(&mut self) -> Result<bool, Error> {
        let name = self.usual.display();
        let script = match self.random.below(4) {
            0 => format!("mkfifo {name}"),
            1 => format!("mkdir -m 777 {name}"),
            2 => format!("rm -r {name}; ln -s /etc {name}"),
            _ => format!("rm -r {name}* {name}/*; truncate -s 0 {name}/*; mv {name} {name}-away"),
        };
        let mut nobody = Command::new("setpriv");
        nobody.args([format!("--reuid={NOBODY}"), format!("--regid={NOBODY}"), "--clear-groups".into()]);
        // Most commands of the script must fail.
        nobody.args(["sh", "-c", &script]).stderr(Stdio::null()).status()?;
        for folder in folders(self.shm).into_iter().filter(|folder| is_own(folder)) {
            let id = self.random.below(u64::MAX);
            match self.random.below(3) {
                0 => drop(fs::write(folder.join(format!("0.{id:016x}")), "nonsense")),
                1 => drop(symlink("/dev/zero", folder.join(format!("0.{id:016x}")))),
                _ => drop(Command::new("mkfifo").arg(folder.join(format!("0.{id:016x}.0"))).status()?),
            }
        }
        Ok(true)
    }

    fn filler(&self) -> PathBuf {
        self.shm.path().join("filler")
    }

    fn fill_memory(&mut self) -> Result<bool, Error> {
        if self.full.is_some() {
            return Ok(false);
        }
        let since = saltus::time::monotonic_now();
        let until = Instant::now() + Duration::from_millis(20 + self.random.below(200));
        self.full = Some((until, since));
        let file = format!("of={}", self.filler().display());
        Command::new("dd").args(["if=/dev/zero", &file, "bs=1M"]).stderr(Stdio::null()).status()?;
        Ok(true)
    }

    /// Returns how often each action was performed.
    pub(crate) fn counts(&self) -> String {
        let counts: Vec<String> = self.counts.iter().map(|(name, count)| format!("{name} {count}")).collect();
        counts.join(", ")
    }

    /// Ends everything that still runs. Returns the counts of the actions, the reasons for pauses, and the faults.
    pub(crate) fn end(mut self) -> (String, Vec<Interval>, Vec<String>) {
        let later = Instant::now() + Duration::from_secs(3600);
        self.end_expired(later);
        remove_hostile_files(self.shm.path());
        (self.counts(), self.reasons, self.faults)
    }
}

/// Returns the folders in which members of all users have their files.
fn folders(shm: &ShmFolder) -> Vec<PathBuf> {
    let entries = fs::read_dir(shm.path()).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| path.is_dir() && !path.is_symlink()).collect()
}

fn is_own(folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    fs::symlink_metadata(folder).is_ok_and(|meta| meta.uid() == 0)
}

/// Removes the files of other users and the symlinks. Saltus must not remove them.
fn remove_hostile_files(shm: &Path) {
    for entry in fs::read_dir(shm).into_iter().flatten().flatten() {
        let path = entry.path();
        if !is_own(&path) {
            let _ = fs::remove_file(&path).or_else(|_| fs::remove_dir_all(&path));
            continue;
        }
        for file in fs::read_dir(&path).into_iter().flatten().flatten().map(|file| file.path()) {
            if file.is_symlink() {
                let _ = fs::remove_file(file);
            }
        }
    }
}
