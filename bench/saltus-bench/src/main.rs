//! The program `saltus-bench`: benchmarks that compare Saltus with its peers, side by side in one run on one machine.
//!
//! Every row is a pair of processes that follow the protocol of `bench/peers/README.md`. The harness starts them and
//! pins them to CPUs. It computes every figure itself from the recorded times, in the same way for all rows. The rows
//! are interleaved over several runs, and medians are reported.

mod bridged;
mod calls;
mod child;
mod command;
mod crowd;
mod ends;
mod error;
mod fan_out;
mod goals;
mod hosts;
mod interrupt;
mod machine;
mod micro;
mod navigation;
mod one_process;
mod options;
mod peer;
mod plot;
mod priority;
mod process;
mod progress;
mod published;
mod report;
mod role;
mod roles;
mod ros2;
mod row;
mod run;
mod shown;
mod soak;
mod systems;
mod timer;
mod timer_table;
mod transforms;
mod whole;

use std::{ffi::OsString, process::ExitCode};

use clap::{CommandFactory, Parser, Subcommand};
use clap_complete::CompleteEnv;
use saltus_verb::{
    complete,
    error::{Ended, Error, exit_code},
    programs::own_words,
};

use crate::{command::Bench, error::RunError};

/// Benchmarks of Saltus and its peers (other middlewares).
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
    /// Measure Saltus and its peers (other middlewares) on this machine
    #[command(subcommand)]
    Bench(Bench),
}

fn main() -> ExitCode {
    CompleteEnv::with_factory(Arguments::command).var(complete::VARIABLE).complete();
    // A process that a benchmark has started runs its role before the arguments are parsed, so that the cost of
    // parsing is not measured as a cost of the node.
    let done = match role(std::env::args().skip(1)) {
        Some(words) => roles::run_role(&words),
        None => own_words().and_then(run),
    };
    exit_code(done.map_err(with_status))
}

fn run(words: Vec<OsString>) -> Result<(), Error> {
    let Verb::Bench(bench) = Arguments::parse_from(words).verb;
    bench.run()
}

/// Returns the role of a process, if the arguments name one. The harness starts this program again for each role, such
/// as `ping`.
fn role(mut arguments: impl Iterator<Item = String>) -> Option<Vec<String>> {
    let is_role = arguments.next()? == "bench" && arguments.next()? == "role";
    is_role.then(|| arguments.collect())
}

/// Gives Ctrl-C the exit status that it has in all programs.
fn with_status(error: Error) -> Error {
    match error.downcast_ref() {
        Some(RunError::Interrupted) => Ended::Interrupted.into(),
        _ => error,
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
