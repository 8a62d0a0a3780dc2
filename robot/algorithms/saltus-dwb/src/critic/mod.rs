//! Critics. Each critic rates one aspect of a trajectory.
//!
//! Source: `dwb_critics` of Nav2, whose names, settings and texts these are.

mod grid;
mod motion;
mod obstacle;
mod oscillation;
mod rotate_to_goal;

pub use grid::{Aggregation, GoalAlign, GoalDist, PathAlign, PathDist};
pub use motion::{PreferForward, PreferForwardSettings, Twirling};
pub use obstacle::{BaseObstacle, ObstacleFootprint};
pub use oscillation::{Oscillation, OscillationSettings};
pub use rotate_to_goal::{RotateToGoal, RotateToGoalSettings};

use saltus_motion::Velocity;

use crate::{context::Context, trajectory::Trajectory};

/// The reason why a trajectory is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Illegal(pub &'static str);

/// The score of a trajectory, where lower is better, or the reason why the trajectory is rejected.
pub type Score = Result<f64, Illegal>;

/// A critic of trajectories.
pub trait Critic: Send {
    /// Discards the state for a new path.
    fn reset(&mut self) {}

    /// Starts a new cycle.
    fn prepare(&mut self, _context: &Context<'_>) {}

    /// Returns the factor for the scores of this cycle. `scale` is the factor in the settings.
    fn scale(&self, scale: f64, _context: &Context<'_>) -> f64 {
        scale
    }

    /// Returns the score of a trajectory.
    ///
    /// # Errors
    ///
    /// Fails if the trajectory must not be taken.
    fn score(&self, trajectory: &Trajectory, context: &Context<'_>) -> Score;

    /// Informs the critic of the velocity that was chosen in this cycle.
    fn velocity_chosen(&mut self, _velocity: &Velocity, _context: &Context<'_>) {}
}
