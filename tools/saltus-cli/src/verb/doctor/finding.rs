//! A problem that `saltus doctor` finds.

use std::fmt;

/// A problem, and what fixes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) problem: String,
    pub(super) fix: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.problem, self.fix)
    }
}

/// Returns a problem with its fix.
pub(super) fn finding(problem: impl Into<String>, fix: impl Into<String>) -> Finding {
    Finding { problem: problem.into(), fix: fix.into() }
}
