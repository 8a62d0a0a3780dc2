//! Critics: each sees one thing.

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

/// Why a trajectory may not be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Illegal(pub &'static str);

/// What a critic says of a trajectory: the lower, the better; or why it may not be taken.
pub type Score = Result<f64, Illegal>;

/// Judges trajectories by one thing.
pub trait Critic: Send {
    /// There is a new path.
    fn reset(&mut self) {}

    /// A new cycle begins.
    fn prepare(&mut self, _context: &Context<'_>) {}

    /// Returns by how much its score counts, if its settings say `scale`.
    fn scale(&self, scale: f64, _context: &Context<'_>) -> f64 {
        scale
    }

    /// Returns the score of a trajectory.
    ///
    /// # Errors
    ///
    /// If the trajectory may not be taken.
    fn score(&self, trajectory: &Trajectory, context: &Context<'_>) -> Score;

    /// A velocity was chosen.
    fn chosen(&mut self, _velocity: &Velocity, _context: &Context<'_>) {}
}
