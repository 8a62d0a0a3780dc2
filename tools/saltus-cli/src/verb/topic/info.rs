//! `saltus topic info`, `type` and `find`

use std::{
    io::{self, Write},
    time::Duration,
};

use saltus::{
    QoS,
    graph::{EndpointInfo, EndpointKind, EndpointReport, Graph, Report},
    qos::History,
    types::TypeHash,
};
use serde_json::{Value as Json, json};

use saltus_verb::{
    arguments::UnusedClock,
    catalog::with_kind,
    complete,
    error::Error,
    graph::{self, absolute, endpoints, node_of},
};

/// `saltus topic info`
#[derive(Debug, clap::Args)]
pub(crate) struct Info {
    /// The name of the topic
    #[arg(add = complete::topics())]
    topic: String,
    /// Print the node, type, QoS, GID and counters of each endpoint
    #[arg(short, long)]
    verbose: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    _clock: UnusedClock,
}

/// `saltus topic type`
#[derive(Debug, clap::Args)]
pub(crate) struct Type {
    /// The name of the topic
    #[arg(add = complete::topics())]
    topic: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    _clock: UnusedClock,
}

/// `saltus topic find`
#[derive(Debug, clap::Args)]
pub(crate) struct Find {
    /// The type, such as std_msgs/msg/String
    #[arg(add = complete::message_types())]
    topic_type: String,
    /// Print only the number of topics
    #[arg(short, long)]
    count_topics: bool,
    /// Also print hidden topics (a part of their names begins with `_`)
    #[arg(long)]
    include_hidden_topics: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    _clock: UnusedClock,
}

/// Returns the types of a topic. Returns an error if there is no such topic.
fn types_of(graph: &Graph, topic: &str) -> Result<Vec<String>, Error> {
    let mut topics = graph::topics(graph, true);
    topics.remove(topic).ok_or_else(|| graph::unknown("topic", topic, topics.keys()))
}

impl Info {
    pub(crate) fn run(self) -> Result<(), Error> {
        let (report, topic) = (graph::report()?, absolute(&self.topic)?);
        let graph = &report.graph;
        let types = types_of(graph, &topic)?;
        let publishers = endpoints(graph, &topic, EndpointKind::Publisher);
        let subscriptions = endpoints(graph, &topic, EndpointKind::Subscription);
        let mut out = io::stdout().lock();
        if self.json {
            let ends =
                |ends: &[&EndpointInfo]| ends.iter().map(|end| as_json(&report, end)).collect::<Vec<_>>();
            let (publishers, subscriptions) = (ends(&publishers), ends(&subscriptions));
            let info = json!({ "topic": topic, "types": types, "publishers": publishers, "subscriptions": subscriptions });
            return Ok(writeln!(out, "{info:#}")?);
        }
        let gap = if self.verbose { "\n" } else { "" };
        writeln!(out, "Type: {}", types.join(", "))?;
        write!(out, "{gap}")?;
        for (word, ends) in [("Publisher", publishers), ("Subscription", subscriptions)] {
            writeln!(out, "{word} count: {}", ends.len())?;
            write!(out, "{gap}")?;
            for end in ends.iter().filter(|_| self.verbose) {
                writeln!(out, "{}", describe(&report, end))?;
            }
        }
        Ok(())
    }
}

/// Returns the text about an endpoint of a topic, in the form of `ros2 topic info --verbose`.
fn describe(report: &Report, end: &EndpointInfo) -> String {
    let node = node_of(&report.graph, end);
    let EndpointReport { messages, losses, copied, .. } =
        report.endpoints.get(&end.gid).copied().unwrap_or_default();
    let counts = match end.kind {
        EndpointKind::Publisher => format!("Messages sent: {messages}\nMessages lost: {losses}\n"),
        _ if counts_elsewhere(end) => "Messages taken: not counted here\n".to_owned(),
        EndpointKind::Subscription => format!("Messages taken: {messages}\nMessages lost: {losses}\n"),
    };
    let copied = match copied {
        0 => String::new(),
        count => format!("Messages copied, kept beyond the borrow limit: {count}\n"),
    };
    let kind = kind(end);
    let origin = match end.origin.name() {
        "" => String::new(),
        name => format!("Origin: {name}\n"),
    };
    let qos: String = qos_rows(&end.qos).iter().map(|(name, value)| format!("  {name}: {value}\n")).collect();
    format!(
        "Node name: {}\nNode namespace: {}\n{origin}Topic type: {}\nTopic type hash: {}\nEndpoint type: {kind}\nGID: {}\n\
         QoS profile:\n{qos}{counts}{copied}",
        node.map_or("_NODE_NAME_UNKNOWN_", |node| &node.name),
        node.map_or("_NODE_NAMESPACE_UNKNOWN_", |node| &node.namespace),
        end.type_name,
        hash_text(end),
        end.gid,
    )
}

/// Returns whether the messages that an endpoint takes are counted on another host or in another domain only.
fn counts_elsewhere(end: &EndpointInfo) -> bool {
    end.kind == EndpointKind::Subscription && end.origin.is_foreign()
}

/// Returns the hash of an endpoint's type. A device does not tell it, so only the names of types are compared.
fn hash_text(end: &EndpointInfo) -> String {
    match end.type_hash {
        TypeHash::UNKNOWN => "INVALID (not told, so the type is not verified)".into(),
        hash => hash.to_string(),
    }
}

fn kind(end: &EndpointInfo) -> &'static str {
    match end.kind {
        EndpointKind::Publisher => "PUBLISHER",
        EndpointKind::Subscription => "SUBSCRIPTION",
    }
}

/// Returns the rows of a profile, with the names and the form of ROS 2.
fn qos_rows(qos: &QoS) -> [(&'static str, String); 7] {
    let history = match qos.history {
        History::KeepLast(depth) => format!("KEEP_LAST ({depth})"),
        History::KeepAll => "KEEP_ALL".into(),
    };
    let period = |period: Option<Duration>| {
        period.map_or_else(|| "Infinite".into(), |period| format!("{} nanoseconds", period.as_nanos()))
    };
    [
        ("Reliability", qos.reliability.to_string()),
        ("History (Depth)", history),
        ("Durability", qos.durability.to_string()),
        ("Lifespan", period(qos.lifespan)),
        ("Deadline", period(qos.deadline)),
        ("Liveliness", qos.liveliness.to_string()),
        ("Liveliness lease duration", period(qos.lease)),
    ]
}

fn as_json(report: &Report, end: &EndpointInfo) -> Json {
    let node = node_of(&report.graph, end);
    let counted = report.endpoints.get(&end.gid).copied().unwrap_or_default();
    let losses = counted.losses.iter().filter(|(_, count)| *count > 0);
    let losses: serde_json::Map<String, Json> =
        losses.map(|(cause, count)| (cause.to_string(), count.into())).collect();
    let qos: serde_json::Map<String, Json> =
        qos_rows(&end.qos).into_iter().map(|(name, value)| (name.into(), value.into())).collect();
    json!({
        "node": node.map(|node| &node.name),
        "namespace": node.map(|node| &node.namespace),
        "origin": end.origin.name(),
        "type": end.type_name,
        "type_hash": end.type_hash.to_string(),
        "kind": kind(end),
        "gid": end.gid.to_string(),
        "qos": qos,
        "messages": (!counts_elsewhere(end)).then_some(counted.messages),
        "lost": (!counts_elsewhere(end)).then_some(losses),
        "copied": counted.copied,
    })
}

impl Type {
    pub(crate) fn run(self) -> Result<(), Error> {
        let types = types_of(&graph::observe()?, &absolute(&self.topic)?)?;
        let mut out = io::stdout().lock();
        if self.json {
            return Ok(writeln!(out, "{}", json!(types))?);
        }
        types.iter().try_for_each(|ty| writeln!(out, "{ty}")).map_err(Error::from)
    }
}

impl Find {
    pub(crate) fn run(self, include_hidden: bool) -> Result<(), Error> {
        let topics = graph::topics(&graph::observe()?, self.include_hidden_topics || include_hidden);
        let ty = with_kind(&self.topic_type, "msg");
        let of_type = topics.into_iter().filter(|(_, types)| types.contains(&ty));
        let names: Vec<String> = of_type.map(|(topic, _)| topic).collect();
        let mut out = io::stdout().lock();
        if self.json {
            return Ok(writeln!(out, "{}", json!(names))?);
        }
        if self.count_topics {
            return Ok(writeln!(out, "{}", names.len())?);
        }
        if names.is_empty() {
            graph::none_found("topic", &ty)?;
        }
        names.iter().try_for_each(|name| writeln!(out, "{name}")).map_err(Error::from)
    }
}
