//! The time from another host until a message is in the shared memory of this host.
//!
//! It is the difference of two clocks: of the time that the publisher has sent beside the message, and of the clock here. A bridge
//! may know how far the other clock is ahead. If nobody knows it, both are taken as equal, and that is printed.

use std::{
    collections::HashMap,
    fmt,
    time::{Duration, Instant},
};

use saltus::{
    Context,
    advanced::Gid,
    generic::TypeId,
    graph::{EndpointInfo, EndpointKind, Report},
    time::{monotonic_now, system_now},
};
use serde_json::{Value as Json, json};

use crate::bridges::Bridge;
use saltus_verb::{
    error::Error,
    graph,
    reading::{QosArguments, Reading, hidden_node},
};

/// The time after which the bridges are asked again.
const ASK_AGAIN: Duration = Duration::from_secs(10);
/// The most messages that wait until they are read.
const DEPTH: u16 = 10;

/// A subscription to a topic with publishers of other hosts.
pub(super) struct BetweenHosts {
    reading: Reading,
    bridges: Vec<Bridge>,
    /// When the bridges were asked.
    asked: Instant,
    /// The times of the messages in the last period, in seconds, by publisher.
    times: HashMap<Gid, Vec<f64>>,
}

impl BetweenHosts {
    /// Opens the subscription. Returns `None` if the topic has no publisher of another host, or no bridge is there.
    pub(super) fn open(context: &Context, report: &Report, topic: &str) -> Result<Option<Self>, Error> {
        let publishers = graph::endpoints(&report.graph, topic, EndpointKind::Publisher);
        let foreign = publishers.into_iter().find(|publisher| publisher.origin.is_foreign());
        let Some(EndpointInfo { type_name, type_hash, .. }) = foreign else { return Ok(None) };
        let bridges = Bridge::ask_all(&report.graph);
        if bridges.is_empty() {
            return Ok(None);
        }
        let ty = TypeId { name: type_name.clone(), hash: *type_hash, description: None };
        let node = hidden_node(context)?;
        let reading = Reading::of_traffic(&node, topic, &ty, &QosArguments::default(), DEPTH)?;
        Ok(Some(Self { reading, bridges, asked: Instant::now(), times: HashMap::new() }))
    }

    /// Returns the subscription, which is not one of the user.
    pub(super) fn subscription(&self) -> Gid {
        self.reading.gid()
    }

    /// Reads messages for some time. Ends early after Ctrl-C.
    pub(super) fn read(&mut self, period: Duration) {
        self.times.clear();
        // What has waited since the last period is older than it was when it came.
        while self.reading.take().is_some() {}
        let deadline = monotonic_now() + period.as_nanos() as u64;
        while let Some(sample) = self.reading.next(Some(deadline)) {
            let age = system_now().as_nanos().saturating_sub(sample.source_time().as_nanos());
            self.times.entry(sample.publisher()).or_default().push(age as f64 / 1e9);
        }
    }

    /// Asks the bridges again, if their answers are old.
    pub(super) fn refresh(&mut self, report: &Report) {
        if self.asked.elapsed() > ASK_AGAIN {
            (self.bridges, self.asked) = (Bridge::ask_all(&report.graph), Instant::now());
        }
    }

    /// Returns the figures of a publisher; `None` if it is of this host, or has sent nothing in the last period.
    pub(super) fn figures(&self, report: &Report, publisher: Gid) -> Option<Figures> {
        let end = report.graph.endpoints.iter().find(|end| end.gid == publisher)?;
        let times = self.times.get(&publisher).filter(|_| end.origin.is_foreign())?;
        let origin = end.origin.name().to_owned();
        if !self.bridges.iter().any(|bridge| bridge.knows(&origin)) {
            // Another domain of this host.
            return None;
        }
        let clock = self.bridges.iter().find_map(|bridge| bridge.clock(&origin));
        Some(Figures::of(origin, times, clock))
    }
}

/// The times from another host to this one, in seconds.
pub(super) struct Figures {
    origin: String,
    count: usize,
    min: f64,
    mean: f64,
    max: f64,
    /// How far the clock there is taken as ahead, and how far that may be wrong.
    clock: Option<(f64, f64)>,
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { origin, count, min, mean, max, clock } = self;
        let [min, mean, max] = [min, mean, max].map(|seconds| seconds * 1e3);
        write!(f, "from {origin}: min {min:.3}ms mean {mean:.3}ms max {max:.3}ms in {count} messages, ")?;
        match clock {
            Some((ahead, error)) => {
                let [ahead, error] = [ahead, error].map(|seconds| seconds * 1e3);
                write!(f, "if the clock there is {ahead:.3}ms ahead (measured, at most {error:.3}ms wrong)")
            }
            None => f.write_str("if the clock there is the same as here (not measured)"),
        }
    }
}

impl Figures {
    /// Returns the figures of some times by both clocks. A clock that is ahead makes them too small.
    fn of(origin: String, times: &[f64], clock: Option<(f64, f64)>) -> Self {
        let ahead = clock.map_or(0.0, |(ahead, _)| ahead);
        let of = |fold: fn(f64, f64) -> f64| times.iter().copied().reduce(fold).unwrap_or_default() + ahead;
        let mean = times.iter().sum::<f64>() / times.len().max(1) as f64 + ahead;
        Self { origin, count: times.len(), min: of(f64::min), mean, max: of(f64::max), clock }
    }

    pub(super) fn as_json(&self) -> Json {
        let nanoseconds = |seconds: f64| (seconds * 1e9) as i64;
        json!({
            "from": self.origin,
            "count": self.count,
            "min_ns": nanoseconds(self.min),
            "mean_ns": nanoseconds(self.mean),
            "max_ns": nanoseconds(self.max),
            "clock_ahead_ns": self.clock.map(|(ahead, _)| nanoseconds(ahead)),
            "clock_error_ns": self.clock.map(|(_, error)| nanoseconds(error)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_is_ahead_makes_times_longer() {
        // Sent at 12 by a clock that is 3 ahead, which was 9 here, and received at 10.
        let figures = Figures::of("host robot1".into(), &[-2.0, -1.0], Some((3.0, 0.5)));
        assert_eq!((figures.min, figures.mean, figures.max), (1.0, 1.5, 2.0));
        let text = "from host robot1: min 1000.000ms mean 1500.000ms max 2000.000ms in 2 messages, if the clock there is \
                    3000.000ms ahead (measured, at most 500.000ms wrong)";
        assert_eq!(figures.to_string(), text);
        let unknown = Figures::of("zenoh 1234abcd".into(), &[0.25], None);
        assert_eq!((unknown.min, unknown.mean, unknown.max), (0.25, 0.25, 0.25));
        assert!(unknown.to_string().ends_with("if the clock there is the same as here (not measured)"));
    }
}
