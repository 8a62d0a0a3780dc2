//! A description of the machine. It is reported together with the figures.

use std::{fs, process::Command, time::UNIX_EPOCH};

use serde::Serialize;

use crate::{Options, Scenario};

/// The machine that a run was made on.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Machine {
    pub(crate) cpu: String,
    pub(crate) cpus: usize,
    pub(crate) memory_mb: u64,
    pub(crate) kernel: String,
    pub(crate) system: String,
    /// Which CPUs share a core with CPU 0, as the kernel lists them.
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

/// How a run was made.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Provenance {
    /// The commit of the working tree, with `+` if the tree was changed; empty if there is no working tree.
    pub(crate) commit: String,
    pub(crate) arguments: Vec<String>,
    pub(crate) runs: usize,
    pub(crate) iterations: u64,
    /// What each run consists of, in words.
    pub(crate) of: String,
    pub(crate) seconds: u64,
    pub(crate) paces: Vec<String>,
    /// How `n` is computed: it is the sum over the runs, while other figures are medians.
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
            arguments: std::env::args().skip(1).collect(),
            runs: options.runs,
            iterations: options.iterations,
            of: match options.scenario {
                Scenario::Action => "as many goals as is said".into(),
                Scenario::Timer => "as many time-outs as is said".into(),
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
        let at_most =
            if self.seconds == 0 { String::new() } else { format!(", at most {} s each", self.seconds) };
        format!(
            "saltus {} at commit {}; medians of {} interleaved runs of {}{at_most}",
            self.arguments.join(" "),
            self.commit,
            self.runs,
            self.of,
        )
    }
}

/// Returns what follows a word at the beginning of a line.
fn field(text: &str, word: &str) -> String {
    text.lines().find_map(|line| line.strip_prefix(word)).unwrap_or("unknown").trim().to_owned()
}

/// Returns the day of a time since the epoch, by the proleptic Gregorian calendar.
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
    fn days_are_those_of_the_calendar() {
        assert_eq!(date(0), "1970-01-01");
        assert_eq!(date(951_782_400), "2000-02-29");
        assert_eq!(date(1_735_689_599), "2024-12-31");
        assert_eq!(date(1_735_689_600), "2025-01-01");
    }
}
