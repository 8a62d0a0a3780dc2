//! `saltus topic echo`

use std::io::{self, Write};

use saltus::{Context, qos::Losses, topic::Sample};
use saltus_dynamic::{
    Filter, Schema, Type, Value, YamlStyle, csv_of, decode, flow_of, json_of, to_csv, to_flow, to_json,
    to_yaml, yaml_of,
};

use saltus_verb::{
    arguments::UnusedClock,
    catalog::{Catalog, with_kind},
    complete,
    error::Error,
    graph::absolute,
    reading::{QosArguments, Reading, deadline_after, hidden_node, seconds, topic_type},
};

/// The depth of the queue. Messages in the queue use memory of their publishers, for example while the terminal is
/// stopped.
const DEPTH: u16 = 100;

/// `saltus topic echo`
#[derive(Debug, clap::Args)]
#[command(allow_negative_numbers = true)]
pub(crate) struct Echo {
    /// The name of the topic
    #[arg(add = complete::topics())]
    topic: String,
    /// The type of the topic; needed if the topic is not published yet
    #[arg(add = complete::message_types())]
    message_type: Option<String>,
    #[command(flatten)]
    printing: Printing,
    #[command(flatten)]
    _clock: UnusedClock,
}

/// Which messages are printed, and in which form.
#[derive(Debug, clap::Args)]
pub(crate) struct Printing {
    #[command(flatten)]
    qos: QosArguments,
    /// Print only this field of each message, such as `header.stamp` or `poses.0`
    #[arg(long)]
    field: Option<String>,
    /// Print only messages for which this expression is true, such as "m.data > 5 and 'arm' in m.header.frame_id".
    ///
    /// The syntax is a subset of Python's: the message `m` with `.field` and `[index]`, numbers, 'text', True, False, +
    /// - * / %, comparisons, `in`, `and`, `or`, `not`, len() and abs().
    #[arg(long = "filter", value_name = "EXPRESSION")]
    filter: Option<Filter>,
    /// Print one message and end
    #[arg(long)]
    once: bool,
    /// Print arrays and strings in full length
    #[arg(short, long)]
    full_length: bool,
    /// Truncate arrays and strings after this many elements or characters
    #[arg(short = 'l', long, default_value_t = 128)]
    truncate_length: usize,
    /// Do not print the elements of arrays
    #[arg(long)]
    no_arr: bool,
    /// Do not print the content of strings
    #[arg(long)]
    no_str: bool,
    /// Print each message as one line of values, separated by commas
    #[arg(long)]
    csv: bool,
    /// Print each message as one line of YAML
    #[arg(long, conflicts_with = "csv")]
    flow_style: bool,
    /// Print each message as a line of JSON; infinity and not-a-number are the strings "Infinity", "-Infinity" and
    /// "NaN"
    #[arg(long, conflicts_with_all = ["csv", "flow_style"])]
    json: bool,
    /// Print the serialized bytes of each message
    #[arg(long, conflicts_with_all = ["csv", "flow_style", "json", "field"])]
    raw: bool,
    /// Also print the source and receive times of each message, and its two sequence numbers
    #[arg(short, long)]
    include_message_info: bool,
    /// Print no warnings about lost messages
    #[arg(long)]
    no_lost_messages: bool,
    /// End after this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    timeout: Option<std::time::Duration>,
}

impl Echo {
    pub(crate) fn run(self) -> Result<(), Error> {
        self.printing.echo(&absolute(&self.topic)?, self.message_type.as_deref())
    }
}

impl Printing {
    /// Prints the messages of a topic. If no type is given, the type of the topic's endpoints is used.
    pub(crate) fn echo(&self, topic: &str, message_type: Option<&str>) -> Result<(), Error> {
        let context = Context::new()?;
        let node = hidden_node(&context)?;
        let deadline = self.timeout.map(deadline_after);
        let mut catalog = Catalog::from_environment();
        let (schema, ty) = match message_type {
            Some(name) => catalog.topic(topic, &with_kind(name, "msg"), &context.graph())?,
            None => match topic_type(&context, topic, deadline)? {
                Some((name, hash)) => catalog.schema_of(&name, hash)?,
                None => return Err("no message was received in time".into()),
            },
        };
        let mut reading = Reading::open(&node, topic, &ty, &self.qos, DEPTH)?;
        let (mut lost, mut has_printed) = (0, false);
        while let Some(sample) = reading.next(deadline) {
            if !self.no_lost_messages {
                lost = report_losses(&reading.losses(), lost)?;
            }
            let Some(text) = self.text(&schema, &sample)? else { continue };
            let mut out = io::stdout().lock();
            out.write_all(text.as_bytes())?;
            out.flush()?;
            has_printed = true;
            if self.once {
                return Ok(());
            }
        }
        match deadline {
            Some(_) if self.once && !reading.is_over() => Err("no message was received in time".into()),
            _ => reading.end(has_printed),
        }
    }

    fn style(&self) -> YamlStyle {
        let truncate = if self.full_length { None } else { Some(self.truncate_length) };
        YamlStyle { truncate, no_arr: self.no_arr, no_str: self.no_str }
    }

    /// Returns the text for a message, or `None` if the message is filtered out or can't be read.
    fn text(&self, schema: &Schema, sample: &Sample) -> Result<Option<String>, Error> {
        if self.raw && self.filter.is_none() {
            return Ok(Some(self.raw_text(sample)));
        }
        let value = match decode(schema, sample) {
            Ok(value) => value,
            Err(error) => {
                writeln!(io::stderr(), "message {} can't be read: {error}", sample.sequence())?;
                return Ok(None);
            }
        };
        if let Some(filter) = &self.filter
            && !filter.holds(schema, &value)?
        {
            return Ok(None);
        }
        if self.raw {
            return Ok(Some(self.raw_text(sample)));
        }
        let (shown, ty) = value.at(schema, self.field.as_deref().unwrap_or_default())?;
        Ok(Some(self.formatted(schema, &shown, ty.as_ref(), sample)))
    }

    /// Returns a message, or a part of it that has its own type, in the form that the arguments select.
    fn formatted(&self, schema: &Schema, value: &Value, ty: Option<&Type>, sample: &Sample) -> String {
        let (style, info) = (self.style(), self.include_message_info.then(|| info_of(sample)));
        if self.csv {
            let csv = ty.map_or_else(|| to_csv(schema, value, &style), |ty| csv_of(ty, value, &style));
            let info = info.map_or(String::new(), |[source, received, sent, taken]| {
                format!("{},{},{},{},", source.1, received.1, sent.1, taken.1)
            });
            return format!("{info}{csv}\n");
        }
        if self.json {
            let json = ty.map_or_else(|| to_json(schema, value), |ty| json_of(ty, value));
            return match info {
                Some(info) => {
                    let info = info.map(|(name, number)| format!("\"{name}\":{number}")).join(",");
                    format!("{{\"info\":{{{info}}},\"message\":{json}}}\n")
                }
                None => json + "\n",
            };
        }
        let yaml = if self.flow_style {
            ty.map_or_else(|| to_flow(schema, value, &style), |ty| flow_of(ty, value, &style)) + "\n"
        } else {
            ty.map_or_else(|| to_yaml(schema, value, &style), |ty| yaml_of(ty, value, &style))
        };
        format!("{}{yaml}---\n", info.map_or(String::new(), info_text))
    }

    fn raw_text(&self, sample: &Sample) -> String {
        let info = self.include_message_info.then(|| info_text(info_of(sample)));
        format!("{}{}---\n", info.unwrap_or_default(), hex(sample))
    }
}

/// The metadata of a message: two times in nanoseconds, and two sequence numbers.
type Info = [(&'static str, i64); 4];

/// Returns the metadata of a message with the names of ROS 2, in the order in which `--csv` prints them.
fn info_of(sample: &Sample) -> Info {
    [
        ("source_timestamp", sample.source_time().as_nanos()),
        ("received_timestamp", sample.received_time().as_nanos()),
        ("publication_sequence_number", sample.sequence() as i64),
        ("reception_sequence_number", sample.received_sequence() as i64),
    ]
}

/// Returns the metadata of a message as YAML, sorted by name.
fn info_text(mut info: Info) -> String {
    info.sort_unstable();
    info.map(|(name, number)| format!("{name}: {number}\n")).concat() + "---\n"
}

/// Prints to the standard error how many messages were lost since the total was `before`. Returns the new total.
fn report_losses(losses: &Losses, before: u64) -> Result<u64, Error> {
    let total = losses.total();
    if total > before {
        let new = total - before;
        let word = if new == 1 { "message was" } else { "messages were" };
        writeln!(io::stderr(), "WARNING: {new} {word} lost; in all: {losses}")?;
    }
    Ok(total)
}

/// Returns bytes as hexadecimal numbers, 16 in a line.
fn hex(bytes: &[u8]) -> String {
    let line =
        |line: &[u8]| line.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ") + "\n";
    bytes.chunks(16).map(line).collect()
}
