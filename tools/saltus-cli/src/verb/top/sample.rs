//! The state of all processes of the domain at one moment.

use std::{collections::BTreeMap, time::Instant};

use procfs::process::Process;
use saltus::graph::Report;
use saltus_container::{PYTHON_PROGRAM, Role};
use saltus_launcher::pss;

use saltus_verb::{error::Error, graph, packages::COMPONENTS, programs::first_word};

/// A report of the domain, and what the kernel says about its processes.
pub(super) struct Sample {
    pub(super) at: Instant,
    pub(super) report: Report,
    /// By the ids of processes in the domain. Those that can't be seen from here are missing.
    pub(super) processes: BTreeMap<u64, SampledProcess>,
}

/// A process, with the kernel's figures about it.
pub(super) struct SampledProcess {
    pub(super) pid: i32,
    pub(super) parent: i32,
    pub(super) program: String,
    /// In bytes; `None` if the process belongs to another user.
    pub(super) pss: Option<u64>,
    /// The number of times that a container has started it again.
    pub(super) restarts: Option<u64>,
    /// The name of each thread and its CPU time in seconds, by its id.
    pub(super) threads: BTreeMap<i32, (String, f64)>,
}

impl Sample {
    /// Reads the domain and its processes, without the process with the id `own`.
    pub(super) fn take(own: u64) -> Result<Self, Error> {
        let mut report = graph::report()?;
        report.processes.retain(|process| process.id != own);
        let at = Instant::now();
        // The descriptors are only known of processes that are visible from here.
        let visible = report.processes.iter().filter(|process| process.descriptors.is_some());
        let sampled = visible.filter_map(|process| {
            // A process that has just ended is left out.
            Some((process.id, SampledProcess::read(process.pid.try_into().ok()?).ok()?))
        });
        Ok(Self { at, processes: sampled.collect(), report })
    }
}

impl SampledProcess {
    fn read(pid: i32) -> procfs::ProcResult<Self> {
        let process = Process::new(pid)?;
        let stat = process.stat()?;
        // The times of threads are in nanoseconds. The time of the process is only known in ticks of 10 ms.
        let threads = process.tasks()?.flatten().filter_map(|task| {
            let seconds = task.schedstat().ok()?.sum_exec_runtime as f64 / 1e9;
            Some((task.tid, (task.stat().ok()?.comm, seconds)))
        });
        Ok(Self {
            pid,
            parent: stat.ppid,
            pss: pss(&process),
            restarts: restarts(&process.cmdline().unwrap_or_default()),
            threads: threads.collect(),
            program: stat.comm,
        })
    }
}

/// Returns the number of restarts from the command line of a component's process.
fn restarts(words: &[String]) -> Option<u64> {
    let role = match words {
        [program, role @ ..] if program.ends_with("/container") => role,
        // `saltus-robot`, which contains components, too.
        [_, version, components, role @ ..] if *version == first_word() && components == COMPONENTS => role,
        [_, _, module, role @ ..] if module == PYTHON_PROGRAM[2] => role,
        _ => return None,
    };
    match Role::parse(role) {
        Ok(Role::Worker { restarts, .. }) => Some(restarts),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_restarts_are_read_from_the_words_of_a_container() {
        let role = Role::Worker { threads: 1, restarts: 4 }.words();
        let python = PYTHON_PROGRAM.map(str::to_owned).to_vec();
        let robot = vec!["/opt/saltus-robot".to_owned(), first_word(), COMPONENTS.to_owned()];
        for program in [vec!["/opt/lib/saltus/1/container".to_owned()], robot, python] {
            assert_eq!(restarts(&[program, role.clone()].concat()), Some(4));
        }
        assert_eq!(restarts(&[vec!["tool".to_owned()], role].concat()), None);
    }

    #[test]
    fn this_process_can_be_sampled() {
        let sampled = SampledProcess::read(std::process::id().try_into().unwrap()).unwrap();
        assert!(sampled.pss.is_some_and(|pss| pss > 100_000), "{:?}", sampled.pss);
        assert!(sampled.threads.contains_key(&sampled.pid));
    }
}
