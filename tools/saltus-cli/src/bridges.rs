//! What the bridges of this host say about themselves.

use std::{io, io::Write, time::Duration};

use saltus::{
    Context,
    graph::{Graph, NodeInfo},
    msgs::diagnostic_msgs::{
        msg::DiagnosticStatus,
        srv::{SelfTest, SelfTest_Request},
    },
};
use saltus_relay::diagnostics::{CLOCK_AHEAD, CLOCK_ERROR, FIX};
use saltus_verb::{error::Error, graph::full_name, reading::hidden_node};
use serde_json::{Value as Json, json};

/// The first part of the names of the nodes of bridges. A bridge to another network than the default has its name after it.
const BRIDGE: &str = "saltus_bridge";
/// The name of its service, below the node.
const SERVICE: &str = "self_test";
/// The longest time until a bridge answers.
const ANSWERS_WITHIN: Duration = Duration::from_secs(2);

/// A bridge, and its answer.
pub(crate) struct Bridge {
    /// The full name of its node.
    node: String,
    /// What it says; the error if it does not answer.
    status: Result<Vec<DiagnosticStatus>, String>,
}

impl Bridge {
    /// Asks all bridges of the domain.
    pub(crate) fn ask_all(graph: &Graph) -> Vec<Self> {
        let has_service = |node: &&NodeInfo| {
            let service = format!("{}/{SERVICE}", full_name(node));
            node.name.starts_with(BRIDGE) && graph.servers.iter().any(|server| server.topic == service)
        };
        let own = graph.nodes.iter().filter(|node| !node.origin.is_foreign());
        let nodes = own.filter(has_service).map(full_name);
        let ask = |node: String| {
            let status = ask(&node).map_err(|error| error.to_string());
            Self { node, status }
        };
        nodes.map(ask).collect()
    }

    /// Prints what it says, a line for each status.
    pub(crate) fn print(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "  {}", self.node)?;
        for one in self.status.iter().flatten() {
            let values: Vec<String> = one
                .values
                .iter()
                .filter(|value| value.key != FIX)
                .map(|value| format!("{} {}", value.key, value.value))
                .collect();
            let values = if values.is_empty() { String::new() } else { format!(" ({})", values.join(", ")) };
            // Another host has given its name and some of the words.
            writeln!(out, "    {}", plain(&format!("{}: {}{values}", one.name, one.message)))?;
        }
        Ok(())
    }

    /// Returns its problems, each with what fixes it.
    pub(crate) fn problems(&self) -> Vec<(String, String)> {
        match &self.status {
            Err(error) => vec![(
                format!("{} does not say how it is: {error}", self.node),
                "see whether its process is stopped or memory is full, or start it again".into(),
            )],
            Ok(status) => {
                let failed = status.iter().filter(|one| one.level == DiagnosticStatus::ERROR);
                let problem = |one: &DiagnosticStatus| {
                    let fix = value_of(one, FIX).unwrap_or("see docs/bridge.md").to_owned();
                    // Another host has given its name and some of the words.
                    (plain(&format!("{}: {}: {}", self.node, one.name, one.message)), fix)
                };
                failed.map(problem).collect()
            }
        }
    }

    /// Returns whether endpoints with this origin come over the bridge.
    pub(crate) fn knows(&self, origin: &str) -> bool {
        self.sessions(origin).next().is_some()
    }

    /// Returns how far the clock of a host is ahead and how far that may be wrong, in seconds, if the bridge knows that. The host is
    /// the origin of the endpoints that are there. If several hosts have the name, it is not known which of them is meant.
    pub(crate) fn clock(&self, origin: &str) -> Option<(f64, f64)> {
        let mut sessions = self.sessions(origin);
        let (one, None) = (sessions.next()?, sessions.next()) else { return None };
        let seconds = |key| Some(value_of(one, key)?.parse::<f64>().ok()? / 1e3);
        Some((seconds(CLOCK_AHEAD)?, seconds(CLOCK_ERROR)?))
    }

    fn sessions(&self, origin: &str) -> impl Iterator<Item = &DiagnosticStatus> {
        self.status.iter().flatten().filter(move |one| one.name == origin)
    }

    pub(crate) fn as_json(&self) -> Json {
        let status = |one: &DiagnosticStatus| {
            let values = one.values.iter().map(|value| (value.key.clone(), Json::from(value.value.clone())));
            json!({
                "name": one.name,
                "message": one.message,
                "session": one.hardware_id,
                "values": values.collect::<serde_json::Map<_, _>>(),
            })
        };
        json!({
            "node": self.node,
            "error": self.status.as_ref().err(),
            "status": self.status.iter().flatten().map(status).collect::<Vec<_>>(),
        })
    }
}

/// Returns a text without characters that control a terminal.
fn plain(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { '?' } else { letter }).collect()
}

fn value_of<'a>(status: &'a DiagnosticStatus, key: &str) -> Option<&'a str> {
    status.values.iter().find(|value| value.key == key).map(|value| &*value.value)
}

fn ask(node: &str) -> Result<Vec<DiagnosticStatus>, Error> {
    let context = Context::new()?;
    let asking = hidden_node(&context)?;
    let client = asking.client::<SelfTest>(&format!("{node}/{SERVICE}")).create()?;
    if !client.wait_for_service(ANSWERS_WITHIN) {
        return Err(format!("it does not connect to `{SERVICE}`").into());
    }
    Ok(client.call(&SelfTest_Request::default(), ANSWERS_WITHIN)?.status)
}
