//! Writes the tables of figures in the documents from the kept runs of `bench/results`, or checks that they are up to
//! date.
//!
//! A document has a pair of marks for each table. The lines between the marks are written here:
//!
//! ```text
//! <!-- figures: NAME -->
//! <!-- end of figures -->
//! ```
//!
//! `NAME` is the name of a table of [`definitions::TABLES`], or a text file of a kept run, such as `host/idle.txt`,
//! which is shown as it is.

mod definitions;
mod rows;

use std::{
    fs,
    path::{Path, PathBuf},
};

use definitions::{TABLES, Table};
use rows::{Column, Row, cell, read_rows};

const RESULTS: &str = "bench/results";
const DOCUMENTS: [&str; 3] = ["README.md", "docs/benchmarks.md", "docs/domain-bridge.md"];
const BEGIN: &str = "<!-- figures: ";
const END: &str = "<!-- end of figures -->";

/// Writes every table.
pub(crate) fn write() -> Result<String, String> {
    let mut count = 0;
    for document in DOCUMENTS {
        let old = read(Path::new(document))?;
        let (new, tables) = filled(&old, document).map_err(|error| format!("{document}: {error}"))?;
        fs::write(document, new).map_err(|error| format!("{document}: {error}"))?;
        count += tables;
    }
    Ok(format!("tables: wrote {count}"))
}

/// Compares the existing tables with those that would be written.
pub(crate) fn check() -> Result<String, String> {
    let mut count = 0;
    for document in DOCUMENTS {
        let old = read(Path::new(document))?;
        let (new, tables) = filled(&old, document).map_err(|error| format!("{document}: {error}"))?;
        if new != old {
            return Err(format!("{document} differs from {RESULTS}; run `cargo xtask tables`"));
        }
        count += tables;
    }
    Ok(format!("{count} as in {RESULTS}"))
}

/// Returns the document with all tables filled in, and their number.
fn filled(old: &str, document: &str) -> Result<(String, usize), String> {
    let (mut text, mut count, mut lines) = (String::new(), 0, old.lines());
    while let Some(line) = lines.next() {
        text += &format!("{line}\n");
        let Some(name) = line.strip_prefix(BEGIN) else { continue };
        let name = name.trim_end_matches("-->").trim();
        text += &format!("\n{}\n{END}\n", content(name, document)?);
        if !lines.by_ref().any(|line| line == END) {
            return Err(format!("`{BEGIN}{name} -->` has no `{END}`"));
        }
        count += 1;
    }
    Ok((text, count))
}

fn content(name: &str, document: &str) -> Result<String, String> {
    if let Some((kind, file)) = name.split_once('/') {
        let text = read(&run_of(kind)?.join(file))?;
        // A text that is Markdown is included as it is.
        return Ok(if file.ends_with(".md") { text } else { format!("```text\n{}\n```\n", text.trim_end()) });
    }
    let table =
        TABLES.iter().find(|table| table.name == name).ok_or(format!("no table is named `{name}`"))?;
    table_text(table, document)
}

fn table_text(table: &Table, document: &str) -> Result<String, String> {
    let run = run_of(table.kind)?;
    let rows = read_rows(&read(&run.join("rows.csv"))?)?;
    let shown: Vec<&Row> = rows.iter().filter(|row| row.text("scenario") == table.scenario).collect();
    let mut heads: Vec<[&str; 4]> = Vec::new();
    for row in shown.iter().filter(|row| (table.shows)(row)) {
        if !heads.contains(&row.head()) {
            heads.push(row.head());
        }
    }
    if heads.is_empty() {
        return Err(format!(
            "{}: no rows of `{}` for the table `{}`",
            run.display(),
            table.scenario,
            table.name
        ));
    }
    if let Some(column) = table.columns.iter().find(|column| !shown[0].has(column.figure)) {
        return Err(format!(
            "{}: no column `{}` for the table `{}`",
            run.display(),
            column.figure,
            table.name
        ));
    }
    let titles: Vec<&str> = table.columns.iter().map(|column| column.title).collect();
    let mut text =
        format!("| | data | wait | {} |\n|---|---|---|{}\n", titles.join(" | "), "---|".repeat(titles.len()));
    for head in heads {
        let [peer, mode, data, wait] = head;
        let of_head: Vec<&Row> = shown.iter().filter(|row| row.head() == head).copied().collect();
        let figure = |column: &Column| cell(&of_head, column);
        let figures: Vec<String> = table.columns.iter().map(figure).collect();
        text += &format!("| {peer} {mode} | {data} | {wait} | {} |\n", figures.join(" | "));
    }
    Ok(text + "\n" + &caption(&run, document)?)
}

/// Returns a line that says on which machine, when and how the figures were measured, with a link for the document.
fn caption(run: &Path, document: &str) -> Result<String, String> {
    let path = run.join("machine.json");
    let content: serde_json::Value =
        serde_json::from_str(&read(&path)?).map_err(|error| format!("{}: {error}", path.display()))?;
    let (machine, how) = (&content["machine"], &content["run"]);
    let word = |value: &serde_json::Value| value.as_str().map_or(value.to_string(), str::to_owned);
    Ok(format!(
        "{} x {}, {} GB, {}, Linux {}, {}; medians of {} interleaved runs. All figures: [{}]({}{}).\n",
        word(&machine["cpus"]),
        word(&machine["cpu"]),
        machine["memory_mb"].as_u64().unwrap_or_default() / 1000,
        word(&machine["system"]),
        word(&machine["kernel"]),
        word(&machine["date"]),
        word(&how["runs"]),
        run.display(),
        "../".repeat(document.matches('/').count()),
        run.display(),
    ))
}

/// Returns the folder of the kept run of a kind. The name of a folder ends with its kind.
fn run_of(kind: &str) -> Result<PathBuf, String> {
    let entries = fs::read_dir(RESULTS).map_err(|error| format!("{RESULTS}: {error}"))?;
    let end = format!("-{kind}");
    let is_of_kind = |path: &PathBuf| path.to_string_lossy().ends_with(&end);
    let mut found: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(is_of_kind).collect();
    match (found.pop(), found.is_empty()) {
        (Some(run), true) => Ok(run),
        (None, _) => Err(format!("{RESULTS} has no run of the kind `{kind}`")),
        (Some(_), false) => Err(format!("{RESULTS} has several runs of the kind `{kind}`; keep one")),
    }
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}
