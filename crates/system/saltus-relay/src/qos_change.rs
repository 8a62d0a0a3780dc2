//! Changes of a publisher's quality of service.

use std::time::Duration;

use saltus_types::{Durability, History, QoS, Reliability};
use saltus_yaml::{Node, YamlError};

const KEYS: [&str; 6] = ["reliability", "durability", "history", "depth", "deadline", "lifespan"];

/// The changes of a publisher's quality of service in the other domain. `None` does not change a policy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QosChange {
    /// Whether messages are delivered reliably.
    pub reliability: Option<Reliability>,
    /// Whether late subscriptions receive earlier messages.
    pub durability: Option<Durability>,
    /// The number of messages that are kept.
    pub history: Option<History>,
    /// The longest time between messages. `Some(None)` means no limit.
    pub deadline: Option<Option<Duration>>,
    /// The time for which a message is valid. `Some(None)` means no limit.
    pub lifespan: Option<Option<Duration>>,
}

impl QosChange {
    /// Reads the changes from a mapping, in the form of ROS 2's `domain_bridge`.
    ///
    /// # Errors
    /// Returns an error if the node does not have the expected form.
    pub fn from_yaml(node: &Node) -> Result<Self, YamlError> {
        let mut change = Self::default();
        let (mut depth, mut keeps_all) = (None, None);
        for (key, node) in node.pairs()? {
            let text = node.as_text().ok_or_else(|| node.error("expected text"))?;
            match (&**key, text) {
                ("reliability", "reliable") => change.reliability = Some(Reliability::Reliable),
                ("reliability", "best_effort") => change.reliability = Some(Reliability::BestEffort),
                ("durability", "volatile") => change.durability = Some(Durability::Volatile),
                ("durability", "transient_local") => change.durability = Some(Durability::TransientLocal),
                ("history", "keep_last") => keeps_all = Some(false),
                ("history", "keep_all") => keeps_all = Some(true),
                ("depth", _) => depth = Some(number(node)?),
                // As without this key, the publisher's value is not changed.
                ("deadline" | "lifespan", "auto") => {}
                ("deadline", _) => change.deadline = Some(period(node)?),
                ("lifespan", _) => change.lifespan = Some(period(node)?),
                ("reliability" | "durability" | "history", other) => {
                    return Err(node.error(format!("`{other}` is not a value of `{key}`")));
                }
                _ => return Err(node.error(format!("expected one of {}, found `{key}`", KEYS.join(", ")))),
            }
        }
        change.history = match keeps_all {
            Some(true) => Some(History::KeepAll),
            Some(false) => Some(depth.map_or(QoS::default().history, History::KeepLast)),
            None => depth.map(History::KeepLast),
        };
        Ok(change)
    }

    /// Returns a profile with the changes.
    pub(crate) fn apply(&self, qos: &QoS) -> QoS {
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

fn number(node: &Node) -> Result<u16, YamlError> {
    let depth = node.as_integer().and_then(|depth| u16::try_from(depth).ok()).filter(|depth| *depth > 0);
    depth.ok_or_else(|| node.error("expected a depth from 1 to 65535"))
}

/// Reads a period in nanoseconds. A value of 0 or less means no limit.
fn period(node: &Node) -> Result<Option<Duration>, YamlError> {
    let nanos = node.as_integer().and_then(|nanos| i64::try_from(nanos).ok());
    let nanos =
        nanos.ok_or_else(|| node.error("expected nanoseconds, less than 0 for no limit, or `auto`"))?;
    Ok(u64::try_from(nanos).ok().filter(|nanos| *nanos > 0).map(Duration::from_nanos))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_history_of_the_last_messages_has_a_depth() {
        let history = |text: &str| QosChange::from_yaml(&saltus_yaml::parse(text).unwrap()).unwrap().history;
        assert_eq!(history("history: keep_last"), Some(History::KeepLast(10)));
        assert_eq!(history("{history: keep_last, depth: 3}"), Some(History::KeepLast(3)));
        assert_eq!(history("{depth: 3, history: keep_all}"), Some(History::KeepAll));
        assert_eq!(history("reliability: reliable"), None);
    }
}
