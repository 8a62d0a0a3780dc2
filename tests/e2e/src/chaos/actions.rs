//! What can happen on a host.

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
use saltus_e2e::{Actor, Interval, Random, Stage};

use crate::{Error, beside, source};

/// A user who has no files here.
const NOBODY: u32 = 65534;
/// The most victims that run at a time.
const VICTIMS: usize = 5;
/// How long a late joiner may take to see all survivors. Those whose files were removed list themselves again within
/// about a second, once they are not stopped.
const MEETING: Duration = Duration::from_secs(5);

type Action = fn(&mut Chaos<'_>) -> Result<(), Error>;

/// What there is to be done, and how often as a rule.
const ACTIONS: [(&str, u32, Action); 14] = [
    ("rust publisher", 12, |chaos| chaos.start_actor(&["victim-publisher"], 30)),
    ("rust subscriber", 12, |chaos| chaos.start_actor(&["victim-subscriber"], 300)),
    ("killed while it starts", 12, |chaos| chaos.start_actor(&["victim-subscriber"], 3)),
    ("exec", 6, |chaos| chaos.told_member(&["send 20 3000", "exec sleep 0.2"])),
    ("forked daemon", 6, |chaos| chaos.told_member(&["send 20 3000", "daemon"])),
    ("other user", 6, |chaos| chaos.told_member(&["become-user 65534", "send 20 3000", "leave"])),
    ("no descriptors", 6, |chaos| chaos.told_member(&["limit-descriptors 2", "send 20 3000"])),
    ("python", 4, |chaos| chaos.start_python()),
    ("late joiner", 8, |chaos| chaos.join_late()),
    ("stop", 10, |chaos| chaos.stop_a_survivor()),
    ("file removed", 8, |chaos| chaos.remove_a_file()),
    ("folder wiped", 3, |chaos| chaos.wipe_the_folder()),
    ("hostile files", 6, |chaos| chaos.put_hostile_files()),
    ("full memory", 4, |chaos| chaos.fill_memory()),
];

/// The ways of `victim.py`.
const PYTHON_WAYS: [&str; 6] = ["hoard", "fork", "exec", "close", "copy", "user"];

/// What is going on.
pub(crate) struct Chaos<'a> {
    stage: &'a Stage,
    actor: String,
    python: Option<PathBuf>,
    random: Random,
    survivors: Vec<(String, Pid)>,
    /// Victims, and when they are killed.
    victims: Vec<(Instant, Victim)>,
    /// A survivor that is stopped: until when, and since when in monotonic nanoseconds.
    stopped: Option<(Instant, Pid, u64)>,
    /// Memory that is full: until when, and since when.
    full: Option<(Instant, u64)>,
    counts: BTreeMap<&'static str, u32>,
    reasons: Vec<Interval>,
    faults: Vec<String>,
    /// A library with a copy of Saltus of its own.
    copy: PathBuf,
    number: u32,
}

enum Victim {
    Actor(Actor),
    Child(Child),
}

impl Victim {
    fn kill(self) {
        match self {
            Self::Actor(mut actor) => actor.kill(),
            Self::Child(mut child) => {
                let _ = child.kill();
                let _ = child.wait();
            }
        }
    }
}

impl<'a> Chaos<'a> {
    pub(crate) fn new(
        stage: &'a Stage,
        actor: String,
        python: Option<PathBuf>,
        seed: u64,
        survivors: Vec<(&str, u32)>,
    ) -> Result<Self, Error> {
        // A pid is a positive number of 22 bits.
        let survivor = |(name, pid): (&str, u32)| (name.to_owned(), Pid::from_raw(pid as i32));
        Ok(Self {
            stage,
            actor,
            python,
            random: Random::new(seed),
            survivors: survivors.into_iter().map(survivor).collect(),
            victims: Vec::new(),
            stopped: None,
            full: None,
            counts: BTreeMap::new(),
            reasons: Vec::new(),
            faults: Vec::new(),
            copy: PathBuf::from(beside("examples/libcopy.so")?),
            number: 0,
        })
    }

    /// Does one thing, and ends what has lasted long enough.
    pub(crate) fn act(&mut self) -> Result<(), Error> {
        let all: u32 = ACTIONS.iter().map(|(_, weight, _)| weight).sum();
        let mut choice = self.random.below(all.into()) as u32;
        for (name, weight, action) in ACTIONS {
            if choice < weight {
                action(self)?;
                *self.counts.entry(name).or_default() += 1;
                break;
            }
            choice -= weight;
        }
        // The next instant is as random as the action; nothing waits for anything by this.
        let until = Instant::now() + Duration::from_millis(20 + self.random.below(150));
        while Instant::now() < until {
            self.end_what_is_over(Instant::now());
            std::thread::sleep(Duration::from_millis(2));
        }
        Ok(())
    }

    fn end_what_is_over(&mut self, now: Instant) {
        let over: Vec<(Instant, Victim)> = self.victims.extract_if(.., |(until, _)| *until <= now).collect();
        over.into_iter().for_each(|(_, victim)| victim.kill());
        if let Some((_, survivor, since)) = self.stopped.take_if(|(until, ..)| *until <= now) {
            let _ = kill(survivor, Signal::SIGCONT);
            self.reasons.push((since, saltus::monotonic_now()));
        }
        if let Some((_, since)) = self.full.take_if(|(until, _)| *until <= now) {
            let _ = fs::remove_file(self.filler());
            self.reasons.push((since, saltus::monotonic_now()));
        }
    }

    fn add(&mut self, victim: Victim, most_ms: u64) {
        let until = Instant::now() + Duration::from_millis(self.random.below(most_ms + 1));
        self.victims.push((until, victim));
        if self.victims.len() > VICTIMS {
            self.victims.remove(0).1.kill();
        }
    }

    /// Starts an actor that is killed after so many milliseconds at the most, or while it starts.
    fn start_actor(&mut self, role: &[&str], most_ms: u64) -> Result<(), Error> {
        self.number += 1;
        let number = self.number.to_string();
        let mut command = self.stage.command(&self.actor, &[role, &[&*number]].concat());
        let child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        self.add(Victim::Child(child), most_ms);
        Ok(())
    }

    /// Starts a member and tells it what to do; it is killed some time later.
    fn told_member(&mut self, commands: &[&str]) -> Result<(), Error> {
        self.number += 1;
        let mut command = self.stage.command(&self.actor, &["member", &format!("victim_{}", self.number)]);
        let mut member = Actor::start(command.stderr(Stdio::null()));
        commands.iter().for_each(|line| member.tell(line));
        self.add(Victim::Actor(member), 300);
        Ok(())
    }

    fn start_python(&mut self) -> Result<(), Error> {
        let Some(python) = &self.python else { return Ok(()) };
        let way = PYTHON_WAYS[self.random.below(PYTHON_WAYS.len() as u64) as usize];
        let words = [&source("victim.py"), way, &*self.copy.to_string_lossy()].map(str::to_owned);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut command = self.stage.command(&python.to_string_lossy(), &words);
        let child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        // It takes a while to start.
        self.add(Victim::Child(child), 2500);
        Ok(())
    }

    /// Starts a member that must see all survivors, whatever happened to their files.
    fn join_late(&mut self) -> Result<(), Error> {
        if self.full.is_some() || self.stopped.is_some() {
            return Ok(());
        }
        self.number += 1;
        let name = format!("late_{}", self.number);
        let mut command = self.stage.command(&self.actor, &["member", &name]);
        let mut late = Actor::start(command.stderr(Stdio::null()));
        let ready = late.line();
        let begun = Instant::now();
        let names: Vec<&str> = self.survivors.iter().map(|(name, _)| &**name).collect();
        let sees = late.ask(&format!("see {}", names.join(" ")));
        if ready != "ready" || sees != "sees all" || begun.elapsed() > MEETING {
            self.faults.push(format!("{name} said {ready:?}, and {sees:?} after {:?}", begun.elapsed()));
        }
        late.tell("leave");
        if late.line() != "left" {
            self.faults.push(format!("{name} did not leave"));
        }
        Ok(())
    }

    fn stop_a_survivor(&mut self) -> Result<(), Error> {
        if self.stopped.is_none() {
            let (_, survivor) = self.survivors[self.random.below(self.survivors.len() as u64) as usize];
            let since = saltus::monotonic_now();
            kill(survivor, Signal::SIGSTOP)?;
            let until = Instant::now() + Duration::from_millis(20 + self.random.below(600));
            self.stopped = Some((until, survivor, since));
        }
        Ok(())
    }

    /// The folders of members, whoever's they are.
    fn folders(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.stage.folder()).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).filter(|path| path.is_dir() && !path.is_symlink()).collect()
    }

    fn remove_a_file(&mut self) -> Result<(), Error> {
        let files =
            self.folders().into_iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten();
        let files: Vec<PathBuf> = files.map(|entry| entry.path()).collect();
        if !files.is_empty() {
            // Somebody may have removed it meanwhile.
            let _ = fs::remove_file(&files[self.random.below(files.len() as u64) as usize]);
        }
        Ok(())
    }

    fn wipe_the_folder(&mut self) -> Result<(), Error> {
        self.folders().iter().for_each(|folder| drop(fs::remove_dir_all(folder)));
        Ok(())
    }

    /// Another user takes names that members use, and the same user puts nonsense beside their files.
    fn put_hostile_files(&mut self) -> Result<(), Error> {
        let usual = self.stage.folder().join("saltus.v2.0");
        let name = usual.display();
        let script = match self.random.below(4) {
            0 => format!("mkfifo {name}"),
            1 => format!("mkdir -m 777 {name}"),
            2 => format!("rm -r {name}; ln -s /etc {name}"),
            _ => format!("rm -r {name}* {name}/*; truncate -s 0 {name}/*; mv {name} {name}-away"),
        };
        let mut nobody = Command::new("setpriv");
        nobody.args([format!("--reuid={NOBODY}"), format!("--regid={NOBODY}"), "--clear-groups".into()]);
        // Most of it must fail.
        nobody.args(["sh", "-c", &script]).stderr(Stdio::null()).status()?;
        for folder in self.folders().into_iter().filter(|folder| is_own(folder)) {
            let id = self.random.below(u64::MAX);
            match self.random.below(3) {
                0 => drop(fs::write(folder.join(format!("0.{id:016x}")), "nonsense")),
                1 => drop(symlink("/dev/zero", folder.join(format!("0.{id:016x}")))),
                _ => drop(Command::new("mkfifo").arg(folder.join(format!("0.{id:016x}.0"))).status()?),
            }
        }
        Ok(())
    }

    fn filler(&self) -> PathBuf {
        self.stage.folder().join("filler")
    }

    fn fill_memory(&mut self) -> Result<(), Error> {
        if self.full.is_none() {
            let since = saltus::monotonic_now();
            let until = Instant::now() + Duration::from_millis(20 + self.random.below(200));
            self.full = Some((until, since));
            let file = format!("of={}", self.filler().display());
            Command::new("dd").args(["if=/dev/zero", &file, "bs=1M"]).stderr(Stdio::null()).status()?;
        }
        Ok(())
    }

    /// What was done how often.
    pub(crate) fn counts(&self) -> String {
        let counts: Vec<String> = self.counts.iter().map(|(name, count)| format!("{name} {count}")).collect();
        counts.join(", ")
    }

    /// Ends everything that goes on. What was done, the reasons of pauses, and what was wrong.
    pub(crate) fn end(mut self) -> (String, Vec<Interval>, Vec<String>) {
        let later = Instant::now() + Duration::from_secs(3600);
        self.end_what_is_over(later);
        remove_nonsense(self.stage.folder());
        (self.counts(), self.reasons, self.faults)
    }
}

fn is_own(folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    fs::symlink_metadata(folder).is_ok_and(|meta| meta.uid() == 0)
}

/// Removes what hostile users have put in the way, which is not Saltus's to remove.
fn remove_nonsense(stage: &Path) {
    for entry in fs::read_dir(stage).into_iter().flatten().flatten() {
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
