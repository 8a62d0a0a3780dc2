//! The program `saltus-robot`: the simulator, the demos, maps, descriptions, behavior trees, and the components of navigation.
//!
//! `saltus` runs it for the verbs that it contains, and starts it to run bundled components.

mod components;
mod verb {
    //! The verbs.
    pub(crate) mod bt;
    pub(crate) mod demo;
    pub(crate) mod description;
    pub(crate) mod map;
    pub(crate) mod sim;
    pub(crate) mod teleop;
}

use std::{ffi::OsString, process::ExitCode};

use clap::{CommandFactory, Parser, Subcommand};
use clap_complete::CompleteEnv;
use saltus_verb::{
    bundled, complete,
    error::{Error, exit_code},
    packages::COMPONENTS,
    programs::own_words,
};

/// Robots of Saltus: the simulator, demos, maps, descriptions and behavior trees.
#[derive(Debug, Parser)]
#[command(
    name = "saltus",
    bin_name = "saltus",
    version,
    max_term_width = 80,
    infer_long_args = true,
    args_override_self = true
)]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Simulate robots in a world: their drives, lidars and other sensors
    Sim(verb::sim::Sim),
    /// Drive a robot with the keyboard
    Teleop(verb::teleop::Teleop),
    /// Start a robot in a simulated arena, and drive it or let it navigate
    #[command(subcommand)]
    Demo(verb::demo::Demo),
    /// Print what a map of navigation contains, and save a map that is published
    #[command(subcommand)]
    Map(verb::map::Map),
    /// Check behavior trees, and print and draw them
    #[command(subcommand)]
    Bt(verb::bt::Bt),
    /// Check the description of a robot in URDF, and print its links and joints
    #[command(subcommand)]
    Description(verb::description::Description),
}

fn main() -> ExitCode {
    CompleteEnv::with_factory(Arguments::command).var(complete::VARIABLE).complete();
    let words = match own_words() {
        Ok(words) => words,
        Err(error) => return exit_code(Err(error)),
    };
    match words.get(1).and_then(|word| word.to_str()) {
        Some(COMPONENTS) => components::run_container(),
        Some(bundled::RUN) => exit_code(components::run_alone(&words[2..])),
        Some(bundled::PREFIX) => exit_code(components::print_prefix()),
        _ => exit_code(run(words)),
    }
}

fn run(words: Vec<OsString>) -> Result<(), Error> {
    match Arguments::parse_from(words).verb {
        Verb::Sim(sim) => sim.run(),
        Verb::Teleop(teleop) => teleop.run(),
        Verb::Demo(demo) => demo.run(),
        Verb::Map(map) => map.run(),
        Verb::Bt(bt) => bt.run(),
        Verb::Description(description) => description.run(),
    }
}

#[cfg(test)]
mod tests {
    use clap::error::ErrorKind;
    use saltus_programs::documents::{CommandLine, command_lines};

    use super::*;

    #[test]
    fn the_command_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn every_command_in_the_documents_is_accepted() {
        let own = Arguments::command();
        let is_own = |words: &[String]| {
            own.get_subcommands().any(|verb| words.get(1).is_some_and(|word| word == verb.get_name()))
        };
        let mut count = 0;
        for CommandLine { path, words } in command_lines().into_iter().filter(|line| is_own(&line.words)) {
            count += 1;
            match Arguments::try_parse_from(&words) {
                Err(error) if error.kind() != ErrorKind::DisplayHelp => panic!("{path}: {words:?}: {error}"),
                _ => {}
            }
        }
        assert!(count > 8, "{count}");
    }
}
