//! What the machine is, so that no figure stands without it.

use std::{fs, time::UNIX_EPOCH};

use serde::Serialize;

/// The machine that a run was made on.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Machine {
    pub(crate) cpu: String,
    pub(crate) cpus: usize,
    pub(crate) memory_mb: u64,
    pub(crate) kernel: String,
    pub(crate) system: String,
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

/// What follows a word at the beginning of a line.
fn field(text: &str, word: &str) -> String {
    text.lines().find_map(|line| line.strip_prefix(word)).unwrap_or("unknown").trim().to_owned()
}

/// The day of a time since the epoch, by the proleptic Gregorian calendar.
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
