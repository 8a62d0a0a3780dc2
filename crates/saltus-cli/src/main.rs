//! The `saltus` command: one file per verb.

mod verb {
    //! The verbs.
    pub(crate) mod bench;
    pub(crate) mod topic;
}

use std::{
    io::{self, Write},
    process::ExitCode,
};

use clap::{Parser, Subcommand};
use saltus_bench::RunError;

/// Robotics middleware: topics over zero-copy shared memory, with ROS 2's types and vocabulary.
#[derive(Debug, Parser)]
#[command(name = "saltus", version)]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// What is published and subscribed to
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
            let _ = writeln!(io::stderr(), "saltus: {error}");
            match error.downcast_ref() {
                Some(RunError::Interrupted) => ExitCode::from(INTERRUPTED),
                _ => ExitCode::FAILURE,
            }
        }
    }
}

/// What a shell reports of a program that was interrupted.
const INTERRUPTED: u8 = 130;

/// A reader that has seen enough (`saltus … | head`) is no error.
fn is_closed_pipe(error: &(dyn std::error::Error + 'static)) -> bool {
    let of = |error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe;
    match error.downcast_ref() {
        Some(RunError::Start(_, error)) => of(error),
        _ => error.downcast_ref().is_some_and(of),
    }
}
