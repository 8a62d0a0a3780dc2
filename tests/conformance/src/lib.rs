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

/// The groups of rules, each with its cases, in the order in which they run.
pub const GROUPS: [(&str, &[Case]); 6] = [
    ("topics", cases::topics::CASES),
    ("services", cases::services::CASES),
    ("actions", cases::goals::CASES),
    ("parameters", cases::parameters::CASES),
    ("lifecycles", cases::lifecycles::CASES),
    ("components", cases::components::CASES),
];

/// Returns the cases of all groups but those with these names.
pub fn cases(without: &[String]) -> Vec<Case> {
    let is_wanted = |name: &str| !without.iter().any(|other| other == name);
    GROUPS.iter().filter(|(name, _)| is_wanted(name)).flat_map(|(_, cases)| cases.iter().copied()).collect()
}

/// Runs cases against the subject. Returns the rules that it does not keep, each with the error.
pub fn run(node: &Node, cases: &[Case]) -> Result<Vec<String>, Failure> {
    let suite = Suite::new(node, "/subject")?;
    let failed = |case: &Case| (case.run)(&suite).err().map(|error| format!("{}: {error}", case.rule));
    Ok(cases.iter().filter_map(failed).collect())
}
