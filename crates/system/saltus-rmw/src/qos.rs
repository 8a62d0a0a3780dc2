//! Profiles as texts: `<reliability>:<durability>:<history>,<depth>:<deadline>:<lifespan>:<liveliness>,<lease>`.
//!
//! A part that has its default value is empty. A time is two parts, seconds and nanoseconds.

use std::time::Duration;

use saltus_types::{Durability, History, Liveliness, QoS, Reliability};

/// The depth of a profile that names none.
const DEFAULT_DEPTH: u16 = 42;
/// The seconds and nanoseconds of a time that never passes.
const ENDLESS: [u64; 2] = [9_223_372_036, 854_775_807];

/// Returns a profile as text. What is best available must be resolved; otherwise it is the default.
pub(crate) fn encode(qos: &QoS) -> String {
    let reliability = if qos.reliability == Reliability::BestEffort { "2" } else { "" };
    let durability = if qos.durability == Durability::TransientLocal { "1" } else { "" };
    let history = match qos.history {
        History::KeepLast(DEFAULT_DEPTH) => ",".into(),
        History::KeepLast(depth) => format!(",{depth}"),
        History::KeepAll => "2,".into(),
    };
    let liveliness = if qos.liveliness == Liveliness::ManualByTopic { "3" } else { "" };
    let [deadline, lifespan, lease] = [qos.deadline, qos.lifespan, qos.lease].map(time_text);
    format!("{reliability}:{durability}:{history}:{deadline}:{lifespan}:{liveliness},{lease}")
}

fn time_text(time: Option<Duration>) -> String {
    let parts = time.map_or(ENDLESS, |time| [time.as_secs(), time.subsec_nanos().into()]);
    let text = |(part, endless): (u64, u64)| if part == endless { String::new() } else { part.to_string() };
    parts.into_iter().zip(ENDLESS).map(text).collect::<Vec<_>>().join(",")
}

/// Reads a profile. `None` if the text is not one.
pub(crate) fn decode(text: &str) -> Option<QoS> {
    let parts: Vec<&str> = text.split(':').collect();
    let [reliability, durability, history, deadline, lifespan, liveliness] = parts[..] else { return None };
    let (history, depth) = history.split_once(',')?;
    let (liveliness, lease) = liveliness.split_once(',')?;
    let depth = number(depth, DEFAULT_DEPTH.into())?.clamp(1, u16::MAX.into()) as u16;
    Some(QoS {
        reliability: match reliability {
            "" | "1" => Reliability::Reliable,
            "2" => Reliability::BestEffort,
            _ => return None,
        },
        durability: match durability {
            "1" => Durability::TransientLocal,
            "" | "2" => Durability::Volatile,
            _ => return None,
        },
        history: match history {
            "" | "1" => History::KeepLast(depth),
            "2" => History::KeepAll,
            _ => return None,
        },
        liveliness: match liveliness {
            "" | "1" => Liveliness::Automatic,
            // Manual by node is the same for a node with one publisher of the topic.
            "2" | "3" => Liveliness::ManualByTopic,
            _ => return None,
        },
        deadline: time(deadline)?,
        lifespan: time(lifespan)?,
        lease: time(lease)?,
    })
}

/// Reads a time. The inner `None` is a time that never passes.
#[expect(clippy::option_option, reason = "the outer one is an error")]
fn time(text: &str) -> Option<Option<Duration>> {
    let (seconds, nanos) = text.split_once(',')?;
    let parts = [number(seconds, ENDLESS[0])?, number(nanos, ENDLESS[1])?];
    let nanos = u32::try_from(parts[1]).ok().filter(|nanos| *nanos < 1_000_000_000)?;
    // Longer times than the endless one, and times that are not set, never pass either.
    let is_endless = parts >= ENDLESS || parts == [0, 0];
    Some((!is_endless).then(|| Duration::new(parts[0], nanos)))
}

fn number(text: &str, default: u64) -> Option<u64> {
    match text {
        "" => Some(default),
        _ if text.bytes().all(|byte| byte.is_ascii_digit()) => text.parse().ok(),
        _ => None,
    }
}
