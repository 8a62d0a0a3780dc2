//! The `saltus` command: one file per verb.

mod catalog;
mod error;
mod graph;
mod output;
mod reading;
mod verb {
    //! The verbs.
    pub(crate) mod action;
    pub(crate) mod bench;
    pub(crate) mod completions;
    pub(crate) mod doctor;
    pub(crate) mod domain_bridge;
    pub(crate) mod interface;
    pub(crate) mod machine;
    pub(crate) mod new;
    pub(crate) mod node;
    pub(crate) mod param;
    pub(crate) mod service;
    pub(crate) mod topic;
}

use std::{
    io::{self, Write},
    process::ExitCode,
};

use clap::{CommandFactory, Parser, Subcommand};
use error::Error;
use saltus_bench::RunError;
use verb::doctor::ProblemsFound;

/// Robotics middleware: topics over zero-copy shared memory, with ROS 2's types and vocabulary.
#[derive(Debug, Parser)]
#[command(name = "saltus", version)]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
    #[command(flatten)]
    _accepted: Accepted,
}

/// Flags of ROS 2's commands, which scripts pass. They have no effect here, because there is no daemon and the graph
/// is known at once.
#[derive(Debug, clap::Args)]
struct Accepted {
    #[arg(long, global = true, hide = true)]
    no_daemon: bool,
    #[arg(long, global = true, hide = true, value_name = "SECONDS")]
    spin_time: Option<f64>,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// List topics, print their messages, and publish
    #[command(subcommand)]
    Topic(verb::topic::Topic),
    /// List services, print their calls, and call them
    #[command(subcommand)]
    Service(verb::service::Service),
    /// List actions, print their feedback, and send goals
    #[command(subcommand)]
    Action(verb::action::Action),
    /// Print and set the parameters of nodes
    #[command(subcommand)]
    Param(verb::param::Param),
    /// List nodes, and print their topics and services
    #[command(subcommand)]
    Node(verb::node::Node),
    /// Print the types of messages, services and actions
    #[command(subcommand)]
    Interface(verb::interface::Interface),
    /// Run, watch and draw state machines
    #[command(subcommand)]
    Machine(verb::machine::Machine),
    /// Join two domains: pass topics, services and actions from one to the other
    DomainBridge(verb::domain_bridge::DomainBridge),
    /// Create a package with a node and a test
    New(verb::new::New),
    /// Check the running nodes for problems
    Doctor(verb::doctor::Doctor),
    /// Measure Saltus and its peers on this machine
    #[command(subcommand)]
    Bench(verb::bench::Bench),
    /// Print a script that completes this command's words in a shell
    Completions(verb::completions::Completions),
}

fn main() -> ExitCode {
    // A role of a measurement begins before the arguments are parsed, so that the cost of parsing is not measured as
    // a cost of the node.
    let done = match verb::bench::role(std::env::args().skip(1)) {
        Some(words) => saltus_bench::run_role(&words),
        None => run(Arguments::parse().verb),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_closed_pipe(&*error) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "saltus: {error}");
            match error.downcast_ref() {
                Some(RunError::Interrupted) => ExitCode::from(INTERRUPTED),
                _ if error.is::<ProblemsFound>() => ExitCode::from(PROBLEMS_FOUND),
                _ => ExitCode::FAILURE,
            }
        }
    }
}

fn run(verb: Verb) -> Result<(), Error> {
    match verb {
        Verb::Topic(topic) => topic.run(),
        Verb::Service(service) => service.run(),
        Verb::Action(action) => action.run(),
        Verb::Param(param) => param.run(),
        Verb::Node(node) => node.run(),
        Verb::Interface(interface) => interface.run(),
        Verb::Machine(machine) => machine.run(),
        Verb::DomainBridge(bridge) => bridge.run(),
        Verb::New(new) => new.run(),
        Verb::Doctor(doctor) => doctor.run(),
        Verb::Completions(completions) => completions.run(&mut Arguments::command()),
        Verb::Bench(bench) => bench.run(),
    }
}

/// The exit status that a shell reports for an interrupted program.
const INTERRUPTED: u8 = 130;
/// The exit status of `doctor` if it found a problem.
const PROBLEMS_FOUND: u8 = 3;

/// Whether the reader of the output has closed it, as in `saltus … | head`. That is not an error of the verb.
fn is_closed_pipe(error: &(dyn std::error::Error + 'static)) -> bool {
    let of = |error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe;
    match error.downcast_ref() {
        Some(RunError::Start(_, error)) => of(error),
        _ => error.downcast_ref().is_some_and(of),
    }
}
