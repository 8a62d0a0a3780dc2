//! What every language's topics, services, actions and parameters must do, a case per rule.
//!
//! See `README.md` in this folder for what a subject is, and what it has to offer.

mod case;
mod cases;

pub use case::{Case, Failure, Suite};
use saltus::Node;

/// Every case, in the order in which they run.
pub fn cases() -> Vec<Case> {
    [cases::topics::CASES, cases::services::CASES, cases::goals::CASES, cases::parameters::CASES].concat()
}

/// Runs every case against the subject. Returns the rules that are not kept, each with its error.
pub fn run(node: &Node) -> Result<Vec<String>, Failure> {
    let suite = Suite::new(node)?;
    let failed = |case: Case| (case.run)(&suite).err().map(|error| format!("{}: {error}", case.rule));
    Ok(cases().into_iter().filter_map(failed).collect())
}
