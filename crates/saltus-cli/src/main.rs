//! The `saltus` command: one file per verb.

mod verb {
    //! The verbs.
    pub(crate) mod bench;
    pub(crate) mod topic;
}

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Robotics middleware: topics over zero-copy shared memory, with ROS 2's types and vocabulary.
#[derive(Debug, Parser)]
#[command(version, propagate_version = true)]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// What is published, and by whom
    #[command(subcommand)]
    Topic(verb::topic::Topic),
    /// Measure Saltus beside its peers on this machine
    #[command(subcommand)]
    Bench(verb::bench::Bench),
}

fn main() -> ExitCode {
    let done = match Arguments::parse().verb {
        Verb::Topic(topic) => topic.run(),
        Verb::Bench(bench) => bench.run(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_closed_pipe(&*error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("saltus: {error}");
            ExitCode::FAILURE
        }
    }
}

/// A reader that has seen enough (`saltus … | head`) is no error.
fn is_closed_pipe(error: &(dyn std::error::Error + 'static)) -> bool {
    error.downcast_ref::<std::io::Error>().is_some_and(|e| e.kind() == std::io::ErrorKind::BrokenPipe)
}
