//! Circles in a directed graph.

use std::collections::{BTreeSet, VecDeque};

use super::uses::Uses;

/// Modules that all use each other, directly or not.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Circle {
    /// All of them.
    pub(super) all: BTreeSet<String>,
    /// A shortest way from the first of them back to itself.
    pub(super) path: Vec<String>,
}

/// Returns every circle. Each module is in at most one.
pub(super) fn of(uses: &Uses) -> Vec<Circle> {
    let mut circles = Vec::<Circle>::new();
    for name in uses.keys() {
        if circles.iter().any(|circle| circle.all.contains(name)) {
            continue;
        }
        let below = reachable(uses, name);
        if below.contains(name) {
            let all = below.into_iter().filter(|other| reachable(uses, other).contains(name)).collect();
            circles.push(Circle { all, path: way_back(uses, name) });
        }
    }
    circles
}

/// Returns everything that a module uses, directly or not.
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

/// Returns a shortest way from a module that is in a circle back to itself.
fn way_back(uses: &Uses, from: &str) -> Vec<String> {
    let mut next = VecDeque::from([vec![from.to_owned()]]);
    let mut seen = BTreeSet::new();
    while let Some(way) = next.pop_front() {
        let last = way.last().map_or(from, String::as_str);
        for used in uses.get(last).into_iter().flatten() {
            let longer: Vec<String> = way.iter().chain([used]).cloned().collect();
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

    fn graph(arrows: &[(&str, &[&str])]) -> Uses {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        arrows.iter().map(|(from, to)| ((*from).to_owned(), names(to))).collect()
    }

    #[test]
    fn a_circle_is_found_with_a_shortest_way_around_it() {
        let uses = graph(&[("a", &["b"]), ("b", &["c", "d"]), ("c", &["b"]), ("d", &["e"]), ("e", &["b"])]);
        let found = of(&uses);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].all, ["b", "c", "d", "e"].map(str::to_owned).into());
        assert_eq!(found[0].path, ["b", "c", "b"]);
    }

    #[test]
    fn modules_that_depend_one_way_have_no_circle() {
        assert_eq!(of(&graph(&[("a", &["b", "c"]), ("b", &["c"]), ("c", &[])])), []);
    }
}
