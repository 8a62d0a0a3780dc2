//! The trajectories of a cycle with their scores.

use saltus_motion::Velocity;

use crate::{critic::Illegal, trajectory::Trajectory};

/// A trajectory with the scores of the critics.
#[derive(Clone, Debug)]
pub struct Scored {
    /// The trajectory.
    pub trajectory: Trajectory,
    /// The score and the scale of each critic, in the order of the critics.
    pub scores: Vec<(f64, f64)>,
    /// The sum of the scaled scores, or the reason why the trajectory is rejected.
    pub total: Result<f64, Illegal>,
}

/// All trajectories of a cycle.
#[derive(Clone, Debug, Default)]
pub struct Evaluation {
    /// The trajectories, in the order in which they were tried.
    pub trajectories: Vec<Scored>,
    /// The index of the best trajectory.
    pub best: Option<usize>,
    /// The index of the worst trajectory that is not rejected.
    pub worst: Option<usize>,
    /// The velocity of the robot in the cycle.
    pub velocity: Velocity,
}

impl Evaluation {
    /// Adds a trajectory.
    pub(crate) fn add(&mut self, scored: Scored) {
        let index = self.trajectories.len();
        if let Ok(total) = scored.total {
            let other = |index: Option<usize>| index.and_then(|index| self.trajectories[index].total.ok());
            if other(self.best).is_none_or(|best| total < best) {
                self.best = Some(index);
            }
            if other(self.worst).is_none_or(|worst| total > worst) {
                self.worst = Some(index);
            }
        }
        self.trajectories.push(scored);
    }
}
