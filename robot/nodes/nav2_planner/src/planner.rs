//! The trait of planners, and the reasons why there is no path.

use std::{error::Error, fmt};

use saltus_costmap::Costmap;
use saltus_motion::Pose;

/// Plans paths on a costmap. All poses are in the frame of the costmap.
pub trait Planner: Send {
    /// Returns a path from a start to a goal. It is not empty.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no path.
    fn plan(&mut self, map: &Costmap, start: &Pose, goal: &Pose) -> Result<Vec<Pose>, PlanError>;
}

/// The reason why there is no path.
#[derive(Clone, Debug, PartialEq)]
pub enum PlanError {
    /// Anything else.
    Other(String),
    /// There is no such planner.
    InvalidPlanner(String),
    /// The pose of the start or of the goal in the frame of the costmap is unknown.
    Transform(String),
    /// The start is outside of the costmap.
    StartOutside(Pose),
    /// The goal is outside of the costmap.
    GoalOutside(Pose),
    /// There is an obstacle at the start.
    StartOccupied(Pose),
    /// There is an obstacle at the goal.
    GoalOccupied(Pose),
    /// The costmap did not become current in time.
    Timeout,
    /// There is no path that leads there.
    NoPath(String),
    /// There are no goals.
    NoGoals,
    /// The client has canceled the goal, or there is a newer one.
    NotWanted,
}

impl PlanError {
    /// Returns the code in results: `first` is that of an unknown error, such as 200.
    pub(crate) fn code(&self, first: u16) -> u16 {
        first
            + match self {
                Self::Other(_) | Self::NotWanted => 0,
                Self::InvalidPlanner(_) => 1,
                Self::Transform(_) => 2,
                Self::StartOutside(_) => 3,
                Self::GoalOutside(_) => 4,
                Self::StartOccupied(_) => 5,
                Self::GoalOccupied(_) => 6,
                Self::Timeout => 7,
                Self::NoPath(_) => 8,
                Self::NoGoals => 9,
            }
    }
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The texts are those of ROS 2.
        let at_pose = |f: &mut fmt::Formatter<'_>, end: &str, pose: &Pose, problem: &str| {
            write!(f, "{end} Coordinates of({:.6}, {:.6}) was {problem}", pose.x, pose.y)
        };
        match self {
            Self::Other(text) | Self::Transform(text) | Self::NoPath(text) => f.write_str(text),
            Self::InvalidPlanner(name) => write!(f, "Planner id {name} is invalid"),
            Self::StartOutside(pose) => at_pose(f, "Start", pose, "outside bounds"),
            Self::GoalOutside(pose) => at_pose(f, "Goal", pose, "outside bounds"),
            Self::StartOccupied(pose) => at_pose(f, "Start", pose, "in lethal cost"),
            Self::GoalOccupied(pose) => at_pose(f, "Goal", pose, "in lethal cost"),
            Self::Timeout => f.write_str("Costmap timed out waiting for update"),
            Self::NotWanted => f.write_str("The path is not wanted any more"),
            Self::NoGoals => f.write_str("No viapoints given"),
        }
    }
}

impl Error for PlanError {}
