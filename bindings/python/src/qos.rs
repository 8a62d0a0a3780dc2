//! Conversion of quality of service between Python and Rust.

use std::time::Duration;

use pyo3::{exceptions::PyValueError, prelude::*};
use saltus::{
    QoS,
    qos::{Durability, History, Liveliness, Reliability},
};

/// A profile in the form that Python passes: history, depth, reliability, durability and liveliness with the numbers of
/// ROS 2, then deadline, lifespan and lease in nanoseconds, where 0 is none.
pub(crate) type Profile = (u8, u32, u8, u8, u8, u64, u64, u64);

/// The number in ROS 2 for a time that adapts to the endpoint on the other side (best available).
const BEST_AVAILABLE_NANOS: u64 = 9_223_372_036_854_775_806;

pub(crate) fn from_profile(profile: Profile) -> PyResult<QoS> {
    let (history, depth, reliability, durability, liveliness, deadline, lifespan, lease) = profile;
    let unknown =
        |what: &str| PyValueError::new_err(format!("a publisher or subscription can't have {what} UNKNOWN"));
    let depth = || {
        let depth = u16::try_from(depth).map_err(|_| {
            let most = u16::MAX;
            PyValueError::new_err(format!("expected a depth of at most {most} messages, found {depth}"))
        })?;
        PyResult::Ok(depth.max(1))
    };
    // The number 0 of each policy is the system's default, for which Saltus uses the policy of ROS 2's default profile.
    Ok(QoS {
        history: match history {
            0 => QoS::default().history,
            1 => History::KeepLast(depth()?),
            2 => History::KeepAll,
            _ => return Err(unknown("history")),
        },
        reliability: match reliability {
            0 | 1 => Reliability::Reliable,
            2 => Reliability::BestEffort,
            4 => Reliability::BestAvailable,
            _ => return Err(unknown("reliability")),
        },
        durability: match durability {
            0 | 2 => Durability::Volatile,
            1 => Durability::TransientLocal,
            4 => Durability::BestAvailable,
            _ => return Err(unknown("durability")),
        },
        liveliness: match liveliness {
            0 | 1 => Liveliness::Automatic,
            3 => Liveliness::ManualByTopic,
            5 => Liveliness::BestAvailable,
            _ => return Err(unknown("liveliness")),
        },
        deadline: time(deadline),
        lifespan: time(lifespan),
        lease: time(lease),
    })
}

fn time(nanos: u64) -> Option<Duration> {
    match nanos {
        0 => None,
        BEST_AVAILABLE_NANOS => Some(QoS::BEST_AVAILABLE),
        nanos => Some(Duration::from_nanos(nanos)),
    }
}

pub(crate) fn to_profile(qos: &QoS) -> Profile {
    let nanos = |time: Option<Duration>| match time {
        None => 0,
        Some(QoS::BEST_AVAILABLE) => BEST_AVAILABLE_NANOS,
        Some(time) => u64::try_from(time.as_nanos()).unwrap_or(u64::MAX),
    };
    let (history, depth) = match qos.history {
        History::KeepLast(depth) => (1, u32::from(depth)),
        History::KeepAll => (2, 0),
    };
    let reliability = match qos.reliability {
        Reliability::Reliable => 1,
        Reliability::BestEffort => 2,
        Reliability::BestAvailable => 4,
    };
    let durability = match qos.durability {
        Durability::TransientLocal => 1,
        Durability::Volatile => 2,
        Durability::BestAvailable => 4,
    };
    let liveliness = match qos.liveliness {
        Liveliness::Automatic => 1,
        Liveliness::ManualByTopic => 3,
        Liveliness::BestAvailable => 5,
    };
    (
        history,
        depth,
        reliability,
        durability,
        liveliness,
        nanos(qos.deadline),
        nanos(qos.lifespan),
        nanos(qos.lease),
    )
}
