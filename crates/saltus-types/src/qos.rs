//! Quality of service: what a publisher offers and a subscription asks for.

use std::fmt;

/// Whether a lost message is an error to be avoided or an event to be counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Reliability {
    /// Every message is delivered while the subscription's queue has room for it.
    #[default]
    Reliable,
    /// Losing one is acceptable; what is lost is counted all the same.
    BestEffort,
}

/// Whether a subscription that comes late receives what was published before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Durability {
    /// Only what is published from now on.
    #[default]
    Volatile,
    /// The publisher keeps its last messages and gives them to whoever joins.
    TransientLocal,
}

/// How many messages wait for a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum History {
    /// The newest this many (at least 1, at most 65,535); the oldest gives way and is counted as lost.
    KeepLast(u16),
    /// All: a reliable publisher is refused while a queue of [`History::KEEP_ALL_LIMIT`] is full.
    KeepAll,
}

impl History {
    /// The length of a queue that keeps all, in messages. Beyond it publishing is an error, so that
    /// one stuck reader can't use up the host's shared memory.
    pub const KEEP_ALL_LIMIT: u16 = 4096;

    /// The number of messages a queue of this history holds, in messages, 1 to 65,535.
    pub const fn depth(self) -> u16 {
        match self {
            Self::KeepLast(0) => 1,
            Self::KeepLast(depth) => depth,
            Self::KeepAll => Self::KEEP_ALL_LIMIT,
        }
    }
}

/// A quality-of-service profile. The default is ROS 2's: reliable, volatile, keep last 10.
///
/// ```
/// use saltus_types::{QoS, Durability};
/// let latched = QoS::keep_last(1).transient_local();
/// assert_eq!(latched.durability, Durability::TransientLocal);
/// assert!(QoS::default().offers(&QoS::default().best_effort()).is_ok());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QoS {
    /// See [`Reliability`].
    pub reliability: Reliability,
    /// See [`Durability`].
    pub durability: Durability,
    /// See [`History`].
    pub history: History,
}

/// The policy on which an offer falls short of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QosMismatch {
    /// Best effort is offered, reliable is requested.
    Reliability,
    /// Volatile is offered, transient local is requested.
    Durability,
}

impl fmt::Display for QosMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Reliability => "RELIABILITY",
            Self::Durability => "DURABILITY",
        })
    }
}

impl Default for QoS {
    fn default() -> Self {
        Self::keep_last(10)
    }
}

impl QoS {
    /// Reliable, volatile, keeping the last `depth` messages (0 is taken as 1).
    pub const fn keep_last(depth: u16) -> Self {
        Self {
            reliability: Reliability::Reliable,
            durability: Durability::Volatile,
            history: History::KeepLast(if depth == 0 { 1 } else { depth }),
        }
    }

    /// Reliable, volatile, keeping all (see [`History::KeepAll`]).
    pub const fn keep_all() -> Self {
        Self { history: History::KeepAll, ..Self::keep_last(1) }
    }

    /// ROS 2's profile for sensors: best effort, volatile, keep last 5.
    pub const fn sensor_data() -> Self {
        Self::keep_last(5).best_effort()
    }

    /// The same profile, reliable.
    pub const fn reliable(self) -> Self {
        Self { reliability: Reliability::Reliable, ..self }
    }

    /// The same profile, best effort.
    pub const fn best_effort(self) -> Self {
        Self { reliability: Reliability::BestEffort, ..self }
    }

    /// The same profile, keeping messages for those who join late.
    pub const fn transient_local(self) -> Self {
        Self { durability: Durability::TransientLocal, ..self }
    }

    /// The same profile, for those present only.
    pub const fn volatile(self) -> Self {
        Self { durability: Durability::Volatile, ..self }
    }

    /// Whether a publisher with this profile can serve a subscription that asks for `requested`.
    ///
    /// The rule is "at least as strong" for reliability and durability; depth never matters.
    pub fn offers(&self, requested: &Self) -> Result<(), QosMismatch> {
        use {Durability::*, Reliability::*};
        match (self.reliability, requested.reliability, self.durability, requested.durability) {
            (BestEffort, Reliable, ..) => Err(QosMismatch::Reliability),
            (_, _, Volatile, TransientLocal) => Err(QosMismatch::Durability),
            _ => Ok(()),
        }
    }
}

/// A depth alone is a profile, as in ROS 2: reliable, volatile, keep last.
impl From<u16> for QoS {
    fn from(depth: u16) -> Self {
        Self::keep_last(depth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The compatibility table of ROS 2, every pair of reliability and durability.
    #[test]
    fn an_offer_must_be_as_strong_as_the_request() {
        let all = [
            QoS::default(),
            QoS::default().best_effort(),
            QoS::default().transient_local(),
            QoS::default().best_effort().transient_local(),
        ];
        let want = [
            ["ok", "ok", "DURABILITY", "DURABILITY"],
            ["RELIABILITY", "ok", "RELIABILITY", "DURABILITY"],
            ["ok", "ok", "ok", "ok"],
            ["RELIABILITY", "ok", "RELIABILITY", "ok"],
        ];
        for (offered, row) in all.iter().zip(want) {
            for (requested, want) in all.iter().zip(row) {
                let got =
                    offered.offers(requested).map_or_else(|policy| policy.to_string(), |()| "ok".into());
                assert_eq!(got, want, "offered {offered:?}, requested {requested:?}");
            }
        }
    }

    #[test]
    fn a_depth_of_nothing_keeps_one() {
        assert_eq!(QoS::from(0).history.depth(), 1);
        assert_eq!(History::KeepLast(0).depth(), 1);
    }
}
