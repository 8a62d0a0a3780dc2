//! Remapping rules: `-r from:=to` changes names in a program.
//!
//! Source: "Remapping Names" in the ROS 2 design documents, as far as `rcl` implements it. Names are
//! compared as a whole, and wildcards are rejected.

use crate::{NameError, NodeName, TopicName, validate_namespace, validate_node_name};

/// The kind of name that a rule applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    /// `__node:=` or `__name:=`.
    NodeName,
    /// `__ns:=`.
    Namespace,
    /// `rostopic://from:=to`.
    Topic,
    /// `rosservice://from:=to`.
    Service,
    /// `from:=to`.
    TopicOrService,
}

/// One remapping rule: `[nodename:][rostopic://|rosservice://]match:=replacement`.
///
/// **Invariant:** its parts are well formed. Applying it fails only if an expanded name is too long, or if
/// `{ns}` in the root namespace makes an expanded name invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemapRule {
    node: Option<String>,
    target: Target,
    from: String,
    to: String,
}

/// The error for a remapping rule that breaks the grammar.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid remapping rule `{rule}`: {reason}")]
pub struct RemapError {
    /// The rule that was given.
    pub rule: String,
    /// The expected form, and the text that was found.
    pub reason: String,
}

impl std::str::FromStr for RemapRule {
    type Err = RemapError;

    /// ```
    /// use saltus::types::RemapRule;
    /// assert!("talker:chatter:=/robot1/chatter".parse::<RemapRule>().is_ok());
    /// assert!("chatter=news".parse::<RemapRule>().is_err());
    /// ```
    fn from_str(rule: &str) -> Result<Self, RemapError> {
        let error = |reason: String| RemapError { rule: rule.into(), reason };
        let (left, to) = rule.split_once(":=").ok_or_else(|| error("expected `from:=to`".into()))?;
        let (node, rest) = split_node(left);
        if let Some(node) = node {
            validate_node_name(node).map_err(|e| error(e.to_string()))?;
        }
        let (target, from) = target(rest);
        if from.starts_with("__") && !matches!(target, Target::NodeName | Target::Namespace) {
            return Err(error(format!("expected `__node`, `__name` or `__ns`, found `{from}`")));
        }
        if let Some(wildcard) = [from, to].into_iter().find(|side| side.contains(['*', '\\'])) {
            return Err(error(format!("wildcards are not supported, found `{wildcard}`")));
        }
        check(target, from, to).map_err(|e| error(e.to_string()))?;
        Ok(Self { node: node.map(str::to_owned), target, from: from.into(), to: to.into() })
    }
}

/// Splits `nodename:` from the rest of the rule. The colon of `rostopic://` is not a separator.
fn split_node(left: &str) -> (Option<&str>, &str) {
    match left.split_once(':') {
        Some((node, rest)) if !rest.starts_with("//") => (Some(node), rest),
        _ => (None, left),
    }
}

fn target(text: &str) -> (Target, &str) {
    match text {
        "__node" | "__name" => (Target::NodeName, text),
        "__ns" => (Target::Namespace, text),
        _ => text.strip_prefix("rostopic://").map_or_else(
            || {
                text.strip_prefix("rosservice://")
                    .map_or((Target::TopicOrService, text), |t| (Target::Service, t))
            },
            |topic| (Target::Topic, topic),
        ),
    }
}

/// Checks that both sides are valid names of their kind. The node is not known yet, so names of topics are
/// expanded with an example.
fn check(target: Target, from: &str, to: &str) -> Result<(), NameError> {
    match target {
        Target::NodeName => validate_node_name(to),
        Target::Namespace => validate_namespace(to),
        Target::Topic | Target::Service | Target::TopicOrService => {
            // Its namespace is not the root, because `{ns}/x` is valid in every namespace except the root.
            let example = NodeName::new("/ns", "node")?;
            TopicName::expand(from, &example)?;
            TopicName::expand(to, &example)?;
            Ok(())
        }
    }
}

/// The rules of a node: its own rules first, then the rules of the whole program.
///
/// For each kind of name, only the first rule that matches is applied. Its result is not matched again.
///
/// ```
/// use saltus::types::{NodeName, RemapRules, TopicName};
/// let rules = RemapRules::new(vec!["__ns:=/robot1".parse()?, "chatter:=news".parse()?]);
/// let node = rules.node_name("/", "talker")?;
/// let topic = TopicName::expand("chatter", &node)?;
/// assert_eq!(rules.topic(topic, &node)?.as_str(), "/robot1/news");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RemapRules(Vec<RemapRule>);

impl RemapRules {
    /// Creates a set of rules from a list in order of precedence.
    pub fn new(rules: Vec<RemapRule>) -> Self {
        Self(rules)
    }

    /// Returns the rules of `first`, followed by these rules.
    pub fn after(&self, first: &Self) -> Self {
        Self(first.0.iter().chain(&self.0).cloned().collect())
    }

    /// Returns the remapped name of the node whose name in the program is `base` in `namespace`.
    ///
    /// A rule may be limited to a node by name. For a rule that changes the node's name, this is the name in
    /// the program. For a rule that changes the namespace, this is the name after it was changed.
    pub fn node_name(&self, namespace: &str, base: &str) -> Result<NodeName, NameError> {
        let new = self.first(Target::NodeName, base).map_or(base, |rule| &rule.to);
        let namespace = self.first(Target::Namespace, new).map_or(namespace, |rule| &rule.to);
        NodeName::new(namespace, new)
    }

    /// Returns the remapped name of a node's topic.
    pub fn topic(&self, name: TopicName, node: &NodeName) -> Result<TopicName, NameError> {
        self.replace(Target::Topic, name, node)
    }

    /// Returns the remapped name of a node's service.
    pub fn service(&self, name: TopicName, node: &NodeName) -> Result<TopicName, NameError> {
        self.replace(Target::Service, name, node)
    }

    fn first(&self, target: Target, node: &str) -> Option<&RemapRule> {
        self.0.iter().find(|rule| rule.target == target && rule.is_for(node))
    }

    fn replace(&self, target: Target, name: TopicName, node: &NodeName) -> Result<TopicName, NameError> {
        for rule in self.0.iter().filter(|rule| rule.applies_to(target) && rule.is_for(node.base())) {
            if TopicName::expand(&rule.from, node)? == name {
                return TopicName::expand(&rule.to, node);
            }
        }
        Ok(name)
    }
}

impl RemapRule {
    fn is_for(&self, node: &str) -> bool {
        self.node.as_deref().is_none_or(|name| name == node)
    }

    fn applies_to(&self, target: Target) -> bool {
        self.target == target || self.target == Target::TopicOrService
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(rules: &[&str]) -> RemapRules {
        RemapRules::new(rules.iter().map(|rule| rule.parse().unwrap()).collect())
    }

    /// Returns the remapped names of a topic and of a service called `name` in the node `/ns/node`.
    fn remapped(list: &[&str], name: &str) -> (String, String) {
        let node = NodeName::new("/ns", "node").unwrap();
        let name = || TopicName::expand(name, &node).unwrap();
        let rules = rules(list);
        let topic = rules.topic(name(), &node).unwrap();
        (topic.as_str().into(), rules.service(name(), &node).unwrap().as_str().into())
    }

    #[test]
    fn both_sides_are_expanded_with_the_node_before_they_are_compared() {
        for (rule, name, want) in [
            ("foo:=bar", "foo", "/ns/bar"),
            ("foo:=bar", "/ns/foo", "/ns/bar"),
            ("foo:=bar", "/foo", "/foo"),
            ("/ns/foo:=/bar", "foo", "/bar"),
            ("~/foo:=bar", "~/foo", "/ns/bar"),
            ("foo:=~/bar", "foo", "/ns/node/bar"),
            ("{node}/foo:={ns}/bar", "node/foo", "/ns/bar"),
            ("node:foo:=bar", "foo", "/ns/bar"),
            ("other:foo:=bar", "foo", "/ns/foo"),
        ] {
            let both = (want.to_owned(), want.to_owned());
            assert_eq!(remapped(&[rule], name), both, "{rule} on {name}");
        }
    }

    #[test]
    fn a_scheme_limits_a_rule_to_topics_or_services() {
        assert_eq!(remapped(&["rostopic://foo:=bar"], "foo"), ("/ns/bar".into(), "/ns/foo".into()));
        assert_eq!(remapped(&["rosservice://foo:=bar"], "foo"), ("/ns/foo".into(), "/ns/bar".into()));
        assert_eq!(remapped(&["node:rostopic:///ns/foo:=/bar"], "foo"), ("/bar".into(), "/ns/foo".into()));
    }

    #[test]
    fn only_the_first_matching_rule_is_applied() {
        assert_eq!(remapped(&["foo:=bar", "foo:=baz", "bar:=qux"], "foo").0, "/ns/bar");
        let local = rules(&["foo:=local"]);
        let both = rules(&["foo:=global"]).after(&local);
        let node = NodeName::new("/", "node").unwrap();
        let topic = TopicName::expand("foo", &node).unwrap();
        assert_eq!(both.topic(topic, &node).unwrap().as_str(), "/local");
    }

    #[test]
    fn a_node_is_renamed_before_rules_for_its_namespace_are_applied() {
        for (list, want) in [
            (&["__node:=foo"][..], "/foo"),
            (&["__name:=foo", "__ns:=/x"], "/x/foo"),
            (&["talker:__node:=foo"], "/foo"),
            (&["talker:__node:=foo", "talker:__ns:=/x"], "/foo"),
            (&["talker:__node:=foo", "foo:__ns:=/x/y"], "/x/y/foo"),
            (&["listener:__node:=foo"], "/talker"),
        ] {
            let name = rules(list).node_name("/", "talker").unwrap();
            assert_eq!(name.fully_qualified(), want, "{list:?}");
        }
    }

    #[test]
    fn the_error_for_an_invalid_rule_says_what_is_wrong() {
        for (rule, want) in [
            ("foo=bar", "expected `from:=to`"),
            ("foo:=", "invalid topic name ``: it is empty (at byte 0)"),
            (":=foo", "invalid topic name ``: it is empty (at byte 0)"),
            ("9:foo:=bar", "invalid node name `9`: a token must not start with a digit (at byte 0)"),
            ("__node:=a/b", "invalid node name `a/b`: a token may contain only ASCII letters"),
            ("__ns:=x", "invalid namespace `x`: it must start with `/` (at byte 0)"),
            ("/foo/**:=/bar", "wildcards are not supported, found `/foo/**`"),
            (r"/foo:=/bar/\1", r"wildcards are not supported, found `/bar/\1`"),
            ("__nod:=foo", "expected `__node`, `__name` or `__ns`, found `__nod`"),
            ("foo:=b ar", "invalid topic name `b ar`: a token may contain only ASCII letters"),
        ] {
            let error = rule.parse::<RemapRule>().unwrap_err().to_string();
            assert!(error.starts_with(&format!("invalid remapping rule `{rule}`: {want}")), "{error}");
        }
    }
}
