//! `saltus topic echo`

use std::{
    io::{self, Write},
    time::Duration,
};

use saltus::{Context, time::monotonic_now, topic::Sample};
use saltus_dynamic::{Filter, Schema, YamlStyle, csv_of, decode, to_json, to_yaml, yaml_of};

use crate::{
    catalog::Catalog,
    error::Error,
    graph::absolute,
    reading::{QosArguments, Reading, hidden_node, topic_type},
};

/// How many messages may wait. Messages that wait because a terminal is stopped cost their publishers memory.
const DEPTH: u16 = 100;

/// `saltus topic echo`
#[derive(Debug, clap::Args)]
#[command(allow_negative_numbers = true)]
pub(crate) struct Echo {
    /// Its name
    topic: String,
    /// The type, if the topic is not published yet
    message_type: Option<String>,
    #[command(flatten)]
    printing: Printing,
}

/// Which messages are printed, and how.
#[derive(Debug, clap::Args)]
pub(crate) struct Printing {
    #[command(flatten)]
    qos: QosArguments,
    /// Print only this field, such as `header.stamp` or `poses.0`
    #[arg(long)]
    field: Option<String>,
    /// Print only messages for which this holds, such as "m.data > 5 and 'arm' in m.header.frame_id".
    ///
    /// A part of Python: the message `m` with `.field` and `[index]`, numbers, 'text', True, False, + - * / %,
    /// comparisons, `in`, `and`, `or`, `not`, len() and abs().
    #[arg(long = "filter", value_name = "EXPRESSION")]
    filter: Option<Filter>,
    /// Print one message and end
    #[arg(long)]
    once: bool,
    /// Print arrays and texts whole
    #[arg(short, long)]
    full_length: bool,
    /// Cut arrays and texts after this many elements or characters
    #[arg(short = 'l', long, default_value_t = 128)]
    truncate_length: usize,
    /// Leave the elements of arrays out
    #[arg(long)]
    no_arr: bool,
    /// Leave the content of texts out
    #[arg(long)]
    no_str: bool,
    /// Print a line of values with commas between them for each message
    #[arg(long)]
    csv: bool,
    /// Print a line of JSON for each message
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print the bytes of each message
    #[arg(long, conflicts_with_all = ["csv", "json", "field"])]
    raw: bool,
    /// End after this many seconds
    #[arg(long)]
    timeout: Option<f64>,
}

impl Echo {
    pub(crate) fn run(self) -> Result<(), Error> {
        self.printing.echo(&absolute(&self.topic)?, self.message_type.as_deref())
    }
}

impl Printing {
    /// Prints the messages of a topic. If the type is not given, it is taken from the topic's endpoints.
    pub(crate) fn echo(&self, topic: &str, message_type: Option<&str>) -> Result<(), Error> {
        let context = Context::new()?;
        let node = hidden_node(&context)?;
        let deadline = self.timeout.map(|seconds| {
            let timeout = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
            monotonic_now().saturating_add(u64::try_from(timeout.as_nanos()).unwrap_or(u64::MAX))
        });
        let mut catalog = Catalog::new();
        let (schema, ty) = match message_type {
            Some(name) => catalog.message(name)?,
            None => match topic_type(&context, topic, deadline)? {
                Some((name, hash)) => catalog.schema_of(&name, hash)?,
                None if context.is_shut_down() => return Ok(()),
                None => return Err("no message came in time".into()),
            },
        };
        let mut reading = Reading::open(&node, topic, &ty, &self.qos, DEPTH)?;
        while let Some(sample) = reading.next(deadline) {
            let Some(text) = self.text(&schema, &sample)? else { continue };
            let mut out = io::stdout().lock();
            out.write_all(text.as_bytes())?;
            out.flush()?;
            if self.once {
                return Ok(());
            }
        }
        match deadline {
            Some(_) if self.once && !reading.is_over() => Err("no message came in time".into()),
            _ => Ok(()),
        }
    }

    fn style(&self) -> YamlStyle {
        let truncate = if self.full_length { None } else { Some(self.truncate_length) };
        YamlStyle { truncate, no_arr: self.no_arr, no_str: self.no_str }
    }

    /// Returns the text that is printed for a message; `None` if the message is filtered out or can't be read.
    fn text(&self, schema: &Schema, sample: &Sample) -> Result<Option<String>, Error> {
        if self.raw && self.filter.is_none() {
            return Ok(Some(format!("{}---\n", hex(sample))));
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
            return Ok(Some(format!("{}---\n", hex(sample))));
        }
        let (shown, ty) = match &self.field {
            Some(path) => value.at(schema, path).ok_or_else(|| no_field(schema, path))?,
            None => (&value, None),
        };
        if self.csv {
            return Ok(Some(csv_of(shown, &self.style()) + "\n"));
        }
        if self.json {
            let json = match &ty {
                Some(ty) => saltus_dynamic::json_of(ty, shown),
                None => to_json(schema, shown),
            };
            return Ok(Some(format!("{json}\n")));
        }
        let yaml = match &ty {
            Some(ty) => yaml_of(ty, shown, &self.style()),
            None => to_yaml(schema, shown, &self.style()),
        };
        Ok(Some(yaml + "---\n"))
    }
}

fn no_field(schema: &Schema, path: &str) -> Error {
    let names: Vec<&str> = schema.fields().iter().map(|field| &*field.name).collect();
    format!("`{}` has no field `{path}`: it has {}", schema.name(), names.join(", ")).into()
}

/// Returns bytes as hexadecimal numbers, 16 on a line.
fn hex(bytes: &[u8]) -> String {
    let line =
        |line: &[u8]| line.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ") + "\n";
    bytes.chunks(16).map(line).collect()
}
