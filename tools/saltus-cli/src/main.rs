//! The program `saltus`: the verbs of the graph, a file for each, and the way to the verbs of other programs.

mod bridges;
#[cfg(test)]
mod documents;
mod missing;
mod other_programs;
mod verb {
    //! The verbs.
    pub(crate) mod action;
    pub(crate) mod agent;
    pub(crate) mod completions;
    pub(crate) mod component;
    pub(crate) mod container;
    pub(crate) mod doctor;
    pub(crate) mod domain_bridge;
    pub(crate) mod install;
    pub(crate) mod interface;
    pub(crate) mod launch;
    pub(crate) mod lifecycle;
    pub(crate) mod machine;
    pub(crate) mod new;
    pub(crate) mod node;
    pub(crate) mod param;
    pub(crate) mod pkg;
    pub(crate) mod run;
    pub(crate) mod service;
    pub(crate) mod tf;
    pub(crate) mod top;
    pub(crate) mod topic;
    pub(crate) mod view;
}

use std::{ffi::OsString, process::ExitCode};

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use clap_complete::CompleteEnv;
use saltus_verb::{
    complete,
    error::{Error, exit_code},
    programs::own_words,
};

/// Robotics middleware: topics over zero-copy shared memory, with ROS 2's types and vocabulary.
#[derive(Debug, Parser)]
#[command(name = "saltus", version, max_term_width = 80, infer_long_args = true, args_override_self = true)]
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
    /// Show robots in a browser: maps, scans, frames, paths, images, plots
    View(verb::view::View),
    /// Run, watch and draw state machines
    #[command(subcommand)]
    Machine(verb::machine::Machine),
    /// Join two domains: forward topics, services and actions from one to the other
    DomainBridge(verb::domain_bridge::DomainBridge),
    /// Serve microcontrollers that use micro-ROS or the client in micro/, over UDP, TCP, serial lines and CAN-FD
    Agent(verb::agent::Agent),
    /// Create a package with a node, a component, a service or an action, and a test
    New(verb::new::New),
    /// Check the running nodes for problems
    #[command(visible_alias = "wtf")]
    Doctor(verb::doctor::Doctor),
    /// Watch processes, containers, components and threads: CPU, memory, latency, losses, restarts
    Top(verb::top::Top),
    /// Print a script for shell completion of verbs, options and names of the running graph
    Completions(verb::completions::Completions),
}

fn main() -> ExitCode {
    other_programs::complete();
    CompleteEnv::with_factory(command).var(complete::VARIABLE).complete();
    exit_code(own_words().and_then(run_words))
}

/// Returns the command with the verbs of all programs.
fn command() -> clap::Command {
    other_programs::with_all_verbs(Arguments::command())
}

fn run_words(words: Vec<OsString>) -> Result<(), Error> {
    if let Some(error) = other_programs::run(&words) {
        return Err(error);
    }
    if let Some(answer) = missing::answer(&words) {
        return Err(answer.into());
    }
    match parse(words) {
        Ok(arguments) => run(arguments.verb),
        Err(error) => error.exit(),
    }
}

/// Parses the words of a command line. Flags are replaced that the parser can't express.
fn parse(words: Vec<OsString>) -> Result<Arguments, clap::Error> {
    let words = verb::agent::with_discovery_port(verb::doctor::long_flags(words.into_iter()).into_iter());
    let words = verb::tf::with_names(words);
    let mut command = command();
    let matches = command.try_get_matches_from_mut(words)?;
    Arguments::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
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
        Verb::View(view) => view.run(),
        Verb::Tf(tf) => tf.run(),
        Verb::Machine(machine) => machine.run(),
        Verb::DomainBridge(bridge) => bridge.run(),
        Verb::Agent(agent) => agent.run(),
        Verb::New(new) => new.run(),
        Verb::Top(top) => top.run(),
        Verb::Doctor(doctor) => doctor.run(),
        Verb::Completions(completions) => completions.run(),
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
    fn kind_of(words: &[&str]) -> ErrorKind {
        let words = std::iter::once("saltus").chain(words.iter().copied()).chain(["--help"]);
        parse(words.map(OsString::from).collect()).unwrap_err().kind()
    }

    #[test]
    fn every_flag_of_ros_2_is_taken() {
        let lines = FLAGS.iter().flat_map(|text| text.lines()).map(str::trim);
        let lines: Vec<&str> = lines.filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
        assert!(lines.len() > 250, "{}", lines.len());
        for line in lines {
            let words: Vec<&str> = line.split(' ').collect();
            let with_name = std::iter::once("saltus").chain(words.iter().copied());
            if missing::answer(&with_name.map(OsString::from).collect::<Vec<_>>()).is_none() {
                assert_eq!(kind_of(&words), ErrorKind::DisplayHelp, "{line}");
            }
        }
        assert_eq!(kind_of(&["topic", "echo", "--no-such-flag"]), ErrorKind::UnknownArgument);
    }

    #[test]
    fn flags_may_be_repeated_and_shortened() {
        assert_eq!(kind_of(&["topic", "hz", "-w", "5", "-w", "7"]), ErrorKind::DisplayHelp);
        assert_eq!(kind_of(&["topic", "list", "--show"]), ErrorKind::DisplayHelp);
    }

    #[test]
    fn the_command_is_consistent() {
        command().debug_assert();
    }

    #[test]
    fn short_options_of_the_agent_take_attached_values() {
        for line in [
            "udp4 --port 8888 -v6",
            "udp4 -p8888",
            "udp4 -v4 -p 8888",
            "udp4 -p 8888 -d7400",
            "udp4 -p 8888 -d -v6",
            "serial -D/dev/ttyACM0 -b921600 -v6",
            "tcp4 -p8888 -v5",
        ] {
            let words: Vec<&str> = std::iter::once("agent").chain(line.split(' ')).collect();
            assert_eq!(kind_of(&words), ErrorKind::DisplayHelp, "{line}");
        }
        // The words behind the second transport are its own.
        assert!(
            parse(["saltus", "agent", "udp4", "-p1", "tcp4", "-p2", "-v6"].map(OsString::from).to_vec())
                .is_ok()
        );
    }
}
