//! What is passed on from one domain to another, and under which name.

use std::{fmt, str::FromStr, time::Duration};

use saltus_host::Channel;
use saltus_types::{Durability, History, QoS, Reliability};

use crate::name::{Pattern, PatternError};

/// What a rule is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Topics: messages are passed on.
    Topic,
    /// Services: servers can be called from the other domain.
    Service,
    /// Actions: servers can be given goals from the other domain.
    Action,
}

/// A rule that says which entities are passed on.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    kind: Kind,
    names: Pattern,
    remap: Pattern,
    type_name: Option<String>,
    qos: QosChange,
}

impl Rule {
    /// Creates a rule for everything of a kind whose name matches a pattern. It keeps the same name.
    ///
    /// ```
    /// # use saltus_domain_bridge::{Kind, Pattern, Rule};
    /// let rule = Rule::new(Kind::Topic, Pattern::parse("camera/*")?).remap(Pattern::parse("robot1/camera/*")?)?;
    /// # Ok::<(), saltus_domain_bridge::PatternError>(())
    /// ```
    pub fn new(kind: Kind, names: Pattern) -> Self {
        let remap = names.clone();
        Self { kind, names, remap, type_name: None, qos: QosChange::default() }
    }

    /// Sets another name in the other domain.
    ///
    /// # Errors
    /// If one of the two patterns has a `*` and the other has none.
    pub fn remap(mut self, to: Pattern) -> Result<Self, PatternError> {
        if to.is_open() != self.names.is_open() {
            return Err(PatternError::Remap { from: self.names.to_string(), to: to.to_string() });
        }
        self.remap = to;
        Ok(self)
    }

    /// Limits the rule to one type.
    pub fn type_name(mut self, name: impl Into<String>) -> Self {
        self.type_name = Some(name.into());
        self
    }

    /// Sets changes of the quality of service in the other domain.
    pub fn qos(mut self, change: QosChange) -> Self {
        self.qos = change;
        self
    }

    /// Returns the same rule for the opposite direction.
    pub(crate) fn reversed(&self) -> Self {
        let (names, remap) = (self.remap.clone(), self.names.clone());
        Self { names, remap, ..self.clone() }
    }

    /// Returns a profile with the changes of the rule.
    pub(crate) fn change(&self, qos: &QoS) -> QoS {
        self.qos.apply(qos)
    }

    /// Renames a name that matches `from` to the form of `to`. Returns `None` if it does not match, or is of another
    /// kind.
    fn rename(&self, channel: Channel, name: &str, from: &Pattern, to: &Pattern) -> Option<String> {
        let (kind, base, part) = split(channel, name)?;
        let text = from.text_in(base).filter(|_| kind == self.kind)?;
        Some(to.with_text(text) + part)
    }

    /// Returns whether the rule applies to a type. The types of an action's parts begin with the action's type.
    pub(crate) fn is_about(&self, type_name: &str) -> bool {
        let Some(wanted) = &self.type_name else { return true };
        match self.kind {
            Kind::Topic | Kind::Service => type_name == wanted,
            Kind::Action => !type_name.contains("/action/") || type_name.starts_with(&**wanted),
        }
    }
}

/// The rules from one domain to another. The first rule that matches a name counts.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Rules(pub(crate) Vec<Rule>);

impl Rules {
    /// Returns the name in the other domain for a name in this domain, and the rule.
    pub(crate) fn to_name(&self, channel: Channel, name: &str) -> Option<(String, &Rule)> {
        let renamed = |rule| Some((Rule::rename(rule, channel, name, &rule.names, &rule.remap)?, rule));
        self.0.iter().find_map(renamed)
    }

    /// Returns the names in this domain for a name in the other domain.
    pub(crate) fn source_names(&self, channel: Channel, name: &str) -> Vec<String> {
        let found = self.0.iter().filter_map(|rule| rule.rename(channel, name, &rule.remap, &rule.names));
        // An earlier rule may rename that name to another one.
        let leads_to_name = |from: &String| self.to_name(channel, from).is_some_and(|(to, _)| to == name);
        let mut names: Vec<String> = found.filter(leads_to_name).collect();
        names.dedup();
        names
    }
}

/// Splits a name into its kind, the part that a rule is compared with, and the rest.
fn split(channel: Channel, name: &str) -> Option<(Kind, &str, &str)> {
    const ACTION: &str = "/_action/";
    let (plain, parts): (Kind, &[&str]) = match channel {
        Channel::Topic => (Kind::Topic, &["feedback", "status"]),
        Channel::Request => (Kind::Service, &["send_goal", "cancel_goal", "get_result"]),
        Channel::Response => return None,
    };
    match name.rfind(ACTION).map(|at| name.split_at(at)) {
        Some((base, part)) if parts.contains(&&part[ACTION.len()..]) => Some((Kind::Action, base, part)),
        _ => Some((plain, name, "")),
    }
}

/// Changes of a publisher's quality of service in the other domain. `None` leaves a policy as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QosChange {
    /// How messages are delivered.
    pub reliability: Option<Reliability>,
    /// Whether late subscriptions get earlier messages.
    pub durability: Option<Durability>,
    /// Whether all messages are kept, or how many.
    pub history: Option<History>,
    /// The longest time between messages; `Some(None)` for no limit.
    pub deadline: Option<Option<Duration>>,
    /// How long a message is valid; `Some(None)` for ever.
    pub lifespan: Option<Option<Duration>>,
}

impl QosChange {
    fn apply(&self, qos: &QoS) -> QoS {
        QoS {
            reliability: self.reliability.unwrap_or(qos.reliability),
            durability: self.durability.unwrap_or(qos.durability),
            history: self.history.unwrap_or(qos.history),
            deadline: self.deadline.unwrap_or(qos.deadline),
            lifespan: self.lifespan.unwrap_or(qos.lifespan),
            ..*qos
        }
    }
}

/// A graph: a domain of the effective user, or of a group of users.
///
/// ```
/// # use saltus_domain_bridge::Place;
/// let place: Place = "3@robots".parse()?;
/// assert_eq!(place.to_string(), "domain 3 of group robots");
/// # Ok::<(), saltus_domain_bridge::PlaceError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// The number of the domain.
    pub domain: u32,
    /// The group, by name or number; `None` for the user's own graph.
    pub group: Option<String>,
}

/// The error for text that names no graph.
#[derive(thiserror::Error)]
#[error("expected a domain such as `3`, or `3@robots` for that of a group of users, found `{0}`")]
pub struct PlaceError(String);

saltus_types::debug_as_display!(PlaceError);

impl FromStr for Place {
    type Err = PlaceError;

    fn from_str(text: &str) -> Result<Self, PlaceError> {
        let (number, group) = match text.split_once('@') {
            Some((number, group)) if !group.is_empty() => (number, Some(group.to_owned())),
            Some(_) => return Err(PlaceError(text.into())),
            None => (text, None),
        };
        let domain = number.parse().map_err(|_| PlaceError(text.into()))?;
        Ok(Self { domain, group })
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "domain {}", self.domain)?;
        self.group.iter().try_for_each(|group| write!(f, " of group {group}"))
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
        let to_name = |channel, name| rules.to_name(channel, name).map(|(name, _)| name);
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
        assert_eq!(to_name(Channel::Request, "/other/_action/send_goal"), None, "an action is no service");
        assert_eq!(rules.source_names(Channel::Topic, "/d/z"), ["/c/z"]);
        assert!(rules.source_names(Channel::Topic, "/a").is_empty());
    }

    #[test]
    fn two_names_may_be_renamed_to_one() {
        let rules = Rules(vec![rule(Kind::Topic, "a", "x"), rule(Kind::Topic, "*", "*")]);
        assert_eq!(rules.source_names(Channel::Topic, "/x"), ["/a", "/x"]);
        assert!(rules.source_names(Channel::Topic, "/a").is_empty(), "the first rule takes it to /x");
    }

    #[test]
    fn a_place_is_a_domain_of_the_user_or_of_a_group() {
        assert_eq!("7".parse::<Place>().unwrap().to_string(), "domain 7");
        for bad in ["", "x", "3@", "-1", "@g"] {
            assert!(bad.parse::<Place>().is_err(), "{bad}");
        }
    }
}
