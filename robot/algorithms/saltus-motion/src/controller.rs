//! The interface of controllers, which choose the next velocity.

use std::{error::Error, fmt, time::Duration};

use saltus_costmap::{Costmap, Footprint, InflationSettings};

use crate::{
    goal::GoalTolerance,
    pose::{Pose, Velocity},
};

/// The input of a controller in each cycle. All poses are in the frame of the costmap.
#[derive(Clone, Copy, Debug)]
pub struct Situation<'a> {
    /// The costs around the robot.
    pub map: &'a Costmap,
    /// The footprint of the robot.
    pub footprint: &'a Footprint,
    /// The pose of the robot.
    pub robot: Pose,
    /// The velocity of the robot.
    pub velocity: Velocity,
    /// The whole path to follow.
    pub path: &'a [Pose],
    /// The tolerance of the goal.
    pub tolerance: GoalTolerance,
    /// The settings of the inflation of the costmap, if they are known.
    pub inflation: Option<InflationSettings>,
    /// The time of the cycle, since a fixed start.
    pub now: Duration,
}

/// A limit of the speed of a robot.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum SpeedLimit {
    /// No limit besides the settings.
    #[default]
    None,
    /// A limit in percent of the highest speed in the settings.
    Percent(f64),
    /// A limit in m/s.
    Absolute(f64),
}

impl SpeedLimit {
    /// Whether the limit is finite and not negative.
    pub fn is_possible(&self) -> bool {
        match self {
            Self::None => true,
            Self::Percent(limit) | Self::Absolute(limit) => limit.is_finite() && *limit >= 0.0,
        }
    }
}

/// The reason why a controller has no velocity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ControlError {
    /// The path has no poses near the robot.
    Path(String),
    /// Each velocity leads into an obstacle. A later attempt may succeed.
    NoValidControl(String),
}

impl Situation<'_> {
    /// Checks that all numbers are finite.
    ///
    /// # Errors
    ///
    /// Fails with a text that names the input that is not finite.
    pub fn check(&self) -> Result<(), ControlError> {
        let Velocity { x, y, theta } = self.velocity;
        let name = if !self.robot.is_finite() {
            "pose of the robot"
        } else if ![x, y, theta].iter().all(|part| part.is_finite()) {
            "velocity of the robot"
        } else if !self.path.iter().all(Pose::is_finite) {
            "path"
        } else {
            return Ok(());
        };
        Err(ControlError::Path(format!("the {name} has numbers that are not finite")))
    }
}

impl fmt::Display for ControlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Path(text) | Self::NoValidControl(text)) = self;
        f.write_str(text)
    }
}

impl Error for ControlError {}

/// A controller: it chooses velocities that lead along a path.
pub trait Controller: Send {
    /// Starts a new path, and discards the state of the last one.
    fn start_path(&mut self);

    /// Returns the next velocity.
    ///
    /// # Errors
    ///
    /// Fails if no velocity is safe, or if there is no path near the robot.
    fn command(&mut self, situation: &Situation<'_>) -> Result<Velocity, ControlError>;

    /// Limits the speed. A limit that is [not possible](SpeedLimit::is_possible) changes nothing.
    fn limit_speed(&mut self, limit: SpeedLimit);

    /// Discards the state after the robot was stopped.
    fn reset(&mut self) {}

    /// Cancels the goal. Returns whether the robot may be stopped at once. Otherwise the caller goes on to call
    /// [`command`](Self::command) until this method returns true.
    fn cancel(&mut self) -> bool {
        true
    }
}
