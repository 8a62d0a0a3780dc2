//! `saltus action`

mod goal;

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{self, Write},
};

use clap::Subcommand;
use saltus::{Context, action::ActionNames, types::is_hidden};
use saltus_dynamic::{Schema, YamlStyle, decode, to_yaml};

use saltus_verb::{
    actions::Actions,
    catalog::{Catalog, with_kind},
    complete,
    error::Error,
    graph::{self, absolute},
    output::print_lines,
    reading::{QosArguments, Reading, hidden_node},
};

/// `saltus action …`
#[derive(Debug, Subcommand)]
pub(crate) enum Action {
    /// Print the names of all actions
    #[command(after_help = "Example:\n  saltus action list -t")]
    List {
        /// Also print the type of each action
        #[arg(short = 't', long)]
        show_types: bool,
        /// Print only the number of actions
        #[arg(short, long)]
        count_actions: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Print the clients and the servers of an action
    #[command(after_help = "Example:\n  saltus action info /fibonacci -t")]
    Info {
        /// The name of the action
        #[arg(add = complete::action_names())]
        action_name: String,
        /// Also print the types
        #[arg(short = 't', long)]
        show_types: bool,
        /// Print only the numbers of clients and servers
        #[arg(short, long)]
        count: bool,
    },
    /// Print the type of an action
    #[command(after_help = "Example:\n  saltus action type /fibonacci")]
    Type {
        /// The name of the action
        #[arg(add = complete::action_names())]
        action_name: String,
    },
    /// Print the actions of a type
    #[command(after_help = "Example:\n  saltus action find example_interfaces/action/Fibonacci")]
    Find {
        /// The type, such as example_interfaces/action/Fibonacci
        #[arg(add = complete::action_types())]
        action_type: String,
        /// Print only the number of actions
        #[arg(short, long)]
        count_actions: bool,
    },
    /// Send a goal and wait for its result; Ctrl-C cancels the goal
    #[command(
        name = "send_goal",
        after_help = "Example:\n  saltus action send_goal --feedback /fibonacci example_interfaces/action/Fibonacci \"{order: 5}\""
    )]
    SendGoal(goal::SendGoal),
    /// Print the feedback and the states of goals
    #[command(after_help = "Example:\n  saltus action echo /fibonacci")]
    Echo {
        /// The name of the action
        #[arg(add = complete::action_names())]
        action_name: String,
        /// The type of the action; needed if the action has no server yet
        #[arg(add = complete::action_types())]
        action_type: Option<String>,
    },
}

impl Action {
    pub(crate) fn run(self) -> Result<(), Error> {
        match self {
            Self::List { show_types, count_actions, json } => {
                list(&Actions::of(graph::observe()?), show_types, count_actions, json)
            }
            Self::Info { action_name, show_types, count } => {
                info(&Actions::of(graph::observe()?), &absolute(&action_name)?, show_types, count)
            }
            Self::Type { action_name } => {
                let name = absolute(&action_name)?;
                let all = Actions::of(graph::observe()?).all;
                print_lines(all.get(&name).ok_or_else(|| graph::unknown("action", &name, all.keys()))?)
            }
            Self::Find { action_type, count_actions } => {
                let all = Actions::of(graph::observe()?).all;
                let ty = with_kind(&action_type, "action");
                let of_type = all.into_iter().filter(|(_, types)| types.contains(&ty));
                let found: Vec<String> = of_type.map(|one| one.0).collect();
                if count_actions {
                    return print_lines([found.len()]);
                }
                if found.is_empty() {
                    graph::none_found("action", &ty)?;
                }
                print_lines(&found)
            }
            Self::SendGoal(goal) => goal.run(),
            Self::Echo { action_name, action_type } => echo(&absolute(&action_name)?, action_type),
        }
    }
}

fn list(actions: &Actions, show_types: bool, count: bool, json: bool) -> Result<(), Error> {
    let all: BTreeMap<_, _> = actions.all.iter().filter(|(name, _)| !is_hidden(name)).collect();
    if json {
        return print_lines([serde_json::to_string_pretty(&all)?]);
    }
    if count {
        return print_lines([all.len().to_string()]);
    }
    if all.is_empty() {
        graph::hint_at_other_graphs();
    }
    let line = |(name, types): (&String, &BTreeSet<String>)| {
        let types: Vec<&str> = types.iter().map(String::as_str).collect();
        if show_types { format!("{name} [{}]", types.join(", ")) } else { name.clone() }
    };
    print_lines(all.into_iter().map(line))
}

fn info(actions: &Actions, name: &str, show_types: bool, count: bool) -> Result<(), Error> {
    if !actions.all.contains_key(name) {
        return Err(graph::unknown("action", name, actions.all.keys()));
    }
    let mut lines = vec![format!("Action: {name}")];
    for (head, ends) in
        [("Action clients", &actions.graph.clients), ("Action servers", &actions.graph.servers)]
    {
        let nodes = actions.nodes(ends, name);
        lines.push(format!("{head}: {}", nodes.len()));
        if !count {
            let line = |(node, ty): (String, String)| match show_types {
                true => format!("    {node} [{ty}]"),
                false => format!("    {node}"),
            };
            lines.extend(nodes.into_iter().map(line));
        }
    }
    print_lines(&lines)
}

/// Prints feedback and states as they arrive.
fn echo(name: &str, action_type: Option<String>) -> Result<(), Error> {
    let context = Context::new()?;
    let node = hidden_node(&context)?;
    let mut catalog = Catalog::from_environment();
    let actions = Actions::of(context.graph());
    let known = || actions.all.get(name).and_then(|types| types.first().cloned());
    let given = action_type.map(|ty| with_kind(&ty, "action"));
    let ty = given.or_else(known).ok_or_else(|| graph::unknown("action", name, actions.all.keys()))?;
    catalog.check_action(&ty, &actions.graph)?;
    let names = ActionNames::of(name);
    let feedback = catalog.topic(&names.feedback, &format!("{ty}_FeedbackMessage"), &actions.graph)?;
    let (feedback, feedback_type) = feedback;
    let (status, status_type) = catalog.schema("action_msgs/msg/GoalStatusArray")?;
    let qos = QosArguments::default();
    let mut state_messages = Reading::open(&node, &names.status, &status_type, &qos, 10)?;
    let mut feedback_messages = Reading::open(&node, &names.feedback, &feedback_type, &qos, 100)?;
    // Both subscriptions wake the same waiter. Messages are printed in the order in which they are taken.
    state_messages.ring_for(&feedback_messages);
    let mut has_printed = false;
    loop {
        let has_printed_feedback = print(&mut feedback_messages, "FEEDBACK_TOPIC", &feedback)?;
        let has_printed_state = print(&mut state_messages, "STATUS_TOPIC", &status)?;
        has_printed |= has_printed_feedback || has_printed_state;
        if !has_printed_feedback && !has_printed_state && !feedback_messages.wait() {
            return feedback_messages.end(has_printed);
        }
    }
}

/// Prints the next message of a subscription, if one is in the queue. Returns whether there was one.
fn print(reading: &mut Reading, interface: &str, schema: &Schema) -> Result<bool, Error> {
    let Some(sample) = reading.take() else { return Ok(false) };
    let style = YamlStyle { truncate: Some(128), no_arr: false, no_str: false };
    match decode(schema, &sample) {
        Ok(value) => {
            let mut out = io::stdout().lock();
            write!(out, "interface: {interface}\n{}---\n", to_yaml(schema, &value, &style))?;
            out.flush()?;
        }
        Err(error) => writeln!(io::stderr(), "message {} can't be read: {error}", sample.sequence())?,
    }
    Ok(true)
}
