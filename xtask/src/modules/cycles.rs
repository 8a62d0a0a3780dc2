//! Finds cycles in the graph of modules that use each other.

use std::collections::{BTreeSet, VecDeque};

use super::uses::Uses;

/// Modules of which each uses every other, directly or through others.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Cycle {
    /// The names of all these modules.
    pub(super) all: BTreeSet<String>,
    /// A shortest path from the first of these modules back to itself.
    pub(super) path: Vec<String>,
}

/// Returns every cycle. Each module is in at most one of them.
pub(super) fn of(uses: &Uses) -> Vec<Cycle> {
    let mut cycles = Vec::<Cycle>::new();
    for name in uses.keys() {
        if cycles.iter().any(|cycle| cycle.all.contains(name)) {
            continue;
        }
        let used = reachable(uses, name);
        if used.contains(name) {
            let all = used.into_iter().filter(|other| reachable(uses, other).contains(name)).collect();
            cycles.push(Cycle { all, path: path_around(uses, name) });
        }
    }
    cycles
}

/// Returns all modules that a module uses, directly or through others.
fn reachable(uses: &Uses, from: &str) -> BTreeSet<String> {
    let (mut found, mut next) = (BTreeSet::new(), vec![from.to_owned()]);
    while let Some(name) = next.pop() {
        for used in uses.get(&name).into_iter().flatten() {
            if found.insert(used.clone()) {
                next.push(used.clone());
            }
        }
    }
    found
}

/// Returns a shortest path from a module that is in a cycle back to itself.
fn path_around(uses: &Uses, from: &str) -> Vec<String> {
    let mut next = VecDeque::from([vec![from.to_owned()]]);
    let mut seen = BTreeSet::new();
    while let Some(path) = next.pop_front() {
        let last = path.last().map_or(from, String::as_str);
        for used in uses.get(last).into_iter().flatten() {
            let longer: Vec<String> = path.iter().chain([used]).cloned().collect();
            if used == from {
                return longer;
            }
            if seen.insert(used.clone()) {
                next.push_back(longer);
            }
        }
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(edges: &[(&str, &[&str])]) -> Uses {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        edges.iter().map(|(from, to)| ((*from).to_owned(), names(to))).collect()
    }

    #[test]
    fn a_cycle_is_found_with_a_shortest_path_around_it() {
        let uses = graph(&[("a", &["b"]), ("b", &["c", "d"]), ("c", &["b"]), ("d", &["e"]), ("e", &["b"])]);
        let found = of(&uses);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].all, ["b", "c", "d", "e"].map(str::to_owned).into());
        assert_eq!(found[0].path, ["b", "c", "b"]);
    }

    #[test]
    fn modules_that_depend_in_one_direction_have_no_cycle() {
        assert_eq!(of(&graph(&[("a", &["b", "c"]), ("b", &["c"]), ("c", &[])])), []);
    }
}
