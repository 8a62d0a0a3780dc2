//! What was tried, and how it was seen.

use saltus_motion::Velocity;

use crate::{critic::Illegal, trajectory::Trajectory};

/// A trajectory with the scores of the critics.
#[derive(Clone, Debug)]
pub struct Scored {
    /// The trajectory.
    pub trajectory: Trajectory,
    /// The scores, in the order of the critics, and by how much each counts.
    pub scores: Vec<(f64, f64)>,
    /// The sum, if the trajectory may be taken.
    pub total: Result<f64, Illegal>,
}

/// All trajectories of a cycle.
#[derive(Clone, Debug, Default)]
pub struct Evaluation {
    /// The trajectories.
    pub trajectories: Vec<Scored>,
    /// The place of the best one.
    pub best: Option<usize>,
    /// The place of the worst one.
    pub worst: Option<usize>,
    /// The velocity that the robot had.
    pub velocity: Velocity,
}

impl Evaluation {
    pub(crate) fn add(&mut self, scored: Scored) {
        let place = self.trajectories.len();
        if let Ok(total) = scored.total {
            let other = |place: Option<usize>| place.and_then(|place| self.trajectories[place].total.ok());
            if other(self.best).is_none_or(|best| total < best) {
                self.best = Some(place);
            }
            if other(self.worst).is_none_or(|worst| total > worst) {
                self.worst = Some(place);
            }
        }
        self.trajectories.push(scored);
    }
}
