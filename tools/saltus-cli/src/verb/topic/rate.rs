//! `saltus topic hz` and `bw`

use std::{
    collections::VecDeque,
    io::{self, Write},
};

use saltus::{Context, generic::TypeId, time::monotonic_now, topic::Sample};
use saltus_dynamic::{Filter, Schema, decode};

use saltus_verb::{
    arguments::{ClockArguments, UnusedClock},
    catalog::Catalog,
    complete,
    error::Error,
    graph::absolute,
    reading::{QosArguments, Reading, hidden_node, topic_type},
    tool_clock::ToolClock,
};

/// The period at which figures are printed, in nanoseconds.
pub(super) const EVERY: u64 = 1_000_000_000;
/// The depth of the queue: 10 ms of messages at 100,000 per second.
pub(super) const DEPTH: u16 = 1000;

/// `saltus topic hz`
#[derive(Debug, clap::Args)]
pub(crate) struct Hz {
    /// The name of the topic
    #[arg(add = complete::topics())]
    topic: String,
    #[command(flatten)]
    qos: QosArguments,
    /// The number of intervals in the window that the figures are computed from
    #[arg(short, long, default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..10_000_000))]
    window: u64,
    /// Count only messages for which this expression is true; see `saltus topic echo --help`
    #[arg(long, value_name = "EXPRESSION")]
    filter: Option<Filter>,
    /// Measure intervals in real time, even with --use-sim-time
    #[arg(long)]
    wall_time: bool,
    #[command(flatten)]
    clock: ClockArguments,
    /// Print the figures as lines of JSON
    #[arg(long)]
    json: bool,
}

/// `saltus topic bw`
#[derive(Debug, clap::Args)]
pub(crate) struct Bw {
    /// The name of the topic
    #[arg(add = complete::topics())]
    topic: String,
    #[command(flatten)]
    qos: QosArguments,
    /// The number of messages in the window that the figures are computed from
    #[arg(short, long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..10_000_000))]
    window: u64,
    /// Print the figures as lines of JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    _clock: UnusedClock,
}

/// The arrival time of a message in nanoseconds, and its size in bytes.
type Arrival = (i64, usize);

impl Hz {
    pub(crate) fn run(self) -> Result<(), Error> {
        let context = Context::new()?;
        let clock = if self.wall_time { ClockArguments::default() } else { self.clock };
        let clock = ToolClock::new(&context, clock)?;
        let watch = Watch {
            topic: &absolute(&self.topic)?,
            qos: &self.qos,
            // For n intervals, n + 1 messages are needed.
            most: self.window as usize + 1,
            filter: self.filter.as_ref(),
            clock: &clock,
            is_repeated: false,
        };
        watch.run(&context, |window| rate(window).map(|rate| rate.text(self.json)))
    }
}

impl Bw {
    pub(crate) fn run(self) -> Result<(), Error> {
        let context = Context::new()?;
        let topic = absolute(&self.topic)?;
        let clock = ToolClock::new(&context, ClockArguments::default())?;
        let watch = Watch {
            topic: &topic,
            qos: &self.qos,
            most: self.window as usize,
            filter: None,
            clock: &clock,
            is_repeated: true,
        };
        if !self.json {
            print(&format!("Subscribed to [{topic}]\n"))?;
        }
        watch.run(&context, |window| bandwidth(window).map(|bandwidth| bandwidth.text(self.json)))
    }
}

/// Which messages are measured, and how.
struct Watch<'a> {
    topic: &'a str,
    qos: &'a QosArguments,
    /// The number of messages in the window that the figures are computed from.
    most: usize,
    filter: Option<&'a Filter>,
    clock: &'a ToolClock,
    /// Whether figures are also printed after a second without messages.
    is_repeated: bool,
}

impl Watch<'_> {
    /// Takes messages until Ctrl-C. Once per second, prints the text that `figures` returns for the window.
    fn run(
        &self,
        context: &Context,
        figures: impl Fn(&VecDeque<Arrival>) -> Option<String>,
    ) -> Result<(), Error> {
        let node = hidden_node(context)?;
        let Some((name, hash)) = topic_type(context, self.topic, None)? else { return Ok(()) };
        // Without a filter the messages are not decoded, so the definition of the type is not needed.
        let (schema, ty) = match self.filter {
            Some(_) => {
                Catalog::from_environment().schema_of(&name, hash).map(|(schema, ty)| (Some(schema), ty))?
            }
            None => (None, TypeId { name, hash, description: None }),
        };
        let mut reading = Reading::of_traffic(&node, self.topic, &ty, self.qos, DEPTH)?;
        let mut window = VecDeque::with_capacity(self.most);
        let (mut due, mut fresh, mut has_printed) = (monotonic_now() + EVERY, false, false);
        while !reading.is_over() {
            if let Some(sample) = reading.next(Some(due))
                && self.is_counted(schema.as_ref(), &sample)?
                && let Some(received) = self.clock.steady_now_or_tell()?
            {
                fresh = true;
                note(&mut window, (received, sample.len()), self.most)?;
            }
            let now = monotonic_now();
            if now >= due {
                due = now + EVERY;
                if (std::mem::take(&mut fresh) || self.is_repeated)
                    && let Some(text) = figures(&window)
                {
                    print(&text)?;
                    has_printed = true;
                }
            }
        }
        reading.end(has_printed)
    }

    fn is_counted(&self, schema: Option<&Schema>, sample: &Sample) -> Result<bool, Error> {
        let (Some(filter), Some(schema)) = (self.filter, schema) else { return Ok(true) };
        match decode(schema, sample) {
            Ok(value) => Ok(filter.holds(schema, &value)?),
            Err(error) => {
                writeln!(io::stderr(), "message {} can't be read: {error}", sample.sequence())?;
                Ok(false)
            }
        }
    }
}

/// Adds an arrival to the window. If simulated time has gone back, empties the window first.
fn note(window: &mut VecDeque<Arrival>, arrival: Arrival, most: usize) -> Result<(), Error> {
    if window.back().is_some_and(|last| arrival.0 < last.0) {
        writeln!(io::stderr(), "time has reset, resetting counters")?;
        window.clear();
    }
    if window.len() == most {
        window.pop_front();
    }
    window.push_back(arrival);
    Ok(())
}

pub(super) fn print(text: &str) -> Result<(), Error> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

/// The rate at which messages arrived.
struct Rate {
    per_second: f64,
    min: f64,
    max: f64,
    deviation: f64,
    /// The number of intervals.
    window: usize,
}

/// Returns the rate from the intervals between messages, or `None` if there are fewer than two messages.
fn rate(window: &VecDeque<Arrival>) -> Option<Rate> {
    let gaps: Vec<f64> =
        window.iter().zip(window.iter().skip(1)).map(|(a, b)| b.0.saturating_sub(a.0) as f64 / 1e9).collect();
    if gaps.is_empty() {
        return None;
    }
    let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
    let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
    Some(Rate {
        per_second: if mean > 0.0 { 1.0 / mean } else { 0.0 },
        min: gaps.iter().copied().fold(f64::INFINITY, f64::min),
        max: gaps.iter().copied().fold(0.0, f64::max),
        deviation: variance.sqrt(),
        window: gaps.len(),
    })
}

impl Rate {
    fn text(&self, json: bool) -> String {
        let Self { per_second, min, max, deviation, window } = self;
        if json {
            return format!(
                "{{\"rate\":{per_second},\"min_s\":{min},\"max_s\":{max},\"std_dev_s\":{deviation},\"window\":{window}}}\n"
            );
        }
        format!(
            "average rate: {per_second:.3}\n\tmin: {min:.3}s max: {max:.3}s std dev: {deviation:.5}s window: {window}\n"
        )
    }
}

/// The number of bytes that arrived per second.
struct Bandwidth {
    per_second: f64,
    count: usize,
    mean: f64,
    min: usize,
    max: usize,
}

/// Returns the bandwidth from the first message of the window until now, or `None` if there are fewer than two
/// messages.
fn bandwidth(window: &VecDeque<Arrival>) -> Option<Bandwidth> {
    let (first, _) = window.front().filter(|_| window.len() > 1)?;
    let time = (monotonic_now() as i64).saturating_sub(*first).max(1) as f64 / 1e9;
    let total: usize = window.iter().map(|(_, size)| size).sum();
    Some(Bandwidth {
        per_second: total as f64 / time,
        count: window.len(),
        mean: total as f64 / window.len() as f64,
        min: window.iter().map(|(_, size)| *size).min()?,
        max: window.iter().map(|(_, size)| *size).max()?,
    })
}

impl Bandwidth {
    fn text(&self, json: bool) -> String {
        let Self { per_second, count, mean, min, max } = self;
        if json {
            return format!(
                "{{\"bytes_per_s\":{per_second},\"messages\":{count},\"mean_bytes\":{mean},\"min_bytes\":{min},\"max_bytes\":{max}}}\n"
            );
        }
        // As in ROS 2, the rate determines the unit of all figures, and units are powers of 1000.
        let sized = |bytes: f64| match *per_second {
            rate if rate < 1e3 => format!("{bytes:.0} B"),
            rate if rate < 1e6 => format!("{:.2} KB", bytes / 1e3),
            _ => format!("{:.2} MB", bytes / 1e6),
        };
        format!(
            "{}/s from {count} messages\n\tMessage size mean: {} min: {} max: {}\n",
            sized(*per_second),
            sized(*mean),
            sized(*min as f64),
            sized(*max as f64)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_computed_from_the_intervals_and_sizes() {
        let window: VecDeque<Arrival> = [(0, 10), (100_000_000, 30), (300_000_000, 20)].into();
        let rate = rate(&window).unwrap();
        assert_eq!((rate.min, rate.max, rate.window), (0.1, 0.2, 2));
        assert!((rate.per_second - 1.0 / 0.15).abs() < 1e-9 && (rate.deviation - 0.05).abs() < 1e-9);
        let bandwidth = bandwidth(&window).unwrap();
        assert_eq!((bandwidth.count, bandwidth.mean, bandwidth.min, bandwidth.max), (3, 20.0, 10, 30));
        assert!(super::rate(&[(0, 1)].into()).is_none() && super::bandwidth(&[(0, 1)].into()).is_none());
    }

    #[test]
    fn the_rate_determines_the_unit() {
        let text =
            |per_second| Bandwidth { per_second, count: 2, mean: 1500.0, min: 1000, max: 2000 }.text(false);
        assert_eq!(
            text(999.4),
            "999 B/s from 2 messages\n\tMessage size mean: 1500 B min: 1000 B max: 2000 B\n"
        );
        assert!(text(2500.0).starts_with("2.50 KB/s") && text(2500.0).contains("mean: 1.50 KB"));
        assert!(text(5e9).starts_with("5000.00 MB/s") && text(5e9).contains("max: 0.00 MB"));
    }

    #[test]
    fn simulated_time_that_goes_back_empties_the_window() {
        let mut window = VecDeque::new();
        for time in [1, 2, 3, 2] {
            note(&mut window, (time, 1), 2).unwrap();
        }
        assert_eq!(window, [(2, 1)]);
    }
}
