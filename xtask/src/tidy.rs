//! Checks that the compiler does not make: dependencies between crates, cycles of modules, module heads, sizes of files,
//! where `unsafe` is allowed, and whether generated code and the documents' tables are up to date.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{codegen, modules, tables};

const ARCHITECTURE: &str = "ARCHITECTURE.md";
/// The folders in which `unsafe` is allowed. ARCHITECTURE.md gives the reasons. In `saltus-host`, only tests and examples
/// may use it, because they fork and load libraries.
const UNSAFE_FOLDERS: [&str; 6] = [
    "bindings/python",
    "crates/system/saltus-container",
    "crates/system/saltus-launcher",
    "crates/host/saltus-memory",
    "crates/host/saltus-host/tests",
    "crates/host/saltus-host/examples",
];
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
    let checks: [(&str, Check); 7] = [
        ("dependencies", check_dependencies),
        ("modules", check_modules),
        ("module heads", check_module_heads),
        ("sizes", check_sizes),
        ("unsafe", check_unsafe),
        ("generated code", codegen::check),
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

/// Checks that the dependencies between the crates are those in the table of ARCHITECTURE.md.
fn check_dependencies() -> Result<String, String> {
    let listed = listed_dependencies()?;
    let real = real_dependencies()?;
    let missing: Vec<_> = real.difference(&listed).map(|(from, to)| format!("{from} -> {to}")).collect();
    let stale: Vec<_> = listed.difference(&real).map(|(from, to)| format!("{from} -> {to}")).collect();
    if missing.is_empty() && stale.is_empty() {
        return Ok(format!("{} as listed", real.len()));
    }
    Err(format!("not in {ARCHITECTURE}: {missing:?}; only in {ARCHITECTURE}: {stale:?}"))
}

/// Reads the rows of the table, which have the form `| `crate` | `other`, `another` | … |`.
fn listed_dependencies() -> Result<BTreeSet<(String, String)>, String> {
    let text = fs::read_to_string(ARCHITECTURE).map_err(|e| format!("{ARCHITECTURE}: {e}"))?;
    let mut dependencies = BTreeSet::new();
    let table = text.lines().skip_while(|line| !line.starts_with("| crate |")).skip(2);
    for line in table.take_while(|line| line.starts_with('|')) {
        let cells: Vec<&str> = line.split('|').collect();
        let from = cells.get(1).map(|cell| names(cell)).unwrap_or_default();
        let to = cells.get(2).map(|cell| names(cell)).unwrap_or_default();
        for from in from {
            dependencies.extend(to.iter().map(|to| (from.clone(), to.clone())));
        }
    }
    Ok(dependencies)
}

/// Returns the texts between backticks in a cell of the table.
fn names(cell: &str) -> Vec<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Returns the metadata of each package of the workspace, as `cargo metadata` prints it.
fn packages() -> Result<Vec<serde_json::Value>, String> {
    let output = Command::new("cargo")
        .args(["metadata", "--no-deps", "--format-version", "1"])
        .output()
        .map_err(|e| format!("cargo metadata: {e}"))?;
    let metadata: serde_json::Value =
        serde_json::from_slice(&output.stdout).map_err(|e| format!("cargo metadata: {e}"))?;
    Ok(metadata["packages"].as_array().cloned().unwrap_or_default())
}

fn text(value: &serde_json::Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Checks that the modules of each library, of each program and of the Python package do not use each other in a
/// cycle.
fn check_modules() -> Result<String, String> {
    let packages = packages()?;
    let targets = packages.iter().flat_map(|package| package["targets"].as_array().into_iter().flatten());
    let built = targets.filter(|target| {
        let kind = target["kind"][0].as_str();
        !kind.is_some_and(|kind| ["bench", "custom-build", "example", "test"].contains(&kind))
    });
    let here = std::env::current_dir().map_err(|e| e.to_string())?;
    let roots = built.map(|target| PathBuf::from(text(&target["src_path"])));
    let roots: Vec<PathBuf> =
        roots.map(|root| root.strip_prefix(&here).map(Path::to_owned).unwrap_or(root)).collect();
    modules::check(&roots)
}

/// Reads the dependencies between the crates of the workspace from `cargo metadata`.
fn real_dependencies() -> Result<BTreeSet<(String, String)>, String> {
    let packages = packages()?;
    let mut by_name = BTreeMap::new();
    for package in &packages {
        let dependencies = package["dependencies"].as_array().cloned().unwrap_or_default();
        // The dependencies of tests are not checked, because tests may use any crate.
        let normal = dependencies.iter().filter(|dependency| dependency["kind"].is_null());
        by_name.insert(text(&package["name"]), normal.map(|d| text(&d["name"])).collect::<Vec<_>>());
    }
    let dependencies =
        by_name.iter().flat_map(|(from, to)| to.iter().map(move |to| (from.clone(), to.clone())));
    Ok(dependencies.filter(|(_, to)| by_name.contains_key(to)).collect())
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

/// Checks that `unsafe` is used only in the allowed folders, and that a comment explains why each use is sound.
fn check_unsafe() -> Result<String, String> {
    let mut wrong = Vec::new();
    let mut blocks = 0;
    for path in sources()? {
        let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let is_allowed = UNSAFE_FOLDERS.iter().any(|folder| path.starts_with(folder));
        let lines: Vec<&str> = text.lines().collect();
        for (i, _) in lines.iter().enumerate().filter(|(_, line)| has_unsafe(line)) {
            blocks += 1;
            let explained =
                lines[i.saturating_sub(6)..i].iter().any(|l| l.contains("SAFETY") || l.contains("# Safety"));
            if !is_allowed || !explained {
                wrong.push(format!("{}:{}", path.display(), i + 1));
            }
        }
    }
    if wrong.is_empty() { Ok(format!("{blocks} uses, all explained")) } else { Err(format!("{wrong:?}")) }
}

fn has_unsafe(line: &str) -> bool {
    // Text in quotes is not code. If a line has no escaped quotes, every second part between quotes is such text.
    let code: String = line.split('"').step_by(2).collect::<Vec<_>>().join("");
    let code = code.split("//").next().unwrap_or("");
    ["unsafe {", "unsafe impl", "unsafe fn", "unsafe trait", "unsafe extern"]
        .iter()
        .any(|word| code.contains(word))
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

fn collect(folder: &Path, extension: &str, files: &mut Vec<PathBuf>) -> Result<(), String> {
    for entry in fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))? {
        let path = entry.map_err(|e| e.to_string())?.path();
        let skip = ["generated", "target", "build"].iter().any(|name| path.ends_with(name));
        if path.is_dir() && !skip {
            collect(&path, extension, files)?;
        } else if path.extension().is_some_and(|other| other == extension) {
            files.push(path);
        }
    }
    Ok(())
}
