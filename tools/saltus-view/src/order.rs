//! What a page asks for.

use serde_json::Value;

/// What a page asks for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Order {
    /// It wants the messages of a topic.
    Subscribe { topic: String },
    /// It no longer wants them.
    Unsubscribe { topic: String },
    /// The robot shall drive to a pose.
    Goal(Target),
    /// The robot is at this pose.
    InitialPose(Target),
    /// The robot shall have this velocity: metres and radians per second.
    Drive { topic: String, forward: f64, left: f64, turn: f64 },
}

/// A pose in a frame, and the topic that it is for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Target {
    pub(crate) topic: String,
    pub(crate) frame: String,
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) yaw: f64,
}

/// How long a name may be, in bytes.
const LONGEST_NAME: usize = 1024;
/// The velocities and coordinates that are possible.
const LARGEST: f64 = 1e6;

impl Order {
    /// Reads an order.
    ///
    /// # Errors
    ///
    /// Returns what is wrong.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let order: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let topic = || name(&order, "topic");
        Ok(match order["op"].as_str() {
            Some("subscribe") => Self::Subscribe { topic: topic()? },
            Some("unsubscribe") => Self::Unsubscribe { topic: topic()? },
            Some("goal") => Self::Goal(target(&order)?),
            Some("initialpose") => Self::InitialPose(target(&order)?),
            Some("drive") => Self::Drive {
                topic: topic()?,
                forward: number(&order, "forward")?,
                left: number(&order, "left")?,
                turn: number(&order, "turn")?,
            },
            other => return Err(format!("there is no operation {other:?}")),
        })
    }

    /// Whether it changes what a robot does.
    pub(crate) fn is_control(&self) -> bool {
        matches!(self, Self::Goal(_) | Self::InitialPose(_) | Self::Drive { .. })
    }
}

fn target(order: &Value) -> Result<Target, String> {
    Ok(Target {
        topic: name(order, "topic")?,
        frame: name(order, "frame")?,
        x: number(order, "x")?,
        y: number(order, "y")?,
        yaw: number(order, "yaw")?,
    })
}

fn name(order: &Value, key: &str) -> Result<String, String> {
    let text = order[key].as_str().filter(|text| !text.is_empty() && text.len() <= LONGEST_NAME);
    text.map(str::to_owned).ok_or_else(|| format!("`{key}` must be a name"))
}

fn number(order: &Value, key: &str) -> Result<f64, String> {
    let number = order[key].as_f64().filter(|number| number.abs() <= LARGEST);
    number.ok_or_else(|| format!("`{key}` must be a number"))
}
