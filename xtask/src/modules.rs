//! Which modules use each other in a circle, in each crate and in the Python package.
//!
//! A module is a file. It uses another if it names something that the other defines, by a path or an import. What a
//! module only re-exports counts as used by those who name it there, not by the module. Tests are left out: they may
//! look wherever they like. So are methods: which module defines one is not visible in the text.

mod circles;
mod python;
mod rust;
mod uses;

use std::path::{Path, PathBuf};

use uses::Uses;

/// The Python packages: where they lie, and their names.
const PYTHON: [(&str, &str); 1] = [("bindings/python/saltus", "saltus")];

/// Fails if there is a circle.
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

/// A shortest way around a circle, and which of its modules each uses.
fn describe(root: &Path, circle: &circles::Circle, uses: &Uses) -> String {
    let (path, count) = (circle.path.join(" -> "), circle.all.len());
    let mut text = format!("{}: {count} modules in a circle: {path}", root.display());
    for (name, used) in uses.iter().filter(|(name, _)| circle.all.contains(*name)) {
        let used: Vec<&str> = used.intersection(&circle.all).map(String::as_str).collect();
        text += &format!("\n    {name} uses {}", used.join(", "));
    }
    text
}
