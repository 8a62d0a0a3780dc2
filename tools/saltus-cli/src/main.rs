//! The `saltus` command: one file per verb.

mod actions;
mod arguments;
mod bundled;
mod catalog;
mod complete;
#[cfg(test)]
mod documents;
mod drawing;
mod error;
mod graph;
mod missing;
mod output;
mod packages;
mod reading;
mod remote;
mod ros_args;
mod tool_clock;
mod verb {
    //! The verbs.
    pub(crate) mod action;
    pub(crate) mod agent;
    pub(crate) mod bench;
    pub(crate) mod bt;
    pub(crate) mod completions;
    pub(crate) mod component;
    pub(crate) mod container;
    pub(crate) mod demo;
    pub(crate) mod description;
    pub(crate) mod doctor;
    pub(crate) mod domain_bridge;
    pub(crate) mod install;
    pub(crate) mod interface;
    pub(crate) mod launch;
    pub(crate) mod lifecycle;
    pub(crate) mod machine;
    pub(crate) mod map;
    pub(crate) mod new;
    pub(crate) mod node;
    pub(crate) mod param;
    pub(crate) mod pkg;
    pub(crate) mod run;
    pub(crate) mod service;
    pub(crate) mod sim;
    pub(crate) mod teleop;
    pub(crate) mod tf;
    pub(crate) mod top;
    pub(crate) mod topic;
    pub(crate) mod view;
}

use std::{
    ffi::OsString,
    io::{self, Write},
    process::ExitCode,
};

use clap::{CommandFactory, Parser, Subcommand};
use clap_complete::CompleteEnv;
use error::Error;
use saltus_bench::RunError;
use verb::doctor::ProblemsFound;

/// Robotics middleware: topics over zero-copy shared memory, with ROS 2's types and vocabulary.
#[derive(Debug, Parser)]
#[command(name = "saltus", version, infer_long_args = true, args_override_self = true)]
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
    Topic(verb::topic::TopicArguments),
    /// List services, print their calls, and call them
    Service(verb::service::ServiceArguments),
    /// List actions, print their feedback, and send goals
    #[command(subcommand)]
    Action(verb::action::Action),
    /// Print and set the parameters of nodes
    #[command(subcommand)]
    Param(verb::param::Param),
    /// List, load and unload the components of containers
    #[command(subcommand)]
    Component(verb::component::Component),
    /// Run a container for components: on its thread, on several, each on its own, or each in its own process
    Container(verb::container::Container),
    /// Run a program or a component of an installed package
    Run(verb::run::Run),
    /// Start the nodes of a launch file, watch them, and end them in order
    Launch(verb::launch::Launch),
    /// List installed packages, their prefixes and their programs
    #[command(subcommand)]
    Pkg(verb::pkg::Pkg),
    /// Build a package and install it into a prefix
    Install(verb::install::Install),
    /// List lifecycle nodes, print their states, and change them
    #[command(subcommand)]
    Lifecycle(verb::lifecycle::Lifecycle),
    /// List nodes, and print their topics and services
    #[command(subcommand)]
    Node(verb::node::Node),
    /// Print the types of messages, services and actions
    #[command(subcommand)]
    Interface(verb::interface::Interface),
    /// Print transforms between coordinate frames, and publish static ones
    #[command(subcommand)]
    Tf(verb::tf::Tf),
    /// Check the description of a robot in URDF, and print its links and joints
    #[command(subcommand)]
    Description(verb::description::Description),
    /// Check behavior trees, and print and draw them
    #[command(subcommand)]
    Bt(verb::bt::Bt),
    /// Print what a map of navigation contains, and save a map that is published
    #[command(subcommand)]
    Map(verb::map::Map),
    /// Simulate robots in a world: their drives, lidars and other sensors
    Sim(verb::sim::Sim),
    /// Drive a robot with the keyboard
    Teleop(verb::teleop::Teleop),
    /// See what Saltus does, in one command
    #[command(subcommand)]
    Demo(verb::demo::Demo),
    /// Show robots in a browser: maps, scans, frames, paths, images, plots
    View(verb::view::View),
    /// Run, watch and draw state machines
    #[command(subcommand)]
    Machine(verb::machine::Machine),
    /// Join two domains: forward topics, services and actions from one to the other
    DomainBridge(verb::domain_bridge::DomainBridge),
    /// Serve microcontrollers that use micro-ROS or the client in micro/, over UDP, TCP, serial lines and CAN-FD
    Agent(verb::agent::Agent),
    /// Create a package with a node and a test
    New(verb::new::New),
    /// Check the running nodes for problems
    #[command(visible_alias = "wtf")]
    Doctor(verb::doctor::Doctor),
    /// Watch processes, containers, components and threads: CPU, memory, latency, losses, restarts
    Top(verb::top::Top),
    /// Measure Saltus and its peers (other middlewares) on this machine
    #[command(subcommand)]
    Bench(verb::bench::Bench),
    /// Print a script for shell completion of verbs, options and names of the running graph
    Completions(verb::completions::Completions),
}

fn main() -> ExitCode {
    CompleteEnv::with_factory(Arguments::command).var(complete::VARIABLE).complete();
    if let Some(status) = packages::run_components() {
        return status;
    }
    // A process that a benchmark has started runs its role before the arguments are parsed, so that the cost of
    // parsing is not measured as a cost of the node.
    let words: Vec<String> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    let done = match verb::bench::role(std::env::args().skip(1)) {
        Some(words) => saltus_bench::run_role(&words),
        None => match missing::answer(&words) {
            Some(answer) => Err(answer),
            None => run(Arguments::parse_from(arguments()).verb),
        },
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_closed_pipe(&*error) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "saltus: {error}");
            match error.downcast_ref() {
                Some(RunError::Interrupted) => ExitCode::from(INTERRUPTED),
                _ if error.is::<ProblemsFound>() => ExitCode::from(PROBLEMS_FOUND),
                _ if error.is::<missing::MissingVerb>() => ExitCode::from(USAGE),
                _ => ExitCode::FAILURE,
            }
        }
    }
}

/// Returns the words of the command line, with the flags replaced that the parser can't express.
fn arguments() -> Vec<OsString> {
    let words = verb::doctor::long_flags(std::env::args_os());
    verb::agent::with_discovery_port(words.into_iter())
}

fn run(verb: Verb) -> Result<(), Error> {
    match verb {
        Verb::Topic(topic) => topic.run(),
        Verb::Service(service) => service.run(),
        Verb::Action(action) => action.run(),
        Verb::Param(param) => param.run(),
        Verb::Component(component) => component.run(),
        Verb::Lifecycle(lifecycle) => lifecycle.run(),
        Verb::Container(container) => container.run(),
        Verb::Run(run) => run.run(),
        Verb::Launch(launch) => launch.run(),
        Verb::Pkg(pkg) => pkg.run(),
        Verb::Install(install) => install.run(),
        Verb::Node(node) => node.run(),
        Verb::Interface(interface) => interface.run(),
        Verb::Map(map) => map.run(),
        Verb::Sim(sim) => sim.run(),
        Verb::View(view) => view.run(),
        Verb::Teleop(teleop) => teleop.run(),
        Verb::Demo(demo) => demo.run(),
        Verb::Tf(tf) => tf.run(),
        Verb::Description(description) => description.run(),
        Verb::Bt(bt) => bt.run(),
        Verb::Machine(machine) => machine.run(),
        Verb::DomainBridge(bridge) => bridge.run(),
        Verb::Agent(agent) => agent.run(),
        Verb::New(new) => new.run(),
        Verb::Top(top) => top.run(),
        Verb::Doctor(doctor) => doctor.run(),
        Verb::Completions(completions) => completions.run(),
        Verb::Bench(bench) => bench.run(),
    }
}

/// The exit status that a shell reports for an interrupted program.
const INTERRUPTED: u8 = 130;
/// The exit status of a wrong command line, the same as clap's.
const USAGE: u8 = 2;
/// The exit status of `doctor` if it found a problem.
const PROBLEMS_FOUND: u8 = 3;

/// Returns whether the reader of the output has closed it, as in `saltus … | head`. This is not an error of the verb.
fn is_closed_pipe(error: &(dyn std::error::Error + 'static)) -> bool {
    let of = |error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe;
    match error.downcast_ref() {
        Some(RunError::Start(_, error)) => of(error),
        _ => error.downcast_ref().is_some_and(of),
    }
}

#[cfg(test)]
mod tests {
    use clap::error::ErrorKind;

    use super::*;

    /// The flags of ROS 2 Jazzy's command, one on a line, with a subverb and a value.
    const FLAGS: [&str; 11] = [
        include_str!("../tests/ros2_flags/action.txt"),
        include_str!("../tests/ros2_flags/component.txt"),
        include_str!("../tests/ros2_flags/doctor.txt"),
        include_str!("../tests/ros2_flags/interface.txt"),
        include_str!("../tests/ros2_flags/launch.txt"),
        include_str!("../tests/ros2_flags/lifecycle.txt"),
        include_str!("../tests/ros2_flags/node.txt"),
        include_str!("../tests/ros2_flags/param.txt"),
        include_str!("../tests/ros2_flags/pkg.txt"),
        include_str!("../tests/ros2_flags/service.txt"),
        include_str!("../tests/ros2_flags/topic.txt"),
    ];

    /// Parses words after the command's name. Asking for the help leaves positional arguments unchecked.
    fn parse(words: &[&str]) -> ErrorKind {
        let words = std::iter::once("saltus").chain(words.iter().copied()).chain(["--help"]);
        let words = verb::doctor::long_flags(words.map(std::ffi::OsString::from));
        Arguments::try_parse_from(words).unwrap_err().kind()
    }

    #[test]
    fn every_flag_of_ros_2_is_taken() {
        let lines = FLAGS.iter().flat_map(|text| text.lines()).map(str::trim);
        let lines: Vec<&str> = lines.filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
        assert!(lines.len() > 250, "{}", lines.len());
        for line in lines {
            let words: Vec<&str> = line.split(' ').collect();
            let with_name: Vec<String> =
                std::iter::once("saltus").chain(words.iter().copied()).map(String::from).collect();
            if missing::answer(&with_name).is_none() {
                assert_eq!(parse(&words), ErrorKind::DisplayHelp, "{line}");
            }
        }
        assert_eq!(parse(&["topic", "echo", "--no-such-flag"]), ErrorKind::UnknownArgument);
    }

    #[test]
    fn flags_may_be_repeated_and_shortened() {
        assert_eq!(parse(&["topic", "hz", "-w", "5", "-w", "7"]), ErrorKind::DisplayHelp);
        assert_eq!(parse(&["topic", "list", "--show"]), ErrorKind::DisplayHelp);
    }

    #[test]
    fn the_command_is_consistent() {
        Arguments::command().debug_assert();
    }
}
