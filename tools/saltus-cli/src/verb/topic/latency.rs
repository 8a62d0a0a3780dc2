//! `saltus topic latency`

mod between;

use std::{
    collections::BTreeSet,
    io::{self, Write},
    time::Duration,
};

use saltus::{
    Context,
    graph::{ConnectionReport, EndpointKind, Graph, Report},
};
use serde_json::json;

use between::BetweenHosts;
use saltus_verb::{
    error::{Ended, Error},
    graph::{self, absolute, latency_json, latency_text, node_of_gid},
};

/// The period at which figures are printed.
const EVERY: Duration = Duration::from_secs(1);

/// `saltus topic latency`
///
/// Subscriptions count these figures themselves, so this verb does not subscribe. They begin when a message is in the shared memory of this
/// host. The time from another host until then is measured with a subscription, if the topic has a publisher there.
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
        let mut between = None;
        loop {
            let report = graph::report()?;
            if between.is_none() {
                between = BetweenHosts::open(&context, &report, &topic)?;
                // A first figure needs some messages.
                between.iter_mut().for_each(|between| between.read(EVERY));
            }
            between.iter_mut().for_each(|between| between.refresh(&report));
            let text = self.text(&report, &topic, between.as_ref());
            if text.is_empty() && !has_warned {
                writeln!(io::stderr(), "WARNING: {}", nothing_yet(&report.graph, &topic))?;
                has_warned = true;
            }
            let mut out = io::stdout().lock();
            out.write_all(text.as_bytes())?;
            out.flush()?;
            drop(out);
            if self.once {
                return Ok(());
            }
            match &mut between {
                Some(between) => between.read(EVERY),
                None => _ = context.wait_until(EVERY, || false),
            }
            has_printed |= !text.is_empty();
            if context.is_shut_down() {
                return if has_printed { Ok(()) } else { Err(Ended::Interrupted.into()) };
            }
        }
    }

    /// Returns the lines about all connections of the topic.
    fn text(&self, report: &Report, topic: &str, between: Option<&BetweenHosts>) -> String {
        let subscriptions = graph::endpoints(&report.graph, topic, EndpointKind::Subscription);
        let mut lines: Vec<String> = report
            .connections
            .iter()
            .filter(|connection| subscriptions.iter().any(|end| end.gid == connection.subscription))
            .filter(|connection| between.is_none_or(|one| one.subscription() != connection.subscription))
            .map(|connection| self.line(report, connection, between))
            .collect();
        lines.sort();
        lines.concat()
    }

    fn line(&self, report: &Report, connection: &ConnectionReport, between: Option<&BetweenHosts>) -> String {
        let (from, to) = ends(report, connection);
        let ConnectionReport { transport, callback, .. } = connection;
        let between = between.and_then(|between| between.figures(report, connection.publisher));
        if self.json {
            let (transport, callback) = (latency_json(transport), latency_json(callback));
            let mut line = json!({ "publisher": from, "subscription": to, "transport": transport, "callback": callback });
            if let (Some(figures), Some(fields)) = (between, line.as_object_mut()) {
                fields.insert("between_hosts".into(), figures.as_json());
            }
            return format!("{line}\n");
        }
        let (count, transport, callback) =
            (transport.count(), latency_text(transport), latency_text(callback));
        let between = between.map_or_else(String::new, |figures| format!("\t{figures}\n"));
        format!(
            "{from} -> {to}: {count} messages\n{between}\ttransport: {transport}\n\tcallback: {callback}\n"
        )
    }
}

/// Returns why there is no figure yet.
fn nothing_yet(graph: &Graph, topic: &str) -> String {
    let subscriptions = graph::endpoints(graph, topic, EndpointKind::Subscription);
    let hosts: BTreeSet<&str> = subscriptions.iter().map(|end| end.origin.name()).collect();
    // The origin of what is on this host has no name.
    if hosts.is_empty() || hosts.contains("") {
        return format!("topic [{topic}] has no publisher and subscription that match yet");
    }
    let hosts = hosts.into_iter().collect::<Vec<_>>().join(", ");
    format!("the subscriptions to topic [{topic}] are elsewhere ({hosts}), and nothing is counted here")
}

/// Returns the names of the nodes that the publisher and the subscription belong to.
pub(crate) fn ends(report: &Report, connection: &ConnectionReport) -> (String, String) {
    let name = |gid| node_of_gid(&report.graph, gid);
    (name(connection.publisher), name(connection.subscription))
}
