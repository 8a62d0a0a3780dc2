//! The benchmark of actions: the published workload, with one goal at a time and with many.

use std::{path::Path, time::Duration};

use crate::{
    error::RunError,
    interrupt,
    options::{Options, Pace},
    peer::{Peer, rows},
    progress::Progress,
    published::one_by_one,
    report::Report,
    run::{Cell, ping_pong, prepared, report},
};

/// The numbers of goals that are sent one by one.
const ONE_BY_ONE: [u64; 3] = [200, 1000, 2000];
/// The numbers of goals that the asynchronous client sends.
const MANY: [u64; 3] = [200, 400, 1000];
/// With all goals at once, the number of goals is doubled until some are lost, or until a run takes half of this time.
/// This limit exists because the time of a single goal can be recorded only up to 4.29 s.
const LONGEST: Duration = Duration::from_secs(2);
/// The largest number of goals.
const MOST: u64 = 256_000;

/// Returns the free space on the memory file system, in bytes. Goals and their results may take half of it.
fn free_bytes() -> u64 {
    rustix::fs::statvfs("/dev/shm").map_or(0, |system| system.f_bavail * system.f_frsize)
}

/// The published figures, and the figures of ROS 2 on a machine of this class. They are printed with the measured
/// figures.
const CONTEXT: &str = "
rows of more than 1,000 goals at once: one run each, measured after all other rows
for comparison, not measured here:
  Segar as published (V0.9.0 or V2.0.0, Ubuntu 22.04, x86, 16 or 28 cores), one goal at a time: mean 0.234 ms (64 B, 200), 4.40 ms (1 MB, 200), 4.32 ms (1 MB, 2,000)
  ROS 2 Humble, as published there: mean 0.370 ms (64 B, 200), 6.55 ms (1 MB, 200), 7.89 ms (1 MB, 1,000)
  ROS 2 Jazzy on 2 vCPUs (Debian 12, Fast DDS, Cyclone DDS, zenoh): mean 0.22 to 1.2 ms (64 B), 3.1 to 9.5 ms (1 MB; tuned 2.4 to 3.3 ms)
  the same, 1,000 goals of 64 B at once, services that keep the last 10 (the default): 12 to 16 goals succeeded
";

/// Returns the name of the scenario with `count` goals, of which several are outstanding at a time.
fn many_at_once(count: u64) -> String {
    format!("action: {count} goals many at once")
}

/// Runs the benchmark of actions. Reports it on the terminal and in files.
pub(crate) fn run_action(options: &Options) -> Result<(), RunError> {
    let peers = prepared(options, || rows(options))?;
    let (many, sync): (Vec<Peer>, Vec<Peer>) = peers.iter().cloned().partition(|peer| peer.many);
    report(options, &peers, |folder, report| {
        report.context = CONTEXT.into();
        ActionBench { options, folder, report }.measure(&sync, &many)
    })
}

struct ActionBench<'a> {
    options: &'a Options,
    folder: &'a Path,
    report: &'a mut Report,
}

impl ActionBench<'_> {
    fn measure(&mut self, sync: &[Peer], many: &[Peer]) -> Result<(), RunError> {
        let here = |peers: &[Peer]| -> Vec<Peer> {
            peers.iter().filter(|peer| peer.available.is_ok()).cloned().collect()
        };
        let (sync, many) = (here(sync), here(many));
        let cells = self.options.pins.len() * self.options.sizes.len() * self.options.runs;
        let rows = ONE_BY_ONE.len() * sync.len() + MANY.len() * many.len();
        let mut progress = Progress::new(cells * rows);
        for run in 0..self.options.runs {
            for count in ONE_BY_ONE {
                self.round(&one_by_one(count), count, run, &sync, &mut progress)?;
            }
            for count in MANY {
                self.round(&many_at_once(count), count, run, &many, &mut progress)?;
            }
        }
        let all: Vec<Peer> = many.into_iter().filter(|peer| peer.mode.contains("all")).collect();
        self.find_most(&all, &mut progress)?;
        progress.end();
        Ok(())
    }

    /// Measures each row once, at each size and placement.
    fn round(
        &mut self,
        scenario: &str,
        count: u64,
        run: usize,
        peers: &[Peer],
        progress: &mut Progress,
    ) -> Result<(), RunError> {
        for pin in self.options.pins.clone() {
            for size in self.options.sizes.clone() {
                let (last, first) = peers.split_at(run % peers.len().max(1));
                for peer in first.iter().chain(last) {
                    let cell = Cell { pace: Pace::FullSpeed, pin, size };
                    self.one(scenario, count, peer, cell, progress)?;
                }
            }
        }
        Ok(())
    }

    /// Measures a row. Returns whether all goals succeeded, and fast enough to double their number.
    fn one(
        &mut self,
        scenario: &str,
        count: u64,
        peer: &Peer,
        cell: Cell,
        progress: &mut Progress,
    ) -> Result<bool, RunError> {
        let key = cell.key(peer, scenario);
        progress.step(&key);
        let options = Options { iterations: count, ..self.options.clone() };
        let outcome = ping_pong(peer, cell, &options, self.folder);
        interrupt::check()?;
        let soon = |wall_ns: u64| wall_ns < LONGEST.as_nanos() as u64 / 2;
        let whole = outcome.as_ref().is_ok_and(|recorded| recorded.lost == 0 && soon(recorded.wall_ns));
        self.report.add(key, outcome);
        Ok(whole)
    }

    /// Doubles the number of goals at once, until some goals are lost or a goal takes too long to be recorded.
    fn find_most(&mut self, peers: &[Peer], progress: &mut Progress) -> Result<(), RunError> {
        for peer in peers {
            for pin in self.options.pins.clone() {
                for size in self.options.sizes.clone() {
                    let mut count = MANY[MANY.len() - 1] * 2;
                    while count <= MOST && 4 * count * size as u64 <= free_bytes() {
                        let scenario = many_at_once(count);
                        let cell = Cell { pace: Pace::FullSpeed, pin, size };
                        if !self.one(&scenario, count, peer, cell, progress)? {
                            break;
                        }
                        count *= 2;
                    }
                }
            }
        }
        Ok(())
    }
}
