//! Starts a subject with a command, and runs the suite against it.

use std::{collections::VecDeque, process::ExitCode};

use saltus_conformance::{Failure, GROUPS, Session};

const USAGE: &str = "usage: suite [--without GROUP]... COMMAND ARGUMENTS...";

fn main() -> ExitCode {
    let mut words: VecDeque<String> = std::env::args().skip(1).collect();
    let mut without = Vec::new();
    while words.front().is_some_and(|word| word == "--without") {
        words.pop_front();
        match words.pop_front() {
            Some(group) if GROUPS.iter().any(|(name, _)| *name == group) => without.push(group),
            _ => return usage(),
        }
    }
    let Some(program) = words.pop_front() else { return usage() };
    match run(&program, words.make_contiguous(), &without) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn usage() -> ExitCode {
    let groups = GROUPS.map(|(name, _)| name).join(", ");
    eprintln!("{USAGE}\nThe groups are: {groups}.");
    ExitCode::from(2)
}

/// Prints the rules that the subject does not keep. Returns whether it keeps all.
fn run(program: &str, arguments: &[String], without: &[String]) -> Result<bool, Failure> {
    let session = Session::new()?;
    let subject = session.start(program, arguments);
    let cases = saltus_conformance::cases(without);
    let failed = saltus_conformance::run(session.node(), &cases)?;
    session.end(vec![subject])?;
    failed.iter().for_each(|failure| println!("FAILED {failure}"));
    let left_out = without.iter().map(|group| format!(", without those of {group}")).collect::<String>();
    println!("{} of {} rules kept{left_out}", cases.len() - failed.len(), cases.len());
    Ok(failed.is_empty())
}
