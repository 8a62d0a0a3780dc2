//! The rules that say what passes: a file in YAML.

use std::{fs, path::Path, time::Duration};

use saltus_relay::{Kind, Passage, Pattern, Priority, QosChange, Rule, Rules, WhenFull};
use saltus_types::NodeName;
use saltus_yaml::{FileError, Node, YamlError};

use crate::{access::Access, link::BRIDGE};

const KEYS: [&str; 3] = ["default", "namespace", "rules"];
const RULE_KEYS: [&str; 13] = [
    "allow",
    "deny",
    "kind",
    "direction",
    "type",
    "qos",
    "rate",
    "max_size",
    "priority",
    "express",
    "when_full",
    "announce",
    "hosts",
];
/// What a rule that denies can't have.
const KEYS_OF_ALLOW: [&str; 8] =
    ["qos", "rate", "max_size", "priority", "express", "when_full", "announce", "hosts"];
/// What only counts for the messages of topics.
const KEYS_OF_TOPICS: [&str; 4] = ["qos", "rate", "max_size", "when_full"];
/// What only counts for what this host sends.
const KEYS_OF_OUT: [&str; 3] = ["priority", "express", "when_full"];
const KINDS: [(&str, Kind); 3] =
    [("topic", Kind::Topic), ("service", Kind::Service), ("action", Kind::Action)];
const PRIORITIES: [(&str, Priority); 7] = [
    ("real_time", Priority::RealTime),
    ("interactive_high", Priority::InteractiveHigh),
    ("interactive_low", Priority::InteractiveLow),
    ("data_high", Priority::DataHigh),
    ("data", Priority::Data),
    ("data_low", Priority::DataLow),
    ("background", Priority::Background),
];

/// What passes in each direction. The first rule that matches a name counts.
///
/// ```
/// # use saltus_zenoh::Passing;
/// let passing = Passing::parse("{default: deny, rules: [{allow: /cmd_vel, direction: in}, {allow: /battery}]}")?;
/// assert!(passing != Passing::all());
/// # Ok::<(), saltus_yaml::YamlError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Passing {
    /// What publishers and servers of this host are shown in the network.
    pub(crate) out: Rules,
    /// What publishers and servers of the network are shown on this host.
    pub(crate) into: Rules,
    /// Which hosts may pass what.
    pub(crate) access: Access,
    /// Where the names of this host are in the network: empty, or such as `/robot1`.
    pub(crate) namespace: String,
}

impl Default for Passing {
    fn default() -> Self {
        Self::all()
    }
}

impl Passing {
    /// Returns the rules by which everything passes.
    pub fn all() -> Self {
        let mut reader = Reader::new(String::new());
        reader.add(&KINDS.map(|(_, kind)| Rule::new(kind, Pattern::any())), [true, true]);
        reader.passing
    }

    /// Reads a file.
    ///
    /// # Errors
    /// Returns an error if the file can't be read, or does not have the expected form.
    pub fn read(path: &Path) -> Result<Self, FileError> {
        let of_path = || path.to_owned();
        let text = fs::read_to_string(path).map_err(|source| FileError::Read { path: of_path(), source })?;
        Self::parse(&text).map_err(|source| FileError::Content { path: of_path(), source })
    }

    /// Parses the text of a file.
    ///
    /// # Errors
    /// Returns an error if the text does not have the expected form.
    pub fn parse(text: &str) -> Result<Self, YamlError> {
        let root = saltus_yaml::parse(text)?;
        check_keys(&root, &KEYS)?;
        let namespace = root.get("namespace").map(namespace).transpose()?.unwrap_or_default();
        let mut reader = Reader::new(namespace);
        for rule in root.get("rules").filter(|rules| !rules.is_null()).map_or(Ok(&[][..]), sequence)? {
            reader.read(rule)?;
        }
        let is_open = root.get("default").is_none_or(|node| node.as_text() != Some("deny"));
        let access = &reader.passing.access;
        if access.names_hosts() && is_open {
            return Err(root.error(
                "rules with `hosts` need `default: deny`: otherwise other hosts pass the same names",
            ));
        }
        if let Some((one, two)) = access.conflict() {
            let message = format!(
                "the rules for `{one}` and `{two}` are for different hosts, and the same names may match both: with a `*` all names of \
                 the namespace before it count, and with a name all names below it"
            );
            return Err(root.error(message));
        }
        let default = root.get("default").map_or(Ok("allow"), text_of)?;
        match (default, root.get("default")) {
            ("allow", _) => reader.add(&KINDS.map(|(_, kind)| Rule::new(kind, Pattern::any())), [true, true]),
            ("deny", _) => {}
            (other, node) => {
                let message = format!("expected `allow` or `deny`, found `{other}`");
                return Err(node.unwrap_or(&root).error(message));
            }
        }
        Ok(reader.passing)
    }
}

/// Reads the rules of a file.
struct Reader {
    passing: Passing,
}

impl Reader {
    fn new(namespace: String) -> Self {
        // What a bridge tells is for its own host.
        let own = Pattern::parse(&format!("/{BRIDGE}*")).map(|names| {
            let rule = Rule::new(Kind::Service, names).in_namespace(&namespace);
            rule.passes(false).labelled("the rule that keeps bridges apart")
        });
        let into = Rules(own.iter().map(Rule::reversed).collect());
        let (out, access) = (Rules(own.into_iter().collect()), Access::default());
        Self { passing: Passing { out, into, access, namespace } }
    }

    fn read(&mut self, node: &Node) -> Result<(), YamlError> {
        check_keys(node, &RULE_KEYS)?;
        let (name, passes) = match (node.get("allow"), node.get("deny")) {
            (Some(name), None) => (name, true),
            (None, Some(name)) => (name, false),
            _ => return Err(node.error("expected one of `allow` and `deny` in a rule")),
        };
        let pattern = Pattern::parse(text_of(name)?).map_err(|error| name.error(error.to_string()))?;
        let kinds = match node.get("kind") {
            None => KINDS.map(|(_, kind)| kind).to_vec(),
            Some(node) => vec![word(node, &KINDS)?],
        };
        let directions = match node.get("direction") {
            None => [true, true],
            Some(node) => {
                word(node, &[("out", [true, false]), ("in", [false, true]), ("both", [true, true])])?
            }
        };
        let without = |keys: &[&str], why| match keys.iter().find_map(|key| Some((key, node.get(key)?))) {
            Some((key, node)) => Err(node.error(format!("`{key}` has no effect {why}"))),
            None => Ok(()),
        };
        if !passes {
            without(&KEYS_OF_ALLOW, "on what does not pass")?;
        }
        if directions == [false, true] {
            without(&KEYS_OF_OUT, "on what comes in")?;
        }
        let hosts = node.get("hosts").map_or(Ok(Vec::new()), hosts)?;
        if passes {
            self.passing.access.add(pattern.in_namespace(&self.passing.namespace), &hosts);
        }
        if kinds == [Kind::Service] {
            without(&KEYS_OF_TOPICS, "on services")?;
        }
        let (passage, qos) = (passage(node)?, node.get("qos").map(QosChange::from_yaml).transpose()?);
        let label = format!("`{}: {pattern}` in line {}", if passes { "allow" } else { "deny" }, node.line);
        let type_name = node.get("type").map(text_of).transpose()?;
        let rule = |kind: &Kind| {
            let rule = Rule::new(*kind, pattern.clone()).passes(passes).passed_on(passage).labelled(&label);
            let rule = rule.qos(qos.unwrap_or_default());
            type_name.map_or(rule.clone(), |name| rule.type_name(name))
        };
        self.add(&kinds.iter().map(rule).collect::<Vec<_>>(), directions);
        Ok(())
    }

    /// Adds rules for names of this host, for each direction.
    fn add(&mut self, rules: &[Rule], [out, into]: [bool; 2]) {
        let out_rules =
            rules.iter().filter(|_| out).map(|rule| rule.clone().in_namespace(&self.passing.namespace));
        self.passing.out.0.extend(out_rules);
        let into_rules = rules.iter().filter(|_| into);
        let into_rules = into_rules.map(|rule| rule.clone().in_namespace(&self.passing.namespace).reversed());
        self.passing.into.0.extend(into_rules);
    }
}

/// Reads the names of one or several hosts.
fn hosts(node: &Node) -> Result<Vec<String>, YamlError> {
    let names = node.as_sequence().unwrap_or(std::slice::from_ref(node));
    if names.is_empty() {
        return Err(node.error("expected the name of a host"));
    }
    names.iter().map(|name| text_of(name).map(str::to_owned)).collect()
}

/// Reads how messages are passed on.
fn passage(node: &Node) -> Result<Passage, YamlError> {
    let flag = |key| {
        let flag = |node: &Node| node.as_bool().ok_or_else(|| node.error("expected `true` or `false`"));
        node.get(key).map(flag).transpose()
    };
    let when_full = [("drop", WhenFull::Drop), ("block", WhenFull::Block)];
    Ok(Passage {
        interval: node.get("rate").map(interval).transpose()?,
        max_size: node.get("max_size").map(size).transpose()?,
        priority: node.get("priority").map(|node| word(node, &PRIORITIES)).transpose()?,
        is_express: flag("express")?.unwrap_or_default(),
        when_full: node.get("when_full").map(|node| word(node, &when_full)).transpose()?,
        is_hidden: !flag("announce")?.unwrap_or(true),
    })
}

/// Reads a number of messages per second, as the time between two.
fn interval(node: &Node) -> Result<Duration, YamlError> {
    let rate = node.as_float().or(node.as_integer().map(|rate| rate as f64)).filter(|rate| *rate > 0.0);
    let interval = rate.and_then(|rate| Duration::try_from_secs_f64(rate.recip()).ok());
    interval.ok_or_else(|| node.error("expected a number of messages per second, more than 0"))
}

fn size(node: &Node) -> Result<usize, YamlError> {
    let size = node.as_integer().and_then(|size| usize::try_from(size).ok());
    size.ok_or_else(|| node.error("expected a number of bytes"))
}

/// Reads a namespace. That of the root is empty.
fn namespace(node: &Node) -> Result<String, YamlError> {
    let text = text_of(node)?;
    let absolute = if text.starts_with('/') { text.to_owned() } else { format!("/{text}") };
    let name = NodeName::new(&absolute, "bridge").map_err(|error| node.error(error.to_string()))?;
    Ok(name.namespace().trim_end_matches('/').to_owned())
}

fn check_keys(node: &Node, known: &[&str]) -> Result<(), YamlError> {
    match node.pairs()?.iter().find(|(key, _)| !known.contains(&&**key)) {
        Some((key, node)) => Err(node.error(format!("expected one of {}, found `{key}`", known.join(", ")))),
        None => Ok(()),
    }
}

fn sequence(node: &Node) -> Result<&[Node], YamlError> {
    node.as_sequence().ok_or_else(|| node.error("expected a list"))
}

fn text_of(node: &Node) -> Result<&str, YamlError> {
    node.as_text().ok_or_else(|| node.error("expected text"))
}

/// Returns what a word stands for.
fn word<T: Copy>(node: &Node, words: &[(&str, T)]) -> Result<T, YamlError> {
    let text = text_of(node)?;
    let found = words.iter().find(|(word, _)| *word == text);
    found.map(|(_, meaning)| *meaning).ok_or_else(|| {
        let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        node.error(format!("expected one of {}, found `{text}`", known.join(", ")))
    })
}

#[cfg(test)]
mod tests {
    use saltus_host::Channel;

    use super::*;

    fn passes(rules: &Rules, channel: Channel, name: &str) -> bool {
        rules.to_name(channel, name, "a/msg/A").is_some()
    }

    #[test]
    fn the_first_rule_that_matches_counts() {
        let text = "rules:\n- allow: /camera/front\n- deny: /camera/*\n  direction: out\n- {deny: /add, kind: service}\n";
        let Passing { out, into, .. } = Passing::parse(text).unwrap();
        assert!(passes(&out, Channel::Topic, "/camera/front") && passes(&out, Channel::Topic, "/other"));
        assert!(
            !passes(&out, Channel::Topic, "/camera/back") && passes(&into, Channel::Topic, "/camera/back")
        );
        assert!(!passes(&out, Channel::Request, "/add") && passes(&out, Channel::Topic, "/add"));
        let Passing { out, into, .. } =
            Passing::parse("{default: deny, rules: [{allow: fib, kind: action}]}").unwrap();
        assert!(passes(&out, Channel::Request, "/fib/_action/send_goal"));
        assert!(!passes(&into, Channel::Request, "/fib") && !passes(&into, Channel::Topic, "/rosout"));
        assert_eq!(Passing::parse("").unwrap(), Passing::all());
    }

    #[test]
    fn text_without_the_expected_form_is_an_error() {
        for (text, what) in [
            ("default: maybe", "expected `allow` or `deny`"),
            ("allow: x", "expected one of default, namespace, rules, found `allow`"),
            ("rules: x", "expected a list"),
            ("rules: [{allow: x, deny: y}]", "expected one of `allow` and `deny`"),
            ("rules: [{kind: topic}]", "expected one of `allow` and `deny`"),
            ("rules: [{allow: a//b}]", ""),
            ("rules: [{allow: x, direction: up}]", "expected one of out, in, both, found `up`"),
            (
                "rules: [{allow: x, speed: 5}]",
                "expected one of allow, deny, kind, direction, type, qos, rate",
            ),
            ("rules: [{allow: x, rate: 0}]", "expected a number of messages per second, more than 0"),
            ("rules: [{allow: x, rate: .nan}]", "expected a number of messages per second, more than 0"),
            ("rules: [{allow: x, max_size: -1}]", "expected a number of bytes"),
            ("rules: [{allow: x, priority: high}]", "expected one of real_time"),
            ("rules: [{allow: x, announce: maybe}]", "expected `true` or `false`"),
            ("rules: [{deny: x, rate: 5}]", "`rate` has no effect on what does not pass"),
            ("rules: [{allow: x, direction: in, express: true}]", "`express` has no effect on what comes in"),
            ("rules: [{allow: x, qos: {depth: 0}}]", "expected a depth"),
            ("rules: [{allow: x, hosts: base}]", "need `default: deny`"),
            ("{default: deny, rules: [{allow: x, hosts: []}]}", "expected the name of a host"),
            ("{default: deny, rules: [{allow: x, hosts: base}, {allow: '*'}]}", "are for different hosts"),
            ("rules: [{allow: x, kind: service, rate: 5}]", "`rate` has no effect on services"),
            ("rules: [{deny: x, hosts: base}]", "`hosts` has no effect on what does not pass"),
            ("namespace: a b", ""),
        ] {
            let error = Passing::parse(text).unwrap_err();
            assert!(error.message.contains(what), "{text}: {error}");
        }
    }

    #[test]
    fn a_rule_says_how_messages_are_passed_on() {
        let text = "rules: [{allow: /camera, type: a/msg/A, direction: out, rate: 5, max_size: 1000, priority: background, \
                    express: true, when_full: block, announce: false, qos: {depth: 1}}]";
        let passing = Passing::parse(text).unwrap();
        let expected = Passage {
            interval: Some(Duration::from_millis(200)),
            max_size: Some(1000),
            priority: Some(Priority::Background),
            is_express: true,
            when_full: Some(WhenFull::Block),
            is_hidden: true,
        };
        let rule = Rule::new(Kind::Topic, Pattern::parse("/camera").unwrap()).type_name("a/msg/A");
        let rule = rule.labelled("`allow: /camera` in line 1");
        let change = QosChange { history: Some(saltus_types::History::KeepLast(1)), ..QosChange::default() };
        assert_eq!(passing.out.0[1], rule.passed_on(expected).qos(change));
        assert_eq!(passing.into, Passing::all().into);
    }

    #[test]
    fn names_are_in_a_namespace_of_the_network() {
        let Passing { out, into, .. } =
            Passing::parse("{namespace: robot1, rules: [{deny: /secret}]}").unwrap();
        let name = |rules: &Rules, name| rules.to_name(Channel::Topic, name, "a/msg/A").map(|(name, _)| name);
        assert_eq!(out.to_name(Channel::Request, "/saltus_bridge_far/self_test", "a/srv/A"), None);
        assert_eq!(name(&out, "/camera/image").as_deref(), Some("/robot1/camera/image"));
        assert_eq!(name(&into, "/robot1/cmd_vel").as_deref(), Some("/cmd_vel"));
        assert_eq!(name(&into, "/robot12/cmd_vel"), None);
        assert_eq!((name(&into, "/cmd_vel"), name(&out, "/secret")), (None, None));
        assert_eq!(name(&into, "/robot1/secret"), None);
    }
}
