//! The placements of a program's executors, read from a YAML file.

use std::{collections::BTreeMap, env, fs, path::Path};

use saltus_node::{Placement, SchedulingPolicy};
use saltus_yaml::{FileError, Node, YamlError};

/// The environment variable that names the file.
const VARIABLE: &str = "SALTUS_PLACEMENT";

/// The placement of each executor, by the name that the program gives the executor. `*` stands for all other executors.
///
/// ```
/// # use saltus::executor::{Placements, SchedulingPolicy};
/// let text = "control: {cpus: [1], policy: fifo, priority: 80}\n'*': {cpus: [0]}\n";
/// let placements = Placements::parse(text)?;
/// assert_eq!(placements.of("control").policy, SchedulingPolicy::Fifo);
/// assert_eq!(placements.of("anything").cpus, [0]);
/// # Ok::<(), saltus_yaml::YamlError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placements(BTreeMap<String, Placement>);

impl Placements {
    /// Reads the file that the environment variable `SALTUS_PLACEMENT` names. If the variable is not set, there are no
    /// placements.
    pub fn from_environment() -> Result<Self, FileError> {
        match env::var_os(VARIABLE) {
            Some(path) if !path.is_empty() => Self::read(Path::new(&path)),
            _ => Ok(Self::default()),
        }
    }

    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self, FileError> {
        let text =
            fs::read_to_string(path).map_err(|source| FileError::Read { path: path.into(), source })?;
        Self::parse(&text).map_err(|source| FileError::Content { path: path.into(), source })
    }

    /// Parses a YAML text. It is a mapping from names of executors to placements. A placement has `cpus` (a list of
    /// numbers), `policy` (`other`, `fifo` or `rr`) and `priority` (1 to 99, for `fifo` and `rr`).
    pub fn parse(text: &str) -> Result<Self, YamlError> {
        let document = saltus_yaml::parse(text)?;
        if document.is_null() {
            return Ok(Self::default());
        }
        let named = mapping(&document, "names of executors with their placements")?;
        let placed = named.iter().map(|(name, node)| Ok((name.clone(), placement(node)?)));
        placed.collect::<Result<_, YamlError>>().map(Self)
    }

    /// Returns the placement of the executor with this name.
    pub fn of(&self, executor: &str) -> Placement {
        self.0.get(executor).or_else(|| self.0.get("*")).cloned().unwrap_or_default()
    }
}

fn mapping<'a>(node: &'a Node, what: &str) -> Result<&'a [(String, Node)], YamlError> {
    node.as_mapping().ok_or_else(|| node.error(format!("expected {what}, found {}", node.kind())))
}

fn placement(node: &Node) -> Result<Placement, YamlError> {
    let mut placement = Placement::default();
    for (key, value) in mapping(node, "cpus, policy and priority")? {
        match &**key {
            "cpus" => placement.cpus = cpus(value)?,
            "policy" => placement.policy = policy(value)?,
            "priority" => placement.priority = priority(value)?,
            _ => return Err(value.error(format!("expected cpus, policy or priority, found `{key}`"))),
        }
    }
    if placement.policy == SchedulingPolicy::Other && placement.priority != 0 {
        return Err(node.error("a priority needs the policy fifo or rr"));
    }
    Ok(placement)
}

fn cpus(node: &Node) -> Result<Vec<usize>, YamlError> {
    let wrong = |node: &Node| node.error(format!("expected a list of CPU numbers, found {}", node.kind()));
    let number =
        |item: &Node| item.as_integer().and_then(|cpu| usize::try_from(cpu).ok()).ok_or_else(|| wrong(item));
    node.as_sequence().ok_or_else(|| wrong(node))?.iter().map(number).collect()
}

fn policy(node: &Node) -> Result<SchedulingPolicy, YamlError> {
    match node.as_text() {
        Some("other") => Ok(SchedulingPolicy::Other),
        Some("fifo") => Ok(SchedulingPolicy::Fifo),
        Some("rr") => Ok(SchedulingPolicy::RoundRobin),
        _ => Err(node.error(format!("expected other, fifo or rr, found {}", node.kind()))),
    }
}

fn priority(node: &Node) -> Result<u8, YamlError> {
    let number = node.as_integer().and_then(|number| u8::try_from(number).ok());
    let valid = number.filter(|number| (1..=99).contains(number));
    valid.ok_or_else(|| node.error(format!("expected a number from 1 to 99, found {}", node.kind())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_the_mistake_and_its_place() {
        for (text, want) in [
            ("a: 1", "line 1, column 4: expected cpus, policy and priority, found `1`"),
            ("a: {cpu: 1}", "line 1, column 10: expected cpus, policy or priority, found `cpu`"),
            ("a: {cpus: 1}", "expected a list of CPU numbers, found `1`"),
            ("a: {cpus: [x]}", "expected a list of CPU numbers, found `x`"),
            ("a: {policy: batch}", "expected other, fifo or rr, found `batch`"),
            ("a: {policy: fifo, priority: 100}", "expected a number from 1 to 99, found `100`"),
            ("a: {priority: 5}", "a priority needs the policy fifo or rr"),
        ] {
            let error = Placements::parse(text).unwrap_err().to_string();
            assert!(error.contains(want), "{text}: {error}");
        }
        assert_eq!(Placements::parse("").unwrap().of("a"), Placement::default());
    }
}
