//! `saltus topic latency`

use std::{
    io::{self, Write},
    time::Duration,
};

use saltus::{
    Context,
    graph::{ConnectionReport, EndpointKind, Report},
};
use serde_json::json;

use saltus_verb::{
    error::{Ended, Error},
    graph::{self, absolute, latency_json, latency_text, node_of_gid},
};

/// The period at which figures are printed.
const EVERY: Duration = Duration::from_secs(1);

/// `saltus topic latency`
///
/// Subscriptions count these figures themselves, so this verb does not subscribe.
#[derive(Debug, clap::Args)]
pub(crate) struct Latency {
    /// The name of the topic
    #[arg(add = saltus_verb::complete::topics())]
    topic: String,
    /// Print the current figures once and end
    #[arg(long)]
    once: bool,
    /// Print the figures as lines of JSON
    #[arg(long)]
    json: bool,
}

impl Latency {
    pub(crate) fn run(self) -> Result<(), Error> {
        let (context, topic) = (Context::new()?, absolute(&self.topic)?);
        let (mut has_warned, mut has_printed) = (false, false);
        loop {
            let report = graph::report()?;
            let text = self.text(&report, &topic);
            if text.is_empty() && !has_warned {
                writeln!(
                    io::stderr(),
                    "WARNING: topic [{topic}] has no publisher and subscription that match yet"
                )?;
                has_warned = true;
            }
            let mut out = io::stdout().lock();
            out.write_all(text.as_bytes())?;
            out.flush()?;
            drop(out);
            if self.once {
                return Ok(());
            }
            context.wait_until(EVERY, || false);
            has_printed |= !text.is_empty();
            if context.is_shut_down() {
                return if has_printed { Ok(()) } else { Err(Ended::Interrupted.into()) };
            }
        }
    }

    /// Returns the lines about all connections of the topic.
    fn text(&self, report: &Report, topic: &str) -> String {
        let subscriptions = graph::endpoints(&report.graph, topic, EndpointKind::Subscription);
        let mut lines: Vec<String> = report
            .connections
            .iter()
            .filter(|connection| subscriptions.iter().any(|end| end.gid == connection.subscription))
            .map(|connection| self.line(report, connection))
            .collect();
        lines.sort();
        lines.concat()
    }

    fn line(&self, report: &Report, connection: &ConnectionReport) -> String {
        let (from, to) = ends(report, connection);
        let ConnectionReport { transport, callback, .. } = connection;
        if self.json {
            let (transport, callback) = (latency_json(transport), latency_json(callback));
            let line = json!({ "publisher": from, "subscription": to, "transport": transport, "callback": callback });
            return format!("{line}\n");
        }
        let (count, transport, callback) =
            (transport.count(), latency_text(transport), latency_text(callback));
        format!("{from} -> {to}: {count} messages\n\ttransport: {transport}\n\tcallback: {callback}\n")
    }
}

/// Returns the names of the nodes that the publisher and the subscription belong to.
pub(crate) fn ends(report: &Report, connection: &ConnectionReport) -> (String, String) {
    let name = |gid| node_of_gid(&report.graph, gid);
    (name(connection.publisher), name(connection.subscription))
}
