//! What the bridges of this host say about themselves.

use std::{io, io::Write, time::Duration};

use saltus::{
    Context,
    graph::Graph,
    msgs::diagnostic_msgs::{
        msg::DiagnosticStatus,
        srv::{SelfTest, SelfTest_Request},
    },
};
use saltus_verb::{error::Error, graph::full_name, reading::hidden_node};
use serde_json::{Value as Json, json};

use super::finding::{Finding, finding};

/// The first part of the names of the nodes of bridges. A bridge to another network than the default has its name after it.
const BRIDGE: &str = "saltus_bridge";
/// The longest time until a bridge answers.
const ANSWERS_WITHIN: Duration = Duration::from_secs(2);

/// A bridge, and its answer.
pub(super) struct Bridge {
    /// The full name of its node.
    node: String,
    /// What it says; the error if it does not answer.
    status: Result<Vec<DiagnosticStatus>, String>,
}

impl Bridge {
    /// Asks all bridges of the domain.
    pub(super) fn ask_all(graph: &Graph) -> Vec<Self> {
        let own = graph.nodes.iter().filter(|node| !node.origin.is_foreign());
        let nodes = own.filter(|node| node.name.starts_with(BRIDGE)).map(full_name);
        let ask = |node: String| {
            let status = ask(&node).map_err(|error| error.to_string());
            Self { node, status }
        };
        nodes.map(ask).collect()
    }

    /// Prints what it says, a line for each status.
    pub(super) fn print(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "  {}", self.node)?;
        for one in self.status.iter().flatten() {
            let values: Vec<String> =
                one.values.iter().map(|value| format!("{} {}", value.key, value.value)).collect();
            let values = if values.is_empty() { String::new() } else { format!(" ({})", values.join(", ")) };
            writeln!(out, "    {}: {}{values}", one.name, one.message)?;
        }
        Ok(())
    }

    /// Returns its problems.
    pub(super) fn problems(&self) -> Vec<Finding> {
        match &self.status {
            Err(error) => vec![finding(
                format!("{} does not say how it is: {error}", self.node),
                "see whether its process is stopped, or start it again",
            )],
            Ok(status) => {
                let failed = status.iter().filter(|one| one.level == DiagnosticStatus::ERROR);
                let problem = |one: &DiagnosticStatus| {
                    finding(
                        format!("{}: {}: {}", self.node, one.name, one.message),
                        "let that host announce less (rules of its bridge, or a domain of its own), and look for a program that sends \
                         what no node sends",
                    )
                };
                failed.map(problem).collect()
            }
        }
    }

    pub(super) fn as_json(&self) -> Json {
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

fn ask(node: &str) -> Result<Vec<DiagnosticStatus>, Error> {
    let context = Context::new()?;
    let asking = hidden_node(&context)?;
    let client = asking.client::<SelfTest>(&format!("{node}/self_test")).create()?;
    if !client.wait_for_service(ANSWERS_WITHIN) {
        return Err("it has no service `self_test`".into());
    }
    Ok(client.call(&SelfTest_Request::default(), ANSWERS_WITHIN)?.status)
}
