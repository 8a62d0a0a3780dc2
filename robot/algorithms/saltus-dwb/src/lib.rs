//! The controller DWB: it simulates many trajectories, rates them with critics, and takes the best one. No I/O.
//!
//! Source: `dwb_core` and `dwb_critics` of Nav2, whose rules and settings it has.
//!
//! | module | content |
//! |---|---|
//! | `kinematics` | the limits of velocities and accelerations |
//! | `samples` | the velocities that are tried |
//! | `trajectory` | the simulation of trajectories |
//! | `distances` | distances between cells |
//! | `context` | the input of critics |
//! | `critic` | critics, which rate trajectories |
//! | `window` | the part of the path that counts |
//! | `evaluation` | the trajectories of a cycle with their scores |
//! | `controller` | the controller DWB |

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
