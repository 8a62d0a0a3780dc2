//! Reads the tables of crates in ARCHITECTURE.md.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

/// The document with the tables.
pub(crate) const ARCHITECTURE: &str = "ARCHITECTURE.md";

/// A word in the column `rules` of a table: a promise of the crate, or a permission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rule {
    /// The crate reads no clock, no environment and no file, opens no socket and starts no process.
    Pure,
    /// The crate may start threads, and its threads may sleep or wait for each other.
    Threads,
    /// The crate may use `unsafe`.
    Unsafe,
    /// Only tests and examples of the crate may use `unsafe`.
    UnsafeInTests,
}

impl Rule {
    fn parse(word: &str) -> Option<Self> {
        match word {
            "pure" => Some(Self::Pure),
            "threads" => Some(Self::Threads),
            "unsafe" => Some(Self::Unsafe),
            "unsafe in tests" => Some(Self::UnsafeInTests),
            _ => None,
        }
    }
}

/// A crate as the document lists it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Listed {
    /// The folder in the heading above the table.
    pub(crate) folder: String,
    pub(crate) rules: BTreeSet<Rule>,
    /// The only module that does not keep the rule `pure`, such as `node`.
    pub(crate) except: Option<String>,
}

impl Listed {
    pub(crate) fn has(&self, rule: Rule) -> bool {
        self.rules.contains(&rule)
    }
}

/// Returns the crates that the document lists, by name.
pub(crate) fn listed() -> Result<BTreeMap<String, Listed>, String> {
    let text = fs::read_to_string(ARCHITECTURE).map_err(|error| format!("{ARCHITECTURE}: {error}"))?;
    parse(&text)
}

/// Reads the tables. A heading such as ``### `crates/types`: …`` is above each of them, and a row has the form
/// `` | `crate` | rules | content | ``.
fn parse(text: &str) -> Result<BTreeMap<String, Listed>, String> {
    let (mut crates, mut folder) = (BTreeMap::new(), None);
    for line in text.lines() {
        if let Some(heading) = line.strip_prefix("### ") {
            folder = heading.strip_prefix('`').and_then(|rest| rest.split('`').next());
        } else if line.starts_with("## ") {
            folder = None;
        }
        let (Some(folder), Some(row)) = (folder, line.strip_prefix("| `")) else { continue };
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let [name, rules, ..] = cells[..] else { return Err(format!("not a row: {line}")) };
        let name = name.trim_end_matches('`').to_owned();
        let listed = rules_of(folder, rules).ok_or_else(|| format!("unknown rules `{rules}` of {name}"))?;
        if crates.insert(name.clone(), listed).is_some() {
            return Err(format!("{name} is listed twice"));
        }
    }
    Ok(crates)
}

fn rules_of(folder: &str, cell: &str) -> Option<Listed> {
    let mut listed = Listed { folder: folder.into(), ..Listed::default() };
    for word in cell.split(',').map(str::trim).filter(|word| !word.is_empty()) {
        let word = match word.split_once(" but for ") {
            Some((rule, module)) => {
                listed.except = Some(module.trim_matches('`').into());
                rule
            }
            None => word,
        };
        listed.rules.insert(Rule::parse(word)?);
    }
    Some(listed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_below_the_heading_of_a_folder_are_crates() {
        let text = "### `crates/types`: types\n\n| crate | rules | content |\n|---|---|---|\n| `a` | pure but for `node` | x |\n\
                    ### `tools`\n| `b` | threads, unsafe in tests | y |\n## Others\n| `c` | nothing | z |\n";
        let crates = parse(text).unwrap();
        assert_eq!(crates.len(), 2);
        assert!(crates["a"].has(Rule::Pure) && crates["a"].folder == "crates/types");
        assert_eq!(crates["a"].except.as_deref(), Some("node"));
        assert!(crates["b"].has(Rule::Threads) && crates["b"].has(Rule::UnsafeInTests));
        assert!(parse("### `tools`\n| `b` | fast | y |").unwrap_err().contains("`fast` of b"));
    }
}
