//! Systems as data: nodes, topics, sizes, rates, work.

use std::{fs, path::Path};

use saltus_yaml::{FileError, Node, YamlError};

/// The systems that are part of this program, by name.
pub const BUNDLED: [(&str, &str); 7] = [
    ("sierra_nevada", include_str!("../systems/sierra_nevada.yaml")),
    ("mont_blanc", include_str!("../systems/mont_blanc.yaml")),
    ("autoware", include_str!("../systems/autoware.yaml")),
    ("robot", include_str!("../systems/robot.yaml")),
    ("pipeline_1khz", include_str!("../systems/pipeline_1khz.yaml")),
    ("pipeline_30hz", include_str!("../systems/pipeline_30hz.yaml")),
    ("pipeline_full_speed", include_str!("../systems/pipeline_full_speed.yaml")),
];

/// The largest message, in bytes.
const MAX_BYTES: i128 = 256 << 20;

/// A system: what each node publishes, receives and computes.
///
/// ```
/// use saltus_bench_traffic::System;
/// let text = "nodes: [{name: a, publish: [{topic: t, bytes: 8, hz: 10}]}, {name: b, subscribe: [t]}]";
/// let system = System::parse(text)?;
/// assert_eq!((system.nodes.len(), system.receivers("t")), (2, 1));
/// # Ok::<(), saltus_yaml::YamlError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct System {
    /// The depth of all queues.
    pub depth: u16,
    /// The nodes.
    pub nodes: Vec<NodeData>,
    /// The names of the nodes at which the age of messages is measured: the time since the source on which they depend.
    pub ends: Vec<String>,
}

/// A node of a system.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeData {
    /// Its name.
    pub name: String,
    /// The publishers with a timer.
    pub publish: Vec<Cycle>,
    /// The topics that it only receives.
    pub subscribe: Vec<String>,
    /// The rules for messages that arrive.
    pub forward: Vec<Forward>,
}

/// A publisher that a node opens: its topic and the size of its messages.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// The topic.
    pub topic: String,
    /// The size of the data in a message.
    pub bytes: usize,
    /// The number of the publisher, which no other publisher of the system has.
    pub id: u32,
}

/// A publisher with a timer.
#[derive(Clone, Debug, PartialEq)]
pub struct Cycle {
    /// The publisher that the timer uses.
    pub output: Output,
    /// The rate; 0 if a message is published at the beginning, and again whenever the node has received nothing for 0.2 s.
    pub hz: f64,
    /// Topics whose latest messages are used.
    pub inputs: Vec<String>,
    /// See [`Forward::work`].
    pub work: u32,
}

/// When a rule runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// For each message of any input.
    Each,
    /// When all inputs have a new message.
    All,
}

/// A rule: what a node does when messages arrive.
#[derive(Clone, Debug, PartialEq)]
pub struct Forward {
    /// When the rule runs.
    pub when: When,
    /// The topics.
    pub inputs: Vec<String>,
    /// The primes up to this number are counted, by trial division.
    pub work: u32,
    /// The publisher that the rule uses; `None` if it publishes nothing.
    pub output: Option<Output>,
    /// Whether the message counts as a new one of a source, so that its age begins with 0.
    pub restart: bool,
}

impl System {
    /// Returns the system with this name, or reads the file.
    ///
    /// # Errors
    ///
    /// Returns an error if the file can't be read or is not a system.
    pub fn load(name: &str) -> Result<Self, FileError> {
        let bundled = BUNDLED.iter().find(|(bundled, _)| *bundled == name);
        let content = |source| FileError::Content { path: name.into(), source };
        match bundled {
            Some((_, text)) => Self::parse(text).map_err(content),
            None => Self::read(Path::new(name)),
        }
    }

    /// Reads a file of YAML or JSON.
    ///
    /// # Errors
    ///
    /// Returns an error if the file can't be read or is not a system.
    pub fn read(path: &Path) -> Result<Self, FileError> {
        let text =
            fs::read_to_string(path).map_err(|source| FileError::Read { path: path.into(), source })?;
        Self::parse(&text).map_err(|source| FileError::Content { path: path.into(), source })
    }

    /// Parses a text in YAML or JSON.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not a system, if names are not unique, or if a topic has no publisher.
    pub fn parse(text: &str) -> Result<Self, YamlError> {
        let document = saltus_yaml::parse(text)?;
        only(&document, &["depth", "nodes", "ends"])?;
        let depth = document.get("depth").map_or(Ok(10), |node| integer(node, 1, 1000))?;
        let listed = document.get("nodes").ok_or_else(|| document.error("expected the key `nodes`"))?;
        let ends = document.get("ends").map_or(Ok(&[][..]), sequence)?;
        let ends: Vec<String> = ends.iter().map(topic).collect::<Result<_, _>>()?;
        let mut system = Self { depth: depth as u16, nodes: Vec::new(), ends };
        let mut ids = 0;
        for node in sequence(listed)? {
            let data = node_data(node, &mut ids)?;
            if system.nodes.iter().any(|other| other.name == data.name) {
                return Err(node.error(format!("there is another node `{}`", data.name)));
            }
            system.nodes.push(data);
        }
        let outputs = system.outputs();
        let unknown = system
            .nodes
            .iter()
            .flat_map(NodeData::inputs)
            .find(|topic| outputs.iter().all(|output| output.topic != **topic));
        if let Some(topic) = unknown {
            return Err(listed.error(format!("no node publishes `{topic}`")));
        }
        match system.ends.iter().find(|end| system.node(end).is_none()) {
            Some(end) => Err(document.error(format!("the end `{end}` is not a node"))),
            None => Ok(system),
        }
    }

    /// Returns the node with this name.
    pub fn node(&self, name: &str) -> Option<&NodeData> {
        self.nodes.iter().find(|node| node.name == name)
    }

    /// Returns how many subscriptions a topic has.
    pub fn receivers(&self, topic: &str) -> usize {
        self.nodes.iter().flat_map(NodeData::inputs).filter(|input| *input == topic).count()
    }

    /// Returns everything that is published.
    pub fn outputs(&self) -> Vec<&Output> {
        self.nodes.iter().flat_map(NodeData::outputs).collect()
    }

    /// Returns how many pairs of a publisher and a subscription there are.
    pub fn connections(&self) -> usize {
        self.outputs().iter().map(|output| self.receivers(&output.topic)).sum()
    }

    /// Whether a publisher has a timer.
    pub fn is_cycle(&self, id: u32) -> bool {
        self.nodes.iter().flat_map(|node| &node.publish).any(|cycle| cycle.output.id == id)
    }

    /// Returns the rate at which a publisher sends, if rates determine it.
    pub fn rate(&self, id: u32) -> Option<f64> {
        self.rate_within(id, self.nodes.len() + 1)
    }

    /// Returns the rate, if at most `steps` rules are between the publisher and its sources.
    fn rate_within(&self, id: u32, steps: usize) -> Option<f64> {
        let cycles = self.nodes.iter().flat_map(|node| &node.publish);
        if let Some(cycle) = cycles.into_iter().find(|cycle| cycle.output.id == id) {
            return Some(cycle.hz).filter(|hz| *hz > 0.0);
        }
        let steps = steps.checked_sub(1)?;
        let is_own = |rule: &&Forward| rule.output.as_ref().is_some_and(|output| output.id == id);
        let rule = self.nodes.iter().flat_map(|node| &node.forward).find(is_own)?;
        let of_topic = |topic: &String| -> Option<f64> {
            let outputs = self.outputs();
            let of = outputs.iter().filter(|output| output.topic == *topic);
            of.map(|output| self.rate_within(output.id, steps)).sum()
        };
        let rates: Option<Vec<f64>> = rule.inputs.iter().map(of_topic).collect();
        match rule.when {
            When::Each => Some(rates?.iter().sum()),
            When::All => rates?.into_iter().reduce(f64::min),
        }
    }
}

impl NodeData {
    /// Returns the topics that the node subscribes to. A topic is there once for each subscription.
    pub fn inputs(&self) -> impl Iterator<Item = &String> {
        let cycles = self.publish.iter().flat_map(|cycle| &cycle.inputs);
        let rules = self.forward.iter().flat_map(|rule| &rule.inputs);
        self.subscribe.iter().chain(cycles).chain(rules)
    }

    /// Returns everything that the node publishes.
    pub fn outputs(&self) -> impl Iterator<Item = &Output> {
        let rules = self.forward.iter().filter_map(|rule| rule.output.as_ref());
        self.publish.iter().map(|cycle| &cycle.output).chain(rules)
    }
}

fn node_data(node: &Node, ids: &mut u32) -> Result<NodeData, YamlError> {
    only(node, &["name", "publish", "subscribe", "forward"])?;
    let list = |key: &str| node.get(key).map_or(Ok(&[][..]), sequence);
    Ok(NodeData {
        name: text(node, "name")?,
        publish: list("publish")?.iter().map(|item| cycle(item, ids)).collect::<Result<_, _>>()?,
        subscribe: list("subscribe")?.iter().map(topic).collect::<Result<_, _>>()?,
        forward: list("forward")?.iter().map(|item| forward(item, ids)).collect::<Result<_, _>>()?,
    })
}

fn cycle(node: &Node, ids: &mut u32) -> Result<Cycle, YamlError> {
    only(node, &["topic", "bytes", "hz", "inputs", "work"])?;
    let hz = node.get("hz").ok_or_else(|| node.error("expected the key `hz`"))?;
    let rate = hz.as_float().or_else(|| hz.as_integer().map(|hz| hz as f64));
    let rate = rate.filter(|rate| *rate == 0.0 || (0.001..=100_000.0).contains(rate));
    Ok(Cycle {
        output: output(node, ids)?,
        hz: rate.ok_or_else(|| {
            hz.error(format!("expected 0 or a rate from 0.001 to 100000, found {}", hz.kind()))
        })?,
        inputs: inputs(node)?,
        work: work(node)?,
    })
}

fn forward(node: &Node, ids: &mut u32) -> Result<Forward, YamlError> {
    only(node, &["when", "inputs", "work", "topic", "bytes", "restart"])?;
    let when = match node.get("when").map(Node::as_text) {
        None | Some(Some("each")) => When::Each,
        Some(Some("all")) => When::All,
        Some(_) => return Err(node.error("expected `each` or `all` for the key `when`")),
    };
    let is_last = node.get("topic").is_none();
    let needs_topic = ["bytes", "restart"].iter().find_map(|key| Some((key, node.get(key)?)));
    if let Some((key, value)) = needs_topic.filter(|_| is_last) {
        return Err(value.error(format!("`{key}` needs the key `topic`")));
    }
    let boolean = |value: &Node| {
        value.as_bool().ok_or_else(|| value.error(format!("expected true or false, found {}", value.kind())))
    };
    let restart = node.get("restart").map_or(Ok(false), boolean)?;
    Ok(Forward {
        when,
        inputs: inputs(node)?,
        work: work(node)?,
        output: if is_last { None } else { Some(output(node, ids)?) },
        restart,
    })
}

fn output(node: &Node, ids: &mut u32) -> Result<Output, YamlError> {
    let bytes = node.get("bytes").ok_or_else(|| node.error("expected the key `bytes`"))?;
    *ids += 1;
    Ok(Output { topic: text(node, "topic")?, bytes: integer(bytes, 0, MAX_BYTES)? as usize, id: *ids })
}

fn inputs(node: &Node) -> Result<Vec<String>, YamlError> {
    node.get("inputs").map_or(Ok(&[][..]), sequence)?.iter().map(topic).collect()
}

fn work(node: &Node) -> Result<u32, YamlError> {
    Ok(node.get("work").map_or(Ok(0), |work| integer(work, 0, 1_000_000))? as u32)
}

fn topic(node: &Node) -> Result<String, YamlError> {
    let text = node.as_text().filter(|text| !text.is_empty());
    text.map(str::to_owned).ok_or_else(|| node.error(format!("expected a topic, found {}", node.kind())))
}

fn text(node: &Node, key: &str) -> Result<String, YamlError> {
    let found = node.get(key).and_then(Node::as_text).filter(|text| !text.is_empty());
    found.map(str::to_owned).ok_or_else(|| node.error(format!("expected the key `{key}` with a text")))
}

fn integer(node: &Node, least: i128, most: i128) -> Result<i128, YamlError> {
    let number = node.as_integer().filter(|number| (least..=most).contains(number));
    number
        .ok_or_else(|| node.error(format!("expected a number from {least} to {most}, found {}", node.kind())))
}

fn sequence(node: &Node) -> Result<&[Node], YamlError> {
    node.as_sequence().ok_or_else(|| node.error(format!("expected a list, found {}", node.kind())))
}

/// Returns an error if a mapping has other keys.
fn only(node: &Node, keys: &[&str]) -> Result<(), YamlError> {
    let pairs =
        node.as_mapping().ok_or_else(|| node.error(format!("expected a mapping, found {}", node.kind())))?;
    match pairs.iter().find(|(key, _)| !keys.contains(&key.as_str())) {
        Some((key, value)) => Err(value.error(format!("expected {}, found `{key}`", keys.join(", ")))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bundled_systems_have_the_loads_of_their_sources() {
        let loads = BUNDLED.map(|(name, text)| {
            let system = System::parse(text).unwrap_or_else(|error| panic!("{name}: {error}"));
            let outputs = system.outputs();
            let rate = |output: &&Output| system.rate(output.id).unwrap_or(0.0);
            let sent: f64 = outputs.iter().map(rate).sum();
            let received: f64 =
                outputs.iter().map(|output| rate(output) * system.receivers(&output.topic) as f64).sum();
            (name, system.nodes.len(), outputs.len(), system.connections(), sent.round(), received.round())
        });
        assert_eq!(loads[0], ("sierra_nevada", 10, 13, 17, 654.0, 1054.0));
        assert_eq!(loads[1], ("mont_blanc", 20, 23, 35, 781.0, 1263.0));
        assert_eq!((loads[2].0, loads[2].1), ("autoware", 24));
        assert_eq!((loads[4].1, loads[5].1, loads[6].1), (8, 8, 8));
    }

    #[test]
    fn rates_follow_the_rules() {
        let text = "nodes: [{name: a, publish: [{topic: x, bytes: 8, hz: 10}, {topic: y, bytes: 8, hz: 4}]}, \
                    {name: b, forward: [{when: all, inputs: [x, y], topic: z, bytes: 8}]}, \
                    {name: c, forward: [{inputs: [z, x], topic: u, bytes: 8}]}]";
        let system = System::parse(text).unwrap();
        assert_eq!([1, 2, 3, 4].map(|id| system.rate(id)), [10.0, 4.0, 4.0, 14.0].map(Some));
        let ring = "nodes: [{name: a, forward: [{inputs: [t], topic: t, bytes: 8}]}]";
        assert_eq!(System::parse(ring).unwrap().rate(1), None);
    }

    #[test]
    fn an_error_names_the_mistake_and_its_place() {
        for (text, want) in [
            ("[]", "expected a mapping"),
            ("{}", "expected the key `nodes`"),
            ("nodes: [{nam: a}]", "expected name, publish, subscribe, forward, found `nam`"),
            ("nodes: [{name: a}, {name: a}]", "there is another node `a`"),
            ("nodes: [{name: a, subscribe: [t]}]", "no node publishes `t`"),
            ("{nodes: [], ends: [b]}", "the end `b` is not a node"),
            (
                "nodes: [{name: a, publish: [{topic: t, bytes: -1, hz: 1}]}]",
                "from 0 to 268435456, found `-1`",
            ),
            ("nodes: [{name: a, publish: [{topic: t, bytes: 1, hz: .nan}]}]", "expected 0 or a rate"),
            ("nodes: [{name: a, publish: [{topic: t, bytes: 1, hz: 1.0e-30}]}]", "expected 0 or a rate"),
            ("nodes: [{name: a, forward: [{inputs: [], bytes: 1}]}]", "`bytes` needs the key `topic`"),
            ("nodes: [{name: a, forward: [{when: any, inputs: []}]}]", "expected `each` or `all`"),
        ] {
            let error = System::parse(text).unwrap_err().to_string();
            assert!(error.contains(want), "{text}: {error}");
        }
    }
}
