//! `saltus lifecycle`

use std::{
    collections::BTreeSet,
    io::{self, Write},
    time::Duration,
};

use clap::Subcommand;
use saltus::{
    cdr::Service,
    graph::Graph,
    msgs::lifecycle_msgs::{
        msg::{State, Transition, TransitionDescription},
        srv::{
            ChangeState, ChangeState_Request, GetAvailableTransitions, GetAvailableTransitions_Request,
            GetState, GetState_Request,
        },
    },
    types::is_hidden,
};

use saltus_verb::{
    arguments::UnusedClock,
    complete,
    error::Error,
    graph::{self, absolute, full_name},
    output::print_lines,
    remote::{Remote, ResponseTimeout},
};

/// `saltus lifecycle …`
#[derive(Debug, Subcommand)]
pub(crate) enum Lifecycle {
    /// Print the names of all lifecycle nodes
    #[command(after_help = "Example:\n  saltus lifecycle nodes")]
    Nodes {
        /// Also print hidden nodes (their names begin with `_`)
        #[arg(short, long)]
        all: bool,
        /// Print only the number of nodes
        #[arg(short, long)]
        count_nodes: bool,
        #[command(flatten)]
        _clock: UnusedClock,
    },
    /// Print the state of a lifecycle node, or of all
    #[command(after_help = "Example:\n  saltus lifecycle get /camera")]
    Get {
        /// The name of the node; without it, all lifecycle nodes
        #[arg(add = complete::nodes())]
        node_name: Option<String>,
        #[command(flatten)]
        timing: Timing,
    },
    /// Request a transition of a lifecycle node
    #[command(after_help = "Example:\n  saltus lifecycle set /camera configure")]
    Set {
        /// The name of the node
        #[arg(add = complete::nodes())]
        node_name: String,
        /// The label of the transition (configure, activate, deactivate, cleanup, shutdown), or its id
        transition: String,
        #[command(flatten)]
        timing: Timing,
    },
    /// Print the transitions that are possible in the current state of a lifecycle node
    #[command(after_help = "Example:\n  saltus lifecycle list /camera --all")]
    List {
        /// The name of the node
        #[arg(add = complete::nodes())]
        node_name: String,
        /// Print the transitions of all states
        #[arg(short, long)]
        all: bool,
        #[command(flatten)]
        timing: Timing,
    },
}

/// The options for the wait for a node.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Timing {
    #[command(flatten)]
    timeout: ResponseTimeout,
    /// Include hidden nodes (their names begin with `_`); has no effect if a node is given
    #[arg(long)]
    include_hidden_nodes: bool,
    #[command(flatten)]
    _clock: UnusedClock,
}

impl Lifecycle {
    pub(crate) fn run(self) -> Result<(), Error> {
        match self {
            Self::Nodes { all, count_nodes, .. } => nodes(&graph::observe()?, all, count_nodes),
            Self::Get { node_name: Some(name), timing } => {
                let state = LifecycleNode::find(&name, timing)?.state()?;
                print_lines([state_text(&state)])
            }
            Self::Get { node_name: None, timing } => get_all(timing),
            Self::Set { node_name, transition, timing } => {
                set(&LifecycleNode::find(&node_name, timing)?, &transition)
            }
            Self::List { node_name, all, timing } => {
                let service = if all { "get_transition_graph" } else { "get_available_transitions" };
                print_lines(
                    LifecycleNode::find(&node_name, timing)?
                        .transitions(service)?
                        .iter()
                        .map(transition_text),
                )
            }
        }
    }
}

/// Returns the full names of the nodes that have the services of a lifecycle.
fn lifecycle_nodes(graph: &Graph, hidden: bool) -> BTreeSet<String> {
    let states = graph.servers.iter().filter(|server| server.type_name == "lifecycle_msgs/srv/GetState");
    let nodes = states.filter_map(|server| graph.nodes.iter().find(|node| node.gid == server.node));
    nodes.map(full_name).filter(|name| hidden || !is_hidden(name)).collect()
}

fn nodes(graph: &Graph, all: bool, count: bool) -> Result<(), Error> {
    let names = lifecycle_nodes(graph, all);
    if count {
        return print_lines([names.len()]);
    }
    if graph.nodes.is_empty() {
        graph::hint_at_other_graphs();
    }
    print_lines(names)
}

fn get_all(timing: Timing) -> Result<(), Error> {
    for name in lifecycle_nodes(&graph::observe()?, timing.include_hidden_nodes) {
        // An error of one node must not prevent the output of the other nodes.
        match LifecycleNode::find(&name, timing).and_then(|remote| remote.state()) {
            Ok(state) => print_lines([format!("{name}: {}", state_text(&state))])?,
            Err(error) => writeln!(io::stderr(), "{error}")?,
        }
    }
    Ok(())
}

fn set(remote: &LifecycleNode, wanted: &str) -> Result<(), Error> {
    let available = remote.transitions("get_available_transitions")?;
    let all = || available.iter().map(|one| &one.transition);
    // A label takes precedence over an id.
    let by_label = all().find(|transition| transition.label == wanted);
    let Some(transition) = by_label.or_else(|| all().find(|transition| transition.id.to_string() == wanted))
    else {
        let list: String = all().map(|one| format!("\n- {} [{}]", one.label, one.id)).collect();
        return Err(format!("Unknown transition requested, available ones are:{list}").into());
    };
    let request =
        ChangeState_Request { transition: Transition { id: transition.id, label: transition.label.clone() } };
    match remote.change_state(&request)? {
        true => print_lines(["Transitioning successful"]),
        false => Err("Transitioning failed".into()),
    }
}

fn state_text(state: &State) -> String {
    format!("{} [{}]", state.label, state.id)
}

fn transition_text(one: &TransitionDescription) -> String {
    format!(
        "- {} [{}]\n\tStart: {}\n\tGoal: {}",
        one.transition.label, one.transition.id, one.start_state.label, one.goal_state.label
    )
}

/// A lifecycle node of the graph.
struct LifecycleNode(Remote);

impl LifecycleNode {
    /// Waits until the node is in the graph.
    fn find(name: &str, timing: Timing) -> Result<Self, Error> {
        let has_node = |graph: &Graph, name: &str| graph.nodes.iter().any(|one| full_name(one) == name);
        let name = absolute(name)?;
        let found = Remote::find(name.clone(), timing.timeout, has_node)?;
        let names = || graph::observe().map(|graph| graph::node_names(&graph)).unwrap_or_default();
        found
            .map(Self)
            .ok_or_else(|| format!("Node not found{}{}", graph::meant(&name, &names()), graph::hint()).into())
    }

    fn state(&self) -> Result<State, Error> {
        Ok(self.call::<GetState>("get_state", &GetState_Request {})?.current_state)
    }

    fn transitions(&self, service: &str) -> Result<Vec<TransitionDescription>, Error> {
        let response = self.call::<GetAvailableTransitions>(service, &GetAvailableTransitions_Request {})?;
        Ok(response.available_transitions)
    }

    /// Requests a transition. Waits until its callback has returned, however long that takes.
    fn change_state(&self, request: &ChangeState_Request) -> Result<bool, Error> {
        let answer = self.0.call_for::<ChangeState>("change_state", request, Duration::MAX)?;
        Ok(answer.ok_or_else(|| self.missing("change_state"))?.success)
    }

    fn missing(&self, service: &str) -> Error {
        format!("'{}' has no service '{service}': it is no lifecycle node", self.0.name).into()
    }

    fn call<S: Service>(&self, service: &str, request: &S::Request) -> Result<S::Response, Error> {
        self.0.call::<S>(service, request)?.ok_or_else(|| self.missing(service))
    }
}
