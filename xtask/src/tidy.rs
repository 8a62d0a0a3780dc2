//! Checks that the compiler does not make: the layers of crates, the rules of crates, cycles of modules, module heads, sizes
//! of files, and whether generated code, the ABI and the documents' tables are up to date.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{
    abi,
    architecture::{ARCHITECTURE, listed},
    claims, codegen, features, layers, modules, tables,
    workspace::{collect, packages},
};

/// The folders that contain hand-written Rust.
const SOURCES: [&str; 9] =
    ["bindings", "crates", "bench", "examples", "fuzz", "robot", "tools", "xtask", "tests"];

/// The folder of the Python package. The sizes of its files are checked, too.
const PYTHON: &str = "bindings/python/saltus";
/// The maximum number of lines of production code in a file that is not one table or one state machine.
const MAX_LINES: usize = 500;

/// Returns a summary of what was checked, or an error that says what is wrong.
type Check = fn() -> Result<String, String>;

/// Runs every check and reports all checks that fail.
pub(crate) fn run() -> Result<String, String> {
    let checks: [(&str, Check); 9] = [
        ("layers", check_layers),
        ("rules of crates", check_claims),
        ("features", features::check),
        ("modules", check_modules),
        ("module heads", check_module_heads),
        ("sizes", check_sizes),
        ("generated code", codegen::check),
        ("ABI", abi::check),
        ("tables", tables::check),
    ];
    let (mut report, mut failed) = (Vec::new(), Vec::new());
    for (name, check) in checks {
        match check() {
            Ok(line) => report.push(format!("tidy: {name}: {line}")),
            Err(error) => failed.push(format!("tidy: {name}: {error}")),
        }
    }
    if failed.is_empty() { Ok(report.join("\n")) } else { Err(failed.join("\n")) }
}

/// Checks that each crate is in the folder of its layer, has the name of its folder, and uses only lower layers.
fn check_layers() -> Result<String, String> {
    let packages = packages()?;
    let mut problems = layers::problems(&packages, &listed()?);
    problems.extend(layers::readme_problems(&packages)?);
    match problems.is_empty() {
        true => Ok(format!("{} crates, as in {ARCHITECTURE}", packages.len())),
        false => Err(problems.join("\n  ")),
    }
}

/// Checks the rules of crates: which are pure, start threads, and use `unsafe`.
fn check_claims() -> Result<String, String> {
    let (problems, uses) = claims::problems(&packages()?, &listed()?)?;
    match problems.is_empty() {
        true => Ok(format!("as in {ARCHITECTURE}; {uses} uses of unsafe, all explained")),
        false => Err(problems.join("\n  ")),
    }
}

/// Checks that the modules of each library, of each program and of the Python package do not use each other in a
/// cycle.
fn check_modules() -> Result<String, String> {
    let roots: Vec<PathBuf> = packages()?.into_iter().flat_map(|package| package.targets).collect();
    modules::check(&roots)
}

/// Checks that the first line of every Rust file is a doc comment that describes the module.
fn check_module_heads() -> Result<String, String> {
    let files = sources()?;
    let undocumented: Vec<_> = files
        .iter()
        .filter(|path| !fs::read_to_string(path).is_ok_and(|text| text.starts_with("//! ")))
        .collect();
    if undocumented.is_empty() {
        Ok(format!("{} files", files.len()))
    } else {
        Err(format!("no `//!` line in {undocumented:?}"))
    }
}

/// Checks that no file has more than [`MAX_LINES`] lines of production code, unless its first lines say that it is one
/// table or one state machine.
fn check_sizes() -> Result<String, String> {
    let mut files = sources()?;
    collect(Path::new(PYTHON), "py", &mut files)?;
    let is_test = |path: &PathBuf| {
        let named = path
            .file_stem()
            .is_some_and(|name| name == "tests" || name.to_string_lossy().ends_with("_model"));
        named || path.iter().any(|part| part == "tests" || part == "examples" || part == "fuzz")
    };
    let mut long = Vec::new();
    for path in files.iter().filter(|path| !is_test(path)) {
        let text = fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
        let lines = production_lines(&text);
        let head: String = text.lines().take(5).collect();
        if lines > MAX_LINES && !head.contains("one table") && !head.contains("one state machine") {
            long.push(format!("{}: {lines} lines", path.display()));
        }
    }
    if long.is_empty() {
        Ok(format!("{} files", files.len()))
    } else {
        Err(format!("over {MAX_LINES} lines: {long:?}"))
    }
}

/// Returns the number of lines before the module `tests`.
fn production_lines(text: &str) -> usize {
    let tests = text.find("#[cfg(test)]\nmod tests {").unwrap_or(text.len());
    text[..tests].lines().count()
}

/// Returns the paths of all hand-written Rust files.
fn sources() -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    for folder in SOURCES.iter().map(Path::new).filter(|folder| folder.is_dir()) {
        collect(folder, "rs", &mut files)?;
    }
    files.sort();
    Ok(files)
}
