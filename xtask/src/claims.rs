//! Checks the rules of crates that ARCHITECTURE.md lists: which crates are pure, start threads, and use `unsafe`.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use crate::{
    architecture::{Listed, Rule},
    workspace::{Package, collect},
};

/// The texts in code that read a clock, the environment or a file, or use the network or a process.
const OUTSIDE: [&str; 13] = [
    "Instant::now",
    "SystemTime::now",
    "monotonic_now",
    "clock_gettime",
    "env::",
    "fs::",
    "net::",
    "process::",
    "std::env",
    "std::fs",
    "std::net",
    "std::process",
    "stdin()",
];
/// The texts in code that start a thread, or let a thread sleep or wait for another one.
const THREADS: [&str; 8] = [
    "thread::spawn",
    "thread::scope",
    "thread::Builder",
    "thread::sleep",
    "thread::park",
    "Condvar",
    "recv_timeout(",
    ".recv()",
];
const UNSAFE: [&str; 5] = ["unsafe {", "unsafe impl", "unsafe fn", "unsafe trait", "unsafe extern"];

/// Checks all packages. Returns the problems, and the number of uses of `unsafe`.
pub(crate) fn problems(
    packages: &[Package],
    listed: &BTreeMap<String, Listed>,
) -> Result<(Vec<String>, usize), String> {
    let (mut problems, mut uses) = (Vec::new(), 0);
    for package in packages {
        let Some(row) = listed.get(&package.name) else { continue };
        let mut files = Vec::new();
        collect(Path::new(&package.folder), "rs", &mut files)?;
        // A package in a folder of another one has a row of its own.
        files.retain(|file| {
            !packages.iter().any(|other| is_inside(other, package) && file.starts_with(&other.folder))
        });
        files.sort();
        let mut has_threads = false;
        for path in files {
            let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            let file = SourceFile {
                path: &path,
                relative: path.strip_prefix(&package.folder).unwrap_or(&path),
                text: &text,
            };
            has_threads |= !file.is_test() && file.first_of(&THREADS).is_some();
            let (count, wrong) = file.problems(row);
            uses += count;
            problems.extend(wrong);
        }
        if row.has(Rule::Threads) && !has_threads {
            problems.push(format!(
                "{}: the rule `threads` is listed, but it starts none and waits for none",
                package.name
            ));
        }
    }
    Ok((problems, uses))
}

fn is_inside(inner: &Package, outer: &Package) -> bool {
    inner.folder != outer.folder && inner.folder.starts_with(&format!("{}/", outer.folder))
}

struct SourceFile<'a> {
    path: &'a PathBuf,
    /// The path in the folder of the package.
    relative: &'a Path,
    text: &'a str,
}

impl SourceFile<'_> {
    /// Whether the file is compiled for tests and examples only.
    fn is_test(&self) -> bool {
        let named = self.relative.file_stem().is_some_and(|stem| {
            let stem = stem.to_string_lossy();
            stem == "tests" || stem.ends_with("_model") || stem == "build"
        });
        let folder = self
            .relative
            .iter()
            .any(|part| ["tests", "examples", "templates", "new"].iter().any(|name| part == *name));
        named || folder
    }

    /// Returns the lines of production code, with their numbers, without comments and texts in quotes.
    fn code(&self) -> impl Iterator<Item = (usize, String)> {
        let end = self.text.find("#[cfg(test)]\nmod tests {").unwrap_or(self.text.len());
        self.text[..end].lines().enumerate().map(|(index, line)| (index + 1, without_texts(line)))
    }

    /// Returns the first line that contains one of the texts as a word, and the text.
    fn first_of(&self, texts: &[&'static str]) -> Option<(usize, &'static str)> {
        self.code().find_map(|(number, line)| {
            texts.iter().find(|text| has_word(&line, text)).map(|text| (number, *text))
        })
    }

    /// Returns the number of uses of `unsafe`, and all problems.
    fn problems(&self, row: &Listed) -> (usize, Vec<String>) {
        let (uses, wrong) = self.unsafe_problems(row);
        let mut problems = Vec::new();
        if !self.is_test() {
            problems.extend(self.purity_problem(row));
            problems.extend(self.thread_problem(row));
        }
        problems.extend(wrong);
        (uses, problems)
    }

    fn purity_problem(&self, row: &Listed) -> Option<String> {
        if !row.has(Rule::Pure) || self.is_excepted(row) {
            return None;
        }
        let (line, text) = self.first_of(&OUTSIDE)?;
        Some(format!("{}:{line}: `{text}` in a pure crate", self.path.display()))
    }

    /// Whether the file belongs to the module that need not be pure.
    fn is_excepted(&self, row: &Listed) -> bool {
        row.except.as_ref().is_some_and(|module| {
            let module = Path::new("src").join(module);
            self.relative.starts_with(&module) || self.relative == module.with_extension("rs")
        })
    }

    fn thread_problem(&self, row: &Listed) -> Option<String> {
        if row.has(Rule::Threads) {
            return None;
        }
        let (line, text) = self.first_of(&THREADS)?;
        Some(format!("{}:{line}: `{text}` in a crate without the rule `threads`", self.path.display()))
    }

    /// Returns the number of uses of `unsafe`, and those that are not allowed or not explained.
    fn unsafe_problems(&self, row: &Listed) -> (usize, Vec<String>) {
        let is_allowed = row.has(Rule::Unsafe) || (row.has(Rule::UnsafeInTests) && self.is_test());
        let lines: Vec<&str> = self.text.lines().collect();
        let uses: Vec<usize> = (0..lines.len()).filter(|index| has_unsafe(lines[*index])).collect();
        let is_explained = |index: usize| {
            lines[index.saturating_sub(6)..index]
                .iter()
                .any(|line| line.contains("SAFETY") || line.contains("# Safety"))
        };
        let wrong = uses.iter().filter_map(|index| {
            let location = format!("{}:{}", self.path.display(), index + 1);
            match (is_allowed, is_explained(*index)) {
                (false, _) => Some(format!("{location}: `unsafe` in a crate without that rule")),
                (true, false) => Some(format!("{location}: `unsafe` without a reason")),
                (true, true) => None,
            }
        });
        (uses.len(), wrong.collect())
    }
}

fn has_unsafe(line: &str) -> bool {
    let code = without_texts(line);
    UNSAFE.iter().any(|word| code.contains(word))
}

/// Returns a line without its comment and without the texts in quotes. If a line has no escaped quotes, every second part
/// between quotes is such a text.
fn without_texts(line: &str) -> String {
    let code = line.split('"').step_by(2).collect::<Vec<_>>().join("\"\"");
    code.split("//").next().unwrap_or("").to_owned()
}

/// Whether a line contains a text that does not continue a longer name to its left.
fn has_word(line: &str, text: &str) -> bool {
    line.match_indices(text).any(|(index, _)| {
        let before = line[..index].chars().next_back();
        text.starts_with('.') || !before.is_some_and(|c| c.is_alphanumeric() || c == '_')
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn row(rules: &[Rule], except: Option<&str>) -> Listed {
        let rules = rules.iter().copied().collect::<BTreeSet<_>>();
        Listed { folder: String::new(), rules, except: except.map(str::to_owned) }
    }

    /// Returns the problems of a file in a crate.
    fn check(path: &str, text: &str, row: &Listed) -> Vec<String> {
        let path = PathBuf::from(path);
        let file = SourceFile { path: &path, relative: &path, text };
        file.problems(row).1
    }

    #[test]
    fn a_pure_crate_reads_nothing() {
        let pure = row(&[Rule::Pure], None);
        let text = "fn f() {\n    let text = fs::read(path);\n}\n";
        assert_eq!(check("src/a.rs", text, &pure), ["src/a.rs:2: `fs::` in a pure crate"]);
        assert_eq!(check("src/a.rs", text, &row(&[], None)), Vec::<String>::new());
        assert_eq!(check("src/node/a.rs", text, &row(&[Rule::Pure], Some("node"))), Vec::<String>::new());
        let harmless = "// fs::read\nlet text = \"fs::read\"; prefs::read();\n#[cfg(test)]\nmod tests {\n    fs::read(path);\n}\n";
        assert_eq!(check("src/a.rs", harmless, &pure), Vec::<String>::new());
    }

    #[test]
    fn a_waiter_is_listed() {
        let text = "thread::sleep(time);";
        let problem = "src/a.rs:1: `thread::sleep` in a crate without the rule `threads`";
        assert_eq!(check("src/a.rs", text, &row(&[], None)), [problem]);
        assert_eq!(check("src/a.rs", text, &row(&[Rule::Threads], None)), Vec::<String>::new());
        assert_eq!(check("src/tests.rs", text, &row(&[], None)), Vec::<String>::new());
    }

    #[test]
    fn unsafe_is_listed_and_explained() {
        let text = "unsafe { f() }";
        assert_eq!(
            check("src/a.rs", text, &row(&[], None)),
            ["src/a.rs:1: `unsafe` in a crate without that rule"]
        );
        let listed = row(&[Rule::Unsafe], None);
        assert_eq!(check("src/a.rs", text, &listed), ["src/a.rs:1: `unsafe` without a reason"]);
        assert_eq!(check("src/a.rs", "// SAFETY: f is safe.\nunsafe { f() }", &listed), Vec::<String>::new());
        let in_tests = row(&[Rule::UnsafeInTests], None);
        assert_eq!(
            check("tests/a.rs", "// SAFETY: f is safe.\nunsafe { f() }", &in_tests),
            Vec::<String>::new()
        );
        assert_eq!(check("src/a.rs", text, &in_tests).len(), 1);
    }
}
