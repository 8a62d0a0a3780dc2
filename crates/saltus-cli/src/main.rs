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
use verb::doctor::Unwell;

/// Robotics middleware: topics over zero-copy shared memory, with ROS 2's types and vocabulary.
#[derive(Debug, Parser)]
#[command(name = "saltus", version)]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
    #[command(flatten)]
    _accepted: Accepted,
}

/// Flags of ROS 2's commands that mean nothing here, where there is no daemon and the graph is known at once.
/// Scripts pass them.
#[derive(Debug, clap::Args)]
struct Accepted {
    #[arg(long, global = true, hide = true)]
    no_daemon: bool,
    #[arg(long, global = true, hide = true, value_name = "SECONDS")]
    spin_time: Option<f64>,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// What is published and subscribed to
    #[command(subcommand)]
    Topic(verb::topic::Topic),
    /// What can be called
    #[command(subcommand)]
    Service(verb::service::Service),
    /// What can be worked at
    #[command(subcommand)]
    Action(verb::action::Action),
    /// What can be set
    #[command(subcommand)]
    Param(verb::param::Param),
    /// What runs
    #[command(subcommand)]
    Node(verb::node::Node),
    /// Types of messages, services and actions
    #[command(subcommand)]
    Interface(verb::interface::Interface),
    /// State machines
    #[command(subcommand)]
    Machine(verb::machine::Machine),
    /// Join two domains: pass topics, services and actions on from one to the other
    DomainBridge(verb::domain_bridge::DomainBridge),
    /// Make a package with a node and a test
    New(verb::new::New),
    /// Look for what is wrong
    Doctor(verb::doctor::Doctor),
    /// Measure Saltus beside its peers on this machine
    #[command(subcommand)]
    Bench(verb::bench::Bench),
    /// Print a script that completes this command's words in a shell
    Completions(verb::completions::Completions),
}

fn main() -> ExitCode {
    // Before the arguments are parsed: what that takes is no part of what a node costs.
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
                _ if error.is::<Unwell>() => ExitCode::from(UNWELL),
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

/// What a shell reports of a program that was interrupted.
const INTERRUPTED: u8 = 130;
/// What `doctor` ends with if it found something.
const UNWELL: u8 = 3;

/// A reader that has seen enough (`saltus … | head`) is no error.
fn is_closed_pipe(error: &(dyn std::error::Error + 'static)) -> bool {
    let of = |error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe;
    match error.downcast_ref() {
        Some(RunError::Start(_, error)) => of(error),
        _ => error.downcast_ref().is_some_and(of),
    }
}
