//! Starts a subject in each language, and checks that each of them understands each other one.

use std::process::ExitCode;

use saltus_conformance::{Failure, PAIR_CASES, Session, Suite};

const USAGE: &str = "usage: pairs LANGUAGE=COMMAND LANGUAGE=COMMAND...";

fn main() -> ExitCode {
    let given: Option<Vec<Language>> = std::env::args().skip(1).map(|word| Language::parse(&word)).collect();
    let Some(languages) = given.filter(|languages| languages.len() > 1) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    match run(&languages) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// A language, and the command of its subject.
struct Language {
    name: String,
    program: String,
    arguments: Vec<String>,
}

impl Language {
    fn parse(word: &str) -> Option<Self> {
        let (name, command) = word.split_once('=')?;
        let mut words = command.split_whitespace().map(str::to_owned);
        let program = words.next()?;
        let mut arguments: Vec<String> = words.collect();
        arguments.extend(["--ros-args", "-r"].map(str::to_owned));
        arguments.push(format!("__node:=subject_{name}"));
        Some(Self { name: name.to_owned(), program, arguments })
    }

    fn node(&self) -> String {
        format!("/subject_{}", self.name)
    }
}

/// Prints a line for each pair, and the rules that it does not keep. Returns whether all pairs keep all.
fn run(languages: &[Language]) -> Result<bool, Failure> {
    let session = Session::new()?;
    let subjects = languages.iter().map(|one| session.start(&one.program, &one.arguments)).collect();
    let suites: Vec<Suite> =
        languages.iter().map(|one| Suite::new(session.node(), &one.node())).collect::<Result<_, _>>()?;
    let mut failed = 0;
    for (from, first) in languages.iter().zip(&suites) {
        for (to, second) in languages.iter().zip(&suites).filter(|(to, _)| to.name != from.name) {
            let failures = check(first, second, &to.node());
            println!(
                "{} to {}: {} of {} rules kept",
                from.name,
                to.name,
                PAIR_CASES.len() - failures.len(),
                PAIR_CASES.len()
            );
            failures.iter().for_each(|failure| println!("FAILED {failure}"));
            failed += failures.len();
        }
    }
    drop(suites);
    session.end(subjects)?;
    Ok(failed == 0)
}

fn check(first: &Suite, second: &Suite, name: &str) -> Vec<String> {
    let failure = |case: &saltus_conformance::PairCase| {
        (case.run)(first, second, name).err().map(|error| format!("{}: {error}", case.rule))
    };
    PAIR_CASES.iter().filter_map(failure).collect()
}
