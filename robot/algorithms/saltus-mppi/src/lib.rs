//! The controller MPPI (model predictive path integral): it samples many motions of the robot, rates them, and averages them with weights
//! that follow from the ratings. No I/O.
//!
//! Source: G. Williams et al., "Information-Theoretic Model Predictive Control: Theory and Applications to Autonomous Driving", 2018, and
//! `nav2_mppi_controller`, whose settings and critics it has.
//!
//! | module | content |
//! |---|---|
//! | `settings` | the settings of the controller |
//! | `sequence` | the control sequence: the velocities of the next steps, and their limits |
//! | `batch` | the batch of sampled motions |
//! | `route` | the part of the path that counts |
//! | `scene` | the input of critics |
//! | `critic` | critics, which rate motions |
//! | `controller` | the controller MPPI |

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
pub use scene::{RelativePose, Scene};
pub use settings::{Inversion, MotionModel, MppiSettings};
