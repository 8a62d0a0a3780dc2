//! The names that processes wait for.

use std::collections::{BTreeMap, BTreeSet};

use super::rules::Id;

/// The names that are ready, and those that will not be ready.
#[derive(Default)]
pub(super) struct Names {
    /// The names that have been ready, with their processes. `None` stands for a component that was loaded into a container
    /// that ran already.
    ready: BTreeMap<String, BTreeSet<Option<Id>>>,
    /// The names that will not be ready, each with the process that is the reason.
    lost: BTreeMap<String, Id>,
}

impl Names {
    pub(super) fn add_ready(&mut self, name: &str, owner: Option<Id>) {
        self.ready.entry(name.to_owned()).or_default().insert(owner);
    }

    /// Notes that a name of a process will not be ready.
    pub(super) fn add_lost(&mut self, name: &str, owner: Id) {
        self.lost.insert(name.to_owned(), owner);
    }

    /// Removes a name of a process. Other processes may have the same name.
    pub(super) fn remove_ready(&mut self, name: &str, owner: Id) {
        if let Some(owners) = self.ready.get_mut(name) {
            owners.remove(&Some(owner));
        }
    }

    pub(super) fn is_ready(&self, name: &str) -> bool {
        self.ready.get(name).is_some_and(|owners| !owners.is_empty())
    }

    /// Whether this process has made a name ready.
    pub(super) fn is_ready_by(&self, name: &str, owner: Id) -> bool {
        self.ready.get(name).is_some_and(|owners| owners.contains(&Some(owner)))
    }

    /// Returns the process because of which a name will not be ready.
    pub(super) fn lost_because_of(&self, name: &str) -> Option<Id> {
        self.lost.get(name).copied()
    }
}
