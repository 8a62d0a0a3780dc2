//! `saltus node`

use std::{
    collections::BTreeSet,
    io::{self, IsTerminal, Write},
};

use clap::Subcommand;
use saltus::{
    advanced::Gid,
    graph::{ConnectionReport, EndpointInfo, EndpointKind, Graph, NodeInfo, Report},
    types::is_hidden,
};
use serde_json::{Value as Json, json};

use crate::verb::topic::latency;
use saltus_verb::{
    actions::Actions,
    arguments::UnusedClock,
    complete,
    error::Error,
    graph::{self, absolute, full_name, latency_json, latency_text},
    output::print_lines,
};

/// `saltus node …`
#[derive(Debug, Subcommand)]
pub(crate) enum Node {
    /// Print the names of all nodes
    #[command(after_help = "Example:\n  saltus node list")]
    List {
        /// Also print hidden nodes (their names begin with `_`)
        #[arg(short, long)]
        all: bool,
        /// Print only the number of nodes
        #[arg(short, long)]
        count_nodes: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        _clock: UnusedClock,
    },
    /// Print the topics, services and actions of a node, and the latency of its connections
    #[command(after_help = "Example:\n  saltus node info /talker")]
    Info {
        /// The full name of the node
        #[arg(add = complete::nodes())]
        node_name: String,
        /// Also print hidden topics and services
        #[arg(long)]
        include_hidden: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        _clock: UnusedClock,
    },
}

impl Node {
    pub(crate) fn run(self) -> Result<(), Error> {
        match self {
            Self::List { all, count_nodes, json, .. } => list(&graph::observe()?, all, count_nodes, json),
            Self::Info { node_name, include_hidden, json, .. } => {
                info(&graph::report()?, &absolute(&node_name)?, include_hidden, json)
            }
        }
    }
}

fn list(graph: &Graph, all: bool, count: bool, json: bool) -> Result<(), Error> {
    let named = graph.nodes.iter().map(|node| (full_name(node), node.origin.name()));
    let mut nodes: Vec<(String, &str)> = named.filter(|(name, _)| all || !is_hidden(name)).collect();
    nodes.sort();
    if json {
        let names: Vec<&String> = nodes.iter().map(|(name, _)| name).collect();
        return print_lines([format!("{:#}", json!(names))]);
    }
    if count {
        return print_lines([nodes.len()]);
    }
    if nodes.is_empty() {
        graph::hint_at_other_graphs();
    }
    if nodes.windows(2).any(|pair| pair[0] == pair[1]) {
        let warning = "WARNING: Be aware that there are nodes in the graph that share an exact name, which can have unintended side effects.";
        writeln!(io::stderr(), "{warning}")?;
    }
    // Scripts read names.
    let tells_origin = io::stdout().is_terminal();
    let line = |(name, origin): &(String, &str)| match tells_origin {
        true => format!("{name}{}", from_text(origin)),
        false => name.clone(),
    };
    print_lines(nodes.iter().map(line))
}

/// Returns the text that follows the name of a node and tells its origin.
fn from_text(origin: &str) -> String {
    if origin.is_empty() { String::new() } else { format!(" (of {origin})") }
}

fn info(report: &Report, name: &str, hidden: bool, json: bool) -> Result<(), Error> {
    let graph = &report.graph;
    let nodes: Vec<&NodeInfo> = graph.nodes.iter().filter(|node| full_name(node) == name).collect();
    if nodes.is_empty() {
        let meant = graph::meant(name, &graph::node_names(graph));
        return Err(format!("Unable to find node '{name}'{meant}{}", graph::hint()).into());
    }
    if nodes.len() > 1 {
        writeln!(
            io::stderr(),
            "There are {} nodes in the graph with the exact name \"{name}\". You are seeing information about all of them.",
            nodes.len()
        )?;
    }
    let topics = |kind: EndpointKind| -> BTreeSet<(String, String)> {
        let of_node = |gid| nodes.iter().any(|node| node.gid == gid);
        let ends = graph.endpoints.iter().filter(|end| end.kind == kind && of_node(end.node));
        let shown = ends.filter(|end| hidden || !is_hidden(&end.topic));
        shown.map(|end| (end.topic.clone(), end.type_name.clone())).collect()
    };
    let of_node = |gid: &Gid| nodes.iter().any(|node| node.gid == *gid);
    let is_own = |end: &EndpointInfo| of_node(&end.node);
    let services = |ends: &[EndpointInfo]| -> BTreeSet<(String, String)> {
        let shown = ends.iter().filter(|end| is_own(end) && (hidden || !is_hidden(&end.topic)));
        shown.map(|end| (end.topic.clone(), end.type_name.clone())).collect()
    };
    let sections = [
        ("Subscribers", topics(EndpointKind::Subscription)),
        ("Publishers", topics(EndpointKind::Publisher)),
        ("Service Servers", services(&graph.servers)),
        ("Service Clients", services(&graph.clients)),
        ("Action Servers", Actions::of_node(&graph.servers, is_own)),
        ("Action Clients", Actions::of_node(&graph.clients, is_own)),
    ];
    let connections = connections(report, of_node, hidden);
    let mut out = io::stdout().lock();
    // The origins of nodes that represent nodes of other systems.
    let origins: BTreeSet<&str> =
        nodes.iter().map(|node| node.origin.name()).filter(|name| !name.is_empty()).collect();
    if json {
        let ends = |ends: &BTreeSet<(String, String)>| {
            ends.iter().map(|(name, ty)| json!({ "name": name, "type": ty })).collect::<Vec<_>>()
        };
        let connections: Vec<_> = connections.iter().map(|line| line.as_json(report)).collect();
        let mut info = json!({ "node": name, "origins": origins, "connections": connections });
        for (head, of_head) in &sections {
            info[head.to_lowercase().replace(' ', "_")] = ends(of_head).into();
        }
        return Ok(writeln!(out, "{info:#}")?);
    }
    writeln!(out, "{name}{}", origins.into_iter().map(from_text).collect::<String>())?;
    for (head, ends) in sections {
        writeln!(out, "  {head}:")?;
        if ends.is_empty() {
            // ROS 2's command prints an empty line here.
            writeln!(out)?;
        }
        for (topic, ty) in ends {
            writeln!(out, "    {topic}: {ty}")?;
        }
    }
    writeln!(out, "  Connections:")?;
    connections.iter().try_for_each(|line| line.write(&mut out, report)).map_err(Error::from)
}

/// What is printed beside the latency of messages that a bridge has passed on. `topic latency` measures their way from another host.
const FROM_BRIDGE: &str = "; from when a bridge had passed the message on";

/// A connection of a node, and its topic.
struct Line<'a> {
    topic: &'a str,
    connection: &'a ConnectionReport,
}

/// Returns the connections of a node's publishers and subscriptions.
fn connections(report: &Report, of_node: impl Fn(&Gid) -> bool, hidden: bool) -> Vec<Line<'_>> {
    let ends = |connection: &&ConnectionReport| [connection.publisher, connection.subscription];
    let mut lines: Vec<Line<'_>> = Vec::new();
    for connection in &report.connections {
        let own = report.graph.endpoints.iter().filter(|end| ends(&connection).contains(&end.gid));
        let own: Vec<_> =
            own.filter(|end| of_node(&end.node) && (hidden || !is_hidden(&end.topic))).collect();
        lines.extend(own.first().map(|end| Line { topic: &end.topic, connection }));
    }
    lines.sort_by_key(|line| (line.topic, latency::ends(report, line.connection)));
    lines
}

impl Line<'_> {
    fn write(&self, out: &mut impl Write, report: &Report) -> io::Result<()> {
        let (from, to) = latency::ends(report, self.connection);
        let ConnectionReport { transport, callback, losses, .. } = self.connection;
        writeln!(out, "    {}: {from} -> {to}: {} messages, lost {losses}", self.topic, transport.count())?;
        let begins = if transport.count() > 0 && self.is_from_elsewhere(report) { FROM_BRIDGE } else { "" };
        writeln!(out, "      transport: {}{begins}", latency_text(transport))?;
        writeln!(out, "      callback: {}", latency_text(callback))
    }

    /// Whether the publisher is of another host or domain.
    fn is_from_elsewhere(&self, report: &Report) -> bool {
        let mut ends = report.graph.endpoints.iter();
        ends.any(|end| end.gid == self.connection.publisher && end.origin.is_foreign())
    }

    fn as_json(&self, report: &Report) -> Json {
        let (from, to) = latency::ends(report, self.connection);
        json!({
            "topic": self.topic,
            "publisher": from,
            "publisher_is_elsewhere": self.is_from_elsewhere(report),
            "subscription": to,
            "lost": self.connection.losses.total(),
            "transport": latency_json(&self.connection.transport),
            "callback": latency_json(&self.connection.callback),
        })
    }
}
