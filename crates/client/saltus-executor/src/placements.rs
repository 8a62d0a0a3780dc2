//! The placements of a program's executors, read from a YAML file.

use std::{collections::BTreeMap, env, fs, path::Path};

use saltus_node::{Placement, SchedulingPolicy};
use saltus_yaml::{FileError, Node, YamlError};

use crate::admission::{self, AdmissionError, Share};

/// The name that stands for all executors that are not named.
const OTHERS: &str = "*";
/// The parts of a placement.
const KEYS: &str = "cpus, policy, priority, memory_lock or utilization";

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
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Placements(BTreeMap<String, Placed>);

/// The placement of an executor, and the share of one CPU that its threads are declared to need.
#[derive(Clone, Debug, Default, PartialEq)]
struct Placed {
    placement: Placement,
    utilization: f64,
}

/// Why there are no placements.
#[derive(Debug, thiserror::Error)]
pub enum PlacementsError {
    /// The file can't be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// Threads can't be placed as the file says.
    #[error(transparent)]
    Admission(#[from] AdmissionError),
}

impl Placements {
    /// The environment variable that names the file.
    pub const VARIABLE: &str = "SALTUS_PLACEMENT";

    /// Reads the file that the environment variable `SALTUS_PLACEMENT` names, and checks it. If the variable is not set,
    /// there are no placements.
    ///
    /// # Errors
    ///
    /// Returns an error if the file can't be read, or if [`check`](Self::check) fails.
    pub fn from_environment() -> Result<Self, PlacementsError> {
        let Some(path) = env::var_os(Self::VARIABLE).filter(|path| !path.is_empty()) else {
            return Ok(Self::default());
        };
        let placements = Self::read(Path::new(&path))?;
        placements.check()?;
        Ok(placements)
    }

    /// Checks before anything runs whether all threads could be placed: all CPUs must exist, the process needs the
    /// privileges, and the declared utilization of real-time threads must leave 5 % of each CPU to others. The kernel
    /// by default stops real-time threads that need more (`sched_rt_runtime_us`).
    ///
    /// ```
    /// # use saltus::executor::Placements;
    /// let text = "{a: {cpus: [0], policy: fifo, priority: 2, utilization: 0.6}, \
    ///     b: {cpus: [0], policy: fifo, priority: 1, utilization: 0.5}}";
    /// let error = Placements::parse(text)?.check().unwrap_err().to_string();
    /// assert!(error.contains("a and b need 110 % of a CPU"));
    /// # Ok::<(), saltus_yaml::YamlError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns all problems in one error.
    pub fn check(&self) -> Result<(), AdmissionError> {
        let shares: Vec<Share<'_>> = self
            .0
            .iter()
            .filter(|(_, placed)| placed.utilization > 0.0)
            .map(|(name, Placed { placement, utilization })| {
                (name.as_str(), placement.cpus.as_slice(), *utilization)
            })
            .collect();
        let placed = self.0.iter().map(|(name, placed)| (name.as_str(), &placed.placement));
        admission::check(placed, &shares)
    }

    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self, FileError> {
        let text =
            fs::read_to_string(path).map_err(|source| FileError::Read { path: path.into(), source })?;
        Self::parse(&text).map_err(|source| FileError::Content { path: path.into(), source })
    }

    /// Parses a YAML text. It is a mapping from names of executors to placements. A placement has `cpus` (a list of
    /// numbers), `policy` (`other`, `fifo` or `rr`), `priority` (1 to 99, for `fifo` and `rr`), `memory_lock` (`true` or
    /// `false`) and `utilization` (the share of one CPU that the threads need at most, for `fifo` and `rr`).
    pub fn parse(text: &str) -> Result<Self, YamlError> {
        let document = saltus_yaml::parse(text)?;
        if document.is_null() {
            return Ok(Self::default());
        }
        let named = mapping(&document, "names of executors with their placements")?;
        let placed = named.iter().map(|(name, node)| Ok((name.clone(), placed(name, node)?)));
        placed.collect::<Result<_, YamlError>>().map(Self)
    }

    /// Returns the placement that has this name in the file. Unlike [`of`](Self::of), `*` is only a name like others.
    pub fn named(&self, name: &str) -> Option<&Placement> {
        self.0.get(name).map(|placed| &placed.placement)
    }

    /// Returns the placement of the executor with this name.
    pub fn of(&self, executor: &str) -> Placement {
        let placed = self.0.get(executor).or_else(|| self.0.get(OTHERS));
        placed.map(|placed| placed.placement.clone()).unwrap_or_default()
    }
}

fn mapping<'a>(node: &'a Node, what: &str) -> Result<&'a [(String, Node)], YamlError> {
    node.as_mapping().ok_or_else(|| node.error(format!("expected {what}, found {}", node.kind())))
}

fn placed(name: &str, node: &Node) -> Result<Placed, YamlError> {
    let (mut placement, mut utilization) = (Placement::default(), 0.0);
    for (key, value) in mapping(node, KEYS)? {
        match &**key {
            "cpus" => placement.cpus = cpus(value)?,
            "policy" => placement.policy = policy(value)?,
            "priority" => placement.priority = priority(value)?,
            "memory_lock" => placement.memory_lock = boolean(value)?,
            "utilization" => utilization = share(value)?,
            _ => return Err(value.error(format!("expected {KEYS}, found `{key}`"))),
        }
    }
    let is_real_time = placement.policy != SchedulingPolicy::Other;
    let wrong = match (is_real_time, placement.priority) {
        (true, 0) => "the policies fifo and rr need a priority from 1 to 99",
        (false, 1..) => "a priority needs the policy fifo or rr",
        (false, 0) if utilization > 0.0 => "a utilization needs the policy fifo or rr",
        _ if name == OTHERS && utilization > 0.0 => {
            "a utilization needs the name of one executor, because `*` stands for several"
        }
        _ => return Ok(Placed { placement, utilization }),
    };
    Err(node.error(wrong))
}

fn boolean(node: &Node) -> Result<bool, YamlError> {
    node.as_bool().ok_or_else(|| node.error(format!("expected true or false, found {}", node.kind())))
}

/// Reads the share of one CPU. A thread can't need more than one.
fn share(node: &Node) -> Result<f64, YamlError> {
    let number = node.as_float().or_else(|| node.as_integer().map(|number| number as f64));
    let valid = number.filter(|number| *number > 0.0 && number.is_finite());
    valid.ok_or_else(|| node.error(format!("expected a share of a CPU, such as 0.3, found {}", node.kind())))
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
    fn an_error_names_the_mistake_and_its_location() {
        for (text, want) in [
            (
                "a: 1",
                "line 1, column 4: expected cpus, policy, priority, memory_lock or utilization, found `1`",
            ),
            (
                "a: {cpu: 1}",
                "line 1, column 10: expected cpus, policy, priority, memory_lock or utilization, found `cpu`",
            ),
            ("a: {cpus: 1}", "expected a list of CPU numbers, found `1`"),
            ("a: {cpus: [x]}", "expected a list of CPU numbers, found `x`"),
            ("a: {policy: batch}", "expected other, fifo or rr, found `batch`"),
            ("a: {policy: fifo, priority: 100}", "expected a number from 1 to 99, found `100`"),
            ("a: {priority: 5}", "a priority needs the policy fifo or rr"),
            ("a: {policy: fifo}", "the policies fifo and rr need a priority from 1 to 99"),
            ("a: {memory_lock: 1}", "expected true or false, found `1`"),
            ("a: {utilization: 0.5}", "a utilization needs the policy fifo or rr"),
            (
                "a: {policy: fifo, priority: 1, utilization: -1}",
                "expected a share of a CPU, such as 0.3, found `-1`",
            ),
            ("'*': {policy: fifo, priority: 1, utilization: 0.5}", "needs the name of one executor"),
        ] {
            let error = Placements::parse(text).unwrap_err().to_string();
            assert!(error.contains(want), "{text}: {error}");
        }
        assert_eq!(Placements::parse("").unwrap().of("a"), Placement::default());
    }

    #[test]
    fn all_of_a_placement_is_read() {
        let text = "a: {cpus: [0, 1], policy: rr, priority: 5, memory_lock: true, utilization: 0.5}";
        let placements = Placements::parse(text).unwrap();
        let (cpus, policy) = (vec![0, 1], SchedulingPolicy::RoundRobin);
        assert_eq!(placements.of("a"), Placement { cpus, policy, priority: 5, memory_lock: true });
    }
}
