//! Checks that the Python package shares its dependencies with the programs: a dependency with other features would be
//! compiled a second time, and with it everything above it.

use std::{collections::BTreeSet, process::Command};

/// The package that a tool builds alone, and not with the workspace.
const ALONE: &str = "saltus-python";

/// Compares the features of the dependencies.
pub(crate) fn check() -> Result<String, String> {
    let all = features(&["--workspace", "--edges", "normal,build,dev"])?;
    let alone = features(&["--package", ALONE, "--edges", "normal,build"])?;
    let different: Vec<&String> = alone.difference(&all).collect();
    match different.is_empty() {
        true => Ok(format!("{} dependencies of {ALONE} as in the workspace", alone.len())),
        false => Err(format!(
            "only {ALONE} has these dependencies with these features: {different:?}; add the features of the workspace to its \
             Cargo.toml"
        )),
    }
}

/// Returns the dependencies of packages with their versions and features.
fn features(arguments: &[&str]) -> Result<BTreeSet<String>, String> {
    let mut tree = Command::new("cargo");
    tree.args(["tree", "--locked", "--prefix", "none", "--format", "{p} {f}"]).args(arguments);
    let output = tree.output().map_err(|error| format!("cargo tree: {error}"))?;
    if !output.status.success() {
        return Err(format!("cargo tree: {}", String::from_utf8_lossy(&output.stderr)));
    }
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(text.lines().map(|line| line.trim_end_matches(" (*)").trim().to_owned()).collect())
}
