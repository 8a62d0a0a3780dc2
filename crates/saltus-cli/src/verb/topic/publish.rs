//! `saltus topic pub`

use std::{
    io::{self, Write},
    time::Duration,
};

use saltus::{Context, GenericPublisher, QoS, monotonic_now};
use saltus_dynamic::{encode, from_yaml, to_json, to_python};

use crate::{
    Error,
    catalog::Catalog,
    graph::absolute,
    reading::{QosArguments, hidden_node},
};

/// `saltus topic pub`
#[derive(Debug, clap::Args)]
pub(crate) struct Publish {
    /// Its name
    topic: String,
    /// The type, such as std_msgs/msg/String
    message_type: String,
    /// The fields that are to differ from their defaults, as YAML
    #[arg(default_value = "{}")]
    values: String,
    #[command(flatten)]
    qos: QosArguments,
    /// How often, in messages per second
    #[arg(short, long, default_value_t = 1.0)]
    rate: f64,
    /// Publish one message and end
    #[arg(short = '1', long, conflicts_with = "times")]
    once: bool,
    /// Publish so many messages and end
    #[arg(short, long)]
    times: Option<u64>,
    /// Wait for so many subscriptions first; 1 with --once or --times
    #[arg(short, long)]
    wait_matching_subscriptions: Option<usize>,
    /// The longest to wait for them, in seconds
    #[arg(long)]
    max_wait_time_secs: Option<f64>,
    /// Print only every so many messages
    #[arg(short, long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    print: u64,
    /// Print each message as a line of JSON
    #[arg(long)]
    json: bool,
    /// How long to stay after the last message, in seconds
    #[arg(long, default_value_t = 0.1)]
    keep_alive: f64,
}

impl Publish {
    pub(crate) fn run(self) -> Result<(), Error> {
        if self.rate.is_nan() || self.rate <= 0.0 {
            return Err(format!("expected a rate above 0, found {}", self.rate).into());
        }
        let (schema, ty) = Catalog::new().schema(&self.message_type)?;
        let in_values = |e| format!("the values: {e}");
        let value = from_yaml(&schema, &self.values).map_err(in_values)?;
        let bytes = encode(&schema, &value)?;
        let context = Context::new()?;
        let node = hidden_node(&context)?;
        let publisher =
            node.generic_publisher(&absolute(&self.topic), &ty, self.qos.apply(QoS::keep_last(10)))?;
        if !self.wait(&context, &publisher)? {
            return Ok(());
        }
        let shown = if self.json {
            to_json(&schema, &value).to_string()
        } else {
            say("publisher: beginning loop\n")?;
            to_python(&schema, &value)
        };
        self.send(&context, &publisher, &bytes, &shown)?;
        stay(&context, seconds(self.keep_alive));
        Ok(())
    }

    fn times(&self) -> Option<u64> {
        if self.once { Some(1) } else { self.times }
    }

    /// Waits for the subscriptions that were asked for. Whether to go on.
    fn wait(&self, context: &Context, publisher: &GenericPublisher) -> Result<bool, Error> {
        let count = self.wait_matching_subscriptions.unwrap_or(usize::from(self.times().is_some()));
        if publisher.subscription_count() >= count {
            return Ok(true);
        }
        if !self.json {
            say(&format!("Waiting for at least {count} matching subscription(s)...\n"))?;
        }
        let timeout = self.max_wait_time_secs.map_or(Duration::MAX, seconds);
        let came = publisher.wait_for_subscriptions(count, timeout);
        match came || context.is_shut_down() {
            true => Ok(came),
            false => Err(format!("not {count} subscriptions came within {} s", timeout.as_secs_f64()).into()),
        }
    }

    /// Publishes at the rate until the messages are used up or Ctrl-C comes.
    fn send(
        &self,
        context: &Context,
        publisher: &GenericPublisher,
        bytes: &[u8],
        shown: &str,
    ) -> Result<(), Error> {
        let period = (1e9 / self.rate) as u64;
        let mut due = monotonic_now();
        for count in 1..=self.times().unwrap_or(u64::MAX) {
            if count > 1 {
                due = due.saturating_add(period);
                stay(context, Duration::from_nanos(due.saturating_sub(monotonic_now())));
            }
            if context.is_shut_down() {
                break;
            }
            if count % self.print == 0 || count == 1 && self.print == 1 {
                let text = if self.json {
                    format!("{shown}\n")
                } else {
                    format!("publishing #{count}: {shown}\n\n")
                };
                say(&text)?;
            }
            publisher.publish(bytes)?;
        }
        Ok(())
    }
}

fn seconds(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(Duration::MAX)
}

/// Sleeps, but not beyond Ctrl-C.
fn stay(context: &Context, time: Duration) {
    if !time.is_zero() {
        context.wait_until(time, || false);
    }
}

fn say(text: &str) -> Result<(), Error> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}
