//! Quality of service, with the numbers of ROS 2.

use std::time::Duration;

use saltus::{
    QoS,
    qos::{Durability, History, Liveliness, Reliability},
};

use crate::{
    pointers::{self, Options},
    status::Failure,
};

/// A policy that is not given: that of the default profile.
pub const SALTUS_QOS_SYSTEM_DEFAULT: u8 = 0;
/// A queue keeps the last messages, as many as its depth.
pub const SALTUS_HISTORY_KEEP_LAST: u8 = 1;
/// No message is left out. A publisher waits for room.
pub const SALTUS_HISTORY_KEEP_ALL: u8 = 2;
/// Each message arrives, as long as the queue has room.
pub const SALTUS_RELIABILITY_RELIABLE: u8 = 1;
/// A publisher never waits.
pub const SALTUS_RELIABILITY_BEST_EFFORT: u8 = 2;
/// Reliable, if the publishers are.
pub const SALTUS_RELIABILITY_BEST_AVAILABLE: u8 = 4;
/// A late subscription gets the last messages.
pub const SALTUS_DURABILITY_TRANSIENT_LOCAL: u8 = 1;
/// A late subscription gets only later messages.
pub const SALTUS_DURABILITY_VOLATILE: u8 = 2;
/// Transient local, if the publishers are.
pub const SALTUS_DURABILITY_BEST_AVAILABLE: u8 = 4;
/// A publisher is alive as long as its process is.
pub const SALTUS_LIVELINESS_AUTOMATIC: u8 = 1;
/// A publisher is alive as long as it publishes, or asserts it.
pub const SALTUS_LIVELINESS_MANUAL_BY_TOPIC: u8 = 3;
/// What the publishers offer.
pub const SALTUS_LIVELINESS_BEST_AVAILABLE: u8 = 5;

/// A duration in nanoseconds that adapts to the endpoints on the other side, as in ROS 2.
pub const SALTUS_DURATION_BEST_AVAILABLE: u64 = 9_223_372_036_854_775_806;

/// Quality of service. The numbers of the policies are those of ROS 2.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Qos {
    /// The size of this struct. saltus_qos_init() sets it.
    pub struct_size: usize,
    /// One of SALTUS_HISTORY_….
    pub history: u8,
    /// One of SALTUS_RELIABILITY_….
    pub reliability: u8,
    /// One of SALTUS_DURABILITY_….
    pub durability: u8,
    /// One of SALTUS_LIVELINESS_….
    pub liveliness: u8,
    /// How many messages a queue keeps, from 1 to 65535. 0 is 1.
    pub depth: u32,
    /// The longest time between two messages in nanoseconds. 0 is no limit.
    pub deadline: u64,
    /// How long a message is valid, in nanoseconds. 0 is for ever.
    pub lifespan: u64,
    /// After how many nanoseconds without a sign a publisher is not alive any more. 0 is never.
    pub lease: u64,
}

// SAFETY: it is `repr(C)`, begins with its size, and has only numbers.
unsafe impl Options for Qos {
    const NAME: &str = "saltus_qos_t";

    fn defaults() -> Self {
        Self::from(&QoS::default())
    }
}

/// Sets a profile to the default one: the last 10 messages, reliable, volatile. Pass sizeof(saltus_qos_t).
#[unsafe(no_mangle)]
pub extern "C" fn saltus_qos_init(qos: *mut Qos, struct_size: usize) {
    pointers::write_defaults(qos, struct_size);
}

impl From<&QoS> for Qos {
    fn from(qos: &QoS) -> Self {
        let nanos = |time: Option<Duration>| match time {
            None => 0,
            Some(QoS::BEST_AVAILABLE) => SALTUS_DURATION_BEST_AVAILABLE,
            Some(time) => u64::try_from(time.as_nanos()).unwrap_or(u64::MAX),
        };
        let (history, depth) = match qos.history {
            History::KeepLast(depth) => (SALTUS_HISTORY_KEEP_LAST, u32::from(depth)),
            History::KeepAll => (SALTUS_HISTORY_KEEP_ALL, 0),
        };
        Self {
            struct_size: size_of::<Self>(),
            history,
            reliability: match qos.reliability {
                Reliability::Reliable => SALTUS_RELIABILITY_RELIABLE,
                Reliability::BestEffort => SALTUS_RELIABILITY_BEST_EFFORT,
                Reliability::BestAvailable => SALTUS_RELIABILITY_BEST_AVAILABLE,
            },
            durability: match qos.durability {
                Durability::TransientLocal => SALTUS_DURABILITY_TRANSIENT_LOCAL,
                Durability::Volatile => SALTUS_DURABILITY_VOLATILE,
                Durability::BestAvailable => SALTUS_DURABILITY_BEST_AVAILABLE,
            },
            liveliness: match qos.liveliness {
                Liveliness::Automatic => SALTUS_LIVELINESS_AUTOMATIC,
                Liveliness::ManualByTopic => SALTUS_LIVELINESS_MANUAL_BY_TOPIC,
                Liveliness::BestAvailable => SALTUS_LIVELINESS_BEST_AVAILABLE,
            },
            depth,
            deadline: nanos(qos.deadline),
            lifespan: nanos(qos.lifespan),
            lease: nanos(qos.lease),
        }
    }
}

/// Reads a profile. NULL is `otherwise`.
///
/// # Errors
/// Returns an error if a number is not that of a policy, or if the depth is too large.
pub(crate) fn read(qos: *const Qos, otherwise: QoS) -> Result<QoS, Failure> {
    if qos.is_null() {
        return Ok(otherwise);
    }
    let qos = pointers::options(qos)?;
    let defaults = QoS::default();
    Ok(QoS {
        history: match qos.history {
            SALTUS_QOS_SYSTEM_DEFAULT => defaults.history,
            SALTUS_HISTORY_KEEP_LAST => History::KeepLast(depth(qos.depth)?),
            SALTUS_HISTORY_KEEP_ALL => History::KeepAll,
            other => return Err(unknown("history", other)),
        },
        reliability: match qos.reliability {
            SALTUS_QOS_SYSTEM_DEFAULT | SALTUS_RELIABILITY_RELIABLE => Reliability::Reliable,
            SALTUS_RELIABILITY_BEST_EFFORT => Reliability::BestEffort,
            SALTUS_RELIABILITY_BEST_AVAILABLE => Reliability::BestAvailable,
            other => return Err(unknown("reliability", other)),
        },
        durability: match qos.durability {
            SALTUS_QOS_SYSTEM_DEFAULT | SALTUS_DURABILITY_VOLATILE => Durability::Volatile,
            SALTUS_DURABILITY_TRANSIENT_LOCAL => Durability::TransientLocal,
            SALTUS_DURABILITY_BEST_AVAILABLE => Durability::BestAvailable,
            other => return Err(unknown("durability", other)),
        },
        liveliness: match qos.liveliness {
            SALTUS_QOS_SYSTEM_DEFAULT | SALTUS_LIVELINESS_AUTOMATIC => Liveliness::Automatic,
            SALTUS_LIVELINESS_MANUAL_BY_TOPIC => Liveliness::ManualByTopic,
            SALTUS_LIVELINESS_BEST_AVAILABLE => Liveliness::BestAvailable,
            other => return Err(unknown("liveliness", other)),
        },
        deadline: time(qos.deadline),
        lifespan: time(qos.lifespan),
        lease: time(qos.lease),
    })
}

fn depth(depth: u32) -> Result<u16, Failure> {
    let most = u16::MAX;
    let too_large =
        |_| Failure::argument(format!("expected a depth of at most {most} messages, found {depth}"));
    Ok(u16::try_from(depth).map_err(too_large)?.max(1))
}

fn unknown(what: &str, number: u8) -> Failure {
    Failure::argument(format!("no {what} of a publisher or subscription has the number {number}"))
}

fn time(nanos: u64) -> Option<Duration> {
    match nanos {
        0 => None,
        SALTUS_DURATION_BEST_AVAILABLE => Some(QoS::BEST_AVAILABLE),
        nanos => Some(Duration::from_nanos(nanos)),
    }
}
