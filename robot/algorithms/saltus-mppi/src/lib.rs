//! The controller MPPI (model predictive path integral): it samples many motions of the robot, rates each, and averages them, the better
//! ones with more weight. No I/O.
//!
//! Source: G. Williams et al., "Information-Theoretic Model Predictive Control: Theory and Applications to Autonomous Driving", 2018, and
//! `nav2_mppi_controller`, whose settings and critics these are.
//!
//! | module | content |
//! |---|---|
//! | `settings` | what the controller depends on |
//! | `sequence` | the velocities of the next steps, and their limits |
//! | `batch` | the sampled motions |
//! | `route` | the part of the path that counts |
//! | `scene` | what critics look at |
//! | `critic` | how motions are rated |
//! | `controller` | the controller |

mod batch;
mod controller;
mod critic;
mod route;
mod scene;
mod sequence;
mod settings;
#[cfg(test)]
mod tests;

pub use batch::{Batch, Trajectory};
pub use controller::Mppi;
pub use critic::{
    AngleMode, ConstraintCritic, CostCritic, Critic, GoalAngleCritic, GoalCritic, ObstaclesCritic,
    PathAlignCritic, PathAngleCritic, PathFollowCritic, PreferForwardCritic, TwirlingCritic,
    VelocityDeadbandCritic, Weight,
};
pub use scene::{Place, Scene};
pub use settings::{Inversion, MotionModel, MppiSettings};
