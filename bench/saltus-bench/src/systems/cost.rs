//! The costs of processes: CPU time, memory, threads, file descriptors.

use procfs::{ProcError, ProcResult, process::Process};

use crate::error::RunError;

/// The cost of several processes together.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cost {
    /// Seconds of CPU time since the processes began.
    pub(super) cpu: f64,
    /// Bytes of RAM, where memory that processes share counts for each of them.
    pub(super) rss: u64,
    /// Bytes of RAM, where memory that processes share is divided among them.
    pub(super) pss: u64,
    /// Bytes of RAM that only one process has.
    pub(super) uss: u64,
    pub(super) threads: u64,
    pub(super) descriptors: usize,
}

impl Cost {
    /// Adds up the costs of processes.
    pub(super) fn of(pids: &[i32]) -> Result<Self, RunError> {
        let mut sum = Self::default();
        for pid in pids {
            sum.add(*pid).map_err(|error| RunError::Failed(format!("process {pid}"), error.to_string()))?;
        }
        Ok(sum)
    }

    fn add(&mut self, pid: i32) -> ProcResult<()> {
        let process = Process::new(pid)?;
        let stat = process.stat()?;
        // A kernel without these times must not count as no time.
        process.schedstat()?;
        // In nanoseconds. A thread that has ended is not in it, but the measured processes start none meanwhile.
        let running: u64 = process
            .tasks()?
            .flatten()
            .filter_map(|task| task.schedstat().ok())
            .map(|s| s.sum_exec_runtime)
            .sum();
        self.cpu += running as f64 / 1e9;
        self.threads += stat.num_threads.unsigned_abs();
        self.descriptors += process.fd_count()?;
        let rollup = process.smaps_rollup()?;
        let missing = || ProcError::Incomplete(None);
        let map = &rollup.memory_map_rollup.0.first().ok_or_else(missing)?.extension.map;
        let of = |name: &str| map.get(name).copied().ok_or_else(missing);
        self.rss += of("Rss")?;
        self.pss += of("Pss")?;
        self.uss += of("Private_Clean")? + of("Private_Dirty")?;
        Ok(())
    }
}

/// Returns these processes and all that they have started.
pub(crate) fn with_children(roots: impl Iterator<Item = u32>) -> Vec<i32> {
    let mut all: Vec<i32> = roots.filter_map(|pid| i32::try_from(pid).ok()).collect();
    let mut index = 0;
    while let Some(pid) = all.get(index) {
        let tasks = Process::new(*pid).and_then(|process| process.tasks());
        let children =
            tasks.into_iter().flatten().flatten().filter_map(|task| task.children().ok()).flatten();
        let children: Vec<i32> = children.filter_map(|pid| i32::try_from(pid).ok()).collect();
        all.extend(children);
        index += 1;
    }
    all
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn children_and_their_costs_are_found() {
        let mut child = Command::new("sleep").arg("60").spawn().unwrap();
        let pids = with_children([std::process::id()].into_iter());
        assert!(pids.contains(&(child.id() as i32)));
        let cost = Cost::of(&pids).unwrap();
        assert!(cost.cpu > 0.0 && cost.threads >= 2 && cost.rss >= cost.pss && cost.pss >= cost.uss);
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
