//! The graph of modules that use each other.

use std::collections::{BTreeMap, BTreeSet};

/// The names of the modules of a crate or package. The value of each is the names of the modules that it uses.
pub(super) type Uses = BTreeMap<String, BTreeSet<String>>;
