//! One row of the table.

use serde::Serialize;

/// The figures of one peer, mode, size and placement. The names of the fields are the names in the JSON of the results.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Row {
    pub(crate) scenario: String,
    pub(crate) peer: String,
    pub(crate) version: String,
    pub(crate) mode: String,
    /// The way in which the data is written and read: see [`Key::data`].
    pub(crate) data: String,
    /// The way in which the reader waits: `block`, `adaptive`, `spin`, or in the peer's own way.
    pub(crate) wait: String,
    pub(crate) pin: String,
    pub(crate) pace: String,
    pub(crate) size: usize,
    pub(crate) n: u64,
    pub(crate) lost: u64,
    pub(crate) msg_s: f64,
    /// MiB of data per second in one direction; absent if the data is not touched.
    pub(crate) mb_s: Option<f64>,
    pub(crate) mean_us: f64,
    pub(crate) min_us: f64,
    pub(crate) p50_us: f64,
    pub(crate) p90_us: f64,
    pub(crate) p99_us: f64,
    pub(crate) max_us: f64,
    /// CPU time of all processes per message, if it was measured.
    pub(crate) cpu_us_per_msg: Option<f64>,
    pub(crate) ctxsw_per_msg: Option<f64>,
    /// The share of messages that were taken on the CPU that had sent them, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) same_cpu_share: Option<f64>,
    /// The number of feedback messages that the client received, if the server sends one for each goal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) feedback: Option<u64>,
}

/// The recorded data of one measurement.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recorded {
    /// The time of each message in nanoseconds, in any order.
    pub(crate) nanos: Vec<u32>,
    pub(crate) lost: u64,
    /// The time from the first message to the last, including pauses and losses.
    pub(crate) wall_ns: u64,
    /// The CPU time of all processes, if it was measured.
    pub(crate) cpu_ns: Option<u64>,
    pub(crate) switches: Option<u64>,
    /// Whether all of the data was written and read.
    pub(crate) carried: bool,
    /// The number of messages that were taken on the CPU that had sent them, and the number taken on another CPU.
    pub(crate) cpu_counts: Option<(u64, u64)>,
    /// The number of feedback messages that were received, if the row has feedback.
    pub(crate) feedback: Option<u64>,
    pub(crate) version: String,
}

/// The properties that distinguish a row from all other rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) scenario: String,
    pub(crate) peer: String,
    pub(crate) mode: String,
    /// The way in which the data is written and read. `owned`: a value is published, and an owned value is received.
    /// `in place`: the data is written to the memory that the reader reads from, and is not copied. `untouched`: same
    /// as `in place`, but only the two stamps are written and read. Empty if no data is exchanged.
    pub(crate) data: String,
    pub(crate) wait: String,
    pub(crate) pin: String,
    pub(crate) pace: String,
    pub(crate) size: usize,
}

impl Row {
    /// Computes the figures of a row.
    pub(crate) fn new(key: &Key, recorded: &Recorded) -> Self {
        let mut sorted = recorded.nanos.clone();
        sorted.sort_unstable();
        let n = sorted.len() as u64;
        let per_message = |total: u64| if n == 0 { f64::NAN } else { total as f64 / n as f64 };
        let wall = recorded.wall_ns.max(1) as f64 / 1e9;
        let carried = n as f64 * key.size as f64;
        let sum: u64 = sorted.iter().map(|nanos| u64::from(*nanos)).sum();
        Self {
            scenario: key.scenario.clone(),
            peer: key.peer.clone(),
            version: recorded.version.clone(),
            mode: key.mode.clone(),
            data: key.data.clone(),
            wait: key.wait.clone(),
            pin: key.pin.clone(),
            pace: key.pace.clone(),
            size: key.size,
            n,
            lost: recorded.lost,
            msg_s: n as f64 / wall,
            mb_s: recorded.carried.then(|| carried / wall / (1 << 20) as f64),
            mean_us: per_message(sum) / 1e3,
            min_us: percentile(&sorted, 0.0),
            p50_us: percentile(&sorted, 0.5),
            p90_us: percentile(&sorted, 0.9),
            p99_us: percentile(&sorted, 0.99),
            max_us: percentile(&sorted, 1.0),
            cpu_us_per_msg: recorded.cpu_ns.map(|nanos| per_message(nanos) / 1e3),
            ctxsw_per_msg: recorded.switches.map(per_message),
            same_cpu_share: recorded
                .cpu_counts
                .map(|(same, other)| same as f64 / (same + other).max(1) as f64),
            feedback: recorded.feedback,
        }
    }

    /// Returns the median of each figure over several runs of one row. Losses and feedback messages are added up.
    pub(crate) fn median(runs: &[Self]) -> Option<Self> {
        let mut row = runs.first()?.clone();
        let median = |figure: fn(&Self) -> f64| median(runs.iter().map(figure).collect());
        let median_of = |figure: fn(&Self) -> Option<f64>| {
            runs.iter().map(figure).collect::<Option<Vec<f64>>>().map(self::median)
        };
        row.n = runs.iter().map(|run| run.n).sum();
        row.lost = runs.iter().map(|run| run.lost).sum();
        row.msg_s = median(|row| row.msg_s);
        row.mb_s = median_of(|row| row.mb_s);
        row.mean_us = median(|row| row.mean_us);
        row.min_us = median(|row| row.min_us);
        row.p50_us = median(|row| row.p50_us);
        row.p90_us = median(|row| row.p90_us);
        row.p99_us = median(|row| row.p99_us);
        row.max_us = median(|row| row.max_us);
        row.cpu_us_per_msg = median_of(|row| row.cpu_us_per_msg);
        row.ctxsw_per_msg = median_of(|row| row.ctxsw_per_msg);
        row.same_cpu_share = median_of(|row| row.same_cpu_share);
        row.feedback = runs.iter().map(|run| run.feedback).sum();
        Some(row)
    }
}

/// Returns the middle value, or the mean of the two middle values.
///
/// # Panics
/// Panics if there is no value.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    f64::midpoint(values[(values.len() - 1) / 2], values[values.len() / 2])
}

/// Returns the quantile `share` of the sorted values, in microseconds.
pub(crate) fn percentile(sorted: &[u32], share: f64) -> f64 {
    let last = sorted.len().saturating_sub(1);
    let index = (last as f64 * share).round() as usize;
    sorted.get(index).map_or(f64::NAN, |nanos| f64::from(*nanos) / 1e3)
}

/// Counts messages by their time. Returns pairs of an upper bound in nanoseconds and a count. Eight bounds cover a
/// doubling.
pub(crate) fn histogram(nanos: &[u32]) -> Vec<(u32, u64)> {
    let mut counts = std::collections::BTreeMap::new();
    for value in nanos {
        let step = (f64::from((*value).max(1)).log2() * 8.0).ceil();
        let bound = 2f64.powf(step / 8.0).ceil().min(f64::from(u32::MAX)) as u32;
        *counts.entry(bound).or_insert(0) += 1;
    }
    counts.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key() -> Key {
        let word = String::new;
        Key {
            scenario: word(),
            peer: word(),
            mode: word(),
            data: word(),
            wait: word(),
            pin: word(),
            pace: word(),
            size: 1 << 20,
        }
    }

    #[test]
    fn figures_are_computed_from_the_recorded_times() {
        let nanos: Vec<u32> = (1..=101).map(|i| i * 1000).collect();
        let recorded = Recorded {
            nanos,
            wall_ns: 1_000_000_000,
            cpu_ns: Some(202_000),
            switches: Some(303),
            carried: true,
            ..Recorded::default()
        };
        let row = Row::new(&key(), &recorded);
        assert_eq!(
            (row.min_us, row.p50_us, row.p90_us, row.p99_us, row.max_us),
            (1.0, 51.0, 91.0, 100.0, 101.0)
        );
        assert_eq!((row.mean_us, row.msg_s, row.mb_s), (51.0, 101.0, Some(101.0)));
        assert_eq!((row.cpu_us_per_msg, row.ctxsw_per_msg), (Some(2.0), Some(3.0)));
    }

    #[test]
    fn the_median_of_each_figure_is_computed_and_losses_are_added_up() {
        let run = |p50: u32, lost| {
            Row::new(&key(), &Recorded { nanos: vec![p50 * 1000], lost, ..Recorded::default() })
        };
        let row = Row::median(&[run(9, 1), run(3, 0), run(5, 2)]).unwrap();
        assert_eq!((row.p50_us, row.lost, row.n), (5.0, 3, 3));
        assert_eq!(row.cpu_us_per_msg, None, "a value that was not measured has no figure");
        let even = Row::median(&[run(9, 0), run(3, 0)]).unwrap();
        assert_eq!(even.p50_us, 6.0);
    }

    #[test]
    fn a_histogram_counts_every_message() {
        let counts = histogram(&[1, 100, 101, 5_000_000]);
        assert_eq!(counts.iter().map(|(_, count)| count).sum::<u64>(), 4);
        assert!(counts.iter().all(|(bound, _)| *bound >= 1));
    }
}
