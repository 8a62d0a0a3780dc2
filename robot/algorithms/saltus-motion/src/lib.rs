//! How robots move along paths: what all controllers have in common, behaviors, and smoothers. No I/O.
//!
//! Lengths are in metres, angles in radians, and times in seconds.
//!
//! | module | content |
//! |---|---|
//! | `pose` | poses and velocities |
//! | `path` | lengths and parts of paths |
//! | `collision` | what a robot touches at a pose |
//! | `goal` | whether a robot is at its goal |
//! | `progress` | whether a robot moves at all |
//! | `controller` | what a controller is: it chooses the next velocity |
//! | `behavior` | spin, back up, drive on heading, teleoperation |
//! | `smoother` | paths with fewer bends |
//! | `velocity_smoother` | velocities within the limits of a drive |

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
