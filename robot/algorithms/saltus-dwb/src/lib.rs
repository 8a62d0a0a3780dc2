//! The controller DWB: it simulates many trajectories, and takes the best one, as critics see it. No I/O.
//!
//! Source: `dwb_core` and `dwb_critics` of Nav2, whose rules and settings these are.
//!
//! | module | content |
//! |---|---|
//! | `kinematics` | how fast a robot may be, and become |
//! | `samples` | the velocities that are tried |
//! | `trajectory` | where a velocity leads to |
//! | `distances` | how far cells are from others |
//! | `context` | what critics are told |
//! | `critic` | critics: each sees one thing |
//! | `window` | the part of the path near the robot |
//! | `evaluation` | what was tried, and how it was seen |
//! | `controller` | the controller |

mod context;
mod controller;
mod critic;
mod distances;
mod evaluation;
mod kinematics;
mod samples;
#[cfg(test)]
mod tests;
mod trajectory;
mod window;

pub use context::Context;
pub use controller::{Dwb, DwbSettings};
pub use critic::{
    Aggregation, BaseObstacle, Critic, GoalAlign, GoalDist, Illegal, ObstacleFootprint, Oscillation,
    OscillationSettings, PathAlign, PathDist, PreferForward, PreferForwardSettings, RotateToGoal,
    RotateToGoalSettings, Score, Twirling,
};
pub use evaluation::{Evaluation, Scored};
pub use kinematics::Kinematics;
pub use trajectory::{Simulation, Trajectory};
pub use window::Window;
