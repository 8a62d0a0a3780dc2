//! What is passed on from one domain to another, and under which name.

use std::{fmt, str::FromStr, time::Duration};

use saltus_host::Channel;
use saltus_types::{Durability, History, QoS, Reliability};

use crate::name::{Pattern, PatternError};

/// What a rule is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Topics: messages go on.
    Topic,
    /// Services: servers can be called from the other domain.
    Service,
    /// Actions: servers can be given goals from the other domain.
    Action,
}

/// Entities that are passed on.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    kind: Kind,
    names: Pattern,
    remap: Pattern,
    type_name: Option<String>,
    qos: QosChange,
}

impl Rule {
    /// Everything of a kind that a pattern names, under the same name.
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

    /// Under another name in the other domain.
    ///
    /// # Errors
    /// If one of the two patterns stands for many names and the other for one.
    pub fn remap(mut self, to: Pattern) -> Result<Self, PatternError> {
        if to.is_open() != self.names.is_open() {
            return Err(PatternError::Remap { from: self.names.to_string(), to: to.to_string() });
        }
        self.remap = to;
        Ok(self)
    }

    /// Only what is of that type.
    pub fn type_name(mut self, name: impl Into<String>) -> Self {
        self.type_name = Some(name.into());
        self
    }

    /// With another quality of service in the other domain.
    pub fn qos(mut self, change: QosChange) -> Self {
        self.qos = change;
        self
    }

    /// The same rule for the way back.
    pub(crate) fn reversed(&self) -> Self {
        let (names, remap) = (self.remap.clone(), self.names.clone());
        Self { names, remap, ..self.clone() }
    }

    /// What it makes of a profile.
    pub(crate) fn change(&self, qos: &QoS) -> QoS {
        self.qos.apply(qos)
    }

    /// What a name that one pattern matches is called by another; `None` if it does not match, or is of another kind.
    fn rename(&self, channel: Channel, name: &str, from: &Pattern, to: &Pattern) -> Option<String> {
        let (kind, base, part) = split(channel, name)?;
        let text = from.text_in(base).filter(|_| kind == self.kind)?;
        Some(to.with_text(text) + part)
    }

    /// Whether it is about that type. Of an action the types of its parts begin with its own.
    pub(crate) fn is_about(&self, type_name: &str) -> bool {
        let Some(wanted) = &self.type_name else { return true };
        match self.kind {
            Kind::Topic | Kind::Service => type_name == wanted,
            Kind::Action => !type_name.contains("/action/") || type_name.starts_with(&**wanted),
        }
    }
}

/// The rules of a way from one domain to another. The first that names something counts.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Rules(pub(crate) Vec<Rule>);

impl Rules {
    /// The name in the other domain of what has that name here.
    pub(crate) fn there(&self, channel: Channel, name: &str) -> Option<(String, &Rule)> {
        let renamed = |rule| Some((Rule::rename(rule, channel, name, &rule.names, &rule.remap)?, rule));
        self.0.iter().find_map(renamed)
    }

    /// The names here of what has that name in the other domain.
    pub(crate) fn here(&self, channel: Channel, name: &str) -> Vec<String> {
        let found = self.0.iter().filter_map(|rule| rule.rename(channel, name, &rule.remap, &rule.names));
        // A rule that comes first may take that name elsewhere.
        let leads_there = |here: &String| self.there(channel, here).is_some_and(|(there, _)| there == name);
        let mut names: Vec<String> = found.filter(leads_there).collect();
        names.dedup();
        names
    }
}

/// What a name is about, what of it a rule looks at, and the rest.
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

/// What is changed of a publisher's quality of service in the other domain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QosChange {
    /// How messages are delivered.
    pub reliability: Option<Reliability>,
    /// Whether late subscriptions get old messages.
    pub durability: Option<Durability>,
    /// Whether all messages are kept, or how many.
    pub history: Option<History>,
    /// The longest time between messages; `Some(None)` for none.
    pub deadline: Option<Option<Duration>>,
    /// How long a message is worth taking; `Some(None)` for ever.
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

/// Text that names no graph.
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
        let there = |channel, name| rules.there(channel, name).map(|(name, _)| name);
        assert_eq!(there(Channel::Topic, "/a").as_deref(), Some("/b"));
        assert_eq!(there(Channel::Topic, "/c/x/y").as_deref(), Some("/d/x/y"));
        assert_eq!(there(Channel::Topic, "/b"), None);
        assert_eq!(there(Channel::Request, "/a").as_deref(), Some("/a"));
        assert_eq!(
            there(Channel::Request, "/fib/_action/send_goal").as_deref(),
            Some("/robot/fib/_action/send_goal")
        );
        assert_eq!(
            there(Channel::Topic, "/fib/_action/feedback").as_deref(),
            Some("/robot/fib/_action/feedback")
        );
        assert_eq!(there(Channel::Request, "/other/_action/send_goal"), None, "an action is no service");
        assert_eq!(rules.here(Channel::Topic, "/d/z"), ["/c/z"]);
        assert!(rules.here(Channel::Topic, "/a").is_empty());
    }

    #[test]
    fn two_names_may_lead_to_one() {
        let rules = Rules(vec![rule(Kind::Topic, "a", "x"), rule(Kind::Topic, "*", "*")]);
        assert_eq!(rules.here(Channel::Topic, "/x"), ["/a", "/x"]);
        assert!(rules.here(Channel::Topic, "/a").is_empty(), "the first rule takes it to /x");
    }

    #[test]
    fn a_place_is_a_domain_of_the_user_or_of_a_group() {
        assert_eq!("7".parse::<Place>().unwrap().to_string(), "domain 7");
        for bad in ["", "x", "3@", "-1", "@g"] {
            assert!(bad.parse::<Place>().is_err(), "{bad}");
        }
    }
}
