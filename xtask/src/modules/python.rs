//! Finds the modules of a Python package, and which of these modules each of them imports.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use super::uses::Uses;

/// The module that is not written in Python.
const NATIVE: &str = "_native";

/// Returns the modules of the package in a folder, and the modules that each of them imports.
pub(super) fn uses(folder: &Path, package: &str) -> Result<Uses, String> {
    let mut files = Vec::new();
    collect(folder, package, &mut files)?;
    let mut names: BTreeSet<String> = files.iter().map(|(name, _)| name.clone()).collect();
    // The native module imports no other module of the package.
    names.insert(format!("{package}.{NATIVE}"));
    let mut uses = Uses::new();
    for (name, path) in &files {
        let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let is_package = path.ends_with("__init__.py");
        let used = imports(&text, name, is_package).into_iter().filter_map(|import| import.module(&names));
        uses.insert(name.clone(), used.filter(|used| used != name).collect());
    }
    Ok(uses)
}

fn collect(folder: &Path, package: &str, files: &mut Vec<(String, PathBuf)>) -> Result<(), String> {
    for entry in fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))? {
        let path = entry.map_err(|error| error.to_string())?.path();
        let Some(stem) = path.file_stem().and_then(|stem| stem.to_str()).map(str::to_owned) else { continue };
        if path.is_dir() && path.join("__init__.py").exists() {
            collect(&path, &format!("{package}.{stem}"), files)?;
        } else if path.extension().is_some_and(|extension| extension == "py") {
            let name = if stem == "__init__" { package.to_owned() } else { format!("{package}.{stem}") };
            files.push((name, path));
        }
    }
    Ok(())
}

/// `import module` or `from module import name`.
#[derive(Debug, PartialEq, Eq)]
struct Import {
    module: String,
    name: Option<String>,
}

impl Import {
    /// Returns the module of the package that is imported, if there is one. `name` may be a module or an item of one.
    fn module(self, names: &BTreeSet<String>) -> Option<String> {
        let whole = self.name.map(|name| format!("{}.{name}", self.module));
        whole.into_iter().chain([self.module]).find(|module| names.contains(module))
    }
}

/// Returns all imports in the text of a module, also those in functions.
fn imports(text: &str, module: &str, is_package: bool) -> Vec<Import> {
    let mut found = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let line = line.trim();
        if let Some(names) = line.strip_prefix("import ") {
            let modules = names.split(',').filter_map(|name| name.split_whitespace().next());
            found.extend(modules.map(|module| Import { module: module.to_owned(), name: None }));
        } else if let Some((from, names)) =
            line.strip_prefix("from ").and_then(|rest| rest.split_once(" import "))
        {
            let mut names = names.to_owned();
            while names.contains('(') && !names.contains(')') {
                let Some(line) = lines.next() else { break };
                names = format!("{names} {}", line.split('#').next().unwrap_or(""));
            }
            let module = absolute(from, module, is_package);
            let names = names.replace(['(', ')'], " ");
            let names = names.split(',').filter_map(|name| name.split_whitespace().next());
            found.extend(names.map(|name| Import { module: module.clone(), name: Some(name.to_owned()) }));
        }
    }
    found
}

/// Returns the absolute name of the module `from`, which may be relative to `module`.
fn absolute(from: &str, module: &str, is_package: bool) -> String {
    let name = from.trim_start_matches('.');
    let dots = from.len() - name.len();
    if dots == 0 {
        return name.to_owned();
    }
    let up = if is_package { dots - 1 } else { dots };
    let mut parents: Vec<&str> = module.split('.').collect();
    parents.truncate(parents.len().saturating_sub(up));
    parents.extend(Some(name).filter(|name| !name.is_empty()));
    parents.join(".")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn import(module: &str, name: Option<&str>) -> Import {
        Import { module: module.into(), name: name.map(str::to_owned) }
    }

    #[test]
    fn imports_are_found_in_all_their_forms() {
        let text = "import os, saltus.clock as clock\nfrom saltus import (\n    a,  # why\n    b as c,\n)\n    from .qos import Q\n";
        let expected = [
            import("os", None),
            import("saltus.clock", None),
            import("saltus", Some("a")),
            import("saltus", Some("b")),
            import("saltus.qos", Some("Q")),
        ];
        assert_eq!(imports(text, "saltus.node", false), expected);
        assert_eq!(imports("from . import x", "saltus.action", true), [import("saltus.action", Some("x"))]);
        assert_eq!(imports("from .. import x", "saltus.action.a", false), [import("saltus", Some("x"))]);
    }

    #[test]
    fn two_modules_that_import_each_other_are_found() {
        let folder = std::env::temp_dir().join(format!("xtask-python-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        for (name, text) in
            [("__init__", ""), ("a", "import package.b"), ("b", "def f():\n    from package.a import x")]
        {
            fs::write(folder.join(format!("{name}.py")), text).unwrap();
        }
        let uses = uses(&folder, "package").unwrap();
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(super::super::cycles::of(&uses)[0].path, ["package.a", "package.b", "package.a"]);
    }
}
