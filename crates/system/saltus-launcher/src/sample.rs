//! The CPU time and the memory of processes, for the live table.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use procfs::process::Process;

/// The interval at which the CPU time is read.
const CPU_PERIOD: Duration = Duration::from_secs(1);
/// The number of these periods after which the memory is read. Reading it takes up to a millisecond for each process.
const MEMORY_PERIODS: u32 = 5;

/// The CPU time and the memory of a process.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Usage {
    /// The CPU time since its start in seconds.
    time: f64,
    /// In percent of one CPU.
    pub(crate) cpu: Option<f64>,
    /// In bytes.
    pub(crate) pss: Option<u64>,
}

/// The usage of processes, by their numbers.
#[derive(Debug)]
pub(crate) struct Samples {
    usage: BTreeMap<i32, Usage>,
    at: Instant,
    count: u32,
}

impl Samples {
    pub(crate) fn new() -> Self {
        Self { usage: BTreeMap::new(), at: Instant::now(), count: 0 }
    }

    pub(crate) fn of(&self, pid: i32) -> Usage {
        self.usage.get(&pid).copied().unwrap_or_default()
    }

    /// Returns the time until the next read.
    pub(crate) fn due_in(&self) -> Duration {
        CPU_PERIOD.saturating_sub(self.at.elapsed())
    }

    /// Reads the usage of processes, if it is time to. Returns whether it was.
    pub(crate) fn update(&mut self, pids: impl Iterator<Item = i32>) -> bool {
        let elapsed = self.at.elapsed();
        if elapsed < CPU_PERIOD {
            return false;
        }
        self.at = Instant::now();
        let reads_memory = self.count.is_multiple_of(MEMORY_PERIODS);
        self.count += 1;
        let old = std::mem::take(&mut self.usage);
        for pid in pids {
            let Ok(process) = Process::new(pid) else { continue };
            let before = old.get(&pid).copied();
            let time = cpu_time(&process);
            let cpu = before
                .zip(time)
                .map(|(before, time)| (time - before.time).max(0.0) / elapsed.as_secs_f64() * 100.0);
            let is_new = before.is_none();
            let pss =
                if reads_memory || is_new { pss(&process) } else { before.and_then(|before| before.pss) };
            self.usage.insert(pid, Usage { time: time.unwrap_or_default(), cpu, pss });
        }
        true
    }
}

/// Returns the CPU time of all threads that run now, in seconds.
fn cpu_time(process: &Process) -> Option<f64> {
    let times = process.tasks().ok()?.flatten().filter_map(|task| task.schedstat().ok());
    Some(times.map(|time| time.sum_exec_runtime as f64 / 1e9).sum())
}

/// Returns the proportional set size of a process in bytes; `None` if it belongs to another user.
pub fn pss(process: &Process) -> Option<u64> {
    process.smaps_rollup().ok()?.memory_map_rollup.0.first()?.extension.map.get("Pss").copied()
}
