//! The costs of processes.

use std::time::Instant;

use procfs::process::Process;

use super::types::Repetition;
use crate::error::RunError;

/// Samples the cost of some processes, as `psutil` does.
pub(super) struct Sampler {
    processes: Vec<Process>,
    /// The CPU times at the last sample, in ticks, and its time.
    last: (Vec<u64>, Instant),
    /// CPU in %, memory in %, RSS, PSS and USS in MiB: sums over the processes.
    samples: Vec<[f64; 5]>,
    total_memory: f64,
}

const MIB: f64 = 1024.0 * 1024.0;

fn failed(error: &procfs::ProcError) -> RunError {
    RunError::Failed("a process of the stack".into(), error.to_string())
}

impl Sampler {
    pub(super) fn new(pids: &[i32]) -> Result<Self, RunError> {
        use procfs::Current;
        let processes: Result<Vec<Process>, _> = pids.iter().map(|pid| Process::new(*pid)).collect();
        let memory = procfs::Meminfo::current().map_err(|error| failed(&error))?;
        Ok(Self {
            processes: processes.map_err(|error| failed(&error))?,
            last: (Vec::new(), Instant::now()),
            samples: Vec::new(),
            total_memory: memory.mem_total as f64,
        })
    }

    fn ticks(&self) -> Result<Vec<u64>, RunError> {
        let ticks = |process: &Process| process.stat().map(|stat| stat.utime + stat.stime);
        self.processes.iter().map(|process| ticks(process).map_err(|error| failed(&error))).collect()
    }

    /// Starts the first interval.
    pub(super) fn prime(&mut self) -> Result<(), RunError> {
        self.last = (self.ticks()?, Instant::now());
        Ok(())
    }

    /// Adds a sample.
    pub(super) fn sample(&mut self) -> Result<(), RunError> {
        let (ticks, now) = (self.ticks()?, Instant::now());
        let used: u64 = ticks.iter().zip(&self.last.0).map(|(now, before)| now.saturating_sub(*before)).sum();
        let seconds = now.duration_since(self.last.1).as_secs_f64();
        let cpu = used as f64 / procfs::ticks_per_second() as f64 / seconds * 100.0;
        self.last = (ticks, now);
        let [mut rss, mut pss, mut uss] = [0.0; 3];
        for process in &self.processes {
            let rollup = process.smaps_rollup().map_err(|error| failed(&error))?;
            let Some(all) = rollup.memory_map_rollup.into_iter().next() else { continue };
            let part = |name: &str| all.extension.map.get(name).copied().unwrap_or(0) as f64;
            rss += part("Rss");
            pss += part("Pss");
            uss += part("Private_Clean") + part("Private_Dirty");
        }
        // The first one comes too early to say anything about the CPU, as `psutil` counts from the call before.
        self.samples.push([cpu, rss / self.total_memory * 100.0, rss / MIB, pss / MIB, uss / MIB]);
        Ok(())
    }

    /// Sets the means over the samples.
    pub(super) fn means(&self, result: &mut Repetition) {
        let mean = |part: usize| {
            self.samples.iter().map(|sample| sample[part]).sum::<f64>() / self.samples.len().max(1) as f64
        };
        result.samples = self.samples.len();
        (result.cpu, result.memory, result.rss, result.pss, result.uss) =
            (mean(0), mean(1), mean(2), mean(3), mean(4));
    }
}
