//! The commands that a page sends.

use serde_json::Value;

/// A command of a page.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum PageCommand {
    /// Send the messages of a topic to the page.
    Subscribe { topic: String },
    /// Stop sending the messages of a topic.
    Unsubscribe { topic: String },
    /// Drive the robot to a pose.
    Goal(Target),
    /// Set the pose at which the robot is.
    InitialPose(Target),
    /// Drive the robot with this velocity, in m/s and rad/s.
    Drive { topic: String, forward: f64, left: f64, turn: f64 },
}

/// A pose, and the topic on which it is published.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Target {
    pub(crate) topic: String,
    /// The frame of the pose.
    pub(crate) frame: String,
    /// The position, in metres.
    pub(crate) x: f64,
    pub(crate) y: f64,
    /// The angle about the axis z, in radians.
    pub(crate) yaw: f64,
}

/// The maximum length of a name, in bytes.
const MAX_NAME_LENGTH: usize = 1024;
/// The largest absolute value of a velocity or a coordinate.
const MAX_NUMBER: f64 = 1e6;

impl PageCommand {
    /// Reads a command from JSON.
    ///
    /// # Errors
    ///
    /// Returns an error text for the page.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let command: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let topic = || name(&command, "topic");
        Ok(match command["op"].as_str() {
            Some("subscribe") => Self::Subscribe { topic: topic()? },
            Some("unsubscribe") => Self::Unsubscribe { topic: topic()? },
            Some("goal") => Self::Goal(target(&command)?),
            Some("initialpose") => Self::InitialPose(target(&command)?),
            Some("drive") => Self::Drive {
                topic: topic()?,
                forward: number(&command, "forward")?,
                left: number(&command, "left")?,
                turn: number(&command, "turn")?,
            },
            other => return Err(format!("there is no operation {other:?}")),
        })
    }

    /// Returns whether the command has an effect on a robot.
    pub(crate) fn is_control(&self) -> bool {
        matches!(self, Self::Goal(_) | Self::InitialPose(_) | Self::Drive { .. })
    }
}

fn target(command: &Value) -> Result<Target, String> {
    Ok(Target {
        topic: name(command, "topic")?,
        frame: name(command, "frame")?,
        x: number(command, "x")?,
        y: number(command, "y")?,
        yaw: number(command, "yaw")?,
    })
}

fn name(command: &Value, key: &str) -> Result<String, String> {
    let text = command[key].as_str().filter(|text| !text.is_empty() && text.len() <= MAX_NAME_LENGTH);
    text.map(str::to_owned).ok_or_else(|| format!("`{key}` must be a name"))
}

fn number(command: &Value, key: &str) -> Result<f64, String> {
    let number = command[key].as_f64().filter(|number| number.abs() <= MAX_NUMBER);
    number.ok_or_else(|| format!("`{key}` must be a number"))
}
