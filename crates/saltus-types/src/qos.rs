//! Quality of service: what a publisher offers and a subscription asks for.

use std::{fmt, time::Duration};

/// Whether a lost message is an error to be avoided or an event to be counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Reliability {
    /// Every message is delivered while the subscription's queue has room for it.
    #[default]
    Reliable,
    /// Losing one is acceptable; what is lost is counted all the same.
    BestEffort,
    /// As strong as everybody who is there when the endpoint is opened; see [`QoS::resolve`].
    BestAvailable,
}

/// Whether a subscription that comes late receives what was published before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Durability {
    /// Only what is published from now on.
    #[default]
    Volatile,
    /// The publisher keeps its last messages and gives them to whoever joins.
    TransientLocal,
    /// As strong as everybody who is there when the endpoint is opened; see [`QoS::resolve`].
    BestAvailable,
}

/// What shows that a publisher is alive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Liveliness {
    /// That its process is.
    #[default]
    Automatic,
    /// That it publishes, or says so, within each lease.
    ManualByTopic,
    /// As strong as everybody who is there when the endpoint is opened; see [`QoS::resolve`].
    BestAvailable,
}

/// How many messages wait for a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum History {
    /// The newest this many (at least 1, at most 65,535); the oldest gives way and is counted as lost.
    KeepLast(u16),
    /// All: a reliable publisher waits while a queue of [`History::KEEP_ALL_LIMIT`] is full, at most for
    /// [`History::MAX_BLOCKING`], and is then refused.
    KeepAll,
}

impl History {
    /// The length of a queue that keeps all, in messages. Beyond it publishing is an error, so that
    /// one stuck reader can't use up the host's shared memory.
    pub const KEEP_ALL_LIMIT: u16 = 4096;
    /// How long a publisher waits at most for room in a queue that keeps all. It is DDS's default
    /// `max_blocking_time`.
    pub const MAX_BLOCKING: Duration = Duration::from_millis(100);

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
    /// The longest time between two messages; `None` is any. Offered by a publisher, and
    /// requested by a subscription. Exceeding it is an event, and loses nothing.
    pub deadline: Option<Duration>,
    /// How long a message is worth reading after it was sent; `None` is for ever. The publisher's.
    pub lifespan: Option<Duration>,
    /// See [`Liveliness`].
    pub liveliness: Liveliness,
    /// How long a publisher counts as alive after it last showed so; `None` is for ever.
    pub lease: Option<Duration>,
}

/// The policy on which an offer falls short of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum QosMismatch {
    /// Best effort is offered, reliable is requested.
    Reliability,
    /// Volatile is offered, transient local is requested.
    Durability,
    /// Messages may come further apart than requested.
    Deadline,
    /// Automatic is offered, manual by topic is requested, or the lease offered is the longer.
    Liveliness,
}

impl fmt::Display for QosMismatch {
    /// The policy's name as ROS 2 prints it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Reliability => "RELIABILITY",
            Self::Durability => "DURABILITY",
            Self::Deadline => "DEADLINE",
            Self::Liveliness => "LIVELINESS",
        })
    }
}

/// Which side a profile that is to suit the other is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// It offers.
    Publisher,
    /// It requests.
    Subscription,
}

impl Default for QoS {
    fn default() -> Self {
        Self::keep_last(10)
    }
}

impl QoS {
    /// A deadline or lease that is to suit the other side; see [`QoS::resolve`].
    pub const BEST_AVAILABLE: Duration = Duration::MAX;

    /// Reliable, volatile, keeping the last `depth` messages (0 is taken as 1).
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

    /// Reliable, volatile, keeping all (see [`History::KeepAll`]).
    pub const fn keep_all() -> Self {
        Self { history: History::KeepAll, ..Self::keep_last(1) }
    }

    /// ROS 2's profile for sensors: best effort, volatile, keep last 5.
    pub const fn sensor_data() -> Self {
        Self::keep_last(5).best_effort()
    }

    /// ROS 2's profile for services: the default one.
    pub const fn services_default() -> Self {
        Self::keep_last(10)
    }

    /// ROS 2's profile for parameter services: reliable, volatile, keep last 1000.
    pub const fn parameters() -> Self {
        Self::keep_last(1000)
    }

    /// ROS 2's profile of `/parameter_events`: reliable, volatile, keep last 1000.
    pub const fn parameter_events() -> Self {
        Self::keep_last(1000)
    }

    /// ROS 2's profile of `/rosout`: reliable, transient local, keep last 1000, for 10 s.
    pub const fn rosout() -> Self {
        Self::keep_last(1000).transient_local().lifespan(Duration::from_secs(10))
    }

    /// ROS 2's profile of subscriptions to `/clock`: best effort, volatile, keep last 1.
    pub const fn clock() -> Self {
        Self::keep_last(1).best_effort()
    }

    /// What the middleware thinks best: here the default profile.
    pub const fn system_default() -> Self {
        Self::keep_last(10)
    }

    /// ROS 2's profile that suits whoever is there when the endpoint is opened; see [`QoS::resolve`].
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

    /// The same profile, with at most that time between two messages.
    pub const fn deadline(self, period: Duration) -> Self {
        Self { deadline: at_least_some(period), ..self }
    }

    /// The same profile, for messages that nobody wants when they are older than that.
    pub const fn lifespan(self, age: Duration) -> Self {
        Self { lifespan: at_least_some(age), ..self }
    }

    /// The same profile, with that kind of liveliness and that lease.
    pub const fn liveliness(self, kind: Liveliness, lease: Duration) -> Self {
        Self { liveliness: kind, lease: at_least_some(lease), ..self }
    }

    /// Whether a publisher with this profile can serve a subscription that asks for `requested`.
    ///
    /// The rule is "at least as strong" for reliability, durability, deadline and liveliness; depth
    /// and lifespan never matter. Both profiles must be resolved.
    pub fn offers(&self, requested: &Self) -> Result<(), QosMismatch> {
        use QosMismatch as No;
        let reliable = |qos: &Self| qos.reliability == Reliability::Reliable;
        let durable = |qos: &Self| qos.durability == Durability::TransientLocal;
        let manual = |qos: &Self| qos.liveliness == Liveliness::ManualByTopic;
        let falls_short = [
            (!reliable(self) && reliable(requested), No::Reliability),
            (!durable(self) && durable(requested), No::Durability),
            (is_longer(self.deadline, requested.deadline), No::Deadline),
            (!manual(self) && manual(requested), No::Liveliness),
            (is_longer(self.lease, requested.lease), No::Liveliness),
        ];
        falls_short
            .into_iter()
            .find(|(falls_short, _)| *falls_short)
            .map_or(Ok(()), |(_, policy)| Err(policy))
    }

    /// This profile with each "best available" replaced by the strongest that matches all of `others`,
    /// the profiles on the other side of the topic at this moment.
    ///
    /// A subscription asks for what all publishers offer; a publisher offers the strongest, so that
    /// any subscription is served. This is the rule of `rmw_dds_common`.
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

/// A period of nothing is none, as in ROS 2.
const fn at_least_some(period: Duration) -> Option<Duration> {
    if period.is_zero() { None } else { Some(period) }
}

/// A period that is to suit: the shortest that is requested, or the longest that is offered.
fn resolve_period(
    period: Option<Duration>,
    side: Side,
    others: impl Iterator<Item = Option<Duration>>,
) -> Option<Duration> {
    if period != Some(QoS::BEST_AVAILABLE) {
        return period;
    }
    // No period is the longest of all.
    let mut periods = others.map(|other| other.unwrap_or(Duration::MAX));
    let suitable = match side {
        Side::Publisher => periods.min(),
        Side::Subscription => {
            periods.try_fold(Duration::ZERO, |a, b| Some(a.max(b))).filter(|p| !p.is_zero())
        }
    };
    suitable.filter(|period| *period != Duration::MAX)
}

/// Whether one period exceeds the other; `None` is longer than any.
fn is_longer(offered: Option<Duration>, requested: Option<Duration>) -> bool {
    requested.is_some_and(|requested| offered.is_none_or(|offered| offered > requested))
}

/// A depth alone is a profile, as in ROS 2: reliable, volatile, keep last.
impl From<u16> for QoS {
    fn from(depth: u16) -> Self {
        Self::keep_last(depth)
    }
}

/// A word that is no value of a policy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected}, found `{found}`")]
pub struct ParsePolicyError {
    /// The words there are.
    pub expected: &'static str,
    /// The word that came.
    pub found: String,
}

/// The words of ROS 2's command line, and the names in capitals that its tools print.
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
    /// The presets by the names that ROS 2's tools know them by.
    pub const PRESETS: [(&str, Self); 9] = [
        ("default", Self::keep_last(10)),
        ("system_default", Self::system_default()),
        ("sensor_data", Self::sensor_data()),
        ("services_default", Self::services_default()),
        ("parameters", Self::parameters()),
        ("parameter_events", Self::parameter_events()),
        ("rosout", Self::rosout()),
        ("clock", Self::clock()),
        ("best_available", Self::best_available()),
    ];
}

#[cfg(test)]
mod tests;
