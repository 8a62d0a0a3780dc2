//! A description of the machine. It is part of every report.

use std::{fs, process::Command, time::UNIX_EPOCH};

use saltus_verb::programs::without_first_word;
use serde::Serialize;

use crate::options::{Options, Scenario};

/// The machine of a run.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Machine {
    pub(crate) cpu: String,
    pub(crate) cpus: usize,
    pub(crate) memory_mb: u64,
    pub(crate) kernel: String,
    pub(crate) system: String,
    /// The CPUs that share a core with CPU 0, in the format of the kernel.
    pub(crate) siblings_of_cpu_0: String,
    /// The largest socket buffer in bytes (`net.core.rmem_max`), which UDP peers depend on.
    pub(crate) rmem_max: u64,
    /// Seconds since the Unix epoch.
    pub(crate) time: u64,
    /// Year, month and day, UTC.
    pub(crate) date: String,
}

impl Machine {
    pub(crate) fn describe() -> Self {
        let time = UNIX_EPOCH.elapsed().unwrap_or_default().as_secs();
        let read = |path| fs::read_to_string(path).unwrap_or_default();
        let memory = field(&read("/proc/meminfo"), "MemTotal:");
        Self {
            cpu: field(&read("/proc/cpuinfo"), "model name").trim_start_matches(": ").into(),
            cpus: std::thread::available_parallelism().map_or(0, usize::from),
            memory_mb: memory.split(' ').next().and_then(|kb| kb.parse::<u64>().ok()).unwrap_or(0) / 1024,
            kernel: read("/proc/sys/kernel/osrelease").trim().into(),
            system: field(&read("/etc/os-release"), "PRETTY_NAME=").trim_matches('"').into(),
            siblings_of_cpu_0: read("/sys/devices/system/cpu/cpu0/topology/thread_siblings_list")
                .trim()
                .into(),
            rmem_max: read("/proc/sys/net/core/rmem_max").trim().parse().unwrap_or(0),
            time,
            date: date(time),
        }
    }

    pub(crate) fn one_line(&self) -> String {
        format!(
            "{} x {}, {} MB, {}, Linux {}, {}",
            self.cpus, self.cpu, self.memory_mb, self.system, self.kernel, self.date
        )
    }
}

/// The commit and the options of a run.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Provenance {
    /// The commit of the working tree, with `+` if the tree was changed; empty if there is no working tree.
    pub(crate) commit: String,
    /// The arguments of the command, without the options that name files and folders.
    pub(crate) arguments: Vec<String>,
    pub(crate) runs: usize,
    pub(crate) iterations: u64,
    /// The content of each run, as text.
    pub(crate) of: String,
    pub(crate) seconds: u64,
    pub(crate) paces: Vec<String>,
    /// The way in which `n` is computed. It is the sum over the runs, whereas other figures are medians.
    pub(crate) n_is: &'static str,
}

impl Provenance {
    pub(crate) fn describe(options: &Options) -> Self {
        let git = |arguments: &[&str]| {
            let output = Command::new("git").args(arguments).output().ok().filter(|o| o.status.success());
            output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned())
        };
        let changed = git(&["status", "--porcelain", "--untracked-files=no"]).is_some_and(|s| !s.is_empty());
        let commit = git(&["rev-parse", "--short", "HEAD"]).unwrap_or_default();
        Self {
            commit: if changed { commit + "+" } else { commit },
            arguments: without_paths(without_first_word(std::env::args()).into_iter().skip(1)),
            runs: options.runs,
            iterations: options.iterations,
            of: match options.scenario {
                Scenario::Action => "the stated number of goals".into(),
                Scenario::Timer => "the stated number of timeouts".into(),
                Scenario::Topic | Scenario::Service | Scenario::Python => {
                    format!("{} messages", options.iterations)
                }
            },
            seconds: options.seconds,
            paces: options.paces.iter().map(|pace| pace.name()).collect(),
            n_is: "sum over runs",
        }
    }

    pub(crate) fn one_line(&self) -> String {
        let at_commit =
            if self.commit.is_empty() { String::new() } else { format!(" at commit {}", self.commit) };
        let at_most =
            if self.seconds == 0 { String::new() } else { format!(", at most {} s each", self.seconds) };
        format!(
            "saltus {}{at_commit}; medians of {} interleaved runs of {}{at_most}",
            self.arguments.join(" "),
            self.runs,
            self.of,
        )
    }
}

/// Removes the options whose value is a path, because the location of files and folders changes no figure.
fn without_paths(mut arguments: impl Iterator<Item = String>) -> Vec<String> {
    const PATHS: [&str; 3] = ["--out", "--json", "--peers-folder"];
    let mut kept = Vec::new();
    while let Some(argument) = arguments.next() {
        let (option, value) = argument.split_once('=').map_or((&*argument, None), |(o, v)| (o, Some(v)));
        match (PATHS.contains(&option), value) {
            (false, _) => kept.push(argument),
            (true, None) => drop(arguments.next()),
            (true, Some(_)) => {}
        }
    }
    kept
}

/// Returns the text after a word at the beginning of a line.
fn field(text: &str, word: &str) -> String {
    text.lines().find_map(|line| line.strip_prefix(word)).unwrap_or("unknown").trim().to_owned()
}

/// Returns the date of a time since the epoch, in the proleptic Gregorian calendar.
fn date(seconds: u64) -> String {
    let mut days = seconds / 86_400;
    let mut year = 1970;
    loop {
        let length = if is_leap(year) { 366 } else { 365 };
        if days < length {
            break;
        }
        days -= length;
        year += 1;
    }
    let february = if is_leap(year) { 29 } else { 28 };
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    format!("{year}-{month:02}-{:02}", days + 1)
}

const fn is_leap(year: u64) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_with_paths_are_removed_from_the_arguments() {
        let typed = "bench topic --out /tmp/run --runs 5 --peers-folder=bench/peers --pin apart";
        let kept = without_paths(typed.split(' ').map(str::to_owned));
        assert_eq!(kept.join(" "), "bench topic --runs 5 --pin apart");
    }

    #[test]
    fn a_time_is_converted_to_its_date() {
        assert_eq!(date(0), "1970-01-01");
        assert_eq!(date(951_782_400), "2000-02-29");
        assert_eq!(date(1_735_689_599), "2024-12-31");
        assert_eq!(date(1_735_689_600), "2025-01-01");
    }
}
