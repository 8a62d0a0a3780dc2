//! `saltus topic hz` and `bw`

use std::{
    collections::VecDeque,
    io::{self, Write},
};

use saltus::{Context, time::monotonic_now};

use crate::{
    error::Error,
    graph::absolute,
    reading::{QosArguments, Reading, hidden_node, topic_type},
};

/// How often figures are printed, in nanoseconds.
pub(super) const EVERY: u64 = 1_000_000_000;
/// How many messages may wait: those of 10 ms at 100,000 a second.
pub(super) const DEPTH: u16 = 1000;

/// `saltus topic hz`
#[derive(Debug, clap::Args)]
pub(crate) struct Hz {
    /// Its name
    topic: String,
    #[command(flatten)]
    qos: QosArguments,
    /// The number of last messages that the figures are taken from
    #[arg(short, long, default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(2..10_000_000))]
    window: u64,
    /// Print figures as lines of JSON
    #[arg(long)]
    json: bool,
}

/// `saltus topic bw`
#[derive(Debug, clap::Args)]
pub(crate) struct Bw {
    /// Its name
    topic: String,
    #[command(flatten)]
    qos: QosArguments,
    /// The number of last messages that the figures are taken from
    #[arg(short, long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(2..10_000_000))]
    window: u64,
    /// Print figures as lines of JSON
    #[arg(long)]
    json: bool,
}

/// When a message arrived, in monotonic nanoseconds, and its size in bytes.
type Arrival = (u64, usize);

impl Hz {
    pub(crate) fn run(self) -> Result<(), Error> {
        let json = self.json;
        watch(&self.topic, &self.qos, self.window as usize, "", |window| {
            rate(window).map(|rate| rate.text(json))
        })
    }
}

impl Bw {
    pub(crate) fn run(self) -> Result<(), Error> {
        let hello = if self.json { "" } else { "Subscribed to " };
        let json = self.json;
        watch(&self.topic, &self.qos, self.window as usize, hello, |window| {
            bandwidth(window).map(|bandwidth| bandwidth.text(json))
        })
    }
}

/// Takes messages until Ctrl-C. Once a second, prints what `figures` returns for the last `most` messages.
fn watch(
    topic: &str,
    qos: &QosArguments,
    most: usize,
    hello: &str,
    figures: impl Fn(&VecDeque<Arrival>) -> Option<String>,
) -> Result<(), Error> {
    let context = Context::new()?;
    let node = hidden_node(&context)?;
    let topic = absolute(topic)?;
    let Some((name, hash)) = topic_type(&context, &topic, None)? else { return Ok(()) };
    // The bytes are not decoded, so the definition is not needed.
    let ty = saltus::generic::TypeId { name, hash, description: None };
    let mut reading = Reading::open(&node, &topic, &ty, qos, DEPTH)?;
    if !hello.is_empty() {
        print(&format!("{hello}[{topic}]\n"))?;
    }
    let mut window = VecDeque::with_capacity(most);
    let mut due = monotonic_now() + EVERY;
    let mut fresh = false;
    while !reading.is_over() {
        if let Some(sample) = reading.next(Some(due)) {
            if window.len() == most {
                window.pop_front();
            }
            window.push_back((monotonic_now(), sample.len()));
            fresh = true;
        }
        let now = monotonic_now();
        if now >= due {
            due = now + EVERY;
            // Figures are printed only if a message has arrived since the last time.
            if std::mem::take(&mut fresh)
                && let Some(text) = figures(&window)
            {
                print(&text)?;
            }
        }
    }
    Ok(())
}

pub(super) fn print(text: &str) -> Result<(), Error> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

/// How often messages arrived.
struct Rate {
    per_second: f64,
    min: f64,
    max: f64,
    deviation: f64,
    window: usize,
}

/// Returns the rate from the gaps between messages; `None` if there are fewer than two messages.
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
        window: window.len(),
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

/// How many bytes arrived.
struct Bandwidth {
    per_second: f64,
    count: usize,
    mean: f64,
    min: usize,
    max: usize,
}

/// Returns the bandwidth from the first message of the window until now; `None` if there are fewer than two
/// messages.
fn bandwidth(window: &VecDeque<Arrival>) -> Option<Bandwidth> {
    let (first, _) = window.front().filter(|_| window.len() > 1)?;
    let time = monotonic_now().saturating_sub(*first).max(1) as f64 / 1e9;
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
        let (unit, scale) = unit_of(*mean);
        let sized = |bytes: f64| format!("{:.2} {unit}", bytes / scale);
        let (rate_unit, rate_scale) = unit_of(*per_second);
        format!(
            "{:.2} {rate_unit}/s from {count} messages\n\tMessage size mean: {} min: {} max: {}\n",
            per_second / rate_scale,
            sized(*mean),
            sized(*min as f64),
            sized(*max as f64)
        )
    }
}

/// Returns the unit in which a number of bytes is printed, and its size. As in ROS 2, units are powers of 1000.
fn unit_of(bytes: f64) -> (&'static str, f64) {
    match bytes {
        bytes if bytes < 1e3 => ("B", 1.0),
        bytes if bytes < 1e6 => ("KB", 1e3),
        bytes if bytes < 1e9 => ("MB", 1e6),
        _ => ("GB", 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_those_of_the_gaps_and_sizes() {
        let window: VecDeque<Arrival> = [(0, 10), (100_000_000, 30), (300_000_000, 20)].into();
        let rate = rate(&window).unwrap();
        assert_eq!((rate.min, rate.max, rate.window), (0.1, 0.2, 3));
        assert!((rate.per_second - 1.0 / 0.15).abs() < 1e-9 && (rate.deviation - 0.05).abs() < 1e-9);
        let bandwidth = bandwidth(&window).unwrap();
        assert_eq!((bandwidth.count, bandwidth.mean, bandwidth.min, bandwidth.max), (3, 20.0, 10, 30));
        assert!(super::rate(&[(0, 1)].into()).is_none() && super::bandwidth(&[(0, 1)].into()).is_none());
    }
}
