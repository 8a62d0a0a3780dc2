//! The rules that say what passes: a file in YAML.

use std::{fs, path::Path};

use saltus_relay::{Kind, Pattern, Rule, Rules};
use saltus_yaml::{FileError, Node, YamlError};

const KEYS: [&str; 2] = ["default", "rules"];
const RULE_KEYS: [&str; 4] = ["allow", "deny", "kind", "direction"];
const KINDS: [(&str, Kind); 3] =
    [("topic", Kind::Topic), ("service", Kind::Service), ("action", Kind::Action)];

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
}

impl Default for Passing {
    fn default() -> Self {
        Self::all()
    }
}

impl Passing {
    /// Returns the rules by which everything passes.
    pub fn all() -> Self {
        let mut passing = Self { out: Rules::default(), into: Rules::default() };
        passing.add(&KINDS.map(|(_, kind)| kind), &Pattern::any(), true, [true, true]);
        passing
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
        let mut passing = Self { out: Rules::default(), into: Rules::default() };
        for rule in root.get("rules").filter(|rules| !rules.is_null()).map_or(Ok(&[][..]), sequence)? {
            passing.add_rule(rule)?;
        }
        let default = root.get("default").map_or(Ok("allow"), text_of)?;
        let kinds = KINDS.map(|(_, kind)| kind);
        match (default, root.get("default")) {
            ("allow", _) => passing.add(&kinds, &Pattern::any(), true, [true, true]),
            ("deny", _) => {}
            (other, node) => {
                let message = format!("expected `allow` or `deny`, found `{other}`");
                return Err(node.unwrap_or(&root).error(message));
            }
        }
        Ok(passing)
    }

    fn add_rule(&mut self, rule: &Node) -> Result<(), YamlError> {
        check_keys(rule, &RULE_KEYS)?;
        let (name, passes) = match (rule.get("allow"), rule.get("deny")) {
            (Some(name), None) => (name, true),
            (None, Some(name)) => (name, false),
            _ => return Err(rule.error("expected one of `allow` and `deny` in a rule")),
        };
        let pattern = Pattern::parse(text_of(name)?).map_err(|error| name.error(error.to_string()))?;
        let kinds = match rule.get("kind") {
            None => KINDS.map(|(_, kind)| kind).to_vec(),
            Some(node) => vec![word(node, &KINDS)?],
        };
        let directions = match rule.get("direction") {
            None => [true, true],
            Some(node) => {
                word(node, &[("out", [true, false]), ("in", [false, true]), ("both", [true, true])])?
            }
        };
        self.add(&kinds, &pattern, passes, directions);
        Ok(())
    }

    fn add(&mut self, kinds: &[Kind], pattern: &Pattern, passes: bool, directions: [bool; 2]) {
        for (rules, is_meant) in [&mut self.out, &mut self.into].into_iter().zip(directions) {
            if is_meant {
                let rule = |kind: &Kind| Rule::new(*kind, pattern.clone()).passes(passes);
                rules.0.extend(kinds.iter().map(rule));
            }
        }
    }
}

fn check_keys(node: &Node, known: &[&str]) -> Result<(), YamlError> {
    if node.is_null() {
        return Ok(());
    }
    let keys = node.as_mapping().ok_or_else(|| node.error("expected a mapping"))?;
    match keys.iter().find(|(key, _)| !known.contains(&&**key)) {
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
        rules.to_name(channel, name).is_some()
    }

    #[test]
    fn the_first_rule_that_matches_counts() {
        let text = "rules:\n- allow: /camera/front\n- deny: /camera/*\n  direction: out\n- {deny: /add, kind: service}\n";
        let Passing { out, into } = Passing::parse(text).unwrap();
        assert!(passes(&out, Channel::Topic, "/camera/front") && passes(&out, Channel::Topic, "/other"));
        assert!(
            !passes(&out, Channel::Topic, "/camera/back") && passes(&into, Channel::Topic, "/camera/back")
        );
        assert!(!passes(&out, Channel::Request, "/add") && passes(&out, Channel::Topic, "/add"));
        let Passing { out, into } =
            Passing::parse("{default: deny, rules: [{allow: fib, kind: action}]}").unwrap();
        assert!(passes(&out, Channel::Request, "/fib/_action/send_goal"));
        assert!(!passes(&into, Channel::Request, "/fib") && !passes(&into, Channel::Topic, "/rosout"));
        assert_eq!(Passing::parse("").unwrap(), Passing::all());
    }

    #[test]
    fn text_without_the_expected_form_is_an_error() {
        for (text, what) in [
            ("default: maybe", "expected `allow` or `deny`"),
            ("allow: x", "expected one of default, rules, found `allow`"),
            ("rules: x", "expected a list"),
            ("rules: [{allow: x, deny: y}]", "expected one of `allow` and `deny`"),
            ("rules: [{kind: topic}]", "expected one of `allow` and `deny`"),
            ("rules: [{allow: a//b}]", ""),
            ("rules: [{allow: x, direction: up}]", "expected one of out, in, both, found `up`"),
            ("rules: [{allow: x, rate: 5}]", "expected one of allow, deny, kind, direction, found `rate`"),
        ] {
            let error = Passing::parse(text).unwrap_err();
            assert!(error.message.contains(what), "{text}: {error}");
        }
    }
}
