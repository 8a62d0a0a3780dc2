//! Checks that the modules of each crate and of the Python package do not use each other in a cycle.
//!
//! A module is a file. It uses another module if it names an item of that module, by a path or an import. A module does
//! not use an item that it only re-exports. A module that names the re-exported item uses the module that defines it.
//! Tests are ignored, because they may use any module. Methods are ignored, because the text does not show which module
//! defines a method.

mod cycles;
mod python;
mod rust;
mod uses;

use std::path::{Path, PathBuf};

use uses::Uses;

/// The folders and names of the Python packages.
const PYTHON: [(&str, &str); 1] = [("bindings/python/saltus", "saltus")];

/// Returns the number of modules, or an error that describes every cycle.
pub(crate) fn check(crates: &[PathBuf]) -> Result<String, String> {
    let (mut found, mut count) = (Vec::new(), 0);
    for root in crates {
        let uses = rust::uses(root)?;
        count += uses.len();
        found.extend(cycles::of(&uses).iter().map(|cycle| describe(root, cycle, &uses)));
    }
    for (folder, name) in PYTHON {
        let uses = python::uses(Path::new(folder), name)?;
        count += uses.len();
        found.extend(cycles::of(&uses).iter().map(|cycle| describe(Path::new(folder), cycle, &uses)));
    }
    if found.is_empty() { Ok(format!("{count} modules, no cycle")) } else { Err(found.join("\n")) }
}

/// Describes a cycle: a shortest path around it, and which other modules of the cycle each of its modules uses.
fn describe(root: &Path, cycle: &cycles::Cycle, uses: &Uses) -> String {
    let (path, count) = (cycle.path.join(" -> "), cycle.all.len());
    let mut text = format!("{}: {count} modules in a cycle: {path}", root.display());
    for (name, used) in uses.iter().filter(|(name, _)| cycle.all.contains(*name)) {
        let used: Vec<&str> = used.intersection(&cycle.all).map(String::as_str).collect();
        text += &format!("\n    {name} uses {}", used.join(", "));
    }
    text
}
