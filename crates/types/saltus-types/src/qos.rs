//! Quality of service (QoS): the profile that a publisher offers or a subscription requests.

use std::{fmt, time::Duration};

/// Whether messages may be lost between a publisher and a subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Reliability {
    /// Every message is delivered while the subscription's queue has room for it.
    #[default]
    Reliable,
    /// A message may be lost. Lost messages are counted nevertheless.
    BestEffort,
    /// The strongest value that matches the other side when the endpoint is opened; see [`QoS::resolve`].
    BestAvailable,
}

/// Whether a subscription receives messages that were published before it was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Durability {
    /// The subscription receives only messages that are published after it was opened.
    #[default]
    Volatile,
    /// The publisher keeps its last messages and sends them to each subscription that is opened later.
    TransientLocal,
    /// The strongest value that matches the other side when the endpoint is opened; see [`QoS::resolve`].
    BestAvailable,
}

/// The way in which a publisher shows that it is alive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Liveliness {
    /// The publisher is alive as long as its process is alive.
    #[default]
    Automatic,
    /// The publisher must publish or assert its liveliness within each lease.
    ManualByTopic,
    /// The strongest value that matches the other side when the endpoint is opened; see [`QoS::resolve`].
    BestAvailable,
}

/// The number of messages that a queue keeps for its reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum History {
    /// The newest messages, at most this many (1 to 65,535). If the queue is full, a new message replaces
    /// the oldest one, which is counted as lost.
    KeepLast(u16),
    /// All messages, up to [`History::KEEP_ALL_LIMIT`]. If the queue is full, a reliable publisher waits for
    /// at most [`History::MAX_BLOCKING`]. If the queue is still full then, publishing returns an error.
    KeepAll,
}

impl History {
    /// The capacity of a queue that keeps all, in messages. Publishing to a full queue is an error, so that
    /// one blocked subscription can't use up the shared memory of the host.
    pub const KEEP_ALL_LIMIT: u16 = 4096;
    /// The longest time that a publisher waits for room in a queue that keeps all. It is the default
    /// `max_blocking_time` of DDS.
    pub const MAX_BLOCKING: Duration = Duration::from_millis(100);

    /// Returns the capacity of a queue with this history, in messages, 1 to 65,535.
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
/// use saltus::{QoS, qos::Durability};
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
    /// The longest time between two messages. `None` means any time. A publisher offers it, and a
    /// subscription requests it. A longer time is reported as an event. No message is lost because of it.
    pub deadline: Option<Duration>,
    /// The age up to which a message is delivered. `None` means any age. Only the lifespan of a publisher is
    /// used.
    pub lifespan: Option<Duration>,
    /// See [`Liveliness`].
    pub liveliness: Liveliness,
    /// The time for which a publisher counts as alive after it last showed that it is alive. `None` means for ever.
    pub lease: Option<Duration>,
}

/// The policy in which an offer is weaker than a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum QosMismatch {
    /// Best effort is offered, reliable is requested.
    Reliability,
    /// Volatile is offered, transient local is requested.
    Durability,
    /// The offered deadline is longer than the requested one.
    Deadline,
    /// Automatic is offered and manual by topic is requested, or the offered lease is longer than the
    /// requested one.
    Liveliness,
}

impl fmt::Display for QosMismatch {
    /// Writes the name of the policy as ROS 2 prints it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Reliability => "RELIABILITY",
            Self::Durability => "DURABILITY",
            Self::Deadline => "DEADLINE",
            Self::Liveliness => "LIVELINESS",
        })
    }
}

/// The side of a topic that [`QoS::resolve`] adapts a profile for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The profile is an offer.
    Publisher,
    /// The profile is a request.
    Subscription,
}

impl Default for QoS {
    fn default() -> Self {
        Self::keep_last(10)
    }
}

impl QoS {
    /// The value of a deadline or lease that [`QoS::resolve`] adapts to the other side.
    pub const BEST_AVAILABLE: Duration = Duration::MAX;

    /// Returns a profile that is reliable, volatile, and keeps the last `depth` messages. A depth of 0
    /// means 1.
    pub const fn keep_last(depth: u16) -> Self {
        Self {
            reliability: Reliability::Reliable,
            durability: Durability::Volatile,
            history: History::KeepLast(if depth == 0 { 1 } else { depth }),
            deadline: None,
            lifespan: None,
            liveliness: Liveliness::Automatic,
            lease: None,
        }
    }

    /// Returns a profile that is reliable, volatile, and keeps all (see [`History::KeepAll`]).
    pub const fn keep_all() -> Self {
        Self { history: History::KeepAll, ..Self::keep_last(1) }
    }

    /// Returns ROS 2's profile for sensors: best effort, volatile, keep last 5.
    pub const fn sensor_data() -> Self {
        Self::keep_last(5).best_effort()
    }

    /// Returns ROS 2's profile for services, which is the default profile.
    pub const fn services_default() -> Self {
        Self::keep_last(10)
    }

    /// Returns ROS 2's profile for parameter services: reliable, volatile, keep last 1000.
    pub const fn parameters() -> Self {
        Self::keep_last(1000)
    }

    /// Returns ROS 2's profile of `/parameter_events`: reliable, volatile, keep last 1000.
    pub const fn parameter_events() -> Self {
        Self::keep_last(1000)
    }

    /// Returns ROS 2's profile of `/rosout`: reliable, transient local, keep last 1000, lifespan 10 s.
    pub const fn rosout() -> Self {
        Self::keep_last(1000).transient_local().lifespan(Duration::from_secs(10))
    }

    /// Returns ROS 2's profile of subscriptions to `/clock`: best effort, volatile, keep last 1.
    pub const fn clock() -> Self {
        Self::keep_last(1).best_effort()
    }

    /// Returns ROS 2's profile of the states of an action's goals: reliable, transient local, keep last 1.
    pub const fn action_status_default() -> Self {
        Self::keep_last(1).transient_local()
    }

    /// Returns the profile that the middleware chooses. In Saltus it is the default profile.
    pub const fn system_default() -> Self {
        Self::keep_last(10)
    }

    /// Returns ROS 2's "best available" profile. It is adapted to the endpoints on the other side when the
    /// endpoint is opened; see [`QoS::resolve`].
    pub const fn best_available() -> Self {
        Self {
            reliability: Reliability::BestAvailable,
            durability: Durability::BestAvailable,
            liveliness: Liveliness::BestAvailable,
            deadline: Some(Self::BEST_AVAILABLE),
            lease: Some(Self::BEST_AVAILABLE),
            ..Self::keep_last(10)
        }
    }

    /// Returns this profile with [`Reliability::Reliable`].
    pub const fn reliable(self) -> Self {
        Self { reliability: Reliability::Reliable, ..self }
    }

    /// Returns this profile with [`Reliability::BestEffort`].
    pub const fn best_effort(self) -> Self {
        Self { reliability: Reliability::BestEffort, ..self }
    }

    /// Returns this profile with [`Durability::TransientLocal`]: messages are kept for subscriptions that are
    /// opened later.
    pub const fn transient_local(self) -> Self {
        Self { durability: Durability::TransientLocal, ..self }
    }

    /// Returns this profile with [`Durability::Volatile`].
    pub const fn volatile(self) -> Self {
        Self { durability: Durability::Volatile, ..self }
    }

    /// Returns this profile with `period` as the longest time between two messages.
    pub const fn deadline(self, period: Duration) -> Self {
        Self { deadline: period_or_none(period), ..self }
    }

    /// Returns this profile with `age` as its lifespan: older messages are not delivered.
    pub const fn lifespan(self, age: Duration) -> Self {
        Self { lifespan: period_or_none(age), ..self }
    }

    /// Returns this profile with `kind` as its liveliness and with `lease`.
    pub const fn liveliness(self, kind: Liveliness, lease: Duration) -> Self {
        Self { liveliness: kind, lease: period_or_none(lease), ..self }
    }

    /// Checks whether a publisher that offers this profile matches a subscription that requests `requested`.
    ///
    /// The offer must be at least as strong as the request in reliability, durability, deadline and
    /// liveliness. Depth and lifespan do not matter. Both profiles must be resolved.
    pub fn offers(&self, requested: &Self) -> Result<(), QosMismatch> {
        use QosMismatch as Policy;
        let reliable = |qos: &Self| qos.reliability == Reliability::Reliable;
        let durable = |qos: &Self| qos.durability == Durability::TransientLocal;
        let manual = |qos: &Self| qos.liveliness == Liveliness::ManualByTopic;
        let checks = [
            (!reliable(self) && reliable(requested), Policy::Reliability),
            (!durable(self) && durable(requested), Policy::Durability),
            (is_longer(self.deadline, requested.deadline), Policy::Deadline),
            (!manual(self) && manual(requested), Policy::Liveliness),
            (is_longer(self.lease, requested.lease), Policy::Liveliness),
        ];
        checks.into_iter().find(|(is_weaker, _)| *is_weaker).map_or(Ok(()), |(_, policy)| Err(policy))
    }

    /// Returns this profile with each "best available" replaced by the strongest value that matches all of
    /// `others`, the present profiles on the other side of the topic.
    ///
    /// A subscription requests only what all publishers offer. A publisher offers the strongest value, so that
    /// it matches every subscription. This is the rule of `rmw_dds_common`.
    pub fn resolve(self, side: Side, others: &[Self]) -> Self {
        let all = |holds: fn(&Self) -> bool| others.iter().all(holds);
        let any = |holds: fn(&Self) -> bool| others.iter().any(holds);
        let offers = side == Side::Publisher;
        let mut qos = self;
        if qos.reliability == Reliability::BestAvailable {
            let strong = offers || all(|other| other.reliability == Reliability::Reliable);
            qos.reliability = if strong { Reliability::Reliable } else { Reliability::BestEffort };
        }
        if qos.durability == Durability::BestAvailable {
            let strong = offers || all(|other| other.durability == Durability::TransientLocal);
            qos.durability = if strong { Durability::TransientLocal } else { Durability::Volatile };
        }
        if qos.liveliness == Liveliness::BestAvailable {
            let is_manual = |other: &Self| other.liveliness == Liveliness::ManualByTopic;
            let strong = if offers { any(is_manual) } else { !others.is_empty() && all(is_manual) };
            qos.liveliness = if strong { Liveliness::ManualByTopic } else { Liveliness::Automatic };
        }
        qos.deadline = resolve_period(qos.deadline, side, others.iter().map(|other| other.deadline));
        qos.lease = resolve_period(qos.lease, side, others.iter().map(|other| other.lease));
        qos
    }
}

/// Returns the period, or `None` if it is zero. ROS 2 also treats zero as no period.
const fn period_or_none(period: Duration) -> Option<Duration> {
    if period.is_zero() { None } else { Some(period) }
}

/// Resolves a "best available" period. A publisher offers the shortest period that is requested. A subscription
/// requests the longest period that is offered.
fn resolve_period(
    period: Option<Duration>,
    side: Side,
    others: impl Iterator<Item = Option<Duration>>,
) -> Option<Duration> {
    if period != Some(QoS::BEST_AVAILABLE) {
        return period;
    }
    // `None` is longer than every other period.
    let mut periods = others.map(|other| other.unwrap_or(Duration::MAX));
    let resolved = match side {
        Side::Publisher => periods.min(),
        Side::Subscription => {
            periods.try_fold(Duration::ZERO, |a, b| Some(a.max(b))).filter(|p| !p.is_zero())
        }
    };
    resolved.filter(|period| *period != Duration::MAX)
}

/// Whether the offered period is longer than the requested one. `None` is longer than any period.
fn is_longer(offered: Option<Duration>, requested: Option<Duration>) -> bool {
    requested.is_some_and(|requested| offered.is_none_or(|offered| offered > requested))
}

/// Creates a profile from only a depth, as ROS 2 does: reliable, volatile, keep last.
impl From<u16> for QoS {
    fn from(depth: u16) -> Self {
        Self::keep_last(depth)
    }
}

/// The error for a word that is not a value of a policy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected}, found `{found}`")]
pub struct ParsePolicyError {
    /// The words that are allowed.
    pub expected: &'static str,
    /// The word that was found.
    pub found: String,
}

/// Implements `FromStr` with the words of ROS 2's command line, and `Display` with the names in capitals
/// that its tools print.
macro_rules! words {
    ($policy:ident, $expected:literal, $($word:literal, $name:literal => $value:ident),+) => {
        impl std::str::FromStr for $policy {
            type Err = ParsePolicyError;

            fn from_str(text: &str) -> Result<Self, ParsePolicyError> {
                match text {
                    $( $word => Ok(Self::$value), )+
                    "system_default" => Ok(Self::default()),
                    found => Err(ParsePolicyError { expected: $expected, found: found.into() }),
                }
            }
        }

        impl fmt::Display for $policy {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self { $( Self::$value => $name, )+ })
            }
        }
    };
}

words!(Reliability, "reliable, best_effort or best_available",
    "reliable", "RELIABLE" => Reliable,
    "best_effort", "BEST_EFFORT" => BestEffort,
    "best_available", "BEST_AVAILABLE" => BestAvailable);
words!(Durability, "volatile, transient_local or best_available",
    "volatile", "VOLATILE" => Volatile,
    "transient_local", "TRANSIENT_LOCAL" => TransientLocal,
    "best_available", "BEST_AVAILABLE" => BestAvailable);
words!(Liveliness, "automatic, manual_by_topic or best_available",
    "automatic", "AUTOMATIC" => Automatic,
    "manual_by_topic", "MANUAL_BY_TOPIC" => ManualByTopic,
    "best_available", "BEST_AVAILABLE" => BestAvailable);

impl QoS {
    /// The presets with the names that they have in ROS 2's tools.
    pub const PRESETS: [(&str, Self); 10] = [
        ("default", Self::keep_last(10)),
        ("system_default", Self::system_default()),
        ("sensor_data", Self::sensor_data()),
        ("services_default", Self::services_default()),
        ("parameters", Self::parameters()),
        ("parameter_events", Self::parameter_events()),
        ("action_status_default", Self::action_status_default()),
        ("rosout", Self::rosout()),
        ("clock", Self::clock()),
        ("best_available", Self::best_available()),
    ];
}

#[cfg(test)]
mod tests;
