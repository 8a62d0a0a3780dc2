//! Rules: which entities of one graph are shown in another one, and under which names.

use std::sync::Arc;

use saltus_host::Channel;
use saltus_types::QoS;

use crate::{
    name::{Pattern, PatternError},
    passage::Passage,
    qos_change::QosChange,
};

/// The kind of entity that a rule selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Topics. Messages are forwarded.
    Topic,
    /// Services. Clients in the other domain can call the servers.
    Service,
    /// Actions. Clients in the other domain can send goals to the servers.
    Action,
}

/// A rule that selects entities to forward.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    kind: Kind,
    names: Pattern,
    remap: Pattern,
    type_name: Option<String>,
    qos: QosChange,
    passage: Passage,
    /// Whether what matches is shown. If it is not, no later rule shows it.
    passes: bool,
    /// What users know the rule by.
    label: Arc<str>,
}

/// What rules say about a name.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict<'a> {
    /// It has this name on the other side. The number is that of the rule.
    Passes(String, usize),
    /// A rule does not let it pass. It would have this name on the other side.
    Stopped(String, &'a Rule),
    /// No rule matches it.
    NotNamed,
}

impl Rule {
    /// Creates a rule for all entities of a kind whose name matches a pattern. They have the same name in the other
    /// domain.
    ///
    /// ```
    /// # use saltus_relay::{Kind, Pattern, Rule};
    /// let rule = Rule::new(Kind::Topic, Pattern::parse("camera/*")?).remap(Pattern::parse("robot1/camera/*")?)?;
    /// # Ok::<(), saltus_relay::PatternError>(())
    /// ```
    pub fn new(kind: Kind, names: Pattern) -> Self {
        let remap = names.clone();
        Self {
            kind,
            names,
            remap,
            type_name: None,
            qos: QosChange::default(),
            passage: Passage::default(),
            passes: true,
            label: Arc::default(),
        }
    }

    /// Sets the name in the other domain.
    ///
    /// # Errors
    /// Returns an error if one of the two patterns has a `*` and the other has none.
    pub fn remap(mut self, to: Pattern) -> Result<Self, PatternError> {
        if to.is_open() != self.names.is_open() {
            return Err(PatternError::Remap { from: self.names.to_string(), to: to.to_string() });
        }
        self.remap = to;
        Ok(self)
    }

    /// Puts the names of the other side into a namespace, such as `/robot1`.
    #[must_use]
    pub fn in_namespace(mut self, namespace: &str) -> Self {
        if !namespace.is_empty() {
            self.names = self.names.absolute();
            self.remap = self.remap.in_namespace(namespace);
        }
        self
    }

    /// Limits the rule to one type.
    pub fn type_name(mut self, name: impl Into<String>) -> Self {
        self.type_name = Some(name.into());
        self
    }

    /// Sets how the quality of service of publishers is changed in the other domain.
    pub fn qos(mut self, change: QosChange) -> Self {
        self.qos = change;
        self
    }

    /// Sets how messages are passed on.
    pub fn passed_on(mut self, passage: Passage) -> Self {
        self.passage = passage;
        self
    }

    /// Returns how messages are passed on.
    pub(crate) fn passage(&self) -> &Passage {
        &self.passage
    }

    /// Sets whether what matches is shown. With `false`, no later rule shows it.
    pub fn passes(mut self, passes: bool) -> Self {
        self.passes = passes;
        self
    }

    /// Sets what users know the rule by, such as its text and its line.
    pub fn labelled(mut self, label: &str) -> Self {
        self.label = label.into();
        self
    }

    /// Returns what users know the rule by; empty if nobody has said it.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// Returns the rule for the opposite direction.
    pub fn reversed(&self) -> Self {
        let (names, remap) = (self.remap.clone(), self.names.clone());
        Self { names, remap, ..self.clone() }
    }

    /// Returns the profile `qos` with the changes of the rule.
    pub fn change(&self, qos: &QoS) -> QoS {
        self.qos.apply(qos)
    }

    /// Returns `name` with the pattern `from` replaced by the pattern `to`. Returns `None` if the name does not match
    /// `from`, or belongs to another kind of entity.
    fn map_name(&self, channel: Channel, name: &str, from: &Pattern, to: &Pattern) -> Option<String> {
        let (kind, base, part) = split(channel, name)?;
        let text = from.text_in(base).filter(|_| kind == self.kind)?;
        Some(to.with_text(text) + part)
    }

    /// Returns whether the rule applies to a type. The types of an action's topics and services begin with the type of
    /// the action.
    fn applies_to(&self, type_name: &str) -> bool {
        let Some(wanted) = &self.type_name else { return true };
        match self.kind {
            Kind::Topic | Kind::Service => type_name == wanted,
            Kind::Action => !type_name.contains("/action/") || type_name.starts_with(&**wanted),
        }
    }
}

/// The rules from one domain to another. The first rule that matches a name and a type counts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rules(pub Vec<Rule>);

impl Rules {
    /// Returns the name in the other domain for a name in this domain, and the number of the rule that matched.
    pub fn to_name(&self, channel: Channel, name: &str, type_name: &str) -> Option<(String, usize)> {
        match self.verdict(channel, name, type_name) {
            Verdict::Passes(name, number) => Some((name, number)),
            Verdict::Stopped(..) | Verdict::NotNamed => None,
        }
    }

    /// Returns what the rules say about a name in this domain.
    pub fn verdict(&self, channel: Channel, name: &str, type_name: &str) -> Verdict<'_> {
        let mapped = |(number, rule): (usize, &Rule)| {
            let to = Rule::map_name(rule, channel, name, &rule.names, &rule.remap)?;
            rule.applies_to(type_name).then_some((to, number))
        };
        match self.0.iter().enumerate().find_map(mapped) {
            Some((to, number)) if self.0[number].passes => Verdict::Passes(to, number),
            Some((to, number)) => Verdict::Stopped(to, &self.0[number]),
            None => Verdict::NotNamed,
        }
    }

    /// Returns the names in this domain for a name in the other domain.
    pub(crate) fn source_names(&self, channel: Channel, name: &str, type_name: &str) -> Vec<String> {
        let found = self.0.iter().filter_map(|rule| rule.map_name(channel, name, &rule.remap, &rule.names));
        // An earlier rule may map the found name to another name.
        let maps_to_name =
            |from: &String| self.to_name(channel, from, type_name).is_some_and(|(to, _)| to == name);
        let mut names: Vec<String> = found.filter(maps_to_name).collect();
        names.dedup();
        names
    }
}

/// Splits a name into the kind of its entity, the part that rules are matched with, and the rest.
fn split(channel: Channel, name: &str) -> Option<(Kind, &str, &str)> {
    const ACTION: &str = "/_action/";
    let (plain, parts): (Kind, &[&str]) = match channel {
        Channel::Topic => (Kind::Topic, &["feedback", "status"]),
        Channel::Request => (Kind::Service, &["send_goal", "cancel_goal", "get_result"]),
        Channel::Response => return None,
    };
    match name.rfind(ACTION).map(|index| name.split_at(index)) {
        Some((base, part)) if parts.contains(&&part[ACTION.len()..]) => Some((Kind::Action, base, part)),
        _ => Some((plain, name, "")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(kind: Kind, from: &str, to: &str) -> Rule {
        Rule::new(kind, Pattern::parse(from).unwrap()).remap(Pattern::parse(to).unwrap()).unwrap()
    }

    #[test]
    fn a_name_has_one_name_in_the_other_domain_and_back() {
        let rules = Rules(vec![
            rule(Kind::Topic, "a", "b"),
            rule(Kind::Topic, "c/*", "d/*"),
            rule(Kind::Service, "*", "*"),
            rule(Kind::Action, "fib", "robot/fib"),
        ]);
        let to_name = |channel, name| rules.to_name(channel, name, "").map(|(name, _)| name);
        assert_eq!(to_name(Channel::Topic, "/a").as_deref(), Some("/b"));
        assert_eq!(to_name(Channel::Topic, "/c/x/y").as_deref(), Some("/d/x/y"));
        assert_eq!(to_name(Channel::Topic, "/b"), None);
        assert_eq!(to_name(Channel::Request, "/a").as_deref(), Some("/a"));
        assert_eq!(
            to_name(Channel::Request, "/fib/_action/send_goal").as_deref(),
            Some("/robot/fib/_action/send_goal")
        );
        assert_eq!(
            to_name(Channel::Topic, "/fib/_action/feedback").as_deref(),
            Some("/robot/fib/_action/feedback")
        );
        assert_eq!(to_name(Channel::Request, "/other/_action/send_goal"), None, "an action is not a service");
        assert_eq!(rules.source_names(Channel::Topic, "/d/z", ""), ["/c/z"]);
        assert!(rules.source_names(Channel::Topic, "/a", "").is_empty());
    }

    #[test]
    fn what_a_rule_does_not_let_pass_no_later_rule_shows() {
        let hidden = rule(Kind::Topic, "a/*", "a/*").passes(false);
        let rules = Rules(vec![rule(Kind::Topic, "a/b", "a/b"), hidden, rule(Kind::Topic, "*", "*")]);
        let is_shown = |name| rules.to_name(Channel::Topic, name, "").is_some();
        assert!(is_shown("/a/b") && is_shown("/c") && !is_shown("/a/c"));
        assert!(rules.source_names(Channel::Topic, "/a/c", "").is_empty());
    }

    #[test]
    fn a_rule_for_one_type_leaves_the_others_to_later_rules() {
        let hidden = rule(Kind::Topic, "*", "*").type_name("a/msg/A").passes(false);
        let rules = Rules(vec![hidden, rule(Kind::Topic, "*", "*")]);
        let is_shown = |type_name| rules.to_name(Channel::Topic, "/t", type_name).is_some();
        assert!(is_shown("a/msg/B") && !is_shown("a/msg/A"));
        assert_eq!(rules.source_names(Channel::Topic, "/t", "a/msg/B"), ["/t"]);
        assert!(rules.source_names(Channel::Topic, "/t", "a/msg/A").is_empty());
    }

    #[test]
    fn two_names_may_be_mapped_to_one() {
        let rules = Rules(vec![rule(Kind::Topic, "a", "x"), rule(Kind::Topic, "*", "*")]);
        assert_eq!(rules.source_names(Channel::Topic, "/x", ""), ["/a", "/x"]);
        assert!(rules.source_names(Channel::Topic, "/a", "").is_empty(), "the first rule maps it to /x");
    }
}
