//! The messages that the nodes of a system have received: how late they were, and how many were lost.

use std::{collections::BTreeMap, path::Path};

use saltus_bench_traffic::{Received, System, read_records};

use crate::error::RunError;

/// A message is late if it needs longer than this part of the period of its publisher, or longer than `LATE`.
const LATE_PART: f64 = 0.2;
const LATE: f64 = 5e6;
/// A message is too late if it needs longer than the period of its publisher, or longer than this time in nanoseconds.
const TOO_LATE: f64 = 50e6;

/// The messages that all nodes together received in a time.
#[derive(Clone, Debug, Default)]
pub(super) struct Figures {
    pub(super) received: u64,
    pub(super) late: u64,
    pub(super) too_late: u64,
    pub(super) lost: u64,
    /// From `publish` to the callback, in nanoseconds, sorted.
    latencies: Vec<u32>,
    /// From the message of a source to the callback, at the ends of the system, in nanoseconds, sorted.
    ages: Vec<u32>,
}

impl Figures {
    /// Reads the files of all nodes in a folder. Only messages that were published between the two times count.
    pub(super) fn read(system: &System, folder: &Path, (from, to): (u64, u64)) -> Result<Self, RunError> {
        let mut figures = Self::default();
        for node in system.nodes.iter().filter(|node| node.inputs().next().is_some()) {
            let path = folder.join(&node.name);
            let mut records =
                read_records(&path).map_err(|e| RunError::Start(path.display().to_string(), e))?;
            records.retain(|record| (from..to).contains(&record.sent));
            figures.add(system, &records);
            figures.lost += lost(system, node.inputs().map(String::as_str), &records, (from, to));
            if system.ends.contains(&node.name) {
                figures.ages.extend(records.iter().map(|record| record.age));
            }
        }
        figures.latencies.sort_unstable();
        figures.ages.sort_unstable();
        Ok(figures)
    }

    fn add(&mut self, system: &System, records: &[Received]) {
        let mut limits: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
        for record in records {
            let (late, too_late) =
                *limits.entry(record.publisher).or_insert_with(|| limits_of(system.rate(record.publisher)));
            self.received += 1;
            match f64::from(record.latency) {
                latency if latency > too_late => self.too_late += 1,
                latency if latency > late => self.late += 1,
                _ => {}
            }
            self.latencies.push(record.latency);
        }
    }

    /// Returns quantiles of the latencies in microseconds.
    pub(super) fn latency(&self, part: f64) -> f64 {
        quantile(&self.latencies, part)
    }

    /// Returns quantiles of the ages at the ends in microseconds.
    pub(super) fn age(&self, part: f64) -> f64 {
        quantile(&self.ages, part)
    }

    /// Returns how many messages the ends of the system have received.
    pub(super) fn ends(&self) -> usize {
        self.ages.len()
    }

    /// Returns the mean of the latencies in microseconds.
    pub(super) fn mean(&self) -> f64 {
        self.latencies.iter().map(|nanos| f64::from(*nanos)).sum::<f64>() / 1e3 / self.latencies.len() as f64
    }

    /// Returns a count as a part of all received messages, in percent.
    pub(super) fn percent(&self, count: u64) -> f64 {
        if self.received == 0 { 0.0 } else { count as f64 / self.received as f64 * 100.0 }
    }
}

/// Returns the latencies in nanoseconds beyond which a message is late and too late.
fn limits_of(rate: Option<f64>) -> (f64, f64) {
    let period = rate.map_or(f64::INFINITY, |rate| 1e9 / rate);
    ((LATE_PART * period).min(LATE), period.min(TOO_LATE))
}

fn quantile(sorted: &[u32], part: f64) -> f64 {
    let index = ((sorted.len() as f64 * part) as usize).min(sorted.len().saturating_sub(1));
    sorted.get(index).map_or(f64::NAN, |nanos| f64::from(*nanos) / 1e3)
}

/// Counts the messages that a node has not received: the gaps in the numbers of each publisher at each subscription, and
/// what the publisher must have sent in a silence of several periods at the beginning or at the end. A rule without
/// a rate that is not heard at all counts as one lost message.
fn lost<'a>(
    system: &System,
    inputs: impl Iterator<Item = &'a str>,
    records: &[Received],
    (from, to): (u64, u64),
) -> u64 {
    let outputs = system.outputs();
    let of_subscription = |(number, topic): (u32, &str)| -> u64 {
        let publishers = outputs.iter().filter(|output| output.topic == topic);
        let of_publisher = publishers.map(|output| {
            let is_of = |record: &&Received| (record.subscription, record.publisher) == (number, output.id);
            let own: Vec<&Received> = records.iter().filter(is_of).collect();
            let rate = system.rate(output.id);
            let times = own.iter().map(|record| record.sent);
            let (Some(first), Some(last)) = (times.clone().min(), times.max()) else {
                let is_rule = !system.is_cycle(output.id);
                return rate.map_or(u64::from(is_rule), |rate| missing(to - from, rate));
            };
            let silent = rate.map_or(0, |rate| missing(first - from, rate) + missing(to - last, rate));
            gaps(&own) + silent
        });
        of_publisher.sum()
    };
    (0..).zip(inputs).map(of_subscription).sum()
}

/// Returns how many numbers are missing between the first and the last one.
fn gaps(records: &[&Received]) -> u64 {
    let numbers = records.iter().map(|record| u64::from(record.sequence));
    let (least, most) =
        numbers.fold((u64::MAX, 0), |(least, most), number| (least.min(number), most.max(number)));
    (most + 1).saturating_sub(least).saturating_sub(records.len() as u64)
}

/// Returns how many messages are missing in a silence in nanoseconds. Up to three periods are the work of timers.
fn missing(silence: u64, rate: f64) -> u64 {
    let periods = silence as f64 / 1e9 * rate;
    if periods > 3.0 { periods as u64 - 1 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn system() -> System {
        System::parse(
            "nodes: [{name: a, publish: [{topic: t, bytes: 8, hz: 100}]}, {name: b, subscribe: [t]}]",
        )
        .unwrap()
    }

    fn received(sequence: u32, latency: u32) -> Received {
        Received { subscription: 0, publisher: 1, sequence, sent: 0, latency, age: latency }
    }

    #[test]
    fn messages_are_late_by_the_period_of_their_publisher() {
        let mut figures = Figures::default();
        // The period is 10 ms: late after 2 ms, too late after 10 ms.
        figures.add(
            &system(),
            &[1_900_000, 2_100_000, 9_900_000, 10_100_000].map(|latency| received(0, latency)),
        );
        assert_eq!((figures.received, figures.late, figures.too_late), (4, 2, 1));
        assert_eq!(limits_of(Some(10.0)), (5e6, 50e6));
        assert_eq!(limits_of(None), (5e6, 50e6));
    }

    #[test]
    fn gaps_and_silence_are_losses() {
        let of = |records: &[Received], to| lost(&system(), ["t"].into_iter(), records, (0, to));
        assert_eq!(of(&[5, 6, 9].map(|number| received(number, 1)), 20_000_000), 2);
        assert_eq!(of(&[received(5, 1)], 20_000_000), 0);
        // 100 messages per second, and nothing after the first moment, or nothing at all.
        assert_eq!(of(&[received(5, 1)], 2_000_000_000), 199);
        assert_eq!(of(&[], 2_000_000_000), 199);
        // The first publisher sends only at the beginning, and the second one always.
        let text = "nodes: [{name: a, publish: [{topic: t, bytes: 8, hz: 0}], \
                    forward: [{inputs: [t], topic: t, bytes: 8}]}]";
        let ring = System::parse(text).unwrap();
        let second = [1, 2, 3].map(|number| Received { publisher: 2, ..received(number, 1) });
        assert_eq!(lost(&ring, ["t"].into_iter(), &second, (0, 2_000_000_000)), 0);
        assert_eq!(lost(&ring, ["t"].into_iter(), &[], (0, 2_000_000_000)), 1);
    }
}
