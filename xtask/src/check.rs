//! `cargo xtask check`: the checks that a change needs before a commit, in seconds. `cargo xtask test`: one test by name.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Instant,
};

use serde_json::Value;

use crate::{
    tidy,
    workspace::{Package, collect, packages},
};

/// If more crates than this use the changed crates, only the crates of the same layers are tested.
const MAX_CRATES_ABOVE: usize = 20;
/// The commands that check the format of files in other languages, by the ending of a file's name.
const FORMATS: [(&str, &str); 2] = [(".py", "format-python"), (".c", "format-c")];

/// Checks the changes since a commit: `HEAD`, or the commit before it if there is no change.
pub(crate) fn run(base: Option<&str>) -> Result<String, String> {
    let begin = Instant::now();
    let (base, files) = changed_files(base)?;
    let packages = packages()?;
    let scope = Scope::of(&files, &packages);
    println!("check: {} changed files since {base}: {}", files.len(), names(&scope.changed));
    step("format", || cargo(&["fmt", "--all", "--check"]))?;
    for (ending, target) in FORMATS {
        if files.iter().any(|file| file.ends_with(ending) || (ending == ".c" && file.ends_with(".h"))) {
            step(target, || succeed(Command::new("make").args(["--silent", target])))?;
        }
    }
    step("tidy", || tidy::run().map(drop))?;
    if files.iter().any(|file| file.ends_with(".md")) {
        step("documents", || cargo(&["test", "--quiet", "--workspace", "--bins", "documents"]))?;
    }
    if scope.changed.is_empty() {
        return Ok(format!("check: passed in {:.0} s; no crate has changed", begin.elapsed().as_secs_f64()));
    }
    step("lints", || cargo(&["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"]))?;
    step("unit tests", || scope.test())?;
    let left_out = scope.left_out();
    let time = begin.elapsed().as_secs_f64();
    Ok(format!("check: passed in {time:.0} s\ncheck: left out, see `make test`: {left_out}"))
}

/// Returns the commit with which the files are compared, and the files that differ.
fn changed_files(base: Option<&str>) -> Result<(String, Vec<String>), String> {
    let since = |base: &str| {
        let mut files = lines(Command::new("git").args(["diff", "--name-only", base]))?;
        files.extend(lines(Command::new("git").args(["ls-files", "--others", "--exclude-standard"]))?);
        Ok::<_, String>(files)
    };
    let files = since(base.unwrap_or("HEAD"))?;
    match base {
        None if files.is_empty() => Ok(("HEAD~1".into(), since("HEAD~1")?)),
        _ => Ok((base.unwrap_or("HEAD").into(), files)),
    }
}

/// The crates that a change concerns.
#[derive(Debug)]
struct Scope {
    /// The crates with changed files.
    changed: BTreeSet<String>,
    /// The crates whose unit tests run: the changed ones, and those that use them.
    tested: BTreeSet<String>,
    /// The crates that use the changed ones, but are not tested.
    skipped: BTreeSet<String>,
}

impl Scope {
    fn of(files: &[String], packages: &[Package]) -> Self {
        let owner = |file: &String| {
            let folders = packages.iter().filter(|package| file.starts_with(&format!("{}/", package.folder)));
            folders.max_by_key(|package| package.folder.len()).map(|package| package.name.clone())
        };
        let changed: BTreeSet<String> = files.iter().filter_map(owner).collect();
        let above = users(&changed, packages);
        let layer = |name: &String| {
            let package = packages.iter().find(|package| package.name == *name);
            package.and_then(|package| Path::new(&package.folder).parent().map(Path::to_owned))
        };
        let layers: BTreeSet<Option<PathBuf>> = changed.iter().map(layer).collect();
        let are_few = above.len() <= MAX_CRATES_ABOVE;
        let is_near = |name: &String| are_few || layers.contains(&layer(name));
        let (near, skipped): (BTreeSet<String>, _) = above.into_iter().partition(is_near);
        Self { tested: changed.union(&near).cloned().collect(), changed, skipped }
    }

    /// Builds the unit tests and runs those of the tested crates.
    fn test(&self) -> Result<(), String> {
        let mut build = Command::new("cargo");
        build.args(["test", "--no-run", "--lib", "--bins", "--quiet", "--message-format", "json"]);
        if self.skipped.is_empty() {
            // With the features of the whole workspace, no dependency is compiled again. What did not change is not built.
            build.arg("--workspace");
        } else {
            build.args(self.tested.iter().flat_map(|name| ["--package", name]));
        }
        let programs = unit_tests(&mut build)?;
        for (name, program) in programs.iter().filter(|(name, _)| self.tested.contains(name)) {
            let mut test = Command::new("env");
            // A shell that starts this command in the background would let tests ignore Ctrl-C.
            test.args(["--default-signal=INT,QUIT"]).arg(program).arg("--quiet");
            let folder = packages()?.into_iter().find(|package| package.name == *name);
            test.current_dir(folder.map_or_else(|| ".".into(), |package| package.folder));
            succeed(&mut test).map_err(|error| format!("{name}: {error}"))?;
        }
        Ok(())
    }

    fn left_out(&self) -> String {
        let always = "tests that start programs, Python, C, documentation, models";
        match self.skipped.len() {
            0 => always.into(),
            count => {
                format!("{always}; the unit tests of {count} crates that use these: {}", names(&self.skipped))
            }
        }
    }
}

/// Returns the crates that use one of the crates, directly or through others.
fn users(changed: &BTreeSet<String>, packages: &[Package]) -> BTreeSet<String> {
    let mut found = changed.clone();
    loop {
        let new: Vec<String> = packages
            .iter()
            .filter(|package| !found.contains(&package.name))
            .filter(|package| package.dependencies.iter().any(|other| found.contains(other)))
            .map(|package| package.name.clone())
            .collect();
        if new.is_empty() {
            return found.difference(changed).cloned().collect();
        }
        found.extend(new);
    }
}

fn names(names: &BTreeSet<String>) -> String {
    if names.is_empty() {
        "no crate".into()
    } else {
        names.iter().map(|name| &**name).collect::<Vec<_>>().join(", ")
    }
}

/// Builds unit tests. Returns the package and the program of each.
fn unit_tests(build: &mut Command) -> Result<Vec<(String, PathBuf)>, String> {
    let mut child = build.stdout(Stdio::piped()).spawn().map_err(|error| format!("cargo: {error}"))?;
    let output = child.stdout.take().ok_or("cargo has no output")?;
    let mut programs = BTreeMap::new();
    for line in BufReader::new(output).lines() {
        let message: Value =
            serde_json::from_str(&line.map_err(|error| error.to_string())?).unwrap_or_default();
        if message["reason"] == "compiler-message" {
            eprintln!("{}", message["message"]["rendered"].as_str().unwrap_or_default());
        }
        if let (true, Some(program)) = (message["profile"]["test"] == true, message["executable"].as_str()) {
            // Such as `path+file:///saltus/tools/saltus-cli#0.1.0` or `...#name@0.1.0`.
            let manifest = Path::new(message["manifest_path"].as_str().unwrap_or_default());
            programs.insert(PathBuf::from(program), manifest.to_owned());
        }
    }
    let status = child.wait().map_err(|error| error.to_string())?;
    if !status.success() {
        return Err(format!("cargo test: {status}"));
    }
    let root = std::env::current_dir().map_err(|error| error.to_string())?;
    let packages = packages()?;
    let name = |manifest: &Path| {
        let folder = manifest.parent().and_then(|folder| folder.strip_prefix(&root).ok())?;
        packages
            .iter()
            .find(|package| Path::new(&package.folder) == folder)
            .map(|package| package.name.clone())
    };
    Ok(programs.into_iter().filter_map(|(program, manifest)| Some((name(&manifest)?, program))).collect())
}

/// Runs the tests whose names contain a text, wherever they are.
pub(crate) fn test(name: &str) -> Result<String, String> {
    let mut ran = Vec::new();
    for (kind, arguments) in targets_of(name)? {
        let mut test = Command::new("env");
        test.args(["--default-signal=INT,QUIT", "cargo", "test", "--quiet", "--workspace"])
            .args(&arguments)
            .arg(name);
        succeed(&mut test)?;
        ran.push(kind);
    }
    match ran.is_empty() {
        true => {
            Err(format!("no test in Rust has a name that contains `{name}`; for Python: pytest -k {name}"))
        }
        false => Ok(format!("test: passed: {}", ran.join(", "))),
    }
}

/// Returns the kinds of tests with such a name, and the arguments that select each.
fn targets_of(name: &str) -> Result<Vec<(String, Vec<String>)>, String> {
    let mut targets = BTreeMap::new();
    for package in packages()? {
        let mut files = Vec::new();
        collect(Path::new(&package.folder), "rs", &mut files)?;
        for path in files {
            let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            let is_it = text.lines().any(|line| {
                line.trim_start()
                    .strip_prefix("fn ")
                    .is_some_and(|rest| rest.split('(').next().is_some_and(|f| f.contains(name)))
            });
            if !is_it || !text.contains("#[test]") {
                continue;
            }
            let inner = path.strip_prefix(&package.folder).unwrap_or(&path);
            let (kind, arguments) = match inner.strip_prefix("tests").ok().and_then(|rest| rest.iter().next())
            {
                Some(first) => {
                    let first = first.to_string_lossy().trim_end_matches(".rs").to_owned();
                    (format!("tests `{first}`"), vec!["--test".into(), first])
                }
                None => ("unit tests".into(), vec!["--lib".into(), "--bins".into()]),
            };
            targets.insert(kind, arguments);
        }
    }
    Ok(targets.into_iter().collect())
}

/// Runs a step and prints its time.
fn step(name: &str, run: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
    let begin = Instant::now();
    let done = run();
    println!("check: {name}: {:.1} s", begin.elapsed().as_secs_f64());
    done.map_err(|error| format!("{name}: {error}"))
}

fn cargo(arguments: &[&str]) -> Result<(), String> {
    succeed(Command::new("cargo").args(arguments))
}

fn succeed(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().display().to_string();
    let status = command.status().map_err(|error| format!("{name}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{name}: {status}")) }
}

fn lines(command: &mut Command) -> Result<Vec<String>, String> {
    let output = command.output().map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    Ok(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str, folder: &str, dependencies: &[&str]) -> Package {
        let dependencies = dependencies.iter().map(|name| (*name).to_owned()).collect();
        Package { name: name.into(), folder: folder.into(), dependencies, targets: Vec::new() }
    }

    #[test]
    fn the_crates_above_a_change_are_tested() {
        let packages = [
            package("a", "crates/types/a", &[]),
            package("b", "crates/host/b", &["a"]),
            package("c", "tools/c", &["b"]),
            package("d", "tools/d", &[]),
        ];
        let scope = Scope::of(&["crates/host/b/src/lib.rs".into(), "README.md".into()], &packages);
        assert_eq!(names(&scope.changed), "b");
        assert_eq!(names(&scope.tested), "b, c");
        assert!(scope.skipped.is_empty());
    }

    #[test]
    fn a_change_below_many_crates_is_tested_in_its_layer() {
        let mut packages = vec![package("a", "crates/types/a", &[]), package("b", "crates/types/b", &["a"])];
        packages
            .extend((0..MAX_CRATES_ABOVE).map(|i| package(&format!("x{i}"), &format!("tools/x{i}"), &["b"])));
        let scope = Scope::of(&["crates/types/a/Cargo.toml".into()], &packages);
        assert_eq!(names(&scope.tested), "a, b");
        assert_eq!(scope.skipped.len(), MAX_CRATES_ABOVE);
    }
}
