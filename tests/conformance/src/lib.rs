//! The rules for topics, services, actions, parameters, lifecycle nodes and containers in every
//! language, with a case for each rule.
//!
//! `README.md` in this folder describes what a subject is, and what it must provide.

mod case;
mod cases;

pub use case::{Case, Failure, Suite};
use saltus::Node;

/// Returns all cases, in the order in which they run.
pub fn cases() -> Vec<Case> {
    [
        cases::topics::CASES,
        cases::services::CASES,
        cases::goals::CASES,
        cases::parameters::CASES,
        cases::lifecycles::CASES,
        cases::components::CASES,
    ]
    .concat()
}

/// Runs all cases against the subject. Returns the rules that it does not keep, each with the error.
pub fn run(node: &Node) -> Result<Vec<String>, Failure> {
    let suite = Suite::new(node)?;
    let failed = |case: Case| (case.run)(&suite).err().map(|error| format!("{}: {error}", case.rule));
    Ok(cases().into_iter().filter_map(failed).collect())
}
