//! The rules for topics, services, actions, parameters, lifecycle nodes and containers in every
//! language, with a case for each rule.
//!
//! `README.md` in this folder describes what a subject is, and what it must provide.

mod case;
mod cases;
mod pairs;
mod session;

pub use case::{Case, Failure, Suite};
pub use pairs::{PAIR_CASES, PairCase};
use saltus::Node;
pub use session::Session;

/// Returns all cases, in the order in which they run.
pub fn cases() -> Vec<Case> {
    let groups = [
        cases::topics::CASES,
        cases::services::CASES,
        cases::goals::CASES,
        cases::parameters::CASES,
        cases::lifecycles::CASES,
        cases::components::CASES,
    ];
    groups.concat()
}

/// Runs cases against the subject. Returns the rules that it does not keep, each with the error.
pub fn run(node: &Node, cases: &[Case]) -> Result<Vec<String>, Failure> {
    let suite = Suite::new(node, "/subject")?;
    let failed = |case: &Case| (case.run)(&suite).err().map(|error| format!("{}: {error}", case.rule));
    Ok(cases.iter().filter_map(failed).collect())
}
