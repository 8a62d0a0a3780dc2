//! Which modules use each other in a circle, in each crate and in the Python package.
//!
//! A module is a file. It uses another if it names something that the other defines, by a path or an import. An item
//! that a module only re-exports counts as used by the modules that name it there, not by the re-exporting module.
//! Tests are left out, because they may use any module. Methods are left out, because the text does not show which
//! module defines a method.

mod circles;
mod python;
mod rust;
mod uses;

use std::path::{Path, PathBuf};

use uses::Uses;

/// The Python packages: their folders and names.
const PYTHON: [(&str, &str); 1] = [("bindings/python/saltus", "saltus")];

/// Returns an error if there is a circle.
pub(crate) fn check(crates: &[PathBuf]) -> Result<String, String> {
    let (mut found, mut count) = (Vec::new(), 0);
    for root in crates {
        let uses = rust::uses(root)?;
        count += uses.len();
        found.extend(circles::of(&uses).iter().map(|circle| describe(root, circle, &uses)));
    }
    for (folder, name) in PYTHON {
        let uses = python::uses(Path::new(folder), name)?;
        count += uses.len();
        found.extend(circles::of(&uses).iter().map(|circle| describe(Path::new(folder), circle, &uses)));
    }
    if found.is_empty() { Ok(format!("{count} modules, no circle")) } else { Err(found.join("\n")) }
}

/// Describes a circle: a shortest way around it, and which of its modules each module uses.
fn describe(root: &Path, circle: &circles::Circle, uses: &Uses) -> String {
    let (path, count) = (circle.path.join(" -> "), circle.all.len());
    let mut text = format!("{}: {count} modules in a circle: {path}", root.display());
    for (name, used) in uses.iter().filter(|(name, _)| circle.all.contains(*name)) {
        let used: Vec<&str> = used.intersection(&circle.all).map(String::as_str).collect();
        text += &format!("\n    {name} uses {}", used.join(", "));
    }
    text
}
