//! What a controller is: it chooses the next velocity.

use std::{error::Error, fmt, time::Duration};

use saltus_costmap::{Costmap, Footprint, InflationSettings};

use crate::{
    goal::GoalTolerance,
    pose::{Pose, Velocity},
};

/// What a controller is told in each cycle. All poses are in the frame of the costmap.
#[derive(Clone, Copy, Debug)]
pub struct Situation<'a> {
    /// The costs around the robot.
    pub map: &'a Costmap,
    /// What the robot covers on the ground.
    pub footprint: &'a Footprint,
    /// Where the robot is.
    pub robot: Pose,
    /// How the robot moves.
    pub velocity: Velocity,
    /// The path to follow, whole.
    pub path: &'a [Pose],
    /// How near the goal must be.
    pub tolerance: GoalTolerance,
    /// How costs fall around obstacles, if that is known.
    pub inflation: Option<InflationSettings>,
    /// The time since any start.
    pub now: Duration,
}

/// How fast a robot may be.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum SpeedLimit {
    /// As fast as the settings allow.
    #[default]
    None,
    /// In percent of the settings.
    Percent(f64),
    /// In m/s.
    Absolute(f64),
}

impl SpeedLimit {
    /// Whether it can be kept: it is finite, and not negative.
    pub fn is_possible(&self) -> bool {
        match self {
            Self::None => true,
            Self::Percent(limit) | Self::Absolute(limit) => limit.is_finite() && *limit >= 0.0,
        }
    }
}

/// Why a controller has no velocity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ControlError {
    /// The path has no poses near the robot.
    Path(String),
    /// Each velocity leads into an obstacle. It may help to wait.
    NoValidControl(String),
}

impl Situation<'_> {
    /// Checks that its numbers are finite.
    ///
    /// # Errors
    ///
    /// Says what is not finite.
    pub fn check(&self) -> Result<(), ControlError> {
        let Velocity { x, y, theta } = self.velocity;
        let what = if !self.robot.is_finite() {
            "pose of the robot"
        } else if ![x, y, theta].iter().all(|part| part.is_finite()) {
            "velocity of the robot"
        } else if !self.path.iter().all(Pose::is_finite) {
            "path"
        } else {
            return Ok(());
        };
        Err(ControlError::Path(format!("the {what} has numbers that are not finite")))
    }
}

impl fmt::Display for ControlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Path(text) | Self::NoValidControl(text)) = self;
        f.write_str(text)
    }
}

impl Error for ControlError {}

/// Chooses velocities that lead along a path.
pub trait Controller: Send {
    /// There is a new path. What was remembered of the last one is forgotten.
    fn start_path(&mut self);

    /// Returns the next velocity.
    ///
    /// # Errors
    ///
    /// If there is none that is safe, or no path.
    fn command(&mut self, situation: &Situation<'_>) -> Result<Velocity, ControlError>;

    /// Limits the speed. A limit that is not possible changes nothing.
    fn limit_speed(&mut self, limit: SpeedLimit);

    /// The robot was stopped.
    fn reset(&mut self) {}

    /// The goal is canceled. Returns whether the robot may be stopped at once. Otherwise [`command`](Self::command) is called until
    /// this returns true.
    fn cancel(&mut self) -> bool {
        true
    }
}
