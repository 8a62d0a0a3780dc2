//! The configuration of a bridge, in the YAML format of ROS 2's `domain_bridge`.
//!
//! Source: <https://github.com/ros2/domain_bridge/blob/main/doc/design.md>. There are some additions to that format.
//! `services` and `actions` have the same form as `topics`. A name may contain one `*`. A type may be left out. A
//! domain may belong to a group of users (`3@robots`).

use std::{fs, path::Path};

use saltus_yaml::{FileError, Node, YamlError};

use saltus_relay::{Kind, Pattern, QosChange, Rule, Rules};

use crate::graph_id::{GraphId, GraphIdError};

/// A link from one domain to another.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkConfig {
    /// The domain whose entities are forwarded.
    pub from: GraphId,
    /// The domain to which they are forwarded.
    pub to: GraphId,
    pub(crate) rules: Rules,
}

/// The configuration of a bridge.
///
/// ```
/// # use saltus_domain_bridge::Config;
/// let config = Config::parse("{from_domain: 2, to_domain: 3, topics: {chatter: {}}}", None, None)?;
/// assert_eq!(config.links()[0].to.domain, 3);
/// # Ok::<(), saltus_yaml::YamlError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    pub(crate) name: String,
    pub(crate) links: Vec<LinkConfig>,
}

impl Default for Config {
    fn default() -> Self {
        Self { name: "domain_bridge".into(), links: Vec::new() }
    }
}

impl Config {
    /// Reads a configuration file. `from` and `to`, if given, override the domains of all entries in the file.
    ///
    /// # Errors
    /// Returns an error if the file can't be read, or does not have the expected form.
    pub fn read(path: &Path, from: Option<&GraphId>, to: Option<&GraphId>) -> Result<Self, FileError> {
        let of_path = || path.to_owned();
        let text = fs::read_to_string(path).map_err(|source| FileError::Read { path: of_path(), source })?;
        Self::parse(&text, from, to).map_err(|source| FileError::Content { path: of_path(), source })
    }

    /// Parses the text of a configuration file. See [`Config::read`].
    ///
    /// # Errors
    /// Returns an error if the text does not have the expected form.
    pub fn parse(text: &str, from: Option<&GraphId>, to: Option<&GraphId>) -> Result<Self, YamlError> {
        let root = saltus_yaml::parse(text)?;
        let mut reader =
            Reader { config: Self::default(), fixed: [from.cloned(), to.cloned()], default: ends(&root)? };
        for (key, node) in root.pairs()? {
            match &**key {
                "from_domain" | "to_domain" => {}
                "name" => reader.config.name = text_of(node)?.to_owned(),
                "mode" if node.as_text() == Some("normal") => {}
                "mode" => {
                    return Err(wrong(node, "expected the mode `normal`; other modes are not supported"));
                }
                "topics" => reader.add_all(Kind::Topic, node)?,
                "services" => reader.add_all(Kind::Service, node)?,
                "actions" => reader.add_all(Kind::Action, node)?,
                _ => return Err(unknown(node, key, &KEYS)),
            }
        }
        Ok(reader.config)
    }

    /// Returns the links, in the order in which they were added.
    pub fn links(&self) -> &[LinkConfig] {
        &self.links
    }

    /// Adds a rule from one domain to another. If `both` is `true`, also adds it for the opposite direction.
    pub fn add(&mut self, from: &GraphId, to: &GraphId, both: bool, rule: &Rule) {
        self.link(from, to).rules.0.push(rule.clone());
        if both {
            self.link(to, from).rules.0.push(rule.reversed());
        }
    }

    fn link(&mut self, from: &GraphId, to: &GraphId) -> &mut LinkConfig {
        let same = |link: &LinkConfig| (&link.from, &link.to) == (from, to);
        let index = self.links.iter().position(same).unwrap_or_else(|| {
            self.links.push(LinkConfig { from: from.clone(), to: to.clone(), rules: Rules::default() });
            self.links.len() - 1
        });
        &mut self.links[index]
    }
}

const KEYS: [&str; 7] = ["name", "from_domain", "to_domain", "mode", "topics", "services", "actions"];
const ENTRY_KEYS: [&str; 7] =
    ["type", "from_domain", "to_domain", "remap", "bidirectional", "reversed", "qos"];

/// The domain that messages come from and the domain that they go to, as far as these are known.
type Ends = [Option<GraphId>; 2];

struct Reader {
    config: Config,
    /// The domains that the command line gives.
    fixed: Ends,
    /// The domains that the file gives for all its entries.
    default: Ends,
}

impl Reader {
    fn add_all(&mut self, kind: Kind, entries: &Node) -> Result<(), YamlError> {
        entries.pairs()?.iter().try_for_each(|(name, entry)| self.add(kind, name, entry))
    }

    fn add(&mut self, kind: Kind, name: &str, entry: &Node) -> Result<(), YamlError> {
        let keys = entry.pairs()?;
        if let Some((key, node)) = keys.iter().find(|(key, _)| !ENTRY_KEYS.contains(&&**key)) {
            return Err(unknown(node, key, &ENTRY_KEYS));
        }
        let pattern =
            |node: &Node, text: &str| Pattern::parse(text).map_err(|error| wrong(node, &error.to_string()));
        let mut rule = Rule::new(kind, pattern(entry, name)?);
        if let Some(node) = entry.get("remap") {
            let to = pattern(node, text_of(node)?)?;
            rule = rule.remap(to).map_err(|error| wrong(node, &error.to_string()))?;
        }
        if let Some(node) = entry.get("type") {
            rule = rule.type_name(text_of(node)?);
        }
        if let Some(node) = entry.get("qos") {
            rule = rule.qos(QosChange::from_yaml(node)?);
        }
        let [from, to] = self.ends_of(name, entry)?;
        let (from, to) = if flag(entry, "reversed")? { (to, from) } else { (from, to) };
        if from == to {
            return Err(wrong(entry, &format!("`{name}` would go from {from} to itself")));
        }
        self.config.add(&from, &to, flag(entry, "bidirectional")?, &rule);
        Ok(())
    }

    /// Returns the domains of an entry. The command line takes precedence over the entry, and the entry over the
    /// default of the file.
    fn ends_of(&self, name: &str, entry: &Node) -> Result<[GraphId; 2], YamlError> {
        let own = ends(entry)?;
        let end = |i: usize, key: &str| {
            let found = [&self.fixed[i], &own[i], &self.default[i]].into_iter().flatten().next();
            found.cloned().ok_or_else(|| wrong(entry, &format!("expected `{key}` for `{name}`")))
        };
        Ok([end(0, "from_domain")?, end(1, "to_domain")?])
    }
}

fn ends(node: &Node) -> Result<Ends, YamlError> {
    let end = |key| {
        let graph = |node: &Node| {
            text_of(node)?.parse().map_err(|error: GraphIdError| wrong(node, &error.to_string()))
        };
        node.get(key).map(graph).transpose()
    };
    Ok([end("from_domain")?, end("to_domain")?])
}

fn flag(entry: &Node, key: &str) -> Result<bool, YamlError> {
    let flag = |node: &Node| node.as_bool().ok_or_else(|| wrong(node, "expected `true` or `false`"));
    entry.get(key).map_or(Ok(false), flag)
}

fn text_of(node: &Node) -> Result<&str, YamlError> {
    node.as_text().ok_or_else(|| wrong(node, "expected text"))
}

fn unknown(node: &Node, key: &str, known: &[&str]) -> YamlError {
    wrong(node, &format!("expected one of {}, found `{key}`", known.join(", ")))
}

fn wrong(node: &Node, what: &str) -> YamlError {
    YamlError { line: node.line, column: node.column, message: what.into() }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use saltus_host::Channel;
    use saltus_types::{History, QoS, Reliability};

    use super::*;

    const ROS: &str = "
name: my_bridge
from_domain: 2
to_domain: 3
topics:
  foo/chatter:
    type: example_interfaces/msg/String
    qos:
      reliability: best_effort
      depth: 42
      deadline: 123456
      lifespan: -1
  clock:
    type: rosgraph_msgs/msg/Clock
    bidirectional: true
    remap: bar/clock
  back:
    type: std_msgs/msg/String
    reversed: true
    to_domain: 6
services:
  add_*: {}
";

    fn graph(domain: u32) -> GraphId {
        GraphId { domain, group: None }
    }

    #[test]
    fn the_format_of_ros_2_is_read() {
        let config = Config::parse(ROS, None, None).unwrap();
        assert_eq!(config.name, "my_bridge");
        let links: Vec<_> = config.links.iter().map(|link| (link.from.domain, link.to.domain)).collect();
        assert_eq!(links, [(2, 3), (3, 2), (6, 2)]);
        let rules = &config.links[0].rules;
        let (name, rule) =
            rules.to_name(Channel::Topic, "/foo/chatter", "example_interfaces/msg/String").unwrap();
        let changed = rules.0[rule].change(&QoS::default());
        assert_eq!((&*name, changed.history), ("/foo/chatter", History::KeepLast(42)));
        assert_eq!((changed.reliability, changed.lifespan), (Reliability::BestEffort, None));
        assert_eq!(changed.deadline, Some(Duration::from_nanos(123_456)));
        let to_name = |link: usize, channel, name, type_name| {
            config.links[link]
                .rules
                .to_name(channel, name, type_name)
                .map(|(name, _)| name)
                .unwrap_or_default()
        };
        assert_eq!(to_name(0, Channel::Topic, "/clock", "rosgraph_msgs/msg/Clock"), "/bar/clock");
        assert_eq!(to_name(1, Channel::Topic, "/bar/clock", "rosgraph_msgs/msg/Clock"), "/clock");
        assert_eq!(to_name(2, Channel::Topic, "/back", "std_msgs/msg/String"), "/back");
        assert_eq!(to_name(0, Channel::Request, "/add_two", "any/srv/Type"), "/add_two");
    }

    #[test]
    fn the_command_line_takes_precedence() {
        let config = Config::parse(ROS, Some(&graph(7)), Some(&graph(8))).unwrap();
        let links: Vec<_> = config.links.iter().map(|link| (link.from.domain, link.to.domain)).collect();
        assert_eq!(links, [(7, 8), (8, 7)]);
    }

    #[test]
    fn text_without_the_expected_form_is_an_error() {
        let bad = [
            ("topics: {a: {}}", "expected `from_domain` for `a`"),
            ("{from_domain: x, topics: {}}", "expected a domain such as `3`"),
            ("{from_domain: 1, to_domain: 1, topics: {a: {}}}", "from domain 1 to itself"),
            (
                "{from_domain: 1, to_domain: 2, topics: {a: {qos: {reliability: maybe}}}}",
                "`maybe` is not a value of `reliability`",
            ),
            ("{from_domain: 1, to_domain: 2, topics: {a: {qos: {depth: 0}}}}", "expected a depth"),
            ("{from_domain: 1, to_domain: 2, topics: {a: {remap: 'b*'}}}", "expected a `*` in both"),
            ("{from_domain: 1, to_domain: 2, topics: {a: {delay: 1}}}", "expected one of type, from_domain"),
            ("{from_domain: 1, to_domain: 2, topics: [a]}", "expected a mapping"),
            ("mode: compress", "expected the mode `normal`"),
        ];
        for (text, what) in bad {
            let error = Config::parse(text, None, None).unwrap_err();
            assert!(error.message.contains(what), "{text}: {error}");
        }
    }
}
