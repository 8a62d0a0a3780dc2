//! Which modules use which other modules.

use std::collections::{BTreeMap, BTreeSet};

/// The modules of a crate or package by their names, and the names of those that each uses.
pub(super) type Uses = BTreeMap<String, BTreeSet<String>>;
