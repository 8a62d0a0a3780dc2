//! The identity of a graph.

use std::{fmt, str::FromStr};

/// The identity of a graph: a domain of the effective user, or of a group of users.
///
/// ```
/// # use saltus_domain_bridge::GraphId;
/// let graph: GraphId = "3@robots".parse()?;
/// assert_eq!(graph.to_string(), "domain 3 of group robots");
/// # Ok::<(), saltus_domain_bridge::GraphIdError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GraphId {
    /// The number of the domain.
    pub domain: u32,
    /// The group of users, by name or number. `None` for the graph of the effective user.
    pub group: Option<String>,
}

/// The error for a text that is not a domain.
#[derive(thiserror::Error)]
#[error("expected a domain such as `3`, or `3@robots` for the domain of a group of users, found `{0}`")]
pub struct GraphIdError(String);

saltus_types::debug_as_display!(GraphIdError);

impl FromStr for GraphId {
    type Err = GraphIdError;

    fn from_str(text: &str) -> Result<Self, GraphIdError> {
        let (number, group) = match text.split_once('@') {
            Some((number, group)) if !group.is_empty() => (number, Some(group.to_owned())),
            Some(_) => return Err(GraphIdError(text.into())),
            None => (text, None),
        };
        let domain = number.parse().map_err(|_| GraphIdError(text.into()))?;
        Ok(Self { domain, group })
    }
}

impl fmt::Display for GraphId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "domain {}", self.domain)?;
        self.group.iter().try_for_each(|group| write!(f, " of group {group}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_graph_is_a_domain_of_the_user_or_of_a_group() {
        assert_eq!("7".parse::<GraphId>().unwrap().to_string(), "domain 7");
        for bad in ["", "x", "3@", "-1", "@g"] {
            assert!(bad.parse::<GraphId>().is_err(), "{bad}");
        }
    }
}
