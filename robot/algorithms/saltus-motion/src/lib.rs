//! Motion along paths: the interface of controllers, behaviors, and smoothers. No I/O.
//!
//! Lengths are in metres, angles in radians, and times in seconds.
//!
//! | module | content |
//! |---|---|
//! | `pose` | poses and velocities |
//! | `path` | lengths and parts of paths |
//! | `collision` | collisions of a robot at a pose |
//! | `goal` | the check whether a robot is at its goal |
//! | `progress` | the check whether a robot makes progress |
//! | `controller` | the interface of controllers, which choose the next velocity |
//! | `behavior` | spin, back up, drive on heading, assisted teleoperation |
//! | `smoother` | a smoother for paths |
//! | `velocity_smoother` | a smoother for velocities |

pub mod behavior;
mod collision;
mod controller;
mod goal;
pub mod path;
mod pose;
mod progress;
mod smoother;
#[cfg(test)]
mod tests;
mod velocity_smoother;

pub use collision::{Collision, footprint_cost, is_free};
pub use controller::{ControlError, Controller, Situation, SpeedLimit};
pub use goal::{GoalChecker, GoalTolerance};
pub use pose::{Pose, Velocity, wrapped};
pub use progress::ProgressChecker;
pub use smoother::{SimpleSmoother, SmoothError};
pub use velocity_smoother::{Feedback, LimitError, VelocityLimits, VelocitySmoother};
