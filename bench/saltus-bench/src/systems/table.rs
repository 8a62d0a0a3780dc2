//! Runs a setup once, and writes medians of several runs as rows.

use std::{fs, path::Path};

use saltus::time::monotonic_now;

use super::{
    cost::{Cost, with_children},
    figures::Figures,
    measured::Measured,
    setup::Setup,
    subject::Subject,
};
use crate::{error::RunError, interrupt};

/// The time for which a system runs before it is measured, in nanoseconds. The first messages need memory that is not
/// there yet, and the nodes of a peer may still connect.
const SETTLING: u64 = 500_000_000;
/// The time for which a system runs after it was measured, in nanoseconds, so that its end is no part of the
/// measurement.
const REST: u64 = 200_000_000;

/// The results of one run.
#[derive(Clone, Debug, Default)]
pub(super) struct Outcome {
    pub(super) figures: Figures,
    /// The CPU time is that of one second.
    pub(super) cost: Cost,
    pub(super) seconds: f64,
    /// Seconds from the start of the first process until all publishers and subscriptions are connected. `NaN` for a
    /// peer: the program that observes its graph has to find it first.
    pub(super) start: f64,
}

/// Runs a system once, and measures it for some seconds.
pub(super) fn measure(subject: Subject, setup: &Setup<'_>, seconds: f64) -> Result<Outcome, RunError> {
    let begun = monotonic_now();
    let running = subject.start(setup)?;
    let start = if subject.is_peer() { f64::NAN } else { (monotonic_now() - begun) as f64 / 1e9 };
    interrupt::sleep_until(monotonic_now() + SETTLING)?;
    let pids = with_children(running.roots());
    // Reading the costs takes some time, the same each time.
    let before_at = monotonic_now();
    let before = Cost::of(&pids)?;
    let from = monotonic_now();
    interrupt::sleep_until(from + (seconds * 1e9) as u64)?;
    let to = monotonic_now();
    let mut cost = Cost::of(&pids)?;
    cost.cpu = (cost.cpu - before.cpu) / ((to - before_at) as f64 / 1e9);
    interrupt::sleep_until(monotonic_now() + REST)?;
    running.end()?;
    let figures = Figures::read(setup.system, setup.files, (from, to))?;
    Ok(Outcome { figures, cost, seconds: (to - from) as f64 / 1e9, start })
}

/// The outcomes of the runs of a row. If a run of a peer fails, `failure` says why.
#[derive(Clone, Debug)]
pub(super) struct Outcomes<O> {
    pub(super) runs: Vec<O>,
    failure: Option<String>,
}

/// Measures each of `subjects` several times. Each run begins with another subject. `once` gets the number of the run
/// and that of the subject. If Saltus fails, all ends; if a peer fails, its other runs are left out.
pub(super) fn interleave<O>(
    runs: usize,
    subjects: &[impl Measured],
    mut once: impl FnMut(usize, usize) -> Result<O, RunError>,
) -> Result<Vec<Outcomes<O>>, RunError> {
    let count = subjects.len();
    let mut outcomes: Vec<_> = (0..count).map(|_| Outcomes { runs: Vec::new(), failure: None }).collect();
    for run in 0..runs {
        for row in (0..count).map(|turn| (run + turn) % count) {
            if outcomes[row].failure.is_some() {
                continue;
            }
            match once(run, row) {
                Ok(outcome) => outcomes[row].runs.push(outcome),
                Err(error @ (RunError::Failed(..) | RunError::Start(..))) if subjects[row].is_peer() => {
                    let failure = Some(format!("failed in run {}: {error}", run + 1));
                    outcomes[row] = Outcomes { runs: Vec::new(), failure };
                }
                Err(error) => return Err(error),
            }
        }
    }
    Ok(outcomes)
}

/// Returns a line for each peer that has failed.
pub(super) fn failures<O>(subjects: &[impl Measured], outcomes: &[Outcomes<O>]) -> String {
    let mut text = String::new();
    for (subject, outcomes) in subjects.iter().zip(outcomes) {
        if let Some(failure) = &outcomes.failure {
            text += &format!("\n{} {failure}\n", subject.name());
        }
    }
    text
}

/// Makes tables that Ctrl-C may interrupt, and writes them into a folder, if there is one.
pub(super) fn run(
    tables: impl FnOnce() -> Result<String, RunError>,
    out: Option<&Path>,
) -> Result<(), RunError> {
    interrupt::install_handler()?;
    let result = tables();
    interrupt::check()?;
    let text = result?;
    let Some(out) = out else { return Ok(()) };
    let written = fs::create_dir_all(out).and_then(|()| fs::write(out.join("table.md"), &text));
    written.map_err(|error| RunError::Start(out.display().to_string(), error))
}

/// A column of a table: its head, and its value.
pub(super) type Column<O = Outcome> = (&'static str, fn(&O) -> f64, usize);

/// The cost of each process. Memory is in 10^6 bytes, CPU time in percent of one CPU.
pub(super) const COSTS: [Column; 7] = [
    ("CPU %", |outcome| outcome.cost.cpu * 100.0, 2),
    ("RSS MB", |outcome| outcome.cost.rss as f64 / 1e6, 1),
    ("PSS MB", |outcome| outcome.cost.pss as f64 / 1e6, 1),
    ("USS MB", |outcome| outcome.cost.uss as f64 / 1e6, 1),
    ("threads", |outcome| outcome.cost.threads as f64, 0),
    ("fds", |outcome| outcome.cost.descriptors as f64, 0),
    ("start ms", |outcome| outcome.start * 1e3, 0),
];

/// When messages arrive, in microseconds, and what is lost.
pub(super) const LATENCIES: [Column; 6] = [
    ("p50 µs", |outcome| outcome.figures.latency(0.5), 1),
    ("p90 µs", |outcome| outcome.figures.latency(0.9), 1),
    ("p99 µs", |outcome| outcome.figures.latency(0.99), 1),
    ("max µs", |outcome| outcome.figures.latency(1.0), 0),
    ("mean µs", |outcome| outcome.figures.mean(), 1),
    ("lost", |outcome| outcome.figures.lost as f64, 0),
];

/// The number of messages that the ends receive per second.
pub(super) const RATE: Column = ("messages/s", |outcome| outcome.figures.ends() as f64 / outcome.seconds, 0);

/// From a source to the ends of the system, in microseconds.
pub(super) const AGES: [Column; 3] = [
    ("end to end p50 µs", |outcome| outcome.figures.age(0.5), 1),
    ("p99 µs", |outcome| outcome.figures.age(0.99), 1),
    ("max µs", |outcome| outcome.figures.age(1.0), 0),
];

/// The lateness of messages.
pub(super) const LATENESS: [Column; 3] = [
    ("messages", |outcome| outcome.figures.received as f64, 0),
    ("late %", |outcome| outcome.figures.percent(outcome.figures.late), 3),
    ("too late %", |outcome| outcome.figures.percent(outcome.figures.too_late), 4),
];

/// Returns the head of a table.
pub(super) fn head<O>(names: &[&str], columns: &[Column<O>]) -> String {
    let heads: Vec<&str> = names.iter().copied().chain(columns.iter().map(|(head, ..)| *head)).collect();
    format!("| {} |\n|{}\n", heads.join(" | "), "---|".repeat(heads.len()))
}

/// Returns a row with the medians of several runs.
pub(super) fn row<O>(names: &[&str], columns: &[Column<O>], outcomes: &[O]) -> String {
    let cell = |(_, value, digits): &Column<O>| {
        let median = median(outcomes.iter().map(value));
        if median.is_nan() { "-".into() } else { format!("{median:.digits$}") }
    };
    let cells: Vec<String> =
        names.iter().map(|name| (*name).to_owned()).chain(columns.iter().map(cell)).collect();
    format!("| {} |\n", cells.join(" | "))
}

/// Returns the median; `NaN` if there is no value in one of the runs.
fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    match (values.len(), values.last()) {
        (0, _) => f64::NAN,
        (_, Some(last)) if last.is_nan() => f64::NAN,
        (count, _) => f64::midpoint(values[(count - 1) / 2], values[count / 2]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_median_is_in_the_middle_of_all_runs() {
        assert_eq!(median([3.0, 1.0, 2.0].into_iter()), 2.0);
        assert_eq!(median([1.0, 4.0].into_iter()), 2.5);
        assert!(median([].into_iter()).is_nan());
        assert!(median([1.0, f64::NAN].into_iter()).is_nan());
    }
}
