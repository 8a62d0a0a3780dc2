//! Checks the layers: the folder of each crate, its name, and which crates it depends on.

use std::{collections::BTreeMap, fs};

use crate::{
    architecture::{Listed, Rule},
    workspace::Package,
};

/// The folders of the layers, the lowest first. A crate may use crates of its own layer and of those below it.
const LAYERS: [&str; 8] = [
    "crates/types",
    "crates/host",
    "crates/client",
    "crates/system",
    "tools",
    "robot/algorithms",
    "robot/nodes",
    "bench",
];
/// The layer whose crates know no nodes, and the only crate above `crates/types` that they may use.
const ALGORITHMS: (&str, &str) = ("robot/algorithms", "saltus-tf");
/// The folders of crates that no crate of a layer uses.
const LEAVES: [&str; 7] = ["bindings", "examples", "fuzz", "tests", "xtask", "robot/saltus-robot", "bridge"];

/// Checks all packages. Returns the problems.
pub(crate) fn problems(packages: &[Package], listed: &BTreeMap<String, Listed>) -> Vec<String> {
    let by_name: BTreeMap<&str, &Package> =
        packages.iter().map(|package| (&*package.name, package)).collect();
    let mut problems = Vec::new();
    for package in packages {
        problems.extend(place_problems(package, listed));
        let used = package.dependencies.iter().filter_map(|name| by_name.get(&**name));
        problems.extend(used.filter_map(|other| arrow_problem(package, other, listed)));
    }
    let missing = listed.keys().filter(|name| !by_name.contains_key(&***name));
    problems.extend(missing.map(|name| format!("{name} is listed, but there is no such crate")));
    problems
}

/// Checks that the README of each layer names its crates. Returns the problems.
pub(crate) fn readme_problems(packages: &[Package]) -> Result<Vec<String>, String> {
    let mut problems = Vec::new();
    for layer in LAYERS {
        let path = format!("{layer}/README.md");
        let text = fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
        let names = packages
            .iter()
            .filter(|package| package.folder.strip_prefix(layer).is_some_and(|rest| rest.starts_with('/')));
        let missing = names.filter(|package| !text.contains(&format!("`{}`", package.name)));
        problems.extend(missing.map(|package| format!("{path} does not name {}", package.name)));
    }
    Ok(problems)
}

/// Returns the number of a layer.
fn layer(folder: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| folder.strip_prefix(layer).is_some_and(|rest| rest.starts_with('/')))
}

fn is_leaf(folder: &str) -> bool {
    LEAVES
        .iter()
        .any(|leaf| folder == *leaf || folder.strip_prefix(leaf).is_some_and(|rest| rest.starts_with('/')))
}

/// Checks where a crate is.
fn place_problems(package: &Package, listed: &BTreeMap<String, Listed>) -> Vec<String> {
    let Package { name, folder, .. } = package;
    let (parent, last) = folder.rsplit_once('/').unwrap_or(("", folder));
    let mut problems = Vec::new();
    match layer(folder) {
        Some(_) if last != name => problems.push(format!("{folder}: the name of the crate is {name}")),
        None if !is_leaf(folder) => problems.push(format!("{folder} is in no layer")),
        _ => {}
    }
    match listed.get(name) {
        None => problems.push(format!("{name} is not listed")),
        Some(row) if layer(folder).is_some() && row.folder != parent => {
            problems.push(format!("{name} is listed in {}, but it is in {parent}", row.folder));
        }
        Some(_) => {}
    }
    problems
}

/// Checks a dependency.
fn arrow_problem(from: &Package, to: &Package, listed: &BTreeMap<String, Listed>) -> Option<String> {
    let arrow = format!("{} -> {}", from.name, to.name);
    let is_pure = |package: &Package| {
        listed.get(&package.name).is_some_and(|row| row.has(Rule::Pure) && row.except.is_none())
    };
    if is_pure(from) && !is_pure(to) {
        return Some(format!("{arrow}: a pure crate uses one that is not"));
    }
    match (layer(&from.folder), layer(&to.folder)) {
        (Some(own), Some(other)) if other > own => {
            Some(format!("{arrow}: from {} up to {}", from.folder, to.folder))
        }
        (Some(own), Some(other))
            if LAYERS[own] == ALGORITHMS.0 && other != own && other > 0 && to.name != ALGORITHMS.1 =>
        {
            Some(format!("{arrow}: {} knows only {} and {}", ALGORITHMS.0, LAYERS[0], ALGORITHMS.1))
        }
        (Some(_), None) => Some(format!("{arrow}: no crate of a layer uses {}", to.folder)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn package(name: &str, folder: &str, dependencies: &[&str]) -> Package {
        let dependencies = dependencies.iter().map(|name| (*name).to_owned()).collect();
        Package { name: name.into(), folder: folder.into(), dependencies, targets: Vec::new() }
    }

    fn row(folder: &str, rules: &[Rule]) -> Listed {
        Listed { folder: folder.into(), rules: rules.iter().copied().collect::<BTreeSet<_>>(), except: None }
    }

    /// Checks a crate that depends on another one.
    fn check(own: (&str, &str), other: (&str, &str), rules: &[Rule]) -> Vec<String> {
        let parent = |folder: &str| folder.rsplit_once('/').map_or("", |(parent, _)| parent).to_owned();
        let listed = [(own, rules), (other, &[][..])]
            .map(|((name, folder), rules)| (name.to_owned(), row(&parent(folder), rules)));
        problems(
            &[package(own.0, own.1, &[other.0]), package(other.0, other.1, &[])],
            &BTreeMap::from(listed),
        )
    }

    #[test]
    fn arrows_go_down() {
        let node = ("saltus-node", "crates/client/saltus-node");
        let cli = ("saltus-cli", "tools/saltus-cli");
        assert_eq!(check(cli, node, &[]), Vec::<String>::new());
        let up = check(node, cli, &[]);
        assert_eq!(up, ["saltus-node -> saltus-cli: from crates/client/saltus-node up to tools/saltus-cli"]);
        let leaf = check(node, ("saltus-e2e", "tests/e2e"), &[]);
        assert_eq!(leaf, ["saltus-node -> saltus-e2e: no crate of a layer uses tests/e2e"]);
    }

    #[test]
    fn algorithms_know_no_nodes_and_pure_crates_only_pure_ones() {
        let amcl = ("saltus-amcl", "robot/algorithms/saltus-amcl");
        let node = ("saltus-node", "crates/client/saltus-node");
        assert!(
            check(amcl, node, &[])[0].ends_with("robot/algorithms knows only crates/types and saltus-tf")
        );
        assert_eq!(check(amcl, ("saltus-tf", "crates/client/saltus-tf"), &[]), Vec::<String>::new());
        let pure = check(amcl, ("saltus-yaml", "crates/types/saltus-yaml"), &[Rule::Pure]);
        assert_eq!(pure, ["saltus-amcl -> saltus-yaml: a pure crate uses one that is not"]);
    }

    #[test]
    fn a_folder_has_the_name_of_its_crate_and_is_listed() {
        let listed = BTreeMap::from([
            ("saltus-dwb".to_owned(), row("robot/nodes", &[])),
            ("saltus-gone".to_owned(), row("tools", &[])),
        ]);
        let packages = [
            package("saltus-dwb", "robot/algorithms/dwb", &[]),
            package("saltus-new", "nav/saltus-new", &[]),
        ];
        assert_eq!(
            problems(&packages, &listed),
            [
                "robot/algorithms/dwb: the name of the crate is saltus-dwb",
                "saltus-dwb is listed in robot/nodes, but it is in robot/algorithms",
                "nav/saltus-new is in no layer",
                "saltus-new is not listed",
                "saltus-gone is listed, but there is no such crate",
            ]
        );
    }
}
