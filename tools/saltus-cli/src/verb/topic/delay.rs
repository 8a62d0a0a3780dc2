//! `saltus topic delay`

use std::{
    collections::VecDeque,
    io::{self, Write},
};

use saltus::{
    Context,
    cdr::{Cdr, CdrError, Reader},
    time::monotonic_now,
};
use saltus_dynamic::{Element, Schema, field_offsets};
use serde_json::json;

use super::rate::{DEPTH, EVERY, print};
use saltus_verb::{
    arguments::ClockArguments,
    catalog::Catalog,
    complete,
    error::Error,
    graph::absolute,
    reading::{QosArguments, Reading, hidden_node, topic_type},
    tool_clock::ToolClock,
};

/// `saltus topic delay`
#[derive(Debug, clap::Args)]
pub(crate) struct Delay {
    /// The name of the topic
    #[arg(add = complete::topics())]
    topic: String,
    #[command(flatten)]
    qos: QosArguments,
    /// The number of messages in the window that the figures are computed from
    #[arg(short, long, default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..10_000_000))]
    window: u64,
    #[command(flatten)]
    clock: ClockArguments,
    /// Print the figures as lines of JSON
    #[arg(long)]
    json: bool,
}

impl Delay {
    pub(crate) fn run(self) -> Result<(), Error> {
        let context = Context::new()?;
        let node = hidden_node(&context)?;
        let topic = absolute(&self.topic)?;
        let Some((name, hash)) = topic_type(&context, &topic, None)? else { return Ok(()) };
        let (schema, ty) = Catalog::from_environment().schema_of(&name, hash)?;
        let Some(header) = header_field(&schema) else {
            return Err(format!(
                "type `{name}` has no field `header` of std_msgs/msg/Header, whose stamp the delay is measured from; \
                 `saltus topic latency {topic}` measures without a stamp"
            )
            .into());
        };
        let mut reading = Reading::of_traffic(&node, &topic, &ty, &self.qos, DEPTH)?;
        let is_simulated = self.clock.use_sim_time;
        let clock = ToolClock::new(&context, self.clock)?;
        let mut has_hinted = false;
        let mut window = VecDeque::new();
        let (mut due, mut fresh, mut has_printed) = (monotonic_now() + EVERY, false, false);
        while !reading.is_over() {
            if let Some(sample) = reading.next(Some(due))
                && let Some(now) = clock.stamp_now_or_tell()?
            {
                match stamp(&schema, header, &sample) {
                    Ok(stamp) => {
                        if let Some(hint) = hint(now, stamp, is_simulated).filter(|_| !has_hinted) {
                            writeln!(io::stderr(), "WARNING: {hint}")?;
                            has_hinted = true;
                        }
                        if window.len() == self.window as usize {
                            window.pop_front();
                        }
                        window.push_back(now.saturating_sub(stamp) as f64 / 1e9);
                        fresh = true;
                    }
                    Err(error) => {
                        writeln!(io::stderr(), "message {} can't be read: {error}", sample.sequence())?;
                    }
                }
            }
            if monotonic_now() >= due {
                due = monotonic_now() + EVERY;
                if std::mem::take(&mut fresh) {
                    print(&self.text(&window))?;
                    has_printed = true;
                } else if has_printed && !self.json {
                    print("no new messages\n")?;
                }
            }
        }
        reading.end(has_printed)
    }

    /// Returns the text for the delays of a window. The delays are in seconds.
    fn text(&self, window: &VecDeque<f64>) -> String {
        let count = window.len() as f64;
        let mean = window.iter().sum::<f64>() / count;
        let deviation = (window.iter().map(|delay| (delay - mean).powi(2)).sum::<f64>() / count).sqrt();
        let min = window.iter().copied().fold(f64::INFINITY, f64::min);
        let max = window.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let window = window.len();
        if self.json {
            let line = json!({ "delay_s": mean, "min_s": min, "max_s": max, "std_dev_s": deviation, "window": window });
            return format!("{line}\n");
        }
        format!(
            "average delay: {mean:.3}\n\tmin: {min:.3}s max: {max:.3}s std dev: {deviation:.5}s window: {window}\n"
        )
    }
}

/// Returns what is wrong if a stamp is of another clock than the present time `now`. Both are in nanoseconds.
fn hint(now: i64, stamp: i64, is_simulated: bool) -> Option<&'static str> {
    const YEAR: i64 = 365 * 24 * 3600 * 1_000_000_000;
    match now.saturating_sub(stamp) {
        // The first stamps of a simulation may be 0.
        delay if is_simulated && delay.abs() < YEAR => None,
        _ if stamp == 0 => Some("the stamp is 0: the publisher does not set it"),
        delay if delay.abs() < YEAR => None,
        _ if is_simulated => Some("the stamps are not of simulated time: leave --use-sim-time out"),
        _ if stamp < YEAR => Some("the stamps seem to be of simulated time: pass --use-sim-time"),
        _ => Some("the stamps are of another clock than the system time"),
    }
}

/// Returns the index of the field `header` in a message.
fn header_field(schema: &Schema) -> Option<usize> {
    schema.fields().iter().position(|field| {
        field.name == "header"
            && matches!(&field.ty.element, Element::Message(nested) if nested.name() == "std_msgs/msg/Header")
    })
}

/// Reads the stamp of the header of a message, in nanoseconds since 1970.
fn stamp(schema: &Schema, header: usize, bytes: &[u8]) -> Result<i64, CdrError> {
    let at = field_offsets(schema, &mut Reader::new(bytes)?)?[header];
    let mut reader = Reader::new(bytes)?;
    reader.take(1, at as usize)?;
    let (seconds, nanoseconds) = (i32::read(&mut reader)?, u32::read(&mut reader)?);
    Ok(i64::from(seconds) * 1_000_000_000 + i64::from(nanoseconds))
}

#[cfg(test)]
mod tests {
    use super::hint;

    #[test]
    fn stamps_of_another_clock_are_told() {
        const NOW: i64 = 1_795_851_646_657_000_000;
        assert_eq!(hint(NOW, NOW - 1_000_000, false), None);
        assert_eq!(hint(12_000_000_000, 11_000_000_000, true), None);
        let told = |now, stamp, is_simulated| hint(now, stamp, is_simulated).unwrap();
        assert!(told(NOW, 11_000_000_000, false).contains("pass --use-sim-time"));
        assert!(told(12_000_000_000, NOW, true).contains("leave --use-sim-time out"));
        assert!(told(NOW, 0, false).contains("the stamp is 0"));
    }
}
