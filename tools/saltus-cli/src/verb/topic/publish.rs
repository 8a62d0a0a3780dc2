//! `saltus topic pub`

use std::{
    io::{self, Write},
    time::Duration,
};

use saltus::{Context, QoS, generic::GenericPublisher, time::monotonic_now};
use saltus_dynamic::{EncodeError, Schema, StampedValue, encode, to_json, to_python};

use saltus_verb::{
    arguments::{ClockArguments, Values},
    catalog::{Catalog, with_kind},
    complete,
    error::{Ended, Error},
    graph::absolute,
    reading::{QosArguments, hidden_node},
    tool_clock::ToolClock,
};

/// `saltus topic pub`
///
/// In the values, `now` for a time and `auto` for a header are replaced by the time at which the message is sent.
#[derive(Debug, clap::Args)]
pub(crate) struct Publish {
    /// The name of the topic
    #[arg(add = complete::topics())]
    topic: String,
    /// The type of the topic, such as std_msgs/msg/String
    #[arg(add = complete::message_types())]
    message_type: String,
    #[command(flatten)]
    values: Values,
    #[command(flatten)]
    clock: ClockArguments,
    #[command(flatten)]
    qos: QosArguments,
    /// The number of messages to publish per second
    #[arg(short, long, default_value_t = 1.0, allow_negative_numbers = true)]
    rate: f64,
    /// Publish one message and end
    #[arg(short = '1', long, conflicts_with = "times")]
    once: bool,
    /// Publish this many messages and end; 0 publishes without end
    #[arg(short, long)]
    times: Option<u64>,
    /// Wait for this many subscriptions first [default: 1 with --once or --times, otherwise 0]
    #[arg(short, long)]
    wait_matching_subscriptions: Option<usize>,
    /// The longest time to wait for these subscriptions, in seconds [default: no limit]
    #[arg(long)]
    max_wait_time_secs: Option<f64>,
    /// Print one of every COUNT messages; 0 prints none
    #[arg(short, long, default_value_t = 1, value_name = "COUNT")]
    print: u64,
    /// The name of the node that publishes; without it, the node is hidden
    #[arg(short, long)]
    node_name: Option<String>,
    /// Print each message as a line of JSON
    #[arg(long)]
    json: bool,
    /// The time for which the publisher stays open after the last message, in seconds
    #[arg(long, default_value_t = 0.1, allow_negative_numbers = true)]
    keep_alive: f64,
}

impl Publish {
    pub(crate) fn run(self) -> Result<(), Error> {
        if self.rate.is_nan() || self.rate <= 0.0 {
            return Err(format!("expected a rate above 0, found {}", self.rate).into());
        }
        let context = Context::new()?;
        let topic = absolute(&self.topic)?;
        let name = with_kind(&self.message_type, "msg");
        let (schema, ty) = Catalog::from_environment().topic(&topic, &name, &context.graph())?;
        let in_values = |e| format!("the values: {e}");
        let value = StampedValue::from_yaml(&schema, &self.values.text()?).map_err(in_values)?;
        let message = Message { schema, value };
        // Values that do not fit are reported before the verb waits for anything.
        message.bytes()?;
        let clock = ToolClock::new(&context, self.clock)?;
        let node = match &self.node_name {
            // Nothing would answer its parameter services.
            Some(name) => context.node(name).start_parameter_services(false).create()?,
            None => hidden_node(&context)?,
        };
        let publisher = node.generic_publisher(&topic, &ty, self.qos.apply(QoS::keep_last(10)))?;
        if !self.wait(&context, &publisher)? {
            return Err(Ended::Interrupted.into());
        }
        if !self.json {
            print("publisher: beginning loop\n")?;
        }
        self.send(&context, &clock, &publisher, message)?;
        stay(&context, seconds(self.keep_alive));
        Ok(())
    }

    fn times(&self) -> Option<u64> {
        if self.once { Some(1) } else { self.times.filter(|times| *times > 0) }
    }

    /// Waits for the requested number of subscriptions. Returns whether they were matched.
    fn wait(&self, context: &Context, publisher: &GenericPublisher) -> Result<bool, Error> {
        let count = self.wait_matching_subscriptions.unwrap_or(usize::from(self.times().is_some()));
        if publisher.subscription_count() >= count {
            return Ok(true);
        }
        if !self.json {
            print(&format!("Waiting for at least {count} matching subscription(s)...\n"))?;
        }
        let timeout = self.max_wait_time_secs.map_or(Duration::MAX, seconds);
        let matched = publisher.wait_for_subscriptions(count, timeout);
        match matched || context.is_shut_down() {
            true => Ok(matched),
            false => {
                Err(format!("fewer than {count} subscriptions matched within {} s", timeout.as_secs_f64())
                    .into())
            }
        }
    }

    /// Publishes at the given rate until all messages are published or Ctrl-C is pressed.
    fn send(
        &self,
        context: &Context,
        clock: &ToolClock,
        publisher: &GenericPublisher,
        mut message: Message,
    ) -> Result<(), Error> {
        let period = (1e9 / self.rate) as u64;
        let mut bytes = message.bytes()?;
        let mut due = monotonic_now();
        for count in 1..=self.times().unwrap_or(u64::MAX) {
            if count > 1 {
                due = due.saturating_add(period);
                stay(context, Duration::from_nanos(due.saturating_sub(monotonic_now())));
            }
            if context.is_shut_down() {
                break;
            }
            if message.value.has_stamps() {
                message.value.stamp(clock.stamp_now().unwrap_or_default());
                bytes = message.bytes()?;
            }
            if self.print > 0 && count % self.print == 0 {
                print(&message.shown(count, self.json))?;
            }
            publisher.publish(&bytes)?;
        }
        Ok(())
    }
}

/// The message that is published repeatedly.
struct Message {
    schema: Schema,
    value: StampedValue,
}

impl Message {
    fn bytes(&self) -> Result<Vec<u8>, EncodeError> {
        encode(&self.schema, &self.value.value)
    }

    fn shown(&self, count: u64, json: bool) -> String {
        if json {
            return format!("{}\n", to_json(&self.schema, &self.value.value));
        }
        format!("publishing #{count}: {}\n\n", to_python(&self.schema, &self.value.value))
    }
}

fn seconds(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(Duration::MAX)
}

/// Sleeps until the time has passed or Ctrl-C is pressed.
fn stay(context: &Context, time: Duration) {
    if !time.is_zero() {
        context.wait_until(time, || false);
    }
}

fn print(text: &str) -> Result<(), Error> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}
