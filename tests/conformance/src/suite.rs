//! Starts a subject with a command, and runs the suite against it.

use std::process::ExitCode;

use saltus_conformance::{Failure, Session};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let Some((program, arguments)) = words.split_first() else {
        eprintln!("usage: suite COMMAND ARGUMENTS...");
        return ExitCode::from(2);
    };
    match run(program, arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Prints the rules that the subject does not keep. Returns whether it keeps all.
fn run(program: &str, arguments: &[String]) -> Result<bool, Failure> {
    let session = Session::new()?;
    let subject = session.start(program, arguments);
    let cases = saltus_conformance::cases();
    let failed = saltus_conformance::run(session.node(), &cases)?;
    session.end(vec![subject])?;
    failed.iter().for_each(|failure| println!("FAILED {failure}"));
    println!("{} of {} rules kept", cases.len() - failed.len(), cases.len());
    Ok(failed.is_empty())
}
